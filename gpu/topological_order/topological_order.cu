/* Topological order on the device; topological_order.c has the meaning.
**
**     count_predecessors   a thread per edge
**     plant                a thread per vertex: level 0 is what has none
**     peel_levels          one cooperative launch for all levels
**     sort, place          positions: a radix sort by level keeps the order of vertices
**
**     slices     v0|0  v1|0 v1|1 ...    vertex << 32 | number: SLICE of its arcs, a warp's errand
**
** A wide level is walked by all blocks, and a barrier of the grid ends it. While a level is narrow the
** first block walks alone: its list lies in shared memory, a level costs the trips to offsets, targets
** and counters, and the others wait at one barrier for many levels. */
#include "topological_order.h"
#include "graph/frontier.cuh"
#include "base/warp.h"

#include <cooperative_groups.h>
#include <cub/device/device_radix_sort.cuh>

#include <stdio.h>

enum {
    COUNTS = 3,           /* read, appended to, cleared for the next round */
    SLICE = 32,           /* arcs of a slice */
    NEAR = 512,           /* slices that lie in shared memory, too */
    NARROW_LEVELS = 4096, /* that one block walks between two barriers */
    STOP_ROUNDS = 64      /* between two looks at the host's flag */
};
static_assert(GG_TOPOLOGICAL_NARROW <= NEAR, "a narrow level lies in shared memory");

struct peel_state {
    uint32_t slices[COUNTS];
    uint32_t settled, round, stopped;
};

struct peeling {
    device_csr rows;
    uint32_t *left, *level;
    uint64_t *slice[2];
    struct peel_state *state;
    const uint32_t *host_stop;
};

struct arrays {
    struct peeling p;
    uint32_t *number, *sorted_level, *order, *position; /* in the lists' place */
    unsigned char *cub;
    size_t cub_bytes;
};

/* Where slices go: a list, and a copy of its beginning. */
struct slice_list {
    uint64_t *far, *near; /* near: NULL, or in shared memory */
    uint32_t *count;
};

/* ---- kernels ---- */

static __global__ void count_predecessors(uint64_t m, const uint32_t *to,
                                          uint32_t *left) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        atomicAdd(&left[to[e]], 1u);
}

static __device__ __forceinline__ void put(const slice_list &list, uint32_t at,
                                           uint64_t entry) {
    list.far[at] = entry;
    if (list.near && at < NEAR)
        list.near[at] = entry;
}

/* The slices of v, where `wanted`. All lanes of the warp call. */
static __device__ __forceinline__ void append(const peeling &p, uint32_t v, bool wanted,
                                              const slice_list &list) {
    uint32_t mine = 0, total, first = 0;
    if (warp_ballot(wanted) == 0)
        return;
    if (wanted)
        mine = (uint32_t)((p.rows.offset[v + 1] - p.rows.offset[v] + SLICE - 1) / SLICE);
    const uint32_t before = warp_sum_before(mine, &total);
    if (total == 0)
        return;
    if (gg_lane() == 0)
        first = atomicAdd(list.count, total);
    first = warp_from(first, 0) + before;
    if (mine > 0)
        put(list, first, (uint64_t)v << 32);
    for (uint32_t lanes = warp_ballot(mine > 1); lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__ffs((int)lanes) - 1;
        const uint32_t at = warp_from(first, lane), end = warp_from(mine, lane);
        const uint64_t entry = (uint64_t)warp_from(v, lane) << 32;
        for (uint32_t i = 1 + gg_lane(); i < end; i += GG_WARP)
            put(list, at + i, entry | i);
    }
}

static __global__ void plant(peeling p) {
    const uint64_t whole = gg_whole_warps(p.rows.n);
    const slice_list list = {p.slice[0], nullptr, &p.state->slices[0]};
    uint32_t planted = 0;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool first = v < p.rows.n && p.left[v] == 0;
        if (v < p.rows.n)
            p.level[v] = first ? 0 : GPUGRAPH_NONE;
        planted += first;
        append(p, (uint32_t)v, first, list);
    }
    planted = __reduce_add_sync(ALL_LANES, planted);
    if (gg_lane() == 0 && planted > 0)
        atomicAdd(&p.state->settled, planted);
}

/* The lane whose arcs number k is one of; first: arcs before each lane's. */
static __device__ __forceinline__ unsigned owner_of(uint32_t first, uint32_t k) {
    unsigned owner = 0;
    for (unsigned step = GG_WARP / 2; step > 0; step /= 2)
        if (__shfl_sync(ALL_LANES, first, (int)(owner + step)) <= k)
            owner += step;
    return owner;
}

/* One warp's share of a level, warp number `warp` of `warps`: some slices at a time, their arcs dealt
** out to the lanes. Returns the vertices that this lane has settled. */
static __device__ __forceinline__ uint32_t walk(const peeling &p, const uint64_t *slice,
                                                uint32_t count, uint32_t warp,
                                                uint32_t warps, uint32_t level,
                                                const slice_list &next) {
    uint32_t tile = count / warps + 1, settled = 0;
    tile = tile < GG_WARP ? tile : GG_WARP;
    for (uint64_t at = (uint64_t)warp * tile; at < count; at += (uint64_t)warps * tile) {
        uint64_t begin = 0, arcs = 0;
        uint32_t total;
        if (gg_lane() < tile && at + gg_lane() < count) {
            const uint64_t entry = slice[at + gg_lane()];
            const uint32_t v = (uint32_t)(entry >> 32);
            const uint64_t end = p.rows.offset[v + 1];
            begin = p.rows.offset[v] + (entry & UINT32_MAX) * SLICE;
            arcs = end - begin < SLICE ? end - begin : SLICE;
        }
        const uint32_t first = warp_sum_before((uint32_t)arcs, &total);
        for (uint32_t base = 0; base < total; base += GG_WARP) {
            const uint32_t k = base + gg_lane();
            const unsigned owner = owner_of(first, k);
            const uint64_t arc =
                warp_from_64(begin, owner) + (k - warp_from(first, owner));
            const bool live = k < total;
            const uint32_t t = live ? p.rows.target[arc] : 0;
            const bool last = live && atomicSub(&p.left[t], 1u) == 1;
            if (last)
                p.level[t] = level;
            settled += last;
            append(p, t, last, next);
        }
    }
    return settled;
}

struct near_lists {
    uint64_t slice[2][NEAR];
    uint32_t count[COUNTS];
    uint32_t stop;
};

/* Levels from `round` on by one block, while they are narrow; returns the round after. */
static __device__ uint32_t walk_narrow(const peeling &p, uint32_t round, uint32_t count,
                                       near_lists *near, uint32_t *settled) {
    const uint32_t end = round + NARROW_LEVELS;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        near->slice[round % 2][i] = p.slice[round % 2][i];
    if (threadIdx.x < COUNTS)
        near->count[threadIdx.x] = threadIdx.x == round % COUNTS ? count : 0;
    if (threadIdx.x == 0)
        near->stop = 0;
    __syncthreads();
    while (count > 0 && count <= GG_TOPOLOGICAL_NARROW && round < end && !near->stop) {
        const slice_list next = {p.slice[(round + 1) % 2], near->slice[(round + 1) % 2],
                                 &near->count[(round + 1) % COUNTS]};
        *settled += walk(p, near->slice[round % 2], count, threadIdx.x / GG_WARP,
                         blockDim.x / GG_WARP, round + 1, next);
        if (threadIdx.x == 0) /* read last in the round before */
            near->count[(round + 2) % COUNTS] = 0;
        __syncthreads();
        round++;
        count = near->count[round % COUNTS];
        if (threadIdx.x == 0 && round % STOP_ROUNDS == 0)
            near->stop = *(const volatile uint32_t *)p.host_stop;
        __syncthreads();
    }
    if (threadIdx.x < COUNTS)
        p.state->slices[threadIdx.x] = threadIdx.x == round % COUNTS ? count : 0;
    if (threadIdx.x == 0) {
        p.state->round = round;
        p.state->stopped = near->stop;
    }
    return round;
}

/* Cooperative: all levels. Every round settles a vertex or is the last. */
static __global__ void __launch_bounds__(GG_BLOCK)
    peel_levels(const __grid_constant__ peeling p) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    __shared__ near_lists near;
    struct peel_state *state = p.state;
    uint32_t settled = 0, round = 0;
    for (;;) {
        const uint32_t count = gg_peek(&state->slices[round % COUNTS]);
        if (count == 0 || gg_peek(&state->stopped) != 0)
            break;
        if (count <= GG_TOPOLOGICAL_NARROW) {
            grid.sync(); /* all have read the counts */
            if (blockIdx.x == 0)
                walk_narrow(p, round, count, &near, &settled);
            grid.sync();
            gg_late();
            round = gg_peek(&state->round);
            continue;
        }
        const slice_list next = {p.slice[(round + 1) % 2], nullptr,
                                 &state->slices[(round + 1) % COUNTS]};
        if (gg_thread() == 0)
            state->slices[(round + 2) % COUNTS] = 0;
        settled += walk(p, p.slice[round % 2], count, (uint32_t)(gg_thread() / GG_WARP),
                        (uint32_t)(gg_threads_of_grid() / GG_WARP), round + 1, next);
        round++;
        grid.sync();
        gg_late();
        if (round % STOP_ROUNDS == 0) {
            if (gg_thread() == 0)
                state->stopped = *(const volatile uint32_t *)p.host_stop;
            grid.sync();
        }
    }
    settled = __reduce_add_sync(ALL_LANES, settled);
    if (gg_lane() == 0 && settled > 0)
        atomicAdd(&state->settled, settled);
    if (gg_thread() == 0)
        state->round = round;
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
    const uint64_t n = graph->n, slices = n + graph->m / SLICE + 1;
    a->cub_bytes = 0;
    cub::DeviceRadixSort::SortPairs(NULL, a->cub_bytes, (const uint32_t *)NULL,
                                    (uint32_t *)NULL, (const uint32_t *)NULL,
                                    (uint32_t *)NULL, (int64_t)n);
    a->p.state = gg_carve<struct peel_state>(space, 1);
    a->p.left = gg_carve<uint32_t>(space, n);
    a->p.level = gg_carve<uint32_t>(space, n);
    for (int i = 0; i < 2; i++)
        a->p.slice[i] = gg_carve<uint64_t>(space, slices);
    a->cub = gg_carve<unsigned char>(space, a->cub_bytes);
    a->number = (uint32_t *)a->p.slice[0];
    a->order = (uint32_t *)a->p.slice[1];
    a->sorted_level = a->p.left;
    a->position = a->number; /* the sort has read it */
}

static int bits_of(uint32_t value) {
    int bits = 1;
    while (bits < 32 && value >> bits)
        bits++;
    return bits;
}

static bool peel(struct cuda_job *job, const uint32_t *to, struct peeling *p,
                 struct peel_state *state) {
    const struct cooperative_kernel kernel = {(const void *)peel_levels, "peel_levels",
                                              GG_BLOCK, 0};
    void *arguments[] = {p};
    gg_fill(job, p->left, 0, (uint64_t)p->rows.n * sizeof *p->left);
    gg_fill(job, p->state, 0, sizeof *p->state);
    if (!gg_going(job))
        return false;
    count_predecessors<<<gg_grid(job, job->graph->m, 16), GG_BLOCK, 0, job->stream>>>(
        job->graph->m, to, p->left);
    plant<<<gg_grid(job, p->rows.n, 16), GG_BLOCK, 0, job->stream>>>(*p);
    if (!gg_launched(job, "plant"))
        return false;
    int fit = gg_blocks_at_once(job, &kernel);
    fit = fit < GG_TOPOLOGICAL_BLOCKS ? fit : GG_TOPOLOGICAL_BLOCKS;
    return gg_launch_cooperative(job, &kernel, (unsigned)(fit * job->device->processors),
                                 arguments) &&
           gg_fetch(job, state, p->state, sizeof *state);
}

static void sort_by_level(struct cuda_job *job, uint32_t levels, struct arrays *a) {
    const uint32_t n = job->graph->n;
    const unsigned grid = gg_grid(job, n, 16);
    number_vertices<<<grid, GG_BLOCK, 0, job->stream>>>(n, a->number);
    if (!gg_launched(job, "number_vertices") ||
        !gg_note(job,
                 cub::DeviceRadixSort::SortPairs(
                     a->cub, a->cub_bytes, (const uint32_t *)a->p.level, a->sorted_level,
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
    if (!gg_device_csr(job, (enum csr_kind)direction, false, &a.p.rows) ||
        !gg_device_edges(job, false, &edges) || graph->n == 0)
        return;
    double started = gg_now_ms();
    carve(&space, graph, &a);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, graph, &a);
    a.p.host_stop = job->device->device_stop;
    if (!peel(job, direction == GPUGRAPH_OUT ? edges.target : edges.source, &a.p, &state))
        return;
    const bool whole = state.settled == graph->n && position;
    *settled = state.settled;
    if (whole)
        sort_by_level(job, state.round + 1, &a);
    if (!gg_going(job))
        return;
    snprintf(more, sizeof more, "%u rounds", state.round);
    gg_search_phase(job->run, started, (int64_t)graph->m, more);
    started = gg_now_ms();
    const uint64_t bytes = (uint64_t)graph->n * sizeof *level;
    if (gg_download(job, level, a.p.level, bytes) &&
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
