/* Edges with gaps between them: a change of an edge moves only edges of its block.
**
**     block    0               1               2
**     start    0               7               15              22       first edge
**     source   | a b c d e f g _ | h i j k l m n o | p q r s t u v _ _ | the arrays' end
**                            gap                              slack
**
** In each array, block b begins at position b << shift. Edge numbers ignore gaps: edge e
** is entry e - start[b] of the last block b that starts at e or before. A graph gets gaps
** with the first small batch that would move edges (update/gaps.c). Until the gaps are
** closed, graph->source, target, weight and edge_id are NULL. Code that reads one edge
** computes its position. Code that reads all edges calls gg_bring_edges, which closes the
** gaps in place, takes no memory and cannot fail. No thread may fork meanwhile, since the
** child would find arrays half moved.
**
** If edge ids were 1 .. m, a block stores its ids only after they differ from position +
** 1. Until then the block's part of the array of ids is only address space. */
#include "graph.h"

#include <string.h>

/* ---- closing ---- */

typedef struct closing {
    const struct edge_gaps *gaps;
    size_t weight_size;
} closing;

static void close_array(const struct edge_gaps *g, void *array, size_t size) {
    for (uint64_t b = 0; b < g->blocks; b++)
        memmove((char *)array + g->start[b] * size,
                (char *)array + (b << g->shift) * size,
                (g->start[b + 1] - g->start[b]) * size);
}

static void close_ids(const struct edge_gaps *g) {
    for (uint64_t b = 0; b < g->blocks; b++) {
        const uint64_t from = b << g->shift, to = g->start[b];
        const uint64_t count = g->start[b + 1] - to;
        if (g->listed[b])
            memmove(g->edge_id + to, g->edge_id + from, count * sizeof *g->edge_id);
        else
            for (uint64_t i = 0; i < count; i++)
                g->edge_id[to + i] = (int64_t)(from + i) + 1;
    }
}

static void close_one(void *of, uint64_t task) {
    const closing *c = of;
    if (task == 0)
        close_array(c->gaps, c->gaps->source, sizeof(uint32_t));
    else if (task == 1)
        close_array(c->gaps, c->gaps->target, sizeof(uint32_t));
    else if (task == 2 && c->gaps->edge_id)
        close_ids(c->gaps);
    else if (task == 3 && c->gaps->weight)
        close_array(c->gaps, c->gaps->weight, c->weight_size);
}

static void take_back(gpugraph_graph *graph) {
    struct edge_gaps *g = &graph->gaps;
    graph->source = g->source;
    graph->target = g->target;
    graph->weight = g->weight;
    graph->edge_id = g->edge_id;
    gg_release(g->start);
    gg_release(g->listed);
    gg_point_edges(graph, graph->edges.weight_type);
    g->start = NULL;
    g->listed = NULL;
    g->closing = false;
    __atomic_store_n(&g->made, false, __ATOMIC_RELEASE);
    __atomic_store_n(&graph->host_bytes, gg_graph_bytes(graph), __ATOMIC_RELAXED);
}

static void close_all(gpugraph_graph *graph, int threads) {
    enum { ARRAYS = 4 };
    struct edge_gaps *g = &graph->gaps;
    if (gg_plain_ids(graph)) {
        gg_release(g->edge_id);
        g->edge_id = NULL;
    }
    closing c = {g, gg_distance_size(graph->distance_type)};
    gg_parts(threads, ARRAYS, close_one, &c);
    gg_lock(&graph->gate.lock);
    take_back(graph);
    gg_unlock(&graph->gate.lock);
}

void gg_close_gaps(gpugraph_graph *graph, int threads) {
    if (!gg_has_gaps(graph))
        return;
    gg_hold_forks();
    const bool held = gg_begin_look(graph), mine = held && graph->gaps.made;
    if (mine)
        graph->gaps.closing = true;
    gg_end_look(graph, held);
    if (mine)
        close_all(graph, threads);
    gg_let_forks();
}

void gg_free_gaps(gpugraph_graph *graph) {
    struct edge_gaps *g = &graph->gaps;
    if (!g->made)
        return;
    gg_release(g->source);
    gg_release(g->target);
    gg_release(g->weight);
    gg_release(g->edge_id);
    gg_release(g->start);
    gg_release(g->listed);
    *g = (struct edge_gaps){0};
}
