/* Finds the ids that an SQL value may mean: see vertex_id.h. */
#include "vertex_id.h"
#include "value.h"
#include <string.h>

static bool is_text_affinity(char affinity) {
    return affinity == 'B';
}

static bool is_numeric_affinity(char affinity) {
    return affinity > 'B';
}

/* ---- written numbers ---- */

void id_write(sqlite3_int64 integer, int place, char text[WRITTEN_ID]) {
    sqlite3_snprintf(WRITTEN_ID, text, place ? "%lld.0" : "%lld", integer);
}

bool id_is_written(const char *text, size_t bytes, sqlite3_int64 *integer) {
    const bool real = bytes > 2 && memcmp(text + bytes - 2, ".0", 2) == 0;
    char written[WRITTEN_ID];
    if (number_in_text(text, text + bytes - (real ? 2 : 0), integer) != SQLITE_INTEGER)
        return false;
    id_write(*integer, real, written);
    return strlen(written) == bytes && memcmp(written, text, bytes) == 0;
}

bool id_is_value(const gpugraph_id *id, sqlite3_value *value) {
    const int type = sqlite3_value_type(value);
    int64_t whole;
    if (!id->is_text && type == SQLITE_FLOAT)
        return whole_number(sqlite3_value_double(value), &whole) && whole == id->integer;
    if (!id->is_text)
        return type == SQLITE_INTEGER && sqlite3_value_int64(value) == id->integer;
    const void *text = type == SQLITE_TEXT ? sqlite3_value_text(value) : NULL;
    return text && (uint64_t)sqlite3_value_bytes(value) == id->length &&
           memcmp(text, id->text, (size_t)id->length) == 0;
}

/* ---- under one column ---- */

static int text_of(sqlite3_value *value, const char **text, size_t *bytes) {
    *text = (const char *)sqlite3_value_text(value);
    *bytes = (size_t)sqlite3_value_bytes(value);
    return *text ? SQLITE_OK : SQLITE_NOMEM;
}

/* Looks for the texts of a number in a TEXT column. SQLite converts a REAL to a text in a
** copy of the value. */
static int find_written(sqlite3_value *value, const struct sql_number *number,
                        id_is_vertex is_vertex, void *of, bool *found) {
    char digits[WRITTEN_ID];
    const char *text;
    size_t bytes;
    if (number->type == SQLITE_INTEGER) {
        id_write(number->integer, 0, digits);
        *found = is_vertex(of, 0, digits, strlen(digits));
    }
    if (*found || sqlite3_value_type(value) == SQLITE_INTEGER)
        return SQLITE_OK;
    sqlite3_value *copy = sqlite3_value_dup(value);
    int rc = copy ? text_of(copy, &text, &bytes) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        *found = is_vertex(of, 0, text, bytes);
    sqlite3_value_free(copy);
    return rc;
}

static int find_text(sqlite3_value *value, char affinity, id_is_vertex is_vertex,
                     void *of, bool *found) {
    struct sql_number number = {.type = SQLITE_NULL};
    const char *text;
    size_t bytes;
    int rc = text_of(value, &text, &bytes);
    if (rc == SQLITE_OK && is_numeric_affinity(affinity))
        rc = number_of(value, &number);
    number_to_integer(&number);
    if (rc == SQLITE_OK && number.type != SQLITE_FLOAT)
        *found = number.type == SQLITE_INTEGER ? is_vertex(of, number.integer, NULL, 0)
                                               : is_vertex(of, 0, text, bytes);
    return rc;
}

int column_id_find(sqlite3_value *value, char affinity, id_is_vertex is_vertex, void *of,
                   bool *found) {
    struct sql_number number;
    const int type = sqlite3_value_type(value);
    *found = false;
    if (type == SQLITE_TEXT)
        return find_text(value, affinity, is_vertex, of, found);
    int rc = number_of(value, &number);
    number_to_integer(&number);
    if (rc == SQLITE_OK && number.type != SQLITE_NULL && is_text_affinity(affinity))
        return find_written(value, &number, is_vertex, of, found);
    if (rc == SQLITE_OK && number.type == SQLITE_INTEGER)
        *found = is_vertex(of, number.integer, NULL, 0);
    return rc;
}

/* ---- as an argument ---- */

int argument_id_find(sqlite3_value *value, const char affinity[2], id_is_vertex is_vertex,
                     void *of, bool *found) {
    const bool text = sqlite3_value_type(value) == SQLITE_TEXT;
    int rc = column_id_find(value, 'A', is_vertex, of, found);
    for (int end = 0; end < 2 && rc == SQLITE_OK && !*found; end++)
        if (text ? is_numeric_affinity(affinity[end]) : is_text_affinity(affinity[end]))
            rc = column_id_find(value, affinity[end], is_vertex, of, found);
    return rc;
}

int argument_id_fault(sqlite3_value *value, const char affinity[2], char **fault) {
    static const char rule[] =
        "a vertex id is an INTEGER or a TEXT: CAST it to one of them";
    const int type = sqlite3_value_type(value);
    struct sql_number number;
    *fault = NULL;
    int rc = number_of(value, &number);
    number_to_integer(&number);
    const bool may_be_text = is_text_affinity(affinity[0]) ||
                             is_text_affinity(affinity[1]) ||
                             (type == SQLITE_TEXT && !is_numeric_affinity(affinity[0]));
    if (type == SQLITE_BLOB)
        *fault = sqlite3_mprintf("is %s; %s", blob_written(value), rule);
    else if (rc == SQLITE_OK && number.type == SQLITE_FLOAT && !may_be_text)
        *fault = sqlite3_mprintf("is the REAL %!.15g; %s", number.real, rule);
    else
        return rc;
    return *fault ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- vertices of a graph ---- */

typedef struct vertex_search {
    const gpugraph_graph *graph;
    uint32_t vertex;
} vertex_search;

static bool is_vertex_of_graph(void *of, sqlite3_int64 integer, const char *text,
                               size_t bytes) {
    vertex_search *l = of;
    l->vertex = text ? gpugraph_find_text(l->graph, text, bytes)
                     : gpugraph_find_integer(l->graph, integer);
    return l->vertex != GPUGRAPH_NONE;
}

int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex) {
    vertex_search l = {graph, GPUGRAPH_NONE};
    bool found;
    int rc = column_id_find(value, affinity, is_vertex_of_graph, &l, &found);
    *vertex = l.vertex;
    return rc;
}

int find_argument(const gpugraph_graph *graph, const char affinity[2],
                  sqlite3_value *value, uint32_t *vertex) {
    vertex_search l = {graph, GPUGRAPH_NONE};
    bool found;
    int rc = argument_id_find(value, affinity, is_vertex_of_graph, &l, &found);
    *vertex = l.vertex;
    return rc;
}

int find_id(const gpugraph_graph *graph, const char affinity[2], sqlite3_value *id,
            uint32_t *vertex, char **fault) {
    *fault = NULL;
    int rc = find_argument(graph, affinity, id, vertex);
    if (rc == SQLITE_OK && *vertex == GPUGRAPH_NONE)
        rc = argument_id_fault(id, affinity, fault);
    return *fault ? SQLITE_ERROR : rc;
}
