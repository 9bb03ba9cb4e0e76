/* Makes a graph from edge columns: maps ids to vertex numbers (ids/ids.c), sorts edges by
** edge id, and stores weights in the narrowest type.
**
**     input        edge id  9 -> 4      edge number   0  1  2
**                  edge id  2 -> 7      edge_id       2  5  9
**                  edge id  5 -> 4      source        .  .  .   = input[order[e]]
**     order        1  2  0              target        .  .  .
**
** If edge ids ascend, the edges are not sorted; if the ids are 1 .. m, the graph has no
** edge_id. weights.c has the weights. This file also chooses the width of edge numbers
** (graph_data.h). */
#include "builder.h"
#include "cells.h"
#include "copy.h"
#include "graph.h"
#include "ids/ids.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns that were taken over ---- */

static void drop_edge_ids(const builder *b) {
    if (b->edges->take_over)
        free((void *)b->edges->edge_id);
    b->edges->edge_id = NULL;
}

static void drop_cells(const builder *b) {
    if (b->edges->cells)
        b->edges->cells->place->free(b->edges->cells);
    b->edges->cells = NULL;
}

static void drop_all(const builder *b) {
    const gpugraph_id_column *ends[2] = {&b->edges->source, &b->edges->target};
    drop_cells(b);
    drop_edge_ids(b);
    if (!b->edges->take_over)
        return;
    for (int i = 0; i < 2; i++) {
        free((void *)ends[i]->value);
        free((void *)ends[i]->value32);
        free((void *)ends[i]->is_text);
    }
    free((void *)b->edges->weight);
    free((void *)b->edges->weight32);
}

/* ---- the order of edges ---- */

typedef struct edge_ids {
    const builder *b;
    bool falls;   /* an id is less than the previous id */
    bool repeats; /* an id is equal to the previous id */
    bool differs; /* ids are not 1 .. m */
} edge_ids;

static void look_at_edge_ids(void *ids, uint64_t low, uint64_t high) {
    edge_ids *of = ids;
    const builder *b = of->b;
    const int64_t *id = b->edges->edge_id;
    bool falls = false, repeats = false, differs = false;
    for (uint64_t i = low; i < high && !gg_leave(b->run, i); i++) {
        falls |= i > 0 && id[i - 1] > id[i];
        repeats |= i > 0 && id[i - 1] == id[i];
        differs |= id[i] != (int64_t)i + 1;
    }
    if (falls)
        __atomic_store_n(&of->falls, true, __ATOMIC_RELAXED);
    if (repeats)
        __atomic_store_n(&of->repeats, true, __ATOMIC_RELAXED);
    if (differs)
        __atomic_store_n(&of->differs, true, __ATOMIC_RELAXED);
}

typedef struct sort_arrays {
    const builder *b;
    uint64_t *key, *key_scratch;
    void *scratch;
} sort_arrays;

static void ids_to_keys(void *arrays, uint64_t low, uint64_t high) {
    const sort_arrays *a = arrays;
    for (uint64_t i = low; i < high; i++) {
        a->key[i] = (uint64_t)a->b->edges->edge_id[i] ^ GG_SIGN_BIT;
        gg_put_edge(a->b->order, a->b->graph->wide, i, i);
    }
}

static void keys_to_ids(void *arrays, uint64_t low, uint64_t high) {
    const sort_arrays *a = arrays;
    for (uint64_t i = low; i < high; i++)
        a->b->graph->edge_id[i] = (int64_t)(a->key[i] ^ GG_SIGN_BIT);
}

/* The sort is stable: edges with equal ids keep the order of their input rows. */
static void sort_order(const builder *b, sort_arrays *a) {
    gg_slices(b->threads, b->m, ids_to_keys, a);
    if (gg_sort_pairs(b->run, b->graph->wide, b->m, a->key, b->order, a->key_scratch,
                      a->scratch))
        return;
    gg_slices(b->threads, b->m, keys_to_ids, a);
    const int64_t *id = b->graph->edge_id;
    bool equal = false;
    for (uint64_t i = 1; i < b->m && !equal; i++)
        equal = id[i] == id[i - 1];
    /* look_at_edge_ids found only equal ids that were adjacent */
    b->graph->known.has_equal_edge_ids = equal;
}

typedef struct reordering {
    const builder *b;
    uint32_t *from, *to;
} reordering;

static void reorder_slice(void *job, uint64_t low, uint64_t high) {
    const reordering *r = job;
    for (uint64_t e = low; e < high && !gg_leave(r->b->run, e); e++)
        r->to[e] = r->from[input_row(r->b, e)];
}

/* Returns a new array with entry e equal to from[order[e]], and releases `from`. */
static uint32_t *reorder(const builder *b, uint32_t *from) {
    reordering r = {b, from, gg_alloc_slack(b->run, b->m, sizeof *r.to)};
    if (!r.to)
        return from;
    gg_slices(b->threads, b->m, reorder_slice, &r);
    gg_release(from);
    return r.to;
}

/* Orders edges whose ids are not ascending. */
static void order_by_sorting(builder *b, bool *plain) {
    gpugraph_graph *graph = b->graph;
    sort_arrays a = {.b = b};
    const size_t size = gg_edge_size(graph->wide);
    if (gg_download_edges(graph, b->run))
        return;
    b->order = gg_alloc(b->run, b->m, size);
    a.key = b->order ? gg_alloc(b->run, b->m, sizeof *a.key) : NULL;
    a.key_scratch = a.key ? gg_alloc(b->run, b->m, sizeof *a.key_scratch) : NULL;
    a.scratch = a.key_scratch ? gg_alloc(b->run, b->m, size) : NULL;
    if (a.scratch)
        sort_order(b, &a);
    gg_release(a.key);
    gg_release(a.key_scratch);
    gg_release(a.scratch);
    if (!gg_stopping(b->run))
        graph->source = reorder(b, graph->source);
    if (!gg_stopping(b->run))
        graph->target = reorder(b, graph->target);
    if (!gg_stopping(b->run))
        *plain = gg_plain_ids(graph);
}

static void order_edges(builder *b, bool *sorted) {
    gpugraph_graph *graph = b->graph;
    edge_ids ids = {.b = b};
    *sorted = false;
    if (b->edges->edge_id)
        gg_slices(b->threads, b->m, look_at_edge_ids, &ids);
    bool ascending = !ids.falls, plain = !ids.differs;
    if (plain || gg_stopping(b->run))
        return;
    graph->known.has_equal_edge_ids = ids.repeats;
    if (ascending && b->edges->take_over) {
        graph->edge_id = (int64_t *)b->edges->edge_id;
        b->edges->edge_id = NULL;
        return;
    }
    graph->edge_id = gg_alloc_slack(b->run, b->m, sizeof *graph->edge_id);
    if (!graph->edge_id)
        return;
    if (ascending) {
        memcpy(graph->edge_id, b->edges->edge_id, sizeof *graph->edge_id * b->m);
        return;
    }
    *sorted = true;
    order_by_sorting(b, &plain);
    if (plain) {
        gg_release(graph->edge_id);
        graph->edge_id = NULL;
    }
}

/* ---- the graph ---- */

int64_t gg_graph_bytes(const gpugraph_graph *graph) {
    uint64_t m = graph->m, texts = (uint64_t)graph->ids.texts.count;
    uint64_t bytes =
        sizeof *graph + (graph->device_resident ? 0 : m * (2 * sizeof(uint32_t)));
    bytes += gg_weights_of(graph) ? m * gg_distance_size(graph->distance_type) : 0;
    bytes += gg_lists_ids(graph) ? m * sizeof *graph->edge_id : 0;
    bytes += graph->id.integer ? graph->ids.integer_count * sizeof(int64_t) : 0;
    if (graph->id.present)
        bytes += (graph->id.span + 63) / 64 * (sizeof(uint64_t) + sizeof(uint32_t));
    bytes += graph->id.tombstones.count * sizeof *graph->id.tombstones.vertex;
    bytes += graph->id.later.count * (sizeof *graph->id.later.id + sizeof(uint32_t));
    if (texts)
        bytes += (texts + 1) * sizeof(uint64_t) + gg_text_bytes(&graph->ids.texts);
    return (int64_t)bytes;
}

void gg_point_weights(gpugraph_graph *graph) {
    if (graph->distance_type == GPUGRAPH_REAL)
        graph->edges.weight_real = graph->weight;
    else if (graph->distance_type == GPUGRAPH_UINT64)
        graph->edges.weight64 = graph->weight;
    else
        graph->edges.weight32 = graph->weight;
}

void gg_point_edges(gpugraph_graph *graph, gpugraph_weight_type type) {
    graph->edges = (gpugraph_edge_list){.source = graph->source,
                                        .target = graph->target,
                                        .edge_id = graph->edge_id,
                                        .weight_type = type};
    gg_point_weights(graph);
}

static void build(builder *b) {
    gpugraph_graph *graph = b->graph;
    gpugraph_run *run = b->run;
    id_mapping ids = {.note = ""};
    const bool stay = b->edges->stay || b->edges->cells;
    bool sorted = false;
    graph->m = b->m;
    graph->wide = gg_is_wide(b->m);
    ids.on_device = gg_map_on_device(graph, b->edges, run);
    double start = gg_now_ms();
    gg_map_ids(graph, b->edges, run, &ids);
    if (!gg_stopping(run))
        gg_bound_degrees(graph, 0, run);
    if (!gg_stopping(run))
        order_edges(b, &sorted);
    if (sorted) /* the device's edges are in input order */
        gpugraph_release_device(graph);
    drop_edge_ids(b);
    if (!gg_stopping(run))
        gg_take_weights(b);
    drop_cells(b);
    gg_release(b->order);
    if (gg_stopping(run)) {
        gg_stopped(run);
        return;
    }
    gg_point_edges(graph, b->edges->weight_type);
    graph->host_bytes = gg_graph_bytes(graph);
    gg_phase(run, "map", start + ids.moved_ms, (int64_t)b->m, "%u vertices, %s%s",
             graph->n, ids.note, sorted ? ", edges sorted by id" : "");
    if (!stay)
        gg_download_edges(graph, run);
}

static void check_texts(const gpugraph_texts *texts, gpugraph_run *run) {
    const uint64_t count = (uint64_t)texts->count;
    if (count > 0 && gg_needs(run, texts->offset, count, "texts.offset") &&
        texts->offset[count] > texts->offset[0])
        gg_needs(run, texts->bytes, 1, "texts.bytes");
}

gpugraph_status gg_check_edges(const gpugraph_edges *edges, gpugraph_run *run) {
    const gpugraph_id_column *s = &edges->source, *t = &edges->target,
                             *v = &edges->vertex;
    const uint64_t m = (uint64_t)edges->count, more = (uint64_t)edges->vertex_count;
    if (edges->count < 0 || edges->vertex_count < 0 || edges->texts.count < 0)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a count of edges, vertices or texts is negative");
    if (!gg_check_weight_type(edges->weight_type, run))
        return run->status;
    check_texts(&edges->texts, run);
    if (edges->cells)
        return run->status;
    gg_needs(run, s->value32 ? (const void *)s->value32 : s->value, m, "source.value");
    gg_needs(run, t->value32 ? (const void *)t->value32 : t->value, m, "target.value");
    gg_needs(run, v->value32 ? (const void *)v->value32 : v->value, more, "vertex.value");
    if (edges->weight_type == GPUGRAPH_REAL_WEIGHTS ||
        (edges->weight_type == GPUGRAPH_INTEGER_WEIGHTS && !edges->weight32))
        gg_needs(run, edges->weight, m, "weight");
    return run->status;
}

static gpugraph_status create(builder *b, gpugraph_graph **graph) {
    const gpugraph_edges *edges = b->edges;
    gpugraph_run *run = b->run;
    if (gg_check_edges(edges, run))
        return run->status;
    b->threads = gg_threads(run, b->m);
    b->graph = gg_alloc_zero(run, 1, sizeof *b->graph);
    if (!b->graph)
        return run->status;
    build(b);
    if (run->status)
        gpugraph_free(b->graph);
    else
        *graph = b->graph;
    return run->status;
}

gpugraph_status gpugraph_create(const gpugraph_edges *edges, gpugraph_run *run,
                                gpugraph_graph **graph) {
    gg_begin(run);
    if (!gg_needs(run, edges, 1, "edges") || !gg_needs(run, graph, 1, "graph"))
        return run->status;
    gpugraph_edges columns = *edges;
    builder b = {.edges = &columns, .run = run, .m = (uint64_t)edges->count};
    *graph = NULL;
    create(&b, graph);
    drop_all(&b);
    return run->status;
}

void gpugraph_free(gpugraph_graph *graph) {
    if (!graph)
        return;
    if (graph->device)
        gg_copies.release(graph);
    gg_free_csr(graph);
    gg_free_ids(graph);
    gg_release(graph->source);
    gg_release(graph->target);
    gg_release(graph->weight);
    gg_release(graph->edge_id);
    gg_free_gaps(graph);
    gg_release(graph);
}

uint32_t gpugraph_vertex_count(const gpugraph_graph *graph) {
    return graph->n;
}

uint64_t gpugraph_edge_count(const gpugraph_graph *graph) {
    return graph->m;
}

size_t gpugraph_edge_size(const gpugraph_graph *graph) {
    return gg_edge_size(graph->wide);
}

uint64_t gpugraph_edge_at(const gpugraph_graph *graph, const void *edge, uint64_t i) {
    return gg_edge_at(edge, graph->wide, i);
}

gpugraph_weight_type gpugraph_weights(const gpugraph_graph *graph) {
    return graph->edges.weight_type;
}

gpugraph_distance_type gpugraph_distance_type_of(const gpugraph_graph *graph) {
    return graph->distance_type;
}

const gpugraph_ids *gpugraph_vertex_ids(const gpugraph_graph *graph) {
    return &graph->ids;
}

const gpugraph_edge_list *gpugraph_edges_of(const gpugraph_graph *graph) {
    gg_close_gaps((gpugraph_graph *)graph, 1);
    return &graph->edges;
}
