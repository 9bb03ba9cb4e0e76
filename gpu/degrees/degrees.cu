/* Degrees on the device. degrees.c has the meaning and the CPU backend. This is the
** smallest whole algorithm: copy both files to start a new one.
**
**     edges   source[m], target[m]   ->   degree[n]
**
** The count needs only the list of edges: rows would cost more than the count. */
#include "degrees.h"
#include "graph/graph.cuh"

/* ---- kernels ---- */

/* One thread for each edge. `ends`: bit 0 counts sources, bit 1 counts targets. A loop
** counts twice if both are set. */
static __global__ void count_ends(device_edges edges, int ends, uint32_t *degree) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        if (ends & 1)
            atomicAdd(&degree[edges.source[e]], 1u);
        if (ends & 2)
            atomicAdd(&degree[edges.target[e]], 1u);
    }
}

/* ---- driver ---- */

static void count(struct cuda_job *job, gpugraph_direction direction, uint32_t *degree) {
    struct device_edges edges;
    const uint32_t n = job->graph->n;
    uint32_t *on_device;
    if (!gg_device_edges(job, false, &edges))
        return;
    const double started = gg_now_ms();
    if (!gg_take_arrays(job, [&](workspace *s) { on_device = gg_carve<uint32_t>(s, n); }))
        return;
    gg_fill(job, on_device, 0, (uint64_t)n * sizeof *on_device);
    const int ends = direction == GPUGRAPH_BOTH ? 3 : direction == GPUGRAPH_OUT ? 1 : 2;
    GG_LAUNCH(job, count_ends, gg_grid(job, edges.m, 16), edges, ends, on_device);
    if (!gg_wait(job))
        return;
    gg_search_phase(job->run, started, (int64_t)edges.m, NULL);
    gg_bring(job, degree, on_device, n, "degrees");
}

static int64_t bytes_degrees(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    gg_carve<uint32_t>(&space, graph->n);
    return gg_device_graph_lacks(graph, CSR_KINDS, false) + (int64_t)space.used;
}

GG_CUDA_SIDE(gg_degrees_cuda, degrees_entry, count, bytes_degrees, "degrees", "count",
             "one atomic addition for each end of an edge")
