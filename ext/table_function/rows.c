/* Rows, read from the arrays of an answer. Vertices that were not reached, or lie beyond a bound,
** are passed over. */
#include "rows.h"
#include "result_edge.h"

#include <stdlib.h>
#include <string.h>

/* Vertices passed over, or steps of a path laid out, between two looks at the
** connection: a few milliseconds' worth. */
#define POLL_ITEMS (1 << 18)

/* ---- which rows ---- */

static bool counts(const arrays *found, const bound *most, uint32_t v) {
    const void *value = found->array[A_VALUE];
    if (!value)
        return ((const uint8_t *)found->array[A_MEMBER])[v] != 0;
    switch (found->type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)value)[v] <= most->integer &&
               ((const uint32_t *)value)[v] != UINT32_MAX;
    case GPUGRAPH_UINT64:
        return ((const uint64_t *)value)[v] <= most->integer;
    default:
        return ((const double *)value)[v] <= most->real;
    }
}

static int poll(const answer *s, sqlite3_int64 items) {
    return items % POLL_ITEMS == 0 && connection_interrupted(s->by->c) ? SQLITE_INTERRUPT
                                                                       : SQLITE_OK;
}

/* Room for one step more. */
static int grow_steps(rows *r, sqlite3_int64 count) {
    if (count < r->step_room)
        return SQLITE_OK;
    sqlite3_int64 room = count ? 2 * count : 64;
    void *step = realloc(r->step, (size_t)room * sizeof *r->step);
    if (!step)
        return SQLITE_NOMEM;
    r->step = step;
    r->step_room = room;
    return SQLITE_OK;
}

/* The steps to target by tree edges, from there up to the source and then reversed.
** *count: 0 where there is no path. */
static int lay_by_tree(rows *r, const arguments *a, const answer *s,
                       sqlite3_int64 *count) {
    const gpugraph_graph *graph = s->graph->graph;
    const void *tree = s->arrays->array[A_TREE_EDGE];
    *count = 0;
    if (!counts(s->arrays, &a->bound, r->target))
        return SQLITE_OK;
    uint32_t v = r->target;
    for (uint64_t edge = 0; edge != GPUGRAPH_NO_EDGE; ++*count) {
        if (grow_steps(r, *count) != SQLITE_OK)
            return SQLITE_NOMEM;
        edge = gpugraph_edge_at(graph, tree, v);
        r->step[*count] = (struct step){.vertex = v, .edge = edge};
        if (edge != GPUGRAPH_NO_EDGE)
            v = gpugraph_other_end(graph, edge, v);
        if (poll(s, *count + 1) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    for (sqlite3_int64 i = 0, j = *count - 1; i < j; i++, j--) {
        struct step swapped = r->step[i];
        r->step[i] = r->step[j];
        r->step[j] = swapped;
    }
    return SQLITE_OK;
}

/* The steps of an answer that is one path. */
static int lay_by_edges(rows *r, const arguments *a, const answer *s,
                        sqlite3_int64 *count) {
    const gpugraph_graph *graph = s->graph->graph;
    const arrays *found = s->arrays;
    uint32_t v = a->sources.item[0];
    *count = 0;
    for (sqlite3_int64 i = 0;
         found->path_edges != GPUGRAPH_NONE && i <= found->path_edges; i++) {
        uint64_t edge = i == 0 ? GPUGRAPH_NO_EDGE
                               : gpugraph_edge_at(graph, found->path, (uint64_t)i - 1);
        if (grow_steps(r, i) != SQLITE_OK)
            return SQLITE_NOMEM;
        if (i > 0)
            v = gpugraph_other_end(graph, edge, v);
        r->step[i] = (struct step){.vertex = v, .edge = edge};
        *count = i + 1;
        if (poll(s, i + 1) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    return SQLITE_OK;
}

/* Distances add up in the order of travel, as the search has added them. */
static void add_distances(rows *r, const answer *s, sqlite3_int64 count) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(s->graph->graph);
    bool weighted = answer_is_weighted(s), real = weighted && edges->weight_real;
    for (sqlite3_int64 i = 0; i < count; i++) {
        struct step *at = &r->step[i];
        if (i == 0 && real)
            at->distance.real = 0;
        else if (i == 0)
            at->distance.integer = 0;
        else if (real)
            at->distance.real = at[-1].distance.real + edges->weight_real[at->edge];
        else
            at->distance.integer =
                at[-1].distance.integer + (!weighted ? 1
                                           : edges->weight64
                                               ? (uint64_t)edges->weight64[at->edge]
                                               : edges->weight32[at->edge]);
    }
}

/* Lays out the steps of the path to r->target; none where there is no path. */
static int lay_path(rows *r, const arguments *a, const answer *s) {
    sqlite3_int64 count;
    r->position = r->end = 0;
    int rc =
        s->arrays->path ? lay_by_edges(r, a, s, &count) : lay_by_tree(r, a, s, &count);
    if (rc != SQLITE_OK)
        return rc;
    add_distances(r, s, count);
    r->end = count;
    return SQLITE_OK;
}

static void set_range(rows *r, unsigned plan, const uint32_t *item, sqlite3_int64 count) {
    bool backward = plan & PLAN_DESCENDING;
    r->item = item;
    r->direction = backward ? -1 : 1;
    r->position = backward ? count - 1 : 0;
    r->end = backward ? -1 : count;
}

/* By `vertex = ?` or `vertex IN (...)`. */
static bool is_asked_for(const arguments *a, uint32_t v) {
    return a->vertex_list ? numbers_has(&a->only, v)
                          : a->only_vertex == GPUGRAPH_NONE || a->only_vertex == v;
}

/* The next row at or after position. */
static int settle_vertex(rows *r, const arguments *a, const answer *s) {
    for (sqlite3_int64 passed = 1; r->position != r->end; r->position += r->direction) {
        r->vertex = r->item ? r->item[r->position] : (uint32_t)r->position;
        if (counts(s->arrays, &a->bound, r->vertex))
            return SQLITE_OK;
        if (poll(s, passed++) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    return SQLITE_OK;
}

static int settle_step(rows *r, const arguments *a, const answer *s) {
    for (;;) {
        for (; r->position != r->end; r->position += r->direction) {
            r->vertex = r->step[r->position].vertex;
            if (is_asked_for(a, r->vertex))
                return SQLITE_OK;
        }
        if (r->next_target == a->targets.count)
            return SQLITE_OK;
        r->target = a->targets.item[r->next_target++];
        int rc = lay_path(r, a, s);
        if (rc != SQLITE_OK)
            return rc;
        set_range(r, a->plan, NULL, r->end);
    }
}

static int settle(rows *r, const arguments *a, const answer *s) {
    return a->by->function->paths ? settle_step(r, a, s) : settle_vertex(r, a, s);
}

int rows_next(rows *r, const arguments *a, const answer *s) {
    r->position += r->direction;
    return settle(r, a, s);
}

int rows_start(rows *r, const arguments *a, answer *s) {
    int order = (int)(a->plan >> PLAN_ORDER_SHIFT & PLAN_ORDERS);
    r->ids = gpugraph_vertex_ids(s->graph->graph);
    if (a->by->function->paths) {
        r->next_target = 0;
    } else if (a->only_vertex != GPUGRAPH_NONE) {
        set_range(r, a->plan, &a->only_vertex,
                  !a->has_target || numbers_has(&a->targets, a->only_vertex));
    } else if (a->has_target) {
        set_range(r, a->plan, a->targets.item, a->targets.count);
    } else if (a->vertex_list) {
        set_range(r, a->plan, a->only.item, a->only.count);
    } else if (order == ORDER_VERTEX) {
        set_range(r, a->plan, NULL, s->arrays->n);
    } else {
        int rc = answer_order(s, order);
        if (rc != SQLITE_OK)
            return rc;
        set_range(r, a->plan, s->arrays->order[order].vertex,
                  s->arrays->order[order].count);
    }
    return settle(r, a, s);
}

void rows_reset(rows *r) {
    r->position = r->end = 0;
    r->next_target = r->next_source = 0;
}

void rows_clear(rows *r) {
    free(r->step);
}

bool rows_at_end(const rows *r) {
    return r->position == r->end;
}

/* ---- columns ---- */

static void result_value(sqlite3_context *context, const arrays *found, uint32_t v) {
    const void *value = found->array[A_VALUE];
    if (found->type == GPUGRAPH_UINT32)
        sqlite3_result_int64(context, ((const uint32_t *)value)[v]);
    else if (found->type == GPUGRAPH_UINT64)
        sqlite3_result_int64(context, (sqlite3_int64)((const uint64_t *)value)[v]);
    else
        sqlite3_result_double(context, ((const double *)value)[v]);
}

static void result_distance(sqlite3_context *context, const rows *r, const answer *s) {
    if (!s->by->function->paths)
        result_value(context, s->arrays, r->vertex);
    else if (s->arrays->type == GPUGRAPH_REAL)
        sqlite3_result_double(context, r->step[r->position].distance.real);
    else
        sqlite3_result_int64(context,
                             (sqlite3_int64)r->step[r->position].distance.integer);
}

/* An entry of an array of numbers; NONE is NULL, which a result is from the start. */
static void result_number(sqlite3_context *context, const arrays *found,
                          enum array_name array, uint32_t v) {
    const uint32_t *number = found->array[array];
    if (number && number[v] != GPUGRAPH_NONE)
        sqlite3_result_int64(context, number[v]);
}

static uint64_t tree_edge(const rows *r, const answer *s) {
    if (s->by->function->paths)
        return r->step[r->position].edge;
    const void *tree = s->arrays->array[A_TREE_EDGE];
    return tree ? gpugraph_edge_at(s->graph->graph, tree, r->vertex) : GPUGRAPH_NO_EDGE;
}

static void result_parent(sqlite3_context *context, const rows *r, const answer *s) {
    const uint32_t *parent = s->arrays->array[A_PARENT];
    uint64_t edge = tree_edge(r, s);
    uint32_t v = GPUGRAPH_NONE;
    if (parent)
        v = parent[r->vertex];
    else if (edge != GPUGRAPH_NO_EDGE)
        v = gpugraph_other_end(s->graph->graph, edge, r->vertex);
    if (v != GPUGRAPH_NONE)
        result_vertex(context, r->ids, v);
}

static void result_edge(sqlite3_context *context, const rows *r, const answer *s) {
    uint64_t edge = tree_edge(r, s);
    if (edge != GPUGRAPH_NO_EDGE)
        result_edge_id(context, s->graph, edge);
}

static void result_cost(sqlite3_context *context, const rows *r, const answer *s) {
    uint64_t edge = tree_edge(r, s);
    const gpugraph_edge_list *edges = gpugraph_edges_of(s->graph->graph);
    if (edge == GPUGRAPH_NO_EDGE)
        return;
    if (!answer_is_weighted(s))
        sqlite3_result_int(context, 1);
    else
        result_weight(context, edges, edge);
}

static void result_source(sqlite3_context *context, const rows *r, const arguments *a,
                          const answer *s) {
    const uint32_t *root = s->arrays->array[A_ROOT];
    uint32_t source = a->source;
    if (source == GPUGRAPH_NONE && a->sources.count > 0 && root)
        source = root[r->vertex];
    if (source != GPUGRAPH_NONE)
        result_vertex(context, r->ids, source);
}

/* Without one, every vertex that is found is a target. */
static void result_target(sqlite3_context *context, const rows *r, const answer *s) {
    result_vertex(context, r->ids, s->by->function->paths ? r->target : r->vertex);
}

static void result_maximum(sqlite3_context *context, const struct sql_number *maximum) {
    if (maximum->type == SQLITE_INTEGER)
        sqlite3_result_int64(context, maximum->integer);
    else if (maximum->type == SQLITE_FLOAT)
        sqlite3_result_double(context, maximum->real);
}

static void result_string(sqlite3_context *context, const text *t) {
    if (t->bytes)
        sqlite3_result_text(context, t->bytes, t->count, SQLITE_TRANSIENT);
}

/* What was asked, as it was settled. */
static void result_argument(sqlite3_context *context, const rows *r, const arguments *a,
                            const answer *s, int field) {
    const options *o = &a->options;
    switch (field) {
    case F_EDGES:
        result_string(context, &s->edges);
        break;
    case F_SOURCE:
        result_source(context, r, a, s);
        break;
    case F_TARGET:
        result_target(context, r, s);
        break;
    case F_SOURCES:
        result_string(context, &a->sources_text);
        break;
    case F_MAX_DEPTH:
    case F_MAX_DISTANCE:
        result_maximum(context, &o->maximum);
        break;
    case F_DIRECTION:
        sqlite3_result_text(context, direction_names[o->direction], -1, SQLITE_STATIC);
        break;
    case F_WEIGHTED:
        sqlite3_result_int(context, answer_is_weighted(s));
        break;
    case F_ORDERED:
        sqlite3_result_int(context, o->ordered);
        break;
    case F_PRIORITY:
        sqlite3_result_text(context, priority_names[o->priority], -1, SQLITE_STATIC);
        break;
    case F_SEED:
        sqlite3_result_int64(context, o->seed);
        break;
    case F_VERTICES:
        result_string(context, &s->vertices);
        break;
    case F_PARAMS:
        result_string(context, &s->params);
        break;
    case F_METHOD:
        sqlite3_result_text(context, s->arrays->method, -1, SQLITE_STATIC);
        break;
    case F_BACKEND:
        sqlite3_result_text(context, s->arrays->backend, -1, SQLITE_STATIC);
        break;
    }
}

void row_column(sqlite3_context *context, const rows *r, const arguments *a,
                const answer *s, int column) {
    const enum field field = column_field(a->by->function, column);
    switch (field) {
    case F_VERTEX:
        result_vertex(context, r->ids, r->vertex);
        break;
    case F_DEPTH:
    case F_DISTANCE:
        result_distance(context, r, s);
        break;
    case F_PARENT:
        result_parent(context, r, s);
        break;
    case F_EDGE:
        result_edge(context, r, s);
        break;
    case F_SEQ:
        sqlite3_result_int64(context, r->position);
        break;
    case F_COST:
        result_cost(context, r, s);
        break;
    case F_PREORDER:
        result_number(context, s->arrays, A_PREORDER, r->vertex);
        break;
    case F_POSTORDER:
        result_number(context, s->arrays, A_POSTORDER, r->vertex);
        break;
    default:
        result_argument(context, r, a, s, field);
    }
}

/* ---- rowid ----
** SQLite tells by the rowid which rows it has seen when it reads the arms of an OR one by
** one, each with arguments of its own. Vertex and source (of a path: step and target) are
** told apart exactly, calls that differ in other arguments by 64 bits of hash. */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) /* the analyzer loses sight of an array's bytes */
        hash = (hash ^ byte[i]) * 0x100000001b3u; /* NOLINT(clang-analyzer-core.*) */
    return (hash ^ 0xff) * 0x100000001b3u;
}

static uint64_t hash_text(uint64_t hash, const char *bytes) {
    return hash_bytes(hash, bytes ? bytes : "", bytes ? strlen(bytes) : 0);
}

static uint64_t hash_call(const arguments *a, const answer *s) {
    const options *o = &a->options;
    uint64_t hash = 0xcbf29ce484222325u;
    const sqlite3_int64 settled[] = {
        o->direction,
        o->ordered,
        o->priority,
        o->seed,
        a->has_target,
        o->maximum.type,
        o->maximum.integer,
        s->weight,
        a->by->function->paths ? a->source : 0,
    };
    hash = hash_bytes(hash, settled, sizeof settled);
    hash = hash_bytes(hash, &o->maximum.real, sizeof o->maximum.real);
    hash = hash_text(hash, s->edges.bytes);
    hash = hash_text(hash, s->vertices.bytes);
    hash = hash_text(hash, s->params.bytes);
    hash = hash_text(hash, a->sources_text.bytes);
    hash = hash_text(hash, o->method);
    hash = hash_text(hash, backend_names[o->backend < 0 ? 0 : o->backend]);
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ hash >> 33;
}

sqlite3_int64 row_id(const rows *r, const arguments *a, const answer *s) {
    uint64_t high = a->by->function->paths ? r->target : a->source;
    uint64_t low = a->by->function->paths ? (uint64_t)r->position : r->vertex;
    return (sqlite3_int64)((high << 32) + low + hash_call(a, s));
}
