/* Topological order on the device; topological_order.c has the meaning.
**
**     count_predecessors   a thread per edge
**     plant                a thread per vertex: level 0 is what has none
**     peel_levels          one cooperative launch for all levels: graph/peel.cuh
**     sort, place          positions: a radix sort by level keeps the order of vertices */
#include "topological_order.h"
#include "graph/peel.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <stdio.h>

struct levels {
    struct peel_lists p;
    uint32_t *left, *level;
};

struct arrays {
    struct levels l;
    uint32_t *number, *sorted_level, *order, *position; /* in the lists' place */
    unsigned char *cub;
    size_t cub_bytes;
};

/* ---- kernels ---- */

static __global__ void count_predecessors(uint64_t m, const uint32_t *to,
                                          uint32_t *left) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        atomicAdd(&left[to[e]], 1u);
}

static __global__ void plant(levels l) {
    const uint64_t whole = gg_whole_warps(l.p.rows.n);
    const slice_list list = {l.p.slice[0], &l.p.state->meeting[0], nullptr, nullptr};
    uint32_t planted = 0;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool first = v < l.p.rows.n && l.left[v] == 0;
        if (v < l.p.rows.n)
            l.level[v] = first ? 0 : GPUGRAPH_NONE;
        planted += first;
        gg_peel_append(l.p, (uint32_t)v, first, list);
    }
    planted = __reduce_add_sync(ALL_LANES, planted);
    if (gg_lane() == 0 && planted > 0)
        atomicAdd(&l.p.state->taken, planted);
}

/* An arc that is taken away (peel.cuh). */
struct arc_of_order {
    uint32_t *left, *level;
    static const bool rows_ahead = true;
    __device__ uint32_t look(uint32_t) const {
        return 1;
    }
    __device__ bool may_fall(uint32_t) const {
        return true;
    }
    __device__ uint32_t ask(uint32_t t) const {
        return atomicSub(&left[t], 1u);
    }
    __device__ bool falls(uint32_t t, uint32_t before, uint32_t round) const {
        if (before == 1)
            level[t] = round + 1;
        return before == 1;
    }
};

/* Cooperative. */
static __global__ void __launch_bounds__(PEEL_BLOCK)
    peel_levels(const __grid_constant__ levels l) {
    __shared__ near_lists near;
    uint32_t taken = 0;
    const uint32_t round = gg_peel(l.p, 0, &near, &taken, arc_of_order{l.left, l.level});
    taken = __reduce_add_sync(ALL_LANES, taken);
    if (gg_lane() == 0 && taken > 0)
        atomicAdd(&l.p.state->taken, taken);
    if (gg_thread() == 0)
        l.p.state->round = round;
}

static __global__ void number_vertices(uint32_t n, uint32_t *number) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        number[v] = (uint32_t)v;
}

static __global__ void place(uint32_t n, const uint32_t *order, uint32_t *position) {
    for (uint64_t i = gg_thread(); i < n; i += gg_threads_of_grid())
        position[order[i]] = (uint32_t)i;
}

/* ---- driver ---- */

static void carve(struct workspace *space, const gpugraph_graph *graph,
                  struct arrays *a) {
    const uint64_t n = graph->n;
    a->cub_bytes = 0;
    cub::DeviceRadixSort::SortPairs(NULL, a->cub_bytes, (const uint32_t *)NULL,
                                    (uint32_t *)NULL, (const uint32_t *)NULL,
                                    (uint32_t *)NULL, (int64_t)n);
    gg_carve_peel(space, n, graph->m, &a->l.p);
    a->l.left = gg_carve<uint32_t>(space, n);
    a->l.level = gg_carve<uint32_t>(space, n);
    a->cub = gg_carve<unsigned char>(space, a->cub_bytes);
    a->number = (uint32_t *)a->l.p.slice[0];
    a->order = (uint32_t *)a->l.p.slice[1];
    a->sorted_level = a->l.left;
    a->position = a->number; /* the sort has read it */
}

static int bits_of(uint32_t value) {
    int bits = 1;
    while (bits < 32 && value >> bits)
        bits++;
    return bits;
}

static bool peel(struct cuda_job *job, const uint32_t *to, struct levels *l,
                 struct peel_state *state) {
    const struct cooperative_kernel kernel = {(const void *)peel_levels, "peel_levels",
                                              PEEL_BLOCK, 0};
    void *arguments[] = {l};
    gg_fill(job, l->left, 0, (uint64_t)l->p.rows.n * sizeof *l->left);
    gg_fill(job, l->p.state, 0, sizeof *l->p.state);
    if (!gg_going(job))
        return false;
    count_predecessors<<<gg_grid(job, job->graph->m, 16), GG_BLOCK, 0, job->stream>>>(
        job->graph->m, to, l->left);
    plant<<<gg_grid(job, l->p.rows.n, 16), GG_BLOCK, 0, job->stream>>>(*l);
    if (!gg_launched(job, "plant"))
        return false;
    int fit = gg_blocks_at_once(job, &kernel);
    fit = fit < GG_PEEL_BLOCKS ? fit : GG_PEEL_BLOCKS;
    return gg_launch_cooperative(job, &kernel, (unsigned)(fit * job->device->processors),
                                 arguments) &&
           gg_fetch(job, state, l->p.state, sizeof *state);
}

static void sort_by_level(struct cuda_job *job, uint32_t levels, struct arrays *a) {
    const uint32_t n = job->graph->n;
    const unsigned grid = gg_grid(job, n, 16);
    number_vertices<<<grid, GG_BLOCK, 0, job->stream>>>(n, a->number);
    if (!gg_launched(job, "number_vertices") ||
        !gg_note(job,
                 cub::DeviceRadixSort::SortPairs(
                     a->cub, a->cub_bytes, (const uint32_t *)a->l.level, a->sorted_level,
                     (const uint32_t *)a->number, a->order, (int64_t)n, 0,
                     bits_of(levels), job->stream),
                 "sort by level"))
        return;
    place<<<grid, GG_BLOCK, 0, job->stream>>>(n, a->order, a->position);
    gg_launched(job, "place");
    gg_wait(job);
}

static void find(struct cuda_job *job, gpugraph_direction direction, uint32_t *level,
                 uint32_t *position, uint32_t *settled) {
    const gpugraph_graph *graph = job->graph;
    struct device_edges edges;
    struct workspace space = {NULL, 0};
    struct arrays a = arrays();
    struct peel_state state;
    char more[40];
    if (!gg_device_csr(job, (enum csr_kind)direction, false, &a.l.p.rows) ||
        !gg_device_edges(job, false, &edges) || graph->n == 0)
        return;
    double started = gg_now_ms();
    carve(&space, graph, &a);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, graph, &a);
    a.l.p.host_stop = job->device->device_stop;
    if (!peel(job, direction == GPUGRAPH_OUT ? edges.target : edges.source, &a.l, &state))
        return;
    const bool whole = state.taken == graph->n && position;
    *settled = state.taken;
    if (whole)
        sort_by_level(job, state.round + 1, &a);
    if (!gg_going(job))
        return;
    snprintf(more, sizeof more, "%u rounds", state.round);
    gg_search_phase(job->run, started, (int64_t)graph->m, more);
    started = gg_now_ms();
    const uint64_t bytes = (uint64_t)graph->n * sizeof *level;
    if (gg_download(job, level, a.l.level, bytes) &&
        (!whole || gg_download(job, position, a.position, bytes)))
        gg_phase(job->run, "download", started, graph->n, "levels");
}

static gpugraph_status find_on_device(gpugraph_graph *graph, gpugraph_direction direction,
                                      gpugraph_run *run, uint32_t *level,
                                      uint32_t *position, uint32_t *settled) {
    struct cuda_job job;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    find(&job, direction, level, position, settled);
    return gg_job_close(&job);
}

/* What a run takes. */
static int64_t bytes(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct arrays a = arrays();
    carve(&space, graph, &a);
    return gg_device_graph_lacks(graph, CSR_OUT, false) + (int64_t)space.used;
}

/* ---- the device's side ---- */

static const gpugraph_method methods[] = {
    {"topological_order", "peel", "cuda",
     "warps take vertices without predecessors away, level by level"},
    {},
};

static const struct topological_order_calls calls = {.find = find_on_device};

extern "C" const algorithm_side gg_topological_order_cuda = {
    .methods = methods,
    .calls = &calls,
    .bytes = bytes,
};
