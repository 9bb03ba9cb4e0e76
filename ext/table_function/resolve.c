/* Settles the arguments that depend on the graph: turns ids into vertex numbers
** (graph_values.c), and numbers into bounds. An id that is no vertex has no rows, and the
** timings name it. */
#include "arguments.h"
#include "base/json_array.h"
#include "graph_values.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_53 9007199254740992.0

/* ---- ids ---- */

/* Adds an id that is no vertex to the text for the timings. The text says whether the id
** would be a vertex as a value of the other type, INTEGER or TEXT. */
static int note_unknown_id(arguments *a, const graph_ref *graph, int field,
                           sqlite3_value *id) {
    unknown_ids *s = &a->unknown;
    const bool text = sqlite3_value_type(id) == SQLITE_TEXT;
    const bool member = field == F_SOURCES || field == F_TARGETS;
    const char *name = field_name(a->by->function, field);
    const size_t used = strlen(s->text);
    uint32_t other;
    if (s->calls == UNKNOWN_CALLS || s->count++ >= UNKNOWN_NAMED)
        return SQLITE_OK;
    int rc = find_vertex(graph->graph, text ? 'C' : 'B', id, &other);
    const char *value = VALUE_WRITTEN(id);
    sqlite3_snprintf((int)(sizeof s->text - used), s->text + used,
                     "%s%s%s%s is no vertex%s", used > 0 ? "; " : "",
                     member ? value : name, member ? " in " : " ", member ? name : value,
                     other == GPUGRAPH_NONE ? ""
                     : text                 ? ", though the INTEGER is one"
                                            : ", though the TEXT is one");
    return rc;
}

/* Sets *vertex to the vertex of an argument, or GPUGRAPH_NONE. element: the position in a
** JSON array, from 1; 0: the argument is no JSON array. */
static int find_end(arguments *a, const graph_ref *graph, int field, int element,
                    sqlite3_value *id, uint32_t *vertex) {
    char *fault;
    int rc = find_id(graph->graph, graph->ids.affinity, id, vertex, &fault);
    if (fault && element > 0)
        rc = caller_fail(a->by, rc, "element %d of the JSON array in %s %s", element,
                         field_name(a->by->function, field), fault);
    else if (fault)
        rc = caller_fail(a->by, rc, "%s %s", field_name(a->by->function, field), fault);
    else if (rc == SQLITE_OK && *vertex == GPUGRAPH_NONE && field != F_VERTEX &&
             sqlite3_value_type(id) != SQLITE_NULL)
        rc = note_unknown_id(a, graph, field, id);
    sqlite3_free(fault);
    return rc;
}

static int numbers_add_id(arguments *a, const graph_ref *graph, numbers *list, int field,
                          int element, sqlite3_value *id) {
    uint32_t vertex;
    int rc = find_end(a, graph, field, element, id, &vertex);
    return rc == SQLITE_OK && vertex != GPUGRAPH_NONE ? numbers_add(list, vertex) : rc;
}

/* Returns true if the value's type differs from that of the vertex's id. 7 and 7.0 do not
** differ. */
static bool is_retyped(const graph_ref *graph, uint32_t vertex, sqlite3_value *value) {
    const bool is_text = sqlite3_value_type(value) == SQLITE_TEXT;
    return gpugraph_id_of(gpugraph_vertex_ids(graph->graph), vertex).is_text != is_text;
}

enum { LIST_PATIENCE = 65536 }; /* values of a list between two polls */

/* Reads all values of an IN as vertex numbers. retyped: receives values of another type
** than the id's; may be NULL. */
static int read_list(arguments *a, const graph_ref *graph, int field, numbers *list,
                     retyped_ids *retyped) {
    sqlite3_value *value;
    numbers others = {0};
    uint64_t read = 0;
    list->count = 0;
    int rc = sqlite3_vtab_in_first(a->given.value[field], &value);
    while (rc == SQLITE_OK && value) {
        const uint32_t before = list->count;
        rc = numbers_add_id(a, graph, list, field, 0, value);
        if (rc == SQLITE_OK && retyped && list->count > before)
            rc = is_retyped(graph, list->item[before], value)
                     ? retyped_ids_add(retyped, list->item[before], value)
                     : numbers_add(&others, list->item[before]);
        if (rc == SQLITE_OK)
            rc = ++read % LIST_PATIENCE == 0 && connection_interrupted(a->by->c)
                     ? SQLITE_INTERRUPT
                     : sqlite3_vtab_in_next(a->given.value[field], &value);
    }
    if (rc == SQLITE_DONE)
        rc = numbers_settle(list, graph->graph);
    if (rc == SQLITE_OK && retyped)
        rc = retyped_ids_settle(retyped, &others);
    numbers_clear(&others);
    return rc;
}

/* ---- sources, targets: a JSON array ---- */

static int add_element(arguments *a, const graph_ref *graph, int field, numbers *list,
                       const json_array *j) {
    if (strcmp(j->type, "integer") != 0 && strcmp(j->type, "real") != 0 &&
        strcmp(j->type, "text") != 0)
        return caller_fail(a->by, SQLITE_ERROR,
                           "element %d of the JSON array in %s is of type %s; a "
                           "vertex id is an INTEGER or a TEXT",
                           j->place, field_name(a->by->function, field), j->type);
    return numbers_add_id(a, graph, list, field, j->place, j->value);
}

static int read_elements(arguments *a, const graph_ref *graph, int field,
                         const text *from, numbers *list) {
    const char *name = field_name(a->by->function, field);
    json_array j;
    list->count = 0;
    int rc = json_array_open(a->by->c->db, &j, from->bytes, from->count);
    while (rc == SQLITE_OK && (rc = json_array_next(&j)) == SQLITE_ROW)
        rc = j.zero ? SQLITE_RANGE : add_element(a, graph, field, list, &j);
    if (rc == SQLITE_MISMATCH)
        rc = argument_must_be(a, field, "a JSON array of ids, such as '[1, 2]'");
    else if (rc == SQLITE_RANGE)
        rc = caller_fail(
            a->by, SQLITE_ERROR,
            "%s contains \\u0000, at which SQLite's JSON ends a text%s", name,
            a->by->function->cells ? "" : "; give an id with a zero byte as source");
    else if (rc == SQLITE_ERROR && !a->by->vtab->zErrMsg)
        rc = caller_fail(a->by, rc, "%s cannot be read: %s", name,
                         sqlite3_errmsg(a->by->c->db));
    json_array_close(&j);
    return rc == SQLITE_DONE ? numbers_settle(list, graph->graph) : rc;
}

/* Reads the vertex numbers of a JSON array, unless text and graph are those of the last
** call. */
static int resolve_elements(arguments *a, const graph_ref *graph, int field, text *from,
                            numbers *list) {
    if (!from->bytes || !text_is(from, a->given.value[field])) {
        int rc = text_set(from, a->given.value[field]);
        rc = rc ? rc : read_elements(a, graph, field, from, list);
        if (rc != SQLITE_OK) {
            text_clear(from);
            return rc;
        }
    }
    a->no_rows |= list->count == 0;
    return SQLITE_OK;
}

/* Reads source or sources. */
static int resolve_sources(arguments *a, const graph_ref *graph) {
    if (argument_given(a, F_SOURCES))
        return resolve_elements(a, graph, F_SOURCES, &a->sources_text, &a->sources);
    text_clear(&a->sources_text);
    a->sources.count = 0;
    if (!a->given.value[F_SOURCE])
        return SQLITE_OK;
    if (is_list(a, F_SOURCE)) {
        int rc = read_list(a, graph, F_SOURCE, &a->listed_sources, &a->retyped_sources);
        a->no_rows |= a->listed_sources.count == 0;
        return rc;
    }
    int rc = find_end(a, graph, F_SOURCE, 0, a->given.value[F_SOURCE], &a->source);
    a->no_rows |= a->source == GPUGRAPH_NONE;
    return rc == SQLITE_OK && a->source != GPUGRAPH_NONE
               ? numbers_add(&a->sources, a->source)
               : rc;
}

/* ---- targets ---- */

/* Reads the vertex numbers of a value, or of all values of an IN. */
static int resolve_ends(arguments *a, const graph_ref *graph, int field, numbers *list,
                        retyped_ids *retyped) {
    list->count = 0;
    int rc = is_list(a, field)
                 ? read_list(a, graph, field, list, retyped)
                 : numbers_add_id(a, graph, list, field, 0, a->given.value[field]);
    a->no_rows |= list->count == 0;
    return rc;
}

/* Reads the targets of a matrix, which are its sources if none are given. */
static int resolve_cells(arguments *a, const graph_ref *graph) {
    int rc = SQLITE_OK;
    if (argument_given(a, F_TARGETS))
        return resolve_elements(a, graph, F_TARGETS, &a->targets_text, &a->targets);
    text_clear(&a->targets_text);
    a->targets.count = 0;
    for (uint32_t i = 0; i < a->sources.count && rc == SQLITE_OK; i++)
        rc = numbers_add(&a->targets, a->sources.item[i]);
    return rc;
}

static int resolve_targets(arguments *a, const graph_ref *graph) {
    if (a->by->function->cells)
        return resolve_cells(a, graph);
    a->targets.count = 0;
    if (!a->has_target)
        return SQLITE_OK;
    const bool listed = is_list(a, F_TARGET) && a->by->function->many_paths;
    return resolve_ends(a, graph, F_TARGET, listed ? &a->listed_targets : &a->targets,
                        &a->retyped_targets);
}

/* ---- vertex = ?, vertex IN (...) ---- */

/* Finds the vertices that may have rows. A search has rows for its targets; paths have
** rows for all their vertices. */
static int resolve_vertices(arguments *a, const graph_ref *graph) {
    const bool by_target = a->has_target && !a->by->function->paths;
    int rc = SQLITE_OK;
    a->asked = by_target ? &a->targets : NULL;
    if (!a->given.value[F_VERTEX])
        return rc;
    rc = resolve_ends(a, graph, F_VERTEX, &a->only, NULL);
    if (by_target)
        numbers_intersect(&a->targets, &a->only);
    else
        a->asked = &a->only;
    a->no_rows |= a->asked->count == 0;
    return rc;
}

/* ---- bounds ---- */

/* The largest integer that is <= the number, or < the number if strict. Sets *none if
** that is less than 0. */
static uint64_t integer_bound(const struct sql_number *number, bool strict, bool *none) {
    if (number->type == SQLITE_INTEGER) {
        *none = number->integer < (strict ? 1 : 0);
        return *none ? 0 : (uint64_t)number->integer - strict;
    }
    double r = strict ? ceil(number->real) - 1 : floor(number->real);
    *none = r < 0;
    return *none ? 0 : r < TWO_TO_63 ? (uint64_t)r : UINT64_MAX;
}

/* The largest double that is <= the number. Beyond 2^53 a conversion may round up. */
static double real_bound(const struct sql_number *number) {
    if (number->type == SQLITE_FLOAT)
        return number->real;
    double r = (double)number->integer;
    if (r > TWO_TO_53 && (r >= TWO_TO_63 || (sqlite3_int64)r > number->integer))
        r = nextafter(r, 0);
    return r;
}

static void bound_by(bound *b, const struct sql_number *number, bool strict) {
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

/* Adds a comparison with depth or distance, which SQLite checks again. A text is a number
** only if the column's affinity makes it one. Any number is less than a text or a
** BLOB. */
static int bound_by_comparison(arguments *a, const struct given_bound *given) {
    struct sql_number number;
    bool integer_column = a->by->function->weight == WEIGHT_NO; /* depth */
    if (sqlite3_value_type(given->value) == SQLITE_TEXT && !integer_column)
        return SQLITE_OK;
    int rc = number_of(given->value, &number);
    if (rc == SQLITE_OK && number.type != SQLITE_NULL)
        bound_by(&a->bound, &number, given->strict);
    return rc;
}

static int resolve_bounds(arguments *a) {
    a->bound = (bound){.integer = UINT64_MAX - 1, .real = DBL_MAX};
    if (a->options.maximum.type != SQLITE_NULL)
        bound_by(&a->bound, &a->options.maximum, false);
    int rc = SQLITE_OK;
    for (int b = 0; b < a->given.bounds && rc == SQLITE_OK; b++)
        rc = bound_by_comparison(a, &a->given.bound[b]);
    a->no_rows |= a->bound.nothing;
    return rc;
}

void arguments_forget_graph(arguments *a) {
    text_clear(&a->sources_text);
    text_clear(&a->targets_text);
}

int arguments_resolve(arguments *a, const graph_ref *graph) {
    if (direction_is_the_graphs(a))
        a->options.direction = graph->direction;
    retyped_ids_forget(&a->retyped_sources);
    retyped_ids_forget(&a->retyped_targets);
    int rc = resolve_sources(a, graph);
    rc = rc ? rc : resolve_targets(a, graph);
    rc = rc ? rc : resolve_vertices(a, graph);
    rc = rc ? rc : resolve_bounds(a);
    sqlite3_int64 limit = a->given.limit ? sqlite3_value_int64(a->given.limit) : 0;
    sqlite3_int64 offset = a->given.offset ? sqlite3_value_int64(a->given.offset) : 0;
    if (limit > 0)
        a->limit_rows = (uint64_t)limit + (offset > 0 ? (uint64_t)offset : 0);
    return rc;
}
