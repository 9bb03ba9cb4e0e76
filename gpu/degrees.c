/* Degrees: the smallest algorithm, and the one to copy for a new one. Here are the public
** function and the CPU backend; degrees.cu has the same for the device.
**
**     edges     0 -> 1   1 -> 1   1 -> 2          degree  OUT   1  2  0
**                                                         IN    0  2  1
**                                                         BOTH  1  4  1
**
** Threads share the edge list, and each counts into an array of its own:
**
**     counts    [ thread 0: n ][ thread 1: n ] ...    then degree[v] is their sum */
#include "backend.h"

/* ---- small steps ---- */

/* Adds one to count[vertex[e]] for each edge of a slice. */
static void count_ends(gpugraph_run *run, const uint32_t *vertex, uint64_t begin,
                       uint64_t end, uint32_t *count) {
    for (uint64_t e = begin; e < end && !gg_leave(run, e); e++)
        count[vertex[e]]++;
}

static void add_counts(gpugraph_run *run, const uint32_t *counts, int threads, uint32_t n,
                       uint32_t *degree) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        uint64_t end = gg_slice(n, t + 1, threads);
        for (uint64_t v = gg_slice(n, t, threads); v < end && !gg_leave(run, v); v++) {
            degree[v] = 0;
            for (int from = 0; from < threads; from++)
                degree[v] += counts[(uint64_t)from * n + v];
        }
    }
}

/* Threads whose counters are together no more than there are edges. */
static int counting_threads(const gpugraph_graph *graph, const gpugraph_run *run) {
    int threads = gg_threads(run, graph->m);
    uint64_t most = graph->n ? graph->m / graph->n : 1;
    return most < 1 ? 1 : most < (uint64_t)threads ? (int)most : threads;
}

static gpugraph_status count_degrees(const gpugraph_graph *graph,
                                     gpugraph_direction direction, gpugraph_run *run,
                                     uint32_t *degree) {
    int threads = counting_threads(graph, run);
    uint64_t n = graph->n, m = graph->m;
    uint32_t *counts = gg_alloc_zero(run, n * (uint64_t)threads, sizeof *counts);
    if (!counts)
        return run->status;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        uint64_t begin = gg_slice(m, t, threads), end = gg_slice(m, t + 1, threads);
        if (direction != GPUGRAPH_IN)
            count_ends(run, graph->source, begin, end, counts + (uint64_t)t * n);
        if (direction != GPUGRAPH_OUT)
            count_ends(run, graph->target, begin, end, counts + (uint64_t)t * n);
    }
    add_counts(run, counts, threads, graph->n, degree);
    gg_release(counts);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}

/* ---- the largest degree ---- */

uint64_t gg_most_degree = UINT32_MAX;

/* Counters that have run over are together fewer than the ends of edges. */
static void settle_bound(gpugraph_graph *graph, gpugraph_run *run,
                         const uint32_t *degree) {
    uint64_t sum = 0, largest = 0;
    for (uint64_t v = 0; v < graph->n; v++) {
        sum += degree[v];
        largest = degree[v] > largest ? degree[v] : largest;
    }
    if (sum != 2 * graph->m || largest > gg_most_degree)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "a vertex has more than %llu edges, the most that a graph holds",
                (unsigned long long)gg_most_degree);
    graph->degree_high = largest;
}

/* Graphs of less than 2^31 edges are not looked at. */
gpugraph_status gg_bound_degrees(gpugraph_graph *graph, uint64_t more,
                                 gpugraph_run *run) {
    graph->degree_high = 2 * graph->m;
    if (graph->degree_high + 2 * more <= gg_most_degree)
        return run->status;
    uint32_t *degree = gg_alloc(run, graph->n, sizeof *degree);
    if (degree && !count_degrees(graph, GPUGRAPH_BOTH, run, degree))
        settle_bound(graph, run, degree);
    gg_release(degree);
    return run->status;
}

/* ---- drivers ---- */

gpugraph_status gg_cpu_degrees(gpugraph_graph *graph, gpugraph_direction direction,
                               gpugraph_run *run, uint32_t *degree) {
    double start = gg_now_ms();
    if (count_degrees(graph, direction, run, degree))
        return run->status;
    gg_search_phase(run, start, (int64_t)graph->m, NULL);
    return run->status;
}

gpugraph_status gpugraph_degrees(gpugraph_graph *graph, gpugraph_direction direction,
                                 gpugraph_run *run, uint32_t *degree) {
    gg_begin(run);
    if ((unsigned)direction > GPUGRAPH_BOTH)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "direction is %d, not one of GPUGRAPH_OUT, _IN and _BOTH",
                       (int)direction);
    bool fallback = false;
    const backend *on = gg_choose(graph, "degrees", run, &fallback);
    if (!on)
        return run->status;
    on->degrees(graph, direction, run, degree);
    if (gg_fall_back(run, "degrees", fallback))
        gg_cpu_degrees(graph, direction, run, degree);
    return run->status;
}
