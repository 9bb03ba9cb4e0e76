/* Returns the columns of a row, from the arrays of the answer, and its rowid. */
#include "rows.h"
#include "base/module.h"
#include "graph_values.h"

#include <string.h>

/* ---- columns ---- */

/* Returns an item of an array. GPUGRAPH_NONE becomes NULL, SQLite's default result. */
static void result_item(sqlite3_context *context, const rows *r, const arrays *found,
                        enum array_name array) {
    const void *item = found->array[array];
    if (!item)
        return;
    const uint32_t *number = item;
    switch (arrays_kind(found, array)) {
    case OWN_COUNT:
        sqlite3_result_int64(context, (sqlite3_int64)((const uint64_t *)item)[r->entry]);
        break;
    case OWN_REAL:
        sqlite3_result_double(context, ((const double *)item)[r->entry]);
        break;
    case OWN_VERTEX:
        result_vertex(context, r->ids, number[r->entry]);
        break;
    default:
        if (number[r->entry] != GPUGRAPH_NONE)
            sqlite3_result_int64(context, number[r->entry]);
    }
}

static uint64_t tree_edge(const rows *r, const answer *s) {
    if (s->by->function->paths)
        return r->step[r->position].edge;
    const void *tree = s->arrays->array[A_TREE_EDGE];
    return tree ? gpugraph_edge_at(s->graph->graph, tree, r->entry) : GPUGRAPH_NO_EDGE;
}

static void result_parent(sqlite3_context *context, const rows *r, const answer *s) {
    const uint32_t *parent = s->arrays->array[A_PARENT];
    uint64_t edge = tree_edge(r, s);
    uint32_t v = GPUGRAPH_NONE;
    if (parent)
        v = parent[r->entry];
    else if (edge != GPUGRAPH_NO_EDGE)
        v = gpugraph_other_end(s->graph->graph, edge, r->vertex);
    if (v != GPUGRAPH_NONE)
        result_vertex(context, r->ids, v);
}

static void result_cost(sqlite3_context *context, const rows *r, const answer *s) {
    const gpugraph_graph *graph = s->graph->graph;
    uint64_t edge = tree_edge(r, s);
    if (edge == GPUGRAPH_NO_EDGE)
        return;
    const gpugraph_edge at = gpugraph_edge_of(graph, edge);
    if (answer_is_weighted(s))
        result_weight(context, graph, &at);
    else
        sqlite3_result_int(context, 1);
}

/* Returns a source or target: the argument as given, or the id of the vertex. */
static void result_end(sqlite3_context *context, const rows *r, sqlite3_value *as_given,
                       const retyped_ids *retyped, uint32_t v) {
    if (!as_given)
        as_given = retyped_ids_find(retyped, v);
    if (as_given)
        sqlite3_result_value(context, as_given);
    else if (v != GPUGRAPH_NONE)
        result_vertex(context, r->ids, v);
}

static void result_source(sqlite3_context *context, const rows *r, const arguments *a,
                          const answer *s) {
    const uint32_t *root = s->arrays->array[A_ROOT];
    uint32_t source = a->source;
    if (source == GPUGRAPH_NONE && a->sources.count > 0 && root)
        source = root[r->entry];
    result_end(context, r, a->as_given[F_SOURCE], &a->retyped_sources, source);
}

/* Returns one of the function's own columns that no array holds. */
static void result_own(sqlite3_context *context, const rows *r, const arguments *a,
                       const answer *s, int place) {
    const gpugraph_graph *graph = s->graph->graph;
    switch (s->by->function->own[place].kind) {
    case OWN_PATH:
        sqlite3_result_int64(context, r->path);
        break;
    case OWN_FROM:
        result_vertex(context, r->ids, a->sources.item[r->vertex / a->targets.count]);
        break;
    case OWN_TO:
        result_vertex(context, r->ids, a->targets.item[r->vertex % a->targets.count]);
        break;
    case OWN_TAIL:
        result_vertex(context, r->ids, gpugraph_edge_of(graph, tree_edge(r, s)).source);
        break;
    case OWN_HEAD:
        result_vertex(context, r->ids, gpugraph_edge_of(graph, tree_edge(r, s)).target);
        break;
    case OWN_WEIGHT:
        result_cost(context, r, s);
        break;
    default: /* an array holds it */
        break;
    }
}

/* Returns the value of an option; NULL means the default. For an OR, SQLite compares the
** value again, and NULL equals nothing: the function returns an error. SQLite reads
** rowids only for an OR. */
static void result_option(sqlite3_context *context, const rows *r, const arguments *a,
                          int field) {
    const char *name = field_name(a->by->function, field);
    sqlite3_value *value = a->as_given[field];
    if (!value)
        return;
    if (!r->rowid_read || sqlite3_value_type(value) != SQLITE_NULL) {
        sqlite3_result_value(context, value);
        return;
    }
    function_fail(context,
                  sqlite3_mprintf("%s: the argument %s is NULL, and SQLite compares it "
                                  "again for OR, where NULL equals nothing; leave %s "
                                  "out, or give a value",
                                  a->by->function->name, name, name));
}

/* This function is not inlined, so that row_column need not save registers for common
** columns. */
static __attribute__((noinline)) void further_column(sqlite3_context *context, rows *r,
                                                     const arguments *a, const answer *s,
                                                     enum field field) {
    const enum array_name array = column_array(s->by->function, field);
    if (array != NO_ARRAY) {
        result_item(context, r, s->arrays, array);
        return;
    }
    switch (field) {
    case F_DISTANCE:
        if (s->arrays->type == GPUGRAPH_REAL)
            sqlite3_result_double(context, r->step[r->position].distance.real);
        else
            sqlite3_result_int64(context,
                                 (sqlite3_int64)r->step[r->position].distance.integer);
        break;
    case F_PARENT:
        result_parent(context, r, s);
        break;
    case F_EDGE:
        if (tree_edge(r, s) != GPUGRAPH_NO_EDGE)
            result_edge_id(context, s->graph, tree_edge(r, s));
        break;
    case F_SEQ:
        sqlite3_result_int64(context, r->position);
        break;
    case F_COST:
        result_cost(context, r, s);
        break;
    case F_ARRAYS:
        result_arrays(context, r, a, s);
        break;
    case F_SOURCE:
        result_source(context, r, a, s);
        break;
    case F_TARGET:
        /* Without the argument, each vertex that the search finds is a target. */
        result_end(context, r, a->as_given[F_TARGET], &a->retyped_targets,
                   a->by->function->paths ? r->target : r->vertex);
        break;
    default:
        if (field >= F_OWN && field <= F_OWN_LAST)
            result_own(context, r, a, s, field - F_OWN);
        else
            result_option(context, r, a, field);
    }
}

void row_column(sqlite3_context *context, rows *r, const arguments *a, const answer *s,
                int column) {
    const enum field field = column_field(s->by->function, column);
    if (field == F_VERTEX)
        result_vertex(context, r->ids, r->vertex);
    else if (r->near && (field == F_DEPTH || field == F_DISTANCE))
        sqlite3_result_int64(context, r->near[r->entry]);
    else
        further_column(context, r, a, s, field);
}

/* ---- rowid ----
** SQLite reads the arms of an OR one by one, each with its own arguments, and drops rows
** whose rowid it has seen. A rowid is a number made of vertex and source, or of
** step and target or path, plus a 64-bit hash of the other arguments. */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) /* the analyzer cannot follow an array's bytes */
        hash = (hash ^ byte[i]) * 0x100000001b3u; /* NOLINT(clang-analyzer-core.*) */
    return (hash ^ 0xff) * 0x100000001b3u;
}

static uint64_t hash_call(const rows *r, const arguments *a, const answer *s) {
    const options *o = &a->options;
    const sqlite3_int64 settled[] = {
        o->direction,
        o->seed,
        a->has_target,
        o->maximum.type,
        o->maximum.integer,
        s->weight,
        o->backend,
        (intptr_t)o->method, /* a static string of the library */
        a->by->function->paths ? a->source : 0,
        a->by->function->many_paths ? r->target : 0,
    };
    const char *const texts[] = {s->name[0].bytes, s->name[1].bytes, s->name[2].bytes,
                                 a->sources_text.bytes, a->targets_text.bytes};
    uint64_t hash = hash_bytes(0xcbf29ce484222325u, settled, sizeof settled);
    hash = hash_bytes(hash, &o->maximum.real, sizeof o->maximum.real);
    hash = hash_bytes(hash, o->own, sizeof o->own);
    for (int i = 0; i < COUNT(texts); i++)
        hash = hash_bytes(hash, texts[i], texts[i] ? strlen(texts[i]) : 0);
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ hash >> 33;
}

sqlite3_int64 row_id(const rows *r, const arguments *a, const answer *s) {
    const table_function *f = a->by->function;
    uint64_t high = f->many_paths ? r->path : f->paths ? r->target : a->source;
    uint64_t low = f->paths ? (uint64_t)r->position : r->vertex;
    return (sqlite3_int64)((high << 32) + low + hash_call(r, a, s));
}
