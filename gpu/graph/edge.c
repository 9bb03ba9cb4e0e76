/* Access to one edge by its number or its id.
**
**     number  -> position in the arrays -> ends, weight, id
**     id      -> number
**
** If edges have gaps (gaps.c), another thread may be closing the gaps. A thread that
** reads an edge waits until they are closed, and holds the gate's lock while it reads. */
#include "graph.h"
#include "base/words.h"

/* ---- by number ---- */

bool gg_begin_look(const gpugraph_graph *graph) {
    gpugraph_graph *of = (gpugraph_graph *)graph;
    if (!gg_has_gaps(graph))
        return false;
    gg_lock(&of->gate.lock);
    while (of->gaps.closing) {
        gg_unlock(&of->gate.lock);
        gg_yield();
        gg_lock(&of->gate.lock);
    }
    return true;
}

void gg_end_look(const gpugraph_graph *graph, bool held) {
    if (held)
        gg_unlock(&((gpugraph_graph *)graph)->gate.lock);
}

static void look_edge(const gpugraph_graph *graph, uint64_t e, gpugraph_edge *edge) {
    const void *weight = gg_weights_of(graph);
    const uint64_t at = gg_edge_place(graph, e);
    edge->source = gg_sources_of(graph)[at];
    edge->target = gg_targets_of(graph)[at];
    edge->id = gg_edge_id(graph, e);
    edge->weight = 0;
    edge->real = 0;
    if (weight && graph->distance_type == GPUGRAPH_REAL)
        edge->real = ((const double *)weight)[at];
    else if (weight)
        edge->weight = (int64_t)gg_word_weight(graph->distance_type, weight, at);
}

gpugraph_edge gpugraph_edge_of(const gpugraph_graph *graph, uint64_t e) {
    gpugraph_edge edge;
    const bool held = gg_begin_look(graph);
    look_edge(graph, e, &edge);
    gg_end_look(graph, held);
    return edge;
}

int64_t gpugraph_edge_id_of(const gpugraph_graph *graph, uint64_t e) {
    const bool held = gg_begin_look(graph);
    const int64_t id = gg_edge_id(graph, e);
    gg_end_look(graph, held);
    return id;
}

bool gg_plain_ids(const gpugraph_graph *graph) {
    return !gg_lists_ids(graph) || graph->m == 0 ||
           (!graph->known.has_equal_edge_ids && gg_edge_id(graph, 0) == 1 &&
            gg_edge_id(graph, graph->m - 1) == (int64_t)graph->m);
}

/* ---- by id ---- */

/* Returns the first edge of low .. high - 1 whose id is at least `id`; high: none. */
static uint64_t first_between(const gpugraph_graph *graph, uint64_t low, uint64_t high,
                              int64_t id) {
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (gg_edge_id(graph, middle) < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the number of an edge with this id if the ids of edges low .. m - 1 were evenly
** spaced. first and last are the ids of these two edges: first < id <= last. */
static uint64_t guess_edge(const gpugraph_graph *graph, uint64_t low, int64_t first,
                           int64_t last, int64_t id) {
    const uint64_t most = graph->m - 1;
    const double part = ((double)id - (double)first) / ((double)last - (double)first);
    const uint64_t guess = low + (uint64_t)(part * (double)(most - low));
    return guess < most ? guess : most;
}

void gg_fetch_id(const gpugraph_graph *graph, int64_t id) {
    if (!gg_lists_ids(graph) || graph->m == 0)
        return;
    const int64_t first = gg_edge_id(graph, 0), last = gg_edge_id(graph, graph->m - 1);
    if (id <= first || id > last)
        return;
    const uint64_t at = gg_edge_place(graph, guess_edge(graph, 0, first, last, id));
    __builtin_prefetch(graph->gaps.made ? &graph->gaps.edge_id[at] : &graph->edge_id[at]);
}

/* The guess is usually close, so the loops take only a step or two. */
uint64_t gg_first_with_id(const gpugraph_graph *graph, uint64_t from, int64_t id) {
    const uint64_t m = graph->m;
    if (!gg_lists_ids(graph))
        return id < 1 ? 0 : (uint64_t)id - 1 < m ? (uint64_t)id - 1 : m;
    if (from >= m)
        return m;
    const int64_t first = gg_edge_id(graph, from), last = gg_edge_id(graph, m - 1);
    if (id <= first)
        return from;
    if (id > last)
        return m;
    uint64_t low = guess_edge(graph, from, first, last, id), high, step = 1;
    for (high = low; gg_edge_id(graph, high) < id; step *= 2) {
        low = high;
        high = m - 1 - high > step ? high + step : m - 1;
    }
    for (step = 1; gg_edge_id(graph, low) >= id; step *= 2) { /* ends, since first < id */
        high = low;
        low = low - from > step ? low - step : from;
    }
    return first_between(graph, low, high, id);
}

bool gg_has_id(const gpugraph_graph *graph, uint64_t e, int64_t id) {
    return e < graph->m && gg_edge_id(graph, e) == id;
}

static uint64_t edge_of_id(const gpugraph_graph *graph, int64_t edge_id) {
    const uint64_t e = gg_first_with_id(graph, 0, edge_id);
    return gg_has_id(graph, e, edge_id) ? e : GPUGRAPH_NO_EDGE;
}

uint64_t gpugraph_find_edge(const gpugraph_graph *graph, int64_t edge_id) {
    const bool held = gg_begin_look(graph);
    const uint64_t e = edge_of_id(graph, edge_id);
    gg_end_look(graph, held);
    return e;
}

/* ---- several edges ---- */

static void fetch_edge(const gpugraph_graph *graph, uint64_t e) {
    const uint64_t at = gg_edge_place(graph, e);
    const char *weight = gg_weights_of(graph);
    __builtin_prefetch(&gg_sources_of(graph)[at]);
    __builtin_prefetch(&gg_targets_of(graph)[at]);
    if (weight)
        __builtin_prefetch(weight + at * gg_distance_size(graph->distance_type));
}

static void find_some(const gpugraph_graph *graph, const int64_t *edge_id, int64_t count,
                      uint64_t *number, gpugraph_edge *edge) {
    for (int64_t i = 0; i < count; i++)
        gg_fetch_id(graph, edge_id[i]);
    for (int64_t i = 0; i < count; i++) {
        number[i] = edge_of_id(graph, edge_id[i]);
        if (number[i] != GPUGRAPH_NO_EDGE)
            fetch_edge(graph, number[i]);
    }
    for (int64_t i = 0; i < count; i++)
        if (number[i] != GPUGRAPH_NO_EDGE)
            look_edge(graph, number[i], &edge[i]);
}

void gpugraph_find_edges(const gpugraph_graph *graph, const int64_t *edge_id,
                         int64_t count, uint64_t *number, gpugraph_edge *edge) {
    for (int64_t i = 0, some; i < count; i += some) {
        const bool held = gg_begin_look(graph);
        some = count - i < GG_FETCH_AHEAD ? count - i : GG_FETCH_AHEAD;
        find_some(graph, edge_id + i, some, number + i, edge + i);
        gg_end_look(graph, held);
    }
}
