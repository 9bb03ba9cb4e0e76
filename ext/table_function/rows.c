/* Rows, read from the arrays of an answer.
**
**     position  -> vertex number            -> columns
**     0 .. n-1     itself (order of ids)       ids, depth[v], tree_edge[v] ...
**                  item[position] (sorted, or targets)
**                  step[position].vertex (a path, source first)
**
** Vertices that were not reached, or lie beyond a bound, are passed over. */
#include "table_function.h"

#include <stdlib.h>
#include <string.h>

/* Vertices passed over, or steps of a path laid out, between two looks at the
** connection: a few milliseconds' worth. */
#define POLL_ITEMS (1 << 18)

/* ---- which rows ---- */

static bool counts(const cursor *cur, uint32_t v) {
    const answer *a = cur->answer;
    const bound *most = &cur->arguments.bound;
    const void *value = a->array[A_VALUE];
    if (!value)
        return ((const uint8_t *)a->array[A_MEMBER])[v] != 0;
    switch (a->type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)value)[v] <= most->integer &&
               ((const uint32_t *)value)[v] != UINT32_MAX;
    case GPUGRAPH_UINT64:
        return ((const uint64_t *)value)[v] <= most->integer;
    default:
        return ((const double *)value)[v] <= most->real;
    }
}

static int poll(cursor *cur, sqlite3_int64 items) {
    return items % POLL_ITEMS == 0 && connection_interrupted(cur->c) ? SQLITE_INTERRUPT
                                                                     : SQLITE_OK;
}

static bool is_weighted(const cursor *cur) {
    return cur->weight != WEIGHT_NO && cur->graph->has_weight;
}

/* Room for one step more. */
static int grow_steps(cursor *cur, sqlite3_int64 count) {
    if (count < cur->step_room)
        return SQLITE_OK;
    sqlite3_int64 room = count ? 2 * count : 64;
    void *step = realloc(cur->step, (size_t)room * sizeof *cur->step);
    if (!step)
        return SQLITE_NOMEM;
    cur->step = step;
    cur->step_room = room;
    return SQLITE_OK;
}

/* The steps to target by tree edges, from there up to the source and then reversed.
** *count: 0 where there is no path. */
static int lay_by_tree(cursor *cur, uint32_t target, sqlite3_int64 *count) {
    const gpugraph_graph *graph = cur->graph->graph;
    const void *tree = cur->answer->array[A_TREE_EDGE];
    *count = 0;
    if (!counts(cur, target))
        return SQLITE_OK;
    uint32_t v = target;
    for (uint64_t edge = 0; edge != GPUGRAPH_NO_EDGE; ++*count) {
        if (grow_steps(cur, *count) != SQLITE_OK)
            return SQLITE_NOMEM;
        edge = gpugraph_edge_at(graph, tree, v);
        cur->step[*count] = (struct step){.vertex = v, .edge = edge};
        if (edge != GPUGRAPH_NO_EDGE)
            v = gpugraph_other_end(graph, edge, v);
        if (poll(cur, *count + 1) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    for (sqlite3_int64 i = 0, j = *count - 1; i < j; i++, j--) {
        struct step swapped = cur->step[i];
        cur->step[i] = cur->step[j];
        cur->step[j] = swapped;
    }
    return SQLITE_OK;
}

/* The steps of an answer that is one path. */
static int lay_by_edges(cursor *cur, sqlite3_int64 *count) {
    const gpugraph_graph *graph = cur->graph->graph;
    const answer *a = cur->answer;
    uint32_t v = cur->sources.item[0];
    *count = 0;
    for (sqlite3_int64 i = 0; a->path_edges != GPUGRAPH_NONE && i <= a->path_edges; i++) {
        uint64_t edge =
            i == 0 ? GPUGRAPH_NO_EDGE : gpugraph_edge_at(graph, a->path, (uint64_t)i - 1);
        if (grow_steps(cur, i) != SQLITE_OK)
            return SQLITE_NOMEM;
        if (i > 0)
            v = gpugraph_other_end(graph, edge, v);
        cur->step[i] = (struct step){.vertex = v, .edge = edge};
        *count = i + 1;
        if (poll(cur, i + 1) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    return SQLITE_OK;
}

/* Distances add up in the order of travel, as the search has added them. */
static void add_distances(cursor *cur, sqlite3_int64 count) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(cur->graph->graph);
    bool weighted = is_weighted(cur), real = weighted && edges->weight_real;
    for (sqlite3_int64 i = 0; i < count; i++) {
        struct step *s = &cur->step[i];
        if (i == 0 && real)
            s->distance.real = 0;
        else if (i == 0)
            s->distance.integer = 0;
        else if (real)
            s->distance.real = s[-1].distance.real + edges->weight_real[s->edge];
        else
            s->distance.integer = s[-1].distance.integer +
                                  (!weighted         ? 1
                                   : edges->weight64 ? (uint64_t)edges->weight64[s->edge]
                                                     : edges->weight32[s->edge]);
    }
}

/* Lays out the steps of the path to target; none where there is no path. */
static int lay_path(cursor *cur, uint32_t target) {
    sqlite3_int64 count;
    cur->position = cur->end = 0;
    int rc =
        cur->answer->path ? lay_by_edges(cur, &count) : lay_by_tree(cur, target, &count);
    if (rc != SQLITE_OK)
        return rc;
    add_distances(cur, count);
    cur->end = count;
    return SQLITE_OK;
}

static void set_range(cursor *cur, const uint32_t *item, sqlite3_int64 count) {
    bool backward = cur->arguments.plan & PLAN_DESCENDING;
    cur->item = item;
    cur->direction = backward ? -1 : 1;
    cur->position = backward ? count - 1 : 0;
    cur->end = backward ? -1 : count;
}

/* By `vertex = ?` or `vertex IN (...)`. */
static bool is_asked_for(const cursor *cur, uint32_t v) {
    const arguments *a = &cur->arguments;
    return a->vertex_list ? numbers_has(&cur->only, v)
                          : a->only_vertex == GPUGRAPH_NONE || a->only_vertex == v;
}

/* The next row at or after position. */
static int settle_vertex(cursor *cur) {
    for (sqlite3_int64 passed = 1; cur->position != cur->end;
         cur->position += cur->direction) {
        cur->vertex = cur->item ? cur->item[cur->position] : (uint32_t)cur->position;
        if (counts(cur, cur->vertex))
            return SQLITE_OK;
        if (poll(cur, passed++) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    return SQLITE_OK;
}

static int settle_step(cursor *cur) {
    for (;;) {
        for (; cur->position != cur->end; cur->position += cur->direction) {
            cur->vertex = cur->step[cur->position].vertex;
            if (is_asked_for(cur, cur->vertex))
                return SQLITE_OK;
        }
        if (cur->next_target == cur->targets.count)
            return SQLITE_OK;
        cur->target = cur->targets.item[cur->next_target++];
        int rc = lay_path(cur, cur->target);
        if (rc != SQLITE_OK)
            return rc;
        set_range(cur, NULL, cur->end);
    }
}

int rows_settle(cursor *cur) {
    return cur->algorithm->paths ? settle_step(cur) : settle_vertex(cur);
}

int rows_start(cursor *cur) {
    const arguments *a = &cur->arguments;
    int order = (int)(a->plan >> PLAN_ORDER_SHIFT & PLAN_ORDERS);
    cur->ids = gpugraph_vertex_ids(cur->graph->graph);
    if (cur->algorithm->paths) {
        cur->next_target = 0;
    } else if (a->only_vertex != GPUGRAPH_NONE) {
        set_range(cur, &a->only_vertex,
                  !a->has_target || numbers_has(&cur->targets, a->only_vertex));
    } else if (a->has_target) {
        set_range(cur, cur->targets.item, cur->targets.count);
    } else if (a->vertex_list) {
        set_range(cur, cur->only.item, cur->only.count);
    } else if (order == ORDER_VERTEX) {
        set_range(cur, NULL, cur->answer->n);
    } else {
        int rc = answer_order(cur, order);
        if (rc != SQLITE_OK)
            return rc;
        set_range(cur, cur->answer->order[order].vertex, cur->answer->order[order].count);
    }
    return rows_settle(cur);
}

/* ---- columns ---- */

static void result_id(sqlite3_context *context, const cursor *cur, uint32_t v) {
    result_vertex(context, cur->ids, v);
}

static void result_value(sqlite3_context *context, const answer *a, uint32_t v) {
    const void *value = a->array[A_VALUE];
    if (a->type == GPUGRAPH_UINT32)
        sqlite3_result_int64(context, ((const uint32_t *)value)[v]);
    else if (a->type == GPUGRAPH_UINT64)
        sqlite3_result_int64(context, (sqlite3_int64)((const uint64_t *)value)[v]);
    else
        sqlite3_result_double(context, ((const double *)value)[v]);
}

static void result_distance(sqlite3_context *context, const cursor *cur) {
    if (!cur->algorithm->paths)
        result_value(context, cur->answer, cur->vertex);
    else if (cur->answer->type == GPUGRAPH_REAL)
        sqlite3_result_double(context, cur->step[cur->position].distance.real);
    else
        sqlite3_result_int64(context,
                             (sqlite3_int64)cur->step[cur->position].distance.integer);
}

/* An entry of an array of numbers; NONE is NULL, which a result is from the start. */
static void result_number(sqlite3_context *context, const answer *a,
                          enum answer_array array, uint32_t v) {
    const uint32_t *number = a->array[array];
    if (number && number[v] != GPUGRAPH_NONE)
        sqlite3_result_int64(context, number[v]);
}

static uint64_t tree_edge(const cursor *cur) {
    if (cur->algorithm->paths)
        return cur->step[cur->position].edge;
    const void *tree = cur->answer->array[A_TREE_EDGE];
    return tree ? gpugraph_edge_at(cur->graph->graph, tree, cur->vertex)
                : GPUGRAPH_NO_EDGE;
}

static void result_parent(sqlite3_context *context, const cursor *cur) {
    const uint32_t *parent = cur->answer->array[A_PARENT];
    uint64_t edge = tree_edge(cur);
    uint32_t v = GPUGRAPH_NONE;
    if (parent)
        v = parent[cur->vertex];
    else if (edge != GPUGRAPH_NO_EDGE)
        v = gpugraph_other_end(cur->graph->graph, edge, cur->vertex);
    if (v != GPUGRAPH_NONE)
        result_id(context, cur, v);
}

static void result_edge(sqlite3_context *context, const cursor *cur) {
    uint64_t edge = tree_edge(cur);
    if (edge != GPUGRAPH_NO_EDGE)
        result_edge_id(context, cur->graph, edge);
}

static void result_cost(sqlite3_context *context, const cursor *cur) {
    uint64_t edge = tree_edge(cur);
    const gpugraph_edge_list *edges = gpugraph_edges_of(cur->graph->graph);
    if (edge == GPUGRAPH_NO_EDGE)
        return;
    if (!is_weighted(cur))
        sqlite3_result_int(context, 1);
    else
        result_weight(context, edges, edge);
}

static void result_source(sqlite3_context *context, const cursor *cur) {
    const uint32_t *root = cur->answer->array[A_ROOT];
    uint32_t source = cur->arguments.source;
    if (source == GPUGRAPH_NONE && cur->sources.count > 0 && root)
        source = root[cur->vertex];
    if (source != GPUGRAPH_NONE)
        result_id(context, cur, source);
}

/* Without one, every vertex that is found is a target. */
static void result_target(sqlite3_context *context, const cursor *cur) {
    result_id(context, cur, cur->algorithm->paths ? cur->target : cur->vertex);
}

static void result_maximum(sqlite3_context *context, const struct number *maximum) {
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
static void result_argument(sqlite3_context *context, const cursor *cur, int field) {
    const arguments *a = &cur->arguments;
    switch (field) {
    case F_EDGES:
        result_string(context, &cur->edges);
        break;
    case F_SOURCE:
        result_source(context, cur);
        break;
    case F_TARGET:
        result_target(context, cur);
        break;
    case F_SOURCES:
        result_string(context, &cur->sources_text);
        break;
    case F_MAX_DEPTH:
    case F_MAX_DISTANCE:
        result_maximum(context, &a->maximum);
        break;
    case F_DIRECTION:
        sqlite3_result_text(context, direction_names[a->direction], -1, SQLITE_STATIC);
        break;
    case F_WEIGHTED:
        sqlite3_result_int(context, is_weighted(cur));
        break;
    case F_ORDERED:
        sqlite3_result_int(context, a->ordered);
        break;
    case F_PRIORITY:
        sqlite3_result_text(context, priority_names[a->priority], -1, SQLITE_STATIC);
        break;
    case F_SEED:
        sqlite3_result_int64(context, a->seed);
        break;
    case F_VERTICES:
        result_string(context, &cur->vertices);
        break;
    case F_PARAMS:
        result_string(context, &cur->params);
        break;
    case F_METHOD:
        sqlite3_result_text(context, cur->answer->method, -1, SQLITE_STATIC);
        break;
    case F_BACKEND:
        sqlite3_result_text(context, cur->answer->backend, -1, SQLITE_STATIC);
        break;
    }
}

void row_column(const cursor *cur, sqlite3_context *context, int column) {
    const enum field field = column_field(cur->algorithm, column);
    switch (field) {
    case F_VERTEX:
        result_id(context, cur, cur->vertex);
        break;
    case F_DEPTH:
    case F_DISTANCE:
        result_distance(context, cur);
        break;
    case F_PARENT:
        result_parent(context, cur);
        break;
    case F_EDGE:
        result_edge(context, cur);
        break;
    case F_SEQ:
        sqlite3_result_int64(context, cur->position);
        break;
    case F_COST:
        result_cost(context, cur);
        break;
    case F_PREORDER:
        result_number(context, cur->answer, A_PREORDER, cur->vertex);
        break;
    case F_POSTORDER:
        result_number(context, cur->answer, A_POSTORDER, cur->vertex);
        break;
    default:
        result_argument(context, cur, field);
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

static uint64_t hash_call(const cursor *cur) {
    const arguments *a = &cur->arguments;
    uint64_t hash = 0xcbf29ce484222325u;
    const sqlite3_int64 settled[] = {
        a->direction,
        a->ordered,
        a->priority,
        a->seed,
        a->has_target,
        a->maximum.type,
        a->maximum.integer,
        cur->weight,
        cur->algorithm->paths ? a->source : 0,
    };
    hash = hash_bytes(hash, settled, sizeof settled);
    hash = hash_bytes(hash, &a->maximum.real, sizeof a->maximum.real);
    hash = hash_text(hash, cur->edges.bytes);
    hash = hash_text(hash, cur->vertices.bytes);
    hash = hash_text(hash, cur->params.bytes);
    hash = hash_text(hash, cur->sources_text.bytes);
    hash = hash_text(hash, a->method);
    hash = hash_text(hash, backend_names[a->backend < 0 ? 0 : a->backend]);
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ hash >> 33;
}

sqlite3_int64 row_id(const cursor *cur) {
    uint64_t high = cur->algorithm->paths ? cur->target : cur->arguments.source;
    uint64_t low = cur->algorithm->paths ? (uint64_t)cur->position : cur->vertex;
    return (sqlite3_int64)((high << 32) + low + hash_call(cur));
}
