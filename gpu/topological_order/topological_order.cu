/* Topological order on the device. topological_order.c has the meaning.
**
**     count_predecessors   one thread for each edge
**     list_first_ready     one thread for each vertex: lists vertices without
**                          predecessors
**     walk_ready           one cooperative launch for all vertices that become ready:
**                          walk.h
**     write_levels         one thread for each vertex */
#include "topological_order.h"
#include "graph/frontier.cuh"
#include "topological_order/walk.h"

enum {
    WALK_BLOCK = 1024, /* threads; the last warp keeps watch */
    WALK_WARPS = WALK_BLOCK / GG_WARP - 1,
    WALK_MOST_BLOCKS = 256
};

struct order_state {
    struct ready_counts counts;
    uint32_t end, settled, last; /* settled: vertices with a level; last: last level */
};

struct arrays {
    struct order_walk w;
    struct order_state *state;
    uint32_t *level; /* uses the memory of the list */
};

/* ---- kernels ---- */

static __global__ void count_predecessors(uint64_t m, const uint32_t *to,
                                          uint64_t *vertex) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        atomicAdd((uint32_t *)&vertex[to[e]], 1u); /* low half: predecessors left */
}

static __global__ void list_first_ready(const __grid_constant__ order_walk w,
                                        uint32_t n) {
    const uint64_t whole = gg_whole_warps(n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool first = v < n && order_left(w.vertex[v]) == 0;
        const uint64_t begin = first ? w.row_begin[v] : 0;
        walk_give(&w.list, 0, begin, first ? w.row_end[v] : 0, 0);
    }
}

/* Cooperative, because all warps must run at once: any warp may have to give slices to
** another. */
static __global__ void __launch_bounds__(WALK_BLOCK)
    walk_ready(const __grid_constant__ order_walk w) {
    __shared__ uint32_t end;
    const uint32_t warp = threadIdx.x / GG_WARP;
    if (threadIdx.x == 0)
        end = WALK_GOES_ON;
    __syncthreads();
    if (warp < WALK_WARPS)
        walk_work(&w, warp * gridDim.x + blockIdx.x, &end);
    else if (gg_lane() == 0)
        walk_watch(&w, blockIdx.x == 0, &end);
}

/* ---- levels and positions ---- */

static __global__ void write_levels(const uint64_t *vertex, uint32_t n,
                                    struct order_state *state, uint32_t *level) {
    uint32_t settled = 0, last = 0;
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        const uint64_t own = vertex[v];
        const bool has = order_left(own) == 0;
        level[v] = has ? order_level(own) : GPUGRAPH_NONE;
        settled += has;
        last = has ? max(last, order_level(own)) : last;
    }
    settled = __reduce_add_sync(ALL_LANES, settled);
    last = __reduce_max_sync(ALL_LANES, last);
    if (gg_lane() == 0) {
        atomicAdd(&state->settled, settled);
        atomicMax(&state->last, last);
    }
}

/* ---- driver ---- */

/* Space for each slice of each row, and a slot where each warp may wait. */
static uint64_t slots_of(const gpugraph_graph *graph) {
    return graph->n + graph->m / READY_ARCS + 1 + (uint64_t)WALK_WARPS * WALK_MOST_BLOCKS;
}

static void carve_order(struct workspace *space, const gpugraph_graph *graph,
                        struct arrays *a) {
    const uint64_t n = graph->n;
    a->state = gg_carve<struct order_state>(space, 1);
    a->w.list.slot = gg_carve<struct ready_slot>(space, slots_of(graph));
    a->w.vertex = gg_carve<uint64_t>(space, n);
    a->level = (uint32_t *)a->w.list.slot;
}

static bool walk_all(struct cuda_job *job, const uint32_t *to, struct arrays *a) {
    const struct cooperative_kernel kernel = {(const void *)walk_ready, "walk_ready",
                                              WALK_BLOCK, 0};
    const uint32_t n = job->graph->n;
    const uint64_t m = job->graph->m;
    /* One block of 1,024 threads on each multiprocessor. */
    const int processors = job->device->processors;
    const unsigned blocks =
        (unsigned)(processors < WALK_MOST_BLOCKS ? processors : WALK_MOST_BLOCKS);
    void *arguments[] = {&a->w};
    a->w.end = &a->state->end;
    a->w.host_stop = job->device->device_stop;
    a->w.list.counts = &a->state->counts;
    a->w.list.warps = blocks * WALK_WARPS;
    gg_fill(job, a->w.vertex, 0, n * (uint64_t)sizeof *a->w.vertex);
    gg_fill(job, a->w.list.slot, 0, slots_of(job->graph) * sizeof *a->w.list.slot);
    return gg_fill(job, a->state, 0, sizeof *a->state) &&
           GG_LAUNCH(job, count_predecessors, gg_grid(job, m, 16), m, to, a->w.vertex) &&
           GG_LAUNCH(job, list_first_ready, gg_grid(job, n, 16), a->w, n) &&
           gg_launch_cooperative(job, &kernel, blocks, arguments);
}

static void find_order(struct cuda_job *job, gpugraph_direction direction,
                       struct order_levels *found) {
    const gpugraph_graph *graph = job->graph;
    struct device_edges edges;
    struct arrays a = arrays();
    struct order_state state;
    device_csr rows;
    if (!gg_device_csr(job, (enum csr_kind)direction, false, &rows) ||
        !gg_device_edges(job, false, &edges))
        return;
    const double started = gg_now_ms();
    if (!gg_take_arrays(job, [&](workspace *s) { carve_order(s, graph, &a); }))
        return;
    a.w.row_begin = rows.begin;
    a.w.row_end = rows.end;
    a.w.target = rows.target;
    if (!walk_all(job, direction == GPUGRAPH_OUT ? edges.target : edges.source, &a) ||
        !GG_LAUNCH(job, write_levels, gg_grid(job, graph->n, 16), a.w.vertex, graph->n,
                   a.state, a.level) ||
        !gg_fetch(job, &state, a.state, sizeof state))
        return;
    found->settled = state.settled;
    found->levels = state.last + 1;
    gg_search_phase(job->run, started, (int64_t)graph->m, "%u levels", found->levels);
    gg_bring(job, found->level, a.level, graph->n, "levels");
}

static int64_t bytes(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct arrays a = arrays();
    carve_order(&space, graph, &a);
    return gg_device_graph_lacks(graph, CSR_OUT, false) + (int64_t)space.used;
}

GG_CUDA_SIDE(gg_topological_order_cuda, order_entry, find_order, bytes,
             "topological_order", "peel",
             "warps remove each vertex as soon as it has no predecessor")
