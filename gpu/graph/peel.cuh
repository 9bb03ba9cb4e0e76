/* Vertices that are taken away in rounds, of which each makes others fall: all of it in one cooperative
** launch.
**
**     slices     v0|0  v1|0 v1|1 ...    vertex << 32 | number: PEEL_SLICE of its arcs, a warp's errand
**
** A wide round is walked by all blocks, and a barrier of the grid ends it. While a round is narrow the
** first block walks alone: its list lies in shared memory, a round costs the trips to offsets, targets
** and counters, and the others wait at one barrier for many rounds. Rounds are bounded by the vertices:
** each takes one away or is the last. */
#ifndef GPUGRAPH_PEEL_CUH
#define GPUGRAPH_PEEL_CUH

#include "graph/frontier.cuh"
#include "base/warp.h"

#include <cooperative_groups.h>

enum {
    PEEL_COUNTS = 3,      /* read, appended to, cleared for the next round */
    PEEL_SLICE = 32,      /* arcs */
    PEEL_NEAR = 512,      /* slices that lie in shared memory, too */
    PEEL_ALONE = 4096,    /* rounds of one block between two barriers */
    PEEL_STOP_ROUNDS = 64 /* between two looks at the host's flag */
};
static_assert(GG_PEEL_NARROW <= PEEL_NEAR, "a narrow round lies in shared memory");

struct peel_state {
    uint32_t slices[PEEL_COUNTS];
    uint32_t taken, round, stopped;
};

struct peel_lists {
    device_csr rows;
    uint64_t *slice[2];
    struct peel_state *state;
    const uint32_t *host_stop;
};

/* Where slices go: a list, and a copy of its beginning. */
struct slice_list {
    uint64_t *far, *near; /* near: NULL, or in shared memory */
    uint32_t *count;
};

struct near_lists {
    uint64_t slice[2][PEEL_NEAR];
    uint32_t count[PEEL_COUNTS];
    uint32_t stop;
};

static inline void gg_carve_peel(struct workspace *space, uint64_t n, uint64_t arcs,
                                 struct peel_lists *p) {
    p->state = gg_carve<struct peel_state>(space, 1);
    for (int i = 0; i < 2; i++)
        p->slice[i] = gg_carve<uint64_t>(space, n + arcs / PEEL_SLICE + 1);
}

static __device__ __forceinline__ void put_slice(const slice_list &list, uint32_t at,
                                                 uint64_t entry) {
    list.far[at] = entry;
    if (list.near && at < PEEL_NEAR)
        list.near[at] = entry;
}

/* The slices of v, where `wanted`. All lanes of the warp call. */
static __device__ __forceinline__ void
gg_peel_append(const peel_lists &p, uint32_t v, bool wanted, const slice_list &list) {
    uint32_t mine = 0, total, first = 0;
    if (warp_ballot(wanted) == 0)
        return;
    if (wanted)
        mine = (uint32_t)((p.rows.offset[v + 1] - p.rows.offset[v] + PEEL_SLICE - 1) /
                          PEEL_SLICE);
    const uint32_t before = warp_sum_before(mine, &total);
    if (total == 0)
        return;
    if (gg_lane() == 0)
        first = atomicAdd(list.count, total);
    first = warp_from(first, 0) + before;
    if (mine > 0)
        put_slice(list, first, (uint64_t)v << 32);
    for (uint32_t lanes = warp_ballot(mine > 1); lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__ffs((int)lanes) - 1;
        const uint32_t at = warp_from(first, lane), end = warp_from(mine, lane);
        const uint64_t entry = (uint64_t)warp_from(v, lane) << 32;
        for (uint32_t i = 1 + gg_lane(); i < end; i += GG_WARP)
            put_slice(list, at + i, entry | i);
    }
}

/* The lane whose arcs number k is one of; first: arcs before each lane's. */
static __device__ __forceinline__ unsigned owner_of(uint32_t first, uint32_t k) {
    unsigned owner = 0;
    for (unsigned step = GG_WARP / 2; step > 0; step /= 2)
        if (__shfl_sync(ALL_LANES, first, (int)(owner + step)) <= k)
            owner += step;
    return owner;
}

/* One warp's share of a round, warp number `warp` of `warps`: some slices at a time, their arcs dealt
** out to the lanes. take(t, round): an arc leads to t; is it taken away by that? Returns how many this
** lane has taken. */
template <typename take_type>
static __device__ __forceinline__ uint32_t
gg_peel_walk(const peel_lists &p, const uint64_t *slice, uint32_t count, uint32_t warp,
             uint32_t warps, uint32_t round, const slice_list &next, take_type take) {
    uint32_t tile = count / warps + 1, taken = 0;
    tile = tile < GG_WARP ? tile : GG_WARP;
    for (uint64_t at = (uint64_t)warp * tile; at < count; at += (uint64_t)warps * tile) {
        uint64_t begin = 0, arcs = 0;
        uint32_t total;
        if (gg_lane() < tile && at + gg_lane() < count) {
            const uint64_t entry = slice[at + gg_lane()];
            const uint32_t v = (uint32_t)(entry >> 32);
            const uint64_t end = p.rows.offset[v + 1];
            begin = p.rows.offset[v] + (entry & UINT32_MAX) * PEEL_SLICE;
            arcs = end - begin < PEEL_SLICE ? end - begin : PEEL_SLICE;
        }
        const uint32_t first = warp_sum_before((uint32_t)arcs, &total);
        for (uint32_t base = 0; base < total; base += GG_WARP) {
            const uint32_t k = base + gg_lane();
            const unsigned owner = owner_of(first, k);
            const uint64_t arc =
                warp_from_64(begin, owner) + (k - warp_from(first, owner));
            const bool live = k < total;
            const uint32_t t = live ? p.rows.target[arc] : 0;
            const bool falls = live && take(t, round);
            taken += falls;
            gg_peel_append(p, t, falls, next);
        }
    }
    return taken;
}

/* Rounds by one block, while they are narrow. */
template <typename take_type>
static __device__ void gg_peel_alone(const peel_lists &p, uint32_t round, uint32_t count,
                                     near_lists *near, uint32_t *taken, take_type take) {
    const uint32_t end = round + PEEL_ALONE;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        near->slice[round % 2][i] = p.slice[round % 2][i];
    if (threadIdx.x < PEEL_COUNTS)
        near->count[threadIdx.x] = threadIdx.x == round % PEEL_COUNTS ? count : 0;
    if (threadIdx.x == 0)
        near->stop = 0;
    __syncthreads();
    while (count > 0 && count <= GG_PEEL_NARROW && round < end && !near->stop) {
        const slice_list next = {p.slice[(round + 1) % 2], near->slice[(round + 1) % 2],
                                 &near->count[(round + 1) % PEEL_COUNTS]};
        *taken += gg_peel_walk(p, near->slice[round % 2], count, threadIdx.x / GG_WARP,
                               blockDim.x / GG_WARP, round, next, take);
        if (threadIdx.x == 0) /* read last in the round before */
            near->count[(round + 2) % PEEL_COUNTS] = 0;
        __syncthreads();
        round++;
        count = near->count[round % PEEL_COUNTS];
        if (threadIdx.x == 0 && round % PEEL_STOP_ROUNDS == 0)
            near->stop = *(const volatile uint32_t *)p.host_stop;
        __syncthreads();
    }
    if (threadIdx.x < PEEL_COUNTS)
        p.state->slices[threadIdx.x] = threadIdx.x == round % PEEL_COUNTS ? count : 0;
    if (threadIdx.x == 0) {
        p.state->round = round;
        p.state->stopped = near->stop;
    }
}

/* All threads of a cooperative grid, after a barrier: rounds from `round` on, until one is empty or
** the host says stop. Returns the round after them, behind a barrier. */
template <typename take_type>
static __device__ __forceinline__ uint32_t gg_peel(const peel_lists &p, uint32_t round,
                                                   near_lists *near, uint32_t *taken,
                                                   take_type take) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    struct peel_state *state = p.state;
    for (;;) {
        const uint32_t count = gg_peek(&state->slices[round % PEEL_COUNTS]);
        const bool over = count == 0 || gg_peek(&state->stopped) != 0;
        if (over || count <= GG_PEEL_NARROW) {
            grid.sync(); /* all have read the counts */
            if (over)
                return round;
            if (blockIdx.x == 0)
                gg_peel_alone(p, round, count, near, taken, take);
            grid.sync();
            gg_late();
            round = gg_peek(&state->round);
            continue;
        }
        const slice_list next = {p.slice[(round + 1) % 2], nullptr,
                                 &state->slices[(round + 1) % PEEL_COUNTS]};
        if (gg_thread() == 0)
            state->slices[(round + 2) % PEEL_COUNTS] = 0;
        *taken +=
            gg_peel_walk(p, p.slice[round % 2], count, (uint32_t)(gg_thread() / GG_WARP),
                         (uint32_t)(gg_threads_of_grid() / GG_WARP), round, next, take);
        round++;
        grid.sync();
        gg_late();
        if (round % PEEL_STOP_ROUNDS == 0) {
            if (gg_thread() == 0)
                state->stopped = *(const volatile uint32_t *)p.host_stop;
            grid.sync();
        }
    }
}

#endif
