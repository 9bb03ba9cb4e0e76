/* Finds a cycle in a graph without a topological order.
**
**     into[v]     the smallest number of an edge to v from a vertex without a level
**
** Each vertex without a level has such an edge. So a walk against these edges, from the
** smallest vertex without a level, ends in a ring. The vertices without a level do not
** depend on the backend, and neither does the ring. */
#include "topological_order.h"

#include <stdio.h>

enum { IDS_ROOM = 24 * GPUGRAPH_CYCLE_EDGES };

struct ring {
    const gpugraph_graph *graph;
    const uint32_t *to, *from; /* ends of edges, in the direction of the order */
    const uint32_t *level;
    void *into;
    gpugraph_run *run;
};

static uint64_t into(const struct ring *r, uint32_t v) {
    return gg_edge_at(r->into, r->graph->wide, v);
}

/* The last edge that is written for a vertex is the smallest. */
static void find_cycle_edges(const struct ring *r) {
    for (uint64_t e = r->graph->m; e-- > 0 && !gg_leave(r->run, e);)
        if (r->level[r->from[e]] == GPUGRAPH_NONE && r->level[r->to[e]] == GPUGRAPH_NONE)
            gg_put_edge(r->into, r->graph->wide, r->to[e], e);
}

/* Returns a vertex of the ring: a walk of n steps has reached it. */
static uint32_t on_ring(const struct ring *r) {
    uint32_t v = 0;
    while (r->level[v] != GPUGRAPH_NONE)
        v++;
    for (uint64_t i = 0; i < r->graph->n && !gg_leave(r->run, i); i++)
        v = r->from[into(r, v)];
    return v;
}

/* Returns the vertex that the smallest edge of the ring leads to, and counts the edges of
** the ring. */
static uint32_t smallest_of(const struct ring *r, uint32_t v, uint64_t *edges) {
    const uint32_t start = v;
    uint32_t best = v;
    *edges = 0;
    do {
        best = into(r, v) < into(r, best) ? v : best;
        v = r->from[into(r, v)];
    } while (!gg_leave(r->run, ++*edges) && v != start);
    return best;
}

/* Walks against the edges of the order. Lists the ring along the edges of the graph, from
** the smallest edge on. For direction `out` the list is therefore filled from its end. */
static void list_cycle(const struct ring *r, uint32_t v, bool out,
                       gpugraph_cycle *cycle) {
    const uint64_t edges = cycle->count;
    for (uint64_t i = 0; i < edges && !gg_leave(r->run, i); i++) {
        const uint64_t place = !out || i == 0 ? i : edges - i;
        if (place < GPUGRAPH_CYCLE_EDGES)
            cycle->edge[place] = into(r, v);
        v = r->from[into(r, v)];
    }
}

static void fail_with_cycle(const gpugraph_graph *graph, gpugraph_run *run,
                            const gpugraph_cycle *cycle) {
    char ids[IDS_ROOM] = "", more[40] = "";
    size_t used = 0;
    for (uint64_t i = 0; i < cycle->count && i < GPUGRAPH_CYCLE_EDGES; i++) {
        const uint64_t e = cycle->edge[i];
        used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%lld", i ? ", " : "",
                                 graph->edges.edge_id ? (long long)graph->edges.edge_id[e]
                                                      : (long long)e + 1);
    }
    if (cycle->count > GPUGRAPH_CYCLE_EDGES)
        snprintf(more, sizeof more, " and %llu more",
                 (unsigned long long)(cycle->count - GPUGRAPH_CYCLE_EDGES));
    gg_fail(run, GPUGRAPH_INVALID,
            "there is no topological order: edges form a cycle, with edge id(s) %s%s",
            ids, more);
}

gpugraph_status gg_report_cycle(const gpugraph_graph *graph, gpugraph_direction direction,
                                const uint32_t *level, gpugraph_run *run,
                                gpugraph_cycle *cycle) {
    const bool out = direction == GPUGRAPH_OUT;
    gpugraph_cycle found = {.count = 0};
    struct ring r = {.graph = graph, .run = run, .level = level};
    r.from = out ? graph->edges.source : graph->edges.target;
    r.to = out ? graph->edges.target : graph->edges.source;
    r.into = gg_alloc(run, graph->n, gg_edge_size(graph->wide));
    if (!r.into)
        return run->status;
    find_cycle_edges(&r);
    const uint32_t first = gg_stopping(run) ? 0 : on_ring(&r);
    if (!gg_stopping(run))
        list_cycle(&r, smallest_of(&r, first, &found.count), out, &found);
    gg_release(r.into);
    if (gg_stopping(run))
        return gg_stopped(run);
    fail_with_cycle(graph, run, &found);
    if (cycle)
        *cycle = found;
    return run->status;
}
