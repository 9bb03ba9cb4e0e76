/* Which vertex an id in SQL names.
**
**     value       affinity of the source column     id             vertex number
**     '7'         INTEGER, NUMERIC, REAL            7              gpugraph_find_integer
**     7           TEXT                              '7'            gpugraph_find_text
**     7.0         any but TEXT                      7
**     7.5, x'37'                                    can be none    GPUGRAPH_NONE
**
** which is how `src = value` compares in plain SQL (find_vertex). An argument (find_id) goes
** on from there: the last are an error, and 7.0 is 7 under TEXT as well, where '7.0' is no
** vertex. */
#include "find_id.h"
#include "base/value.h"

#include <string.h>

/* ---- as a column compares ---- */

static int find_text(const gpugraph_graph *graph, sqlite3_value *value,
                     uint32_t *vertex) {
    const char *bytes = (const char *)sqlite3_value_text(value);
    if (!bytes)
        return SQLITE_NOMEM;
    *vertex = gpugraph_find_text(graph, bytes, (size_t)sqlite3_value_bytes(value));
    return SQLITE_OK;
}

/* A number, looked for as the text that a TEXT column would have stored. A copy is
** converted. */
static int find_number_as_text(const gpugraph_graph *graph, sqlite3_value *value,
                               uint32_t *vertex) {
    sqlite3_value *copy = sqlite3_value_dup(value);
    int rc = copy ? find_text(graph, copy, vertex) : SQLITE_NOMEM;
    sqlite3_value_free(copy);
    return rc;
}

/* Could numeric affinity take the text for a number? Saves a copy of most that are
** none. */
static bool may_be_number(const char *bytes) {
    return bytes &&
           (strchr("+-. \t\n\v\f\r", *bytes) != NULL || (*bytes >= '0' && *bytes <= '9'));
}

int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex) {
    int type = sqlite3_value_type(value);
    *vertex = GPUGRAPH_NONE;
    if (type == SQLITE_INTEGER && affinity != 'B') {
        *vertex = gpugraph_find_integer(graph, sqlite3_value_int64(value));
        return SQLITE_OK;
    }
    if (type == SQLITE_TEXT &&
        (affinity < 'C' || !may_be_number((const char *)sqlite3_value_text(value))))
        return find_text(graph, value, vertex);
    if (type == SQLITE_NULL || type == SQLITE_BLOB)
        return SQLITE_OK;
    if (affinity == 'B')
        return find_number_as_text(graph, value, vertex);
    struct sql_number number;
    int rc = number_of(value, &number);
    number_to_integer(&number);
    if (rc == SQLITE_OK && number.type == SQLITE_INTEGER)
        *vertex = gpugraph_find_integer(graph, number.integer);
    else if (rc == SQLITE_OK && number.type == SQLITE_NULL)
        rc = find_text(graph, value, vertex);
    return rc;
}

/* ---- as an argument ---- */

static uint32_t find_digits(const gpugraph_graph *graph, sqlite3_int64 integer) {
    char digits[24];
    sqlite3_snprintf(sizeof digits, digits, "%lld", integer);
    return gpugraph_find_text(graph, digits, strlen(digits));
}

/* The INTEGER that a whole REAL stands for, and where of_text is set a text. */
static int whole_number(sqlite3_value *value, bool of_text, struct sql_number *number) {
    int type = sqlite3_value_type(value), rc = SQLITE_OK;
    *number = (struct sql_number){.type = SQLITE_NULL};
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT ||
        (type == SQLITE_TEXT && of_text &&
         may_be_number((const char *)sqlite3_value_text(value))))
        rc = number_of(value, number);
    number_to_integer(number);
    return rc;
}

static int no_id(const char *what, char **fault) {
    *fault = sqlite3_mprintf(
        "is %s; a vertex id is an INTEGER or a TEXT: CAST it to one of them", what);
    return *fault ? SQLITE_ERROR : SQLITE_NOMEM;
}

int find_id(const gpugraph_graph *graph, char affinity, sqlite3_value *id,
            uint32_t *vertex, char **fault) {
    struct sql_number number;
    char real[40];
    *fault = NULL;
    int rc = find_vertex(graph, affinity, id, vertex);
    if (rc != SQLITE_OK || *vertex != GPUGRAPH_NONE)
        return rc;
    if (sqlite3_value_type(id) == SQLITE_BLOB)
        return no_id(blob_written(id), fault);
    rc = whole_number(id, affinity > 'B', &number);
    if (rc != SQLITE_OK)
        return rc;
    if (affinity == 'B' && number.type == SQLITE_INTEGER)
        *vertex = find_digits(graph, number.integer);
    if (affinity == 'B' || number.type != SQLITE_FLOAT)
        return SQLITE_OK;
    sqlite3_snprintf(sizeof real, real, "the REAL %!.15g", number.real);
    return no_id(real, fault);
}

int find_other_type(const gpugraph_graph *graph, char affinity, sqlite3_value *id,
                    const char **type) {
    struct sql_number number;
    *type = NULL;
    int rc = whole_number(id, true, &number);
    if (rc != SQLITE_OK || affinity != 'A' || number.type != SQLITE_INTEGER)
        return rc;
    bool text = sqlite3_value_type(id) == SQLITE_TEXT;
    uint32_t other = text ? gpugraph_find_integer(graph, number.integer)
                          : find_digits(graph, number.integer);
    if (other != GPUGRAPH_NONE)
        *type = text ? "INTEGER" : "TEXT";
    return SQLITE_OK;
}
