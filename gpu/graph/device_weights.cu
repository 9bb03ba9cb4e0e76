/* Moves the weights that the page reader has decoded on the device to struct device_ends
** (ids/ids.cuh). They get the narrowest type that all distances fit.
**
**     decoded type        type kept
**     int64_t             uint32_t   narrowed, if no path is longer than 2^32 - 2
**                         int64_t    otherwise: the decoded array itself
**     double              double     the decoded array itself, with 0.0 for -0.0 */
#include "cells/cells.cuh"
#include "copy.h"
#include "graph.cuh"
#include "ids/ids.cuh"

struct weight_job {
    struct cuda_job *job;
    const int64_t *weight;
    const struct device_ends *ends;
    uint32_t n;
};

/* One thread per edge: raises top[v] to the largest weight of v's edges. */
static __global__ void raise_tops(const uint32_t *source, const uint32_t *target,
                                  const int64_t *weight, uint64_t m, uint32_t *top) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid()) {
        const uint32_t here = (uint32_t)weight[e];
        if (top[source[e]] < here)
            atomicMax(&top[source[e]], here);
        if (top[target[e]] < here)
            atomicMax(&top[target[e]], here);
    }
}

/* One thread per vertex: adds all tops, with one atomic addition per warp. */
static __global__ void add_tops(const uint32_t *top, uint32_t n,
                                unsigned long long *sum) {
    unsigned long long mine = 0;
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        mine += top[v];
    for (int lanes = GG_WARP / 2; lanes > 0; lanes /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, lanes);
    if (threadIdx.x % GG_WARP == 0)
        atomicAdd(sum, mine);
}

/* Returns the bound of longest_path_of_weights (weights.c), or 0 if the job must end. */
static uint64_t longest_path(const void *of) {
    const struct weight_job *w = (const struct weight_job *)of;
    struct cuda_job *job = w->job;
    unsigned long long sum = 0, *there;
    uint32_t *top;
    if (!gg_take_arrays(job, [&](struct workspace *space) {
            top = gg_carve<uint32_t>(space, w->n);
            there = gg_carve<unsigned long long>(space, 1);
        }))
        return 0;
    gg_fill(job, top, 0, w->n * sizeof *top);
    gg_fill(job, there, 0, sizeof *there);
    const bool fetched =
        GG_LAUNCH(job, raise_tops, gg_grid(job, w->ends->m, 16), w->ends->source,
                  w->ends->target, w->weight, w->ends->m, top) &&
        GG_LAUNCH(job, add_tops, gg_grid(job, w->n, 8), top, w->n, there) &&
        gg_fetch(job, &sum, there, sizeof sum);
    job->working = false;
    return fetched ? sum : 0;
}

/* One thread per edge: stores each weight in 32 bits. */
static __global__ void narrow(const int64_t *from, uint64_t m, uint32_t *to) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        to[e] = (uint32_t)from[e];
}

/* One thread per edge: -0.0 + 0.0 is 0.0. */
static __global__ void make_zeros_positive(double *weight, uint64_t m) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        weight[e] += 0.0;
}

static bool keep_narrow(struct cuda_job *job, const int64_t *from,
                        struct device_ends *ends) {
    uint32_t *to;
    if (!take(job, &ends->part, &to, ends->m, sizeof *to))
        return false;
    ends->weight = to;
    ends->weight_size = sizeof *to;
    return GG_LAUNCH(job, narrow, gg_grid(job, ends->m, 16), from, ends->m, to) &&
           gg_wait(job);
}

/* Moves the decoded array to `ends`, without a copy. */
static bool keep_block(struct cuda_job *job, gg_cells *cells, struct device_ends *ends) {
    ends->weight = gg_take_cell_weights(cells);
    ends->weight_size = sizeof(int64_t);
    add_bytes(&ends->part, (int64_t)block_bytes(ends->m, sizeof(int64_t)));
    return !cells->weights.real ||
           (GG_LAUNCH(job, make_zeros_positive, gg_grid(job, ends->m, 16),
                      (double *)ends->weight, ends->m) &&
            gg_wait(job));
}

static void take_weights(struct cuda_job *job, gg_cells *cells) {
    gpugraph_graph *graph = job->graph;
    struct device_ends *ends = gg_device_ends(graph);
    const struct weight_job w = {job, gg_cell_weights_at(cells), ends, graph->n};
    if (cells->weights.real)
        graph->distance_type = GPUGRAPH_REAL;
    else
        gg_choose_width(graph, cells->weights.largest, cells->weights.total, longest_path,
                        &w);
    if (!gg_going(job))
        return;
    if (graph->distance_type == GPUGRAPH_UINT32)
        keep_narrow(job, w.weight, ends);
    else
        keep_block(job, cells, ends);
}

void gg_take_device_weights(gpugraph_graph *graph, gg_cells *cells, gpugraph_run *run) {
    gg_in_job(graph, run, [&](struct cuda_job *job) { take_weights(job, cells); });
}
