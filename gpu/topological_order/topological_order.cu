/* Topological order on the device; topological_order.c has the meaning.
**
**     count_predecessors   a thread per edge
**     plant                a thread per vertex: level 0 is what has none
**     peel_levels          one cooperative launch for all levels: graph/peel.cuh
**     sort, place          positions: a radix sort by level keeps the order of vertices */
#include "topological_order.h"
#include "ready.h"
#include "tuning.h"
#include "graph/frontier.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <stdio.h>
#include <stdlib.h>

enum {
    WALK_BLOCK = 1024, /* threads; the last warp keeps watch */
    WALK_WARPS = WALK_BLOCK / GG_WARP - 1,
    WALK_MOST_BLOCKS = 256,
    WATCH_NS = 500,
    WATCH_HOST = 16 /* looks between two at the host's flag */
};

enum walk_end { WALK_GOES_ON, WALK_ENDED, WALK_STOPPED };

struct order_vertex {
    uint32_t left,
        level; /* predecessors without a level; one more than the largest level of the others */
};

struct order_state {
    struct ready_counts counts;
    uint32_t end, settled, last;
};

struct levels {
    device_csr rows;
    struct ready_list list;
    struct order_vertex *vertex;
    struct order_state *state;
    const uint32_t *host_stop;
};

struct arrays {
    struct levels l;
    uint32_t *level, *number, *sorted_level, *order, *position; /* in the list's place */
    unsigned char *cub;
    size_t cub_bytes;
};

/* ---- kernels ---- */

static __global__ void count_predecessors(uint64_t m, const uint32_t *to,
                                          struct order_vertex *vertex) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        atomicAdd(&vertex[to[e]].left, 1u);
}

/* Rows of a warp's lanes, empty ones where there is none, but for `kept` slices at their beginning. All lanes call. */
static __device__ __forceinline__ void give(const ready_list &list, uint32_t v,
                                            uint64_t begin, uint64_t end, bool kept) {
    const uint32_t mine = ready_slices(begin, end) - kept;
    uint32_t total;
    uint64_t at = warp_sum_before(mine, &total), claimed = 0;
    if (total == 0)
        return;
    if (gg_lane() == 0)
        claimed = ready_claim(&list, total);
    at += warp_from_64(claimed, 0);
    begin += kept * (uint64_t)READY_ARCS;
    if (mine > 0)
        ready_put(&list, at, ready_slice(begin, end), v);
    for (uint32_t lanes = warp_ballot(mine > 1); lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__ffs((int)lanes) - 1;
        const uint32_t its = warp_from(mine, lane), u = warp_from(v, lane);
        const uint64_t to = warp_from_64(at, lane), first = warp_from_64(begin, lane),
                       last = warp_from_64(end, lane);
        for (uint32_t k = 1 + gg_lane(); k < its; k += GG_WARP)
            ready_put(&list, to + k, ready_slice(first + (uint64_t)k * READY_ARCS, last),
                      u);
    }
}

static __global__ void plant(const __grid_constant__ levels l) {
    const uint64_t whole = gg_whole_warps(l.rows.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool first = v < l.rows.n && l.vertex[v].left == 0;
        const uint64_t begin = first ? l.rows.offset[v] : 0;
        const uint64_t end = first ? l.rows.offset[v + 1] : 0;
        give(l.list, (uint32_t)v, begin, end, false);
    }
}

/* ---- the walk ---- */

/* A slice, and what is made ready by it: one slice is walked on by this warp, others are given away. */
template <int form, bool ahead>
static __device__ __forceinline__ void walk_on(const levels &l, uint64_t slice,
                                               uint32_t v, uint32_t *end_of_walk) {
    for (;;) {
        const bool live = gg_lane() < ((uint32_t)slice & ((1u << READY_ARC_BITS) - 1));
        const uint32_t to =
            gg_load_now(l.rows.target + (slice >> READY_ARC_BITS) + gg_lane(), live);
        const uint32_t level = device_load(&l.vertex[v].level) + 1;
        uint32_t before = 0, raised = 0;
        uint64_t begin = 0, end = 0;
        if (live)
            raised = atomicMax(&l.vertex[to].level, level);
        if (ahead) {
            begin = gg_load_now(l.rows.offset + to, live);
            end = gg_load_now(l.rows.offset + to + 1, live);
        }
        if (form == 1)
            __threadfence();
        if (live)
            before =
                atomicSub(&l.vertex[to].left, form == 2 ? 1u : raised != GPUGRAPH_NONE);
        const bool ready = before == 1;
        if (!ahead && warp_ballot(ready)) {
            begin = gg_load_now(l.rows.offset + to, ready);
            end = gg_load_now(l.rows.offset + to + 1, ready);
        }
        if (!ready)
            end = begin;
        const uint32_t rows = warp_ballot(begin < end);
        if (rows == 0)
            return;
        const unsigned keeper = (unsigned)__ffs((int)rows) - 1;
        if (form == 1)
            __threadfence();
        give(l.list, to, begin, end, gg_lane() == keeper);
        v = warp_from(to, keeper);
        slice = warp_from_64(ready_slice(begin, end), keeper);
        if (warp_ballot(block_load(end_of_walk) == WALK_STOPPED))
            return;
    }
}

/* One thread: until the walk ends, which the first block's finds out. */
static __device__ void keep_watch(const levels &l, uint32_t *end_of_walk) {
    for (uint32_t looks = 1;; looks++) {
        uint32_t end = WALK_GOES_ON;
        if (blockIdx.x > 0)
            end = device_load(&l.state->end);
        else if (ready_ended(&l.list))
            end = WALK_ENDED;
        else if (looks % WATCH_HOST == 0 && host_load(l.host_stop))
            end = WALK_STOPPED;
        if (end != WALK_GOES_ON) {
            if (blockIdx.x == 0)
                device_store(&l.state->end, end);
            block_store(end_of_walk, end);
            return;
        }
        warp_pause(WATCH_NS);
    }
}

/* Cooperative: every warp that may have to give something to another one runs. */
template <int form, bool ahead>
static __global__ void __launch_bounds__(WALK_BLOCK)
    walk(const __grid_constant__ levels l) {
    __shared__ uint32_t end_of_walk;
    const uint32_t warp = threadIdx.x / GG_WARP;
    if (threadIdx.x == 0)
        end_of_walk = WALK_GOES_ON;
    __syncthreads();
    if (warp == WALK_WARPS) {
        if (gg_lane() == 0)
            keep_watch(l, &end_of_walk);
        return;
    }
    uint64_t ticket = warp * gridDim.x + blockIdx.x, slice;
    for (;;) {
        uint32_t v;
        while (warp_ballot(ready_look(&l.list, ticket, &slice, &v)) != ALL_LANES)
            if (warp_ballot(block_load(&end_of_walk) != WALK_GOES_ON))
                return;
        if (form == 1)
            __threadfence();
        walk_on<form, ahead>(l, slice, v, &end_of_walk);
        if (gg_lane() == 0)
            ticket = ready_ask(&l.list);
        ticket = warp_from_64(ticket, 0);
    }
}

/* ---- levels and positions ---- */

static __global__ void tell_levels(levels l, uint32_t *level) {
    uint32_t settled = 0, last = 0;
    for (uint64_t v = gg_thread(); v < l.rows.n; v += gg_threads_of_grid()) {
        const order_vertex own = l.vertex[v];
        level[v] = own.left == 0 ? own.level : GPUGRAPH_NONE;
        settled += own.left == 0;
        last = own.left == 0 ? max(last, own.level) : last;
    }
    settled = __reduce_add_sync(ALL_LANES, settled);
    last = __reduce_max_sync(ALL_LANES, last);
    if (gg_lane() == 0) {
        atomicAdd(&l.state->settled, settled);
        atomicMax(&l.state->last, last);
    }
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

/* Every slice of every row, and where each warp may wait. */
static uint64_t slots_of(const gpugraph_graph *graph) {
    return graph->n + graph->m / READY_ARCS + 1 + (uint64_t)WALK_WARPS * WALK_MOST_BLOCKS;
}

static void carve(struct workspace *space, const gpugraph_graph *graph,
                  struct arrays *a) {
    const uint64_t n = graph->n;
    a->cub_bytes = 0;
    cub::DeviceRadixSort::SortPairs(NULL, a->cub_bytes, (const uint32_t *)NULL,
                                    (uint32_t *)NULL, (const uint32_t *)NULL,
                                    (uint32_t *)NULL, (int64_t)n);
    a->l.state = gg_carve<struct order_state>(space, 1);
    a->l.list.slot = gg_carve<struct ready_slot>(space, slots_of(graph));
    a->l.vertex = gg_carve<struct order_vertex>(space, n);
    a->cub = gg_carve<unsigned char>(space, a->cub_bytes);
    a->level = (uint32_t *)a->l.list.slot;
    a->number = a->level + n;
    a->order = a->number + n;
    a->sorted_level = a->order + n;
    a->position = a->number; /* the sort has read it */
}

static int bits_of(uint32_t value) {
    int bits = 1;
    while (bits < 32 && value >> bits)
        bits++;
    return bits;
}

static bool peel(struct cuda_job *job, const uint32_t *to, struct arrays *a,
                 struct order_state *state) {
    struct levels *l = &a->l;
    static int calls = 0;
    const char *const cycle = getenv("FORM");
    const int which = cycle ? atoi(cycle) < 0 ? calls++ % 6 : atoi(cycle) : 1;
    if (cycle)
        fprintf(stderr, "form %d\n", which);
    const void *const forms[] = {
        (const void *)walk<0, false>, (const void *)walk<0, true>,
        (const void *)walk<1, false>, (const void *)walk<1, true>,
        (const void *)walk<2, false>, (const void *)walk<2, true>};
    const struct cooperative_kernel kernel = {forms[which], "walk", WALK_BLOCK, 0};
    void *arguments[] = {l};
    const uint32_t n = l->rows.n;
    unsigned blocks = (unsigned)job->device->processors;
    if (blocks > WALK_MOST_BLOCKS)
        blocks = WALK_MOST_BLOCKS;
    l->list.warps = blocks * WALK_WARPS;
    l->list.counts = &l->state->counts;
    gg_fill(job, l->vertex, 0, (uint64_t)n * sizeof *l->vertex);
    gg_fill(job, l->state, 0, sizeof *l->state);
    gg_fill(job, l->list.slot, 0, slots_of(job->graph) * sizeof *l->list.slot);
    if (!gg_going(job))
        return false;
    count_predecessors<<<gg_grid(job, job->graph->m, 16), GG_BLOCK, 0, job->stream>>>(
        job->graph->m, to, l->vertex);
    plant<<<gg_grid(job, n, 16), GG_BLOCK, 0, job->stream>>>(*l);
    if (!gg_launched(job, "plant") || gg_blocks_at_once(job, &kernel) < 1 ||
        !gg_launch_cooperative(job, &kernel, blocks, arguments))
        return false;
    tell_levels<<<gg_grid(job, n, 16), GG_BLOCK, 0, job->stream>>>(*l, a->level);
    return gg_launched(job, "tell_levels") &&
           gg_fetch(job, state, l->state, sizeof *state);
}

static void sort_by_level(struct cuda_job *job, uint32_t levels, struct arrays *a) {
    const uint32_t n = job->graph->n;
    const unsigned grid = gg_grid(job, n, 16);
    number_vertices<<<grid, GG_BLOCK, 0, job->stream>>>(n, a->number);
    if (!gg_launched(job, "number_vertices") ||
        !gg_note(job,
                 cub::DeviceRadixSort::SortPairs(
                     a->cub, a->cub_bytes, (const uint32_t *)a->level, a->sorted_level,
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
    struct order_state state;
    char more[40];
    if (!gg_device_csr(job, (enum csr_kind)direction, false, &a.l.rows) ||
        !gg_device_edges(job, false, &edges) || graph->n == 0)
        return;
    double started = gg_now_ms();
    carve(&space, graph, &a);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, graph, &a);
    a.l.host_stop = job->device->device_stop;
    if (!peel(job, direction == GPUGRAPH_OUT ? edges.target : edges.source, &a, &state))
        return;
    const bool whole = state.settled == graph->n && position;
    *settled = state.settled;
    if (whole)
        sort_by_level(job, state.last, &a);
    if (!gg_going(job))
        return;
    snprintf(more, sizeof more, "%u levels", state.last + 1);
    gg_search_phase(job->run, started, (int64_t)graph->m, more);
    started = gg_now_ms();
    const uint64_t bytes = (uint64_t)graph->n * sizeof *level;
    if (gg_download(job, level, a.level, bytes) &&
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
