/* Counts degrees with the threads of the host, and checks that the graph can hold them.
**
** If rows of a direction exist, their lengths are its degrees. Otherwise threads share
** the edge list in slices, and each slice has its own counters:
**
**     counts    [ slice 0: n ][ slice 1: n ] ...    degree[v] is the sum over slices */
#include "graph.h"
#include "base/limits.h"

/* Adds one to count[vertex[e]] for each edge of a slice. */
static void count_ends(const gpugraph_graph *graph, gpugraph_run *run,
                       const uint32_t *vertex, uint64_t begin, uint64_t end,
                       uint32_t *count) {
    for (uint64_t e = begin; e < end && !gg_leave(run, e); e++)
        count[vertex[gg_edge_place(graph, e)]]++;
}

typedef struct counting {
    const gpugraph_graph *graph;
    gpugraph_run *run;
    bool counted[2]; /* OUT, IN: ends of the edge list are counted */
    csr rows[2];     /* otherwise, rows to measure; no rows: not a part of the degree */
    int slices;
    uint32_t *counts; /* [slices][n] */
    uint32_t *degree;
} counting;

static void count_slice(void *job, uint64_t slice) {
    const counting *c = job;
    const gpugraph_graph *graph = c->graph;
    uint64_t begin = gg_slice(graph->m, (int)slice, c->slices);
    uint64_t end = gg_slice(graph->m, (int)slice + 1, c->slices);
    uint32_t *count = c->counts + slice * graph->n;
    if (c->counted[GPUGRAPH_OUT])
        count_ends(graph, c->run, gg_sources_of(graph), begin, end, count);
    if (c->counted[GPUGRAPH_IN])
        count_ends(graph, c->run, gg_targets_of(graph), begin, end, count);
}

static void add_counts(void *job, uint64_t low, uint64_t high) {
    const counting *c = job;
    for (uint64_t v = low; v < high && !gg_leave(c->run, v); v++) {
        c->degree[v] = 0;
        for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
            if (c->rows[side].begin)
                c->degree[v] += (uint32_t)(c->rows[side].end[v] - c->rows[side].begin[v]);
        for (int slice = 0; slice < c->slices; slice++)
            c->degree[v] += c->counts[(uint64_t)slice * c->graph->n + v];
    }
}

/* The largest number of threads whose counters, together, do not outnumber the edges. */
static int counting_threads(const gpugraph_graph *graph, const gpugraph_run *run) {
    int threads = gg_threads(run, graph->m);
    uint64_t most = graph->n ? graph->m / graph->n : 1;
    return most < 1 ? 1 : most < (uint64_t)threads ? (int)most : threads;
}

gpugraph_status gg_count_degrees(const gpugraph_graph *graph,
                                 gpugraph_direction direction, gpugraph_run *run,
                                 uint32_t *degree) {
    static const enum csr_kind kind[] = {CSR_OUT, CSR_IN};
    counting c = {.graph = graph, .run = run, .degree = degree};
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        if (direction == GPUGRAPH_BOTH || (int)direction == side)
            c.counted[side] = !gg_existing_rows(graph, kind[side], &c.rows[side]);
    if (c.counted[GPUGRAPH_OUT] || c.counted[GPUGRAPH_IN])
        c.slices = counting_threads(graph, run);
    const uint64_t slices = (uint64_t)c.slices;
    c.counts = gg_alloc_zero(run, graph->n * slices, sizeof *c.counts);
    if (!c.counts)
        return run->status;
    gg_parts(c.slices, slices, count_slice, &c);
    gg_slices(gg_threads(run, graph->n), graph->n, add_counts, &c);
    gg_release(c.counts);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}

/* ---- the largest degree ---- */

/* If counters have overflowed, their sum is less than the number of ends. */
static void settle_bound(gpugraph_graph *graph, gpugraph_run *run,
                         const uint32_t *degree) {
    uint64_t sum = 0, largest = 0;
    for (uint64_t v = 0; v < graph->n; v++) {
        sum += degree[v];
        largest = degree[v] > largest ? degree[v] : largest;
    }
    if (sum != 2 * graph->m || largest > gg_limits.most_degree)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "a vertex has more than %llu edges, the most that a graph holds",
                (unsigned long long)gg_limits.most_degree);
    graph->known.degree_high = largest;
}

/* Skips graphs of fewer than 2^31 edges. */
gpugraph_status gg_bound_degrees(gpugraph_graph *graph, uint64_t more,
                                 gpugraph_run *run) {
    graph->known.degree_high = 2 * graph->m;
    if (graph->known.degree_high + 2 * more <= gg_limits.most_degree)
        return run->status;
    if (gg_bring_edges(graph, run))
        return run->status;
    uint32_t *degree = gg_alloc(run, graph->n, sizeof *degree);
    if (degree && !gg_count_degrees(graph, GPUGRAPH_BOTH, run, degree))
        settle_bound(graph, run, degree);
    gg_release(degree);
    return run->status;
}

void gg_free_degrees(gpugraph_graph *graph) {
    gg_release(graph->derived.degree);
    graph->derived.degree = NULL;
}
