/* Arguments that only a graph makes sense of: ids become vertex numbers, numbers become
** bounds.
**
**     value       affinity of the source column     id             vertex number
**     '7'         INTEGER, NUMERIC, REAL            7              gpugraph_find_integer
**     7           TEXT                              '7'            gpugraph_find_text
**     7.0         any but TEXT                      7
**     7.5, x'37'                                    can be none    GPUGRAPH_NONE
**
** which is how `src = value` compares in plain SQL. As a source or target the last are an
** error; `vertex = 7.5` finds no row. */
#include "table_function.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_53 9007199254740992.0

/* ---- ids ---- */

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
    struct number number;
    int rc = number_of(value, &number);
    number_to_integer(&number);
    if (rc == SQLITE_OK && number.type == SQLITE_INTEGER)
        *vertex = gpugraph_find_integer(graph, number.integer);
    else if (rc == SQLITE_OK && number.type == SQLITE_NULL)
        rc = find_text(graph, value, vertex);
    return rc;
}

int id_fault(char affinity, sqlite3_value *id, const char **what) {
    int type = sqlite3_value_type(id), rc = SQLITE_OK;
    struct number number = {.type = SQLITE_NULL};
    if (affinity != 'B' &&
        (type == SQLITE_FLOAT || (type == SQLITE_TEXT && affinity > 'B')))
        rc = number_of(id, &number);
    number_to_integer(&number);
    *what = type == SQLITE_BLOB ? "a BLOB" : number.type == SQLITE_FLOAT ? "REAL" : NULL;
    return rc;
}

/* The vertex of a source or target, or GPUGRAPH_NONE. */
static int find_end(cursor *cur, const char *name, sqlite3_value *id, uint32_t *vertex) {
    const char affinity = cur->graph->source_affinity, *what = NULL;
    int rc = find_vertex(cur->graph->graph, affinity, id, vertex);
    if (rc == SQLITE_OK && *vertex == GPUGRAPH_NONE)
        rc = id_fault(affinity, id, &what);
    if (rc != SQLITE_OK || !what)
        return rc;
    const char *text =
        sqlite3_value_type(id) == SQLITE_BLOB ? "" : (const char *)sqlite3_value_text(id);
    return cursor_fail(cur, SQLITE_ERROR, "%s%s%s is %s; vertex ids are INTEGER or TEXT",
                       name, text && *text ? " " : "", text ? text : "", what);
}

static int numbers_add_id(cursor *cur, numbers *list, const char *name,
                          sqlite3_value *id) {
    uint32_t vertex;
    int rc = find_end(cur, name, id, &vertex);
    return rc == SQLITE_OK && vertex != GPUGRAPH_NONE ? numbers_add(list, vertex) : rc;
}

/* All values of an IN, as they come. */
static int read_list(cursor *cur, int field, const char *name, numbers *list) {
    sqlite3_value *value;
    int rc = sqlite3_vtab_in_first(cur->arguments.value[field], &value);
    while (rc == SQLITE_OK && value) {
        rc = numbers_add_id(cur, list, name, value);
        if (rc == SQLITE_OK)
            rc = sqlite3_vtab_in_next(cur->arguments.value[field], &value);
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* ---- sources: a JSON array, taken apart by SQLite's own json_each ---- */

/* json_each takes a text for which there is no memory as one without elements; the length
** gives it away. */
static const char json_sql[] =
    "SELECT CASE WHEN json_valid(?1) THEN json_type(?1) END, j.type, j.value,"
    " CASE WHEN j.type IS NULL AND json_valid(?1) THEN json_array_length(?1) IS NOT 0 END"
    " FROM (SELECT 1) LEFT JOIN json_each(CASE WHEN json_valid(?1) THEN ?1 END) AS j";

static int add_source(cursor *cur, sqlite3_stmt *row, int place) {
    /* An empty array has one row without an element. */
    if (sqlite3_column_type(row, 1) == SQLITE_NULL)
        return sqlite3_column_int(row, 3) ? SQLITE_NOMEM : SQLITE_OK;
    const char *type = (const char *)sqlite3_column_text(row, 1);
    if (!type)
        return SQLITE_NOMEM;
    sqlite3_value *id = sqlite3_column_value(row, 2);
    struct number number = {.type = SQLITE_INTEGER};
    if (strcmp(type, "real") == 0) {
        int rc = number_of(id, &number);
        if (rc != SQLITE_OK)
            return rc;
        if (number.real != floor(number.real))
            number.type = SQLITE_NULL;
    } else if (strcmp(type, "integer") != 0 && strcmp(type, "text") != 0) {
        number.type = SQLITE_NULL;
    }
    if (number.type == SQLITE_NULL)
        return cursor_fail(cur, SQLITE_ERROR,
                           "element %d of the JSON array in sources is of type %s; ids "
                           "are INTEGER or TEXT",
                           place, type);
    return numbers_add_id(cur, &cur->sources, "an element of sources,", id);
}

static int read_sources(cursor *cur) {
    sqlite3_stmt *row = NULL;
    cur->sources.count = 0;
    int rc = sqlite3_prepare_v2(cur->c->db, json_sql, -1, &row, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(row, 1, cur->sources_text.bytes, cur->sources_text.count,
                               SQLITE_STATIC);
    int place = 1;
    while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        bool invalid = sqlite3_column_type(row, 0) == SQLITE_NULL;
        const char *type = (const char *)sqlite3_column_text(row, 0);
        if (!type && !invalid) {
            rc = SQLITE_NOMEM;
            break;
        }
        if (invalid || strcmp(type, "array") != 0) {
            rc =
                argument_must_be(cur, F_SOURCES, "a JSON array of ids, such as '[1, 2]'");
            break;
        }
        rc = add_source(cur, row, place++);
    }
    if (rc == SQLITE_ERROR && !cur->base.pVtab->zErrMsg)
        rc = cursor_fail(cur, rc, "sources cannot be read: %s",
                         sqlite3_errmsg(cur->c->db));
    sqlite3_finalize(row);
    numbers_sort(&cur->sources);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Vertex numbers of source or sources, kept from call to call while text and graph are
** the same. */
static int resolve_sources(cursor *cur) {
    arguments *a = &cur->arguments;
    if (argument_given(a, F_SOURCES)) {
        if (!cur->sources_text.bytes ||
            !text_is(&cur->sources_text, a->value[F_SOURCES])) {
            int rc = text_set(&cur->sources_text, a->value[F_SOURCES]);
            if (rc == SQLITE_OK)
                rc = read_sources(cur);
            if (rc != SQLITE_OK) {
                text_clear(&cur->sources_text);
                return rc;
            }
        }
        a->no_rows |= cur->sources.count == 0;
        return SQLITE_OK;
    }
    text_clear(&cur->sources_text);
    cur->sources.count = 0;
    if (!a->value[F_SOURCE])
        return SQLITE_OK;
    if (a->source_list) {
        cur->source_list.count = 0;
        int rc = read_list(cur, F_SOURCE, "source", &cur->source_list);
        numbers_sort(&cur->source_list);
        a->no_rows |= cur->source_list.count == 0;
        return rc;
    }
    int rc = find_end(cur, "source", a->value[F_SOURCE], &a->source);
    a->no_rows |= a->source == GPUGRAPH_NONE;
    return rc == SQLITE_OK && a->source != GPUGRAPH_NONE
               ? numbers_add(&cur->sources, a->source)
               : rc;
}

/* ---- targets ---- */

static int read_target_list(cursor *cur) {
    int rc = read_list(cur, F_TARGET, "target", &cur->targets);
    numbers_sort(&cur->targets);
    return rc;
}

/* Of the targets that are rows themselves. */
static void keep_those_asked_for(cursor *cur) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cur->targets.count; i++)
        if (numbers_has(&cur->only, cur->targets.item[i]))
            cur->targets.item[kept++] = cur->targets.item[i];
    cur->targets.count = kept;
}

static int resolve_targets(cursor *cur) {
    arguments *a = &cur->arguments;
    int rc = SQLITE_OK;
    cur->targets.count = 0;
    if (!a->has_target)
        return rc;
    rc = a->target_list
             ? read_target_list(cur)
             : numbers_add_id(cur, &cur->targets, "target", a->value[F_TARGET]);
    if (a->vertex_list && !cur->algorithm->paths)
        keep_those_asked_for(cur);
    a->no_rows |= cur->targets.count == 0;
    return rc;
}

/* ---- vertex = ?, vertex IN (...) ---- */

/* Which values are no ids does not matter here: they find no row. */
static int read_vertex_list(cursor *cur) {
    sqlite3_value *value;
    uint32_t v;
    cur->only.count = 0;
    int rc = sqlite3_vtab_in_first(cur->arguments.value[F_VERTEX], &value);
    while (rc == SQLITE_OK && value) {
        rc = find_vertex(cur->graph->graph, cur->graph->source_affinity, value, &v);
        if (rc == SQLITE_OK && v != GPUGRAPH_NONE)
            rc = numbers_add(&cur->only, v);
        if (rc == SQLITE_OK)
            rc = sqlite3_vtab_in_next(cur->arguments.value[F_VERTEX], &value);
    }
    numbers_sort(&cur->only);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int resolve_vertices(cursor *cur) {
    arguments *a = &cur->arguments;
    int rc = SQLITE_OK;
    if (a->vertex_list) {
        rc = read_vertex_list(cur);
        a->no_rows |= cur->only.count == 0;
    } else if (a->value[F_VERTEX]) {
        rc = find_vertex(cur->graph->graph, cur->graph->source_affinity,
                         a->value[F_VERTEX], &a->only_vertex);
        a->no_rows |= a->only_vertex == GPUGRAPH_NONE;
    }
    return rc;
}

/* ---- bounds ---- */

/* The largest integer that is <= (strict: <) the number; *none: there is none that is
** >= 0. */
static uint64_t integer_bound(const struct number *number, bool strict, bool *none) {
    if (number->type == SQLITE_INTEGER) {
        *none = number->integer < (strict ? 1 : 0);
        return *none ? 0 : (uint64_t)number->integer - strict;
    }
    double r = strict ? ceil(number->real) - 1 : floor(number->real);
    *none = r < 0;
    return *none ? 0 : r < TWO_TO_63 ? (uint64_t)r : UINT64_MAX;
}

/* The largest double that is <= the number: beyond 2^53 the conversion may have
** rounded up. */
static double real_bound(const struct number *number) {
    if (number->type == SQLITE_FLOAT)
        return number->real;
    double r = (double)number->integer;
    if (r > TWO_TO_53 && (r >= TWO_TO_63 || (sqlite3_int64)r > number->integer))
        r = nextafter(r, 0);
    return r;
}

static void bound_by(bound *b, const struct number *number, bool strict) {
    bool none;
    uint64_t integer = integer_bound(number, strict, &none);
    double real = real_bound(number);
    b->given = true;
    b->nothing |= none;
    if (integer < b->integer)
        b->integer = integer;
    if (real < b->real)
        b->real = real;
}

/* A comparison that SQLite makes again, as it will: text is a number only where the
** column's affinity says so, and any number is less than what stays a text or a BLOB. */
static int bound_by_comparison(cursor *cur, const struct given_bound *given) {
    struct number number;
    bool integer_column = cur->algorithm->kind == SEARCH_BFS;
    if (sqlite3_value_type(given->value) == SQLITE_TEXT && !integer_column)
        return SQLITE_OK;
    int rc = number_of(given->value, &number);
    if (rc == SQLITE_OK && number.type != SQLITE_NULL)
        bound_by(&cur->arguments.bound, &number, given->strict);
    return rc;
}

static int resolve_bounds(cursor *cur) {
    arguments *a = &cur->arguments;
    a->bound = (bound){.integer = UINT64_MAX - 1, .real = DBL_MAX};
    if (a->maximum.type != SQLITE_NULL)
        bound_by(&a->bound, &a->maximum, false);
    int rc = SQLITE_OK;
    for (int b = 0; b < a->given_bounds && rc == SQLITE_OK; b++)
        rc = bound_by_comparison(cur, &a->given_bound[b]);
    a->no_rows |= a->bound.nothing;
    return rc;
}

static void resolve_limit(arguments *a) {
    sqlite3_int64 limit = a->limit ? sqlite3_value_int64(a->limit) : 0;
    sqlite3_int64 offset = a->offset ? sqlite3_value_int64(a->offset) : 0;
    if (limit > 0)
        a->limit_rows = (uint64_t)limit + (offset > 0 ? (uint64_t)offset : 0);
}

int arguments_resolve(cursor *cur) {
    int rc = resolve_sources(cur);
    if (rc == SQLITE_OK)
        rc = resolve_vertices(cur);
    if (rc == SQLITE_OK)
        rc = resolve_targets(cur);
    if (rc == SQLITE_OK)
        rc = resolve_bounds(cur);
    resolve_limit(&cur->arguments);
    return rc;
}
