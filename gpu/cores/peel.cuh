/* Removes vertices in rounds, in one cooperative launch. Vertices that drop to k in a
** round are the next round.
**
**     slices     v0: 7 arcs from 120, v1: 32 arcs from 127, ...      first << 6 | arcs
**                A round begins with targets and loads no offsets.
**
** All blocks walk a wide round. The round ends when all blocks have arrived at one word:
**
**     barrier    stop, 1 bit | slices of the next round, 47 bits | blocks arrived, 16
**                bits
**
** So a block that sees the last arrival knows the length of the next round. One thread of
** each block polls, because the second-level cache serves one load of the word at a time.
** The first block walks narrow rounds alone. Its list lies in shared memory, and a round
** costs the loads of offsets, targets and counters. The other blocks wait at one barrier
** for many rounds. The number of rounds is bounded by the vertices: each round removes a
** vertex or is the last one. */
#ifndef GPUGRAPH_PEEL_CUH
#define GPUGRAPH_PEEL_CUH

#include "graph/frontier.cuh"
#include "base/limits.h"
#include "base/warp.h"

#include <cooperative_groups.h>

enum {
    PEEL_BLOCK = 1024,    /* threads: few large blocks make a cheap barrier */
    PEEL_COUNTS = 3,      /* read, appended to, cleared for the next round */
    PEEL_SLICE = 32,      /* arcs at most */
    PEEL_ARC_BITS = 6,    /* bits of the number of arcs */
    PEEL_AT_ONCE = 4,     /* arcs that a lane loads together */
    PEEL_NEAR = 512,      /* slices that also lie in shared memory */
    PEEL_ALONE = 4096,    /* rounds of one block between two barriers */
    PEEL_BLOCK_BITS = 16, /* bits of a barrier */
    PEEL_STOP_ROUNDS = 64 /* rounds between two looks at the host's flag */
};
static_assert((int)GG_PEEL_NARROW <= (int)PEEL_NEAR,
              "a narrow round lies in shared memory");

#define PEEL_STOP (1ull << 63) /* in a barrier */

typedef unsigned long long peel_barrier;

struct peel_state {
    /* barrier[round % PEEL_COUNTS]: the complete word when the round begins. */
    peel_barrier barrier[PEEL_COUNTS];
    uint32_t round, stopped;
};

struct peel_lists {
    device_csr rows;
    uint64_t *slice[2];
    uint64_t room; /* slices that each list has space for */
    struct peel_state *state;
    const uint32_t *host_stop;
    uint32_t narrow; /* gg_limits.peel_narrow */
};

/* A list that slices go to, and a copy of its first entries. */
struct slice_list {
    uint64_t *far;
    peel_barrier *barrier; /* counts the slices, unless the list has a copy */
    uint64_t *near;        /* in shared memory, or NULL */
    uint32_t *near_count;
};

struct near_lists {
    uint64_t slice[2][PEEL_NEAR];
    uint32_t count[PEEL_COUNTS];
    uint32_t stop;
    peel_barrier barrier;
};

static __device__ __forceinline__ uint32_t slices_of(peel_barrier barrier) {
    return (uint32_t)((barrier & ~PEEL_STOP) >> PEEL_BLOCK_BITS);
}

/* Claims space for `count` slices. Returns the index of the first one. */
static __device__ __forceinline__ uint32_t claim_slices(const slice_list &list,
                                                        uint32_t count) {
    return list.near ? atomicAdd(list.near_count, count)
                     : slices_of(atomicAdd(list.barrier,
                                           (peel_barrier)count << PEEL_BLOCK_BITS));
}

static __device__ __forceinline__ void put_slice(const slice_list &list, uint32_t at,
                                                 uint64_t entry) {
    list.far[at] = entry;
    if (list.near && at < PEEL_NEAR)
        list.near[at] = entry;
}

static __device__ __forceinline__ uint64_t slice_from(uint64_t first, uint64_t end) {
    return first << PEEL_ARC_BITS | min(end - first, (uint64_t)PEEL_SLICE);
}

/* Rows whose bounds are loaded together. Rows that are not wanted are empty. */
template <uint32_t count> struct peel_rows { uint64_t begin[count], end[count]; };

template <uint32_t count>
static __device__ __forceinline__ void
load_rows(const peel_lists &p, const uint32_t (&v)[count], const bool (&wanted)[count],
          peel_rows<count> *rows) {
#pragma unroll
    for (uint32_t i = 0; i < count; i++) {
        rows->begin[i] = gg_load_now(p.rows.begin + v[i], wanted[i]);
        rows->end[i] = gg_load_now(p.rows.end + v[i], wanted[i]);
    }
}

/* Appends the slices of these rows. All lanes of the warp call. */
template <uint32_t count>
static __device__ __forceinline__ void gg_peel_append_rows(const peel_rows<count> &rows,
                                                           const slice_list &list) {
    const uint64_t(&begin)[count] = rows.begin, (&end)[count] = rows.end;
    uint32_t mine = 0, total, place = 0;
#pragma unroll
    for (uint32_t i = 0; i < count; i++)
        mine += (uint32_t)((end[i] - begin[i] + PEEL_SLICE - 1) / PEEL_SLICE);
    const uint32_t before = warp_sum_before(mine, &total);
    if (total == 0)
        return;
    if (gg_lane() == 0)
        place = claim_slices(list, total);
    place = warp_from(place, 0) + before;
#pragma unroll
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slices =
            (uint32_t)((end[i] - begin[i] + PEEL_SLICE - 1) / PEEL_SLICE);
        if (slices > 0)
            put_slice(list, place, slice_from(begin[i], end[i]));
        for (uint32_t lanes = warp_ballot(slices > 1); lanes != 0; lanes &= lanes - 1) {
            const unsigned lane = (unsigned)__ffs((int)lanes) - 1;
            const uint32_t at = warp_from(place, lane), its = warp_from(slices, lane);
            const uint64_t first = warp_from_64(begin[i], lane),
                           last = warp_from_64(end[i], lane);
            for (uint32_t k = 1 + gg_lane(); k < its; k += GG_WARP)
                put_slice(list, at + k,
                          slice_from(first + (uint64_t)k * PEEL_SLICE, last));
        }
        place += slices;
    }
}

static __device__ __forceinline__ void
gg_peel_append(const peel_lists &p, uint32_t v, bool wanted, const slice_list &list) {
    const uint32_t one[] = {v};
    const bool whether[] = {wanted};
    peel_rows<1> rows;
    if (warp_ballot(wanted) == 0)
        return;
    load_rows(p, one, whether, &rows);
    gg_peel_append_rows(rows, list);
}

/* The counters, and k. */
struct arc_of_core {
    uint32_t *core, k;
};

/* The counter of u was `before` and is now one less. Returns true if it has dropped to k.
** Restores a counter that has dropped below k, as on the CPU. */
static __device__ __forceinline__ bool drops_to_k(const arc_of_core &take, uint32_t u,
                                                  uint32_t before) {
    if (before <= take.k)
        atomicAdd(&take.core[u], 1u);
    return before == take.k + 1;
}

/* The lane that has arc number k. first: the number of arcs of earlier lanes. */
static __device__ __forceinline__ unsigned owner_of(uint32_t first, uint32_t k) {
    unsigned owner = 0;
    for (unsigned step = GG_WARP / 2; step > 0; step /= 2)
        if (__shfl_sync(ALL_LANES, first, (int)(owner + step)) <= k)
            owner += step;
    return owner;
}

/* Removes the lane's arcs to to[i], if falls[i]. Then falls[i] means: to[i] drops to k,
** and *rows has its row. All atomic operations are issued before the first result is
** used, so that they overlap. */
static __device__ __forceinline__ void
take_all(const peel_lists &p, const arc_of_core &take, const uint32_t (&to)[PEEL_AT_ONCE],
         bool (&falls)[PEEL_AT_ONCE], peel_rows<PEEL_AT_ONCE> *rows) {
    uint32_t answer[PEEL_AT_ONCE];
    bool any = false;
#pragma unroll
    for (uint32_t i = 0; i < PEEL_AT_ONCE; i++)
        answer[i] = falls[i] ? gg_peek(&take.core[to[i]]) : 0;
#pragma unroll
    for (uint32_t i = 0; i < PEEL_AT_ONCE; i++)
        falls[i] = falls[i] && answer[i] > take.k;
#pragma unroll
    for (uint32_t i = 0; i < PEEL_AT_ONCE; i++)
        if (falls[i])
            answer[i] = atomicSub(&take.core[to[i]], 1u);
#pragma unroll
    for (uint32_t i = 0; i < PEEL_AT_ONCE; i++) {
        falls[i] = falls[i] && drops_to_k(take, to[i], answer[i]);
        any |= falls[i];
    }
    if (warp_ballot(any) != 0)
        load_rows(p, to, falls, rows);
#pragma unroll
    for (uint32_t i = 0; i < PEEL_AT_ONCE; i++)
        rows->end[i] = falls[i] ? rows->end[i] : rows->begin[i];
}

/* Walks the share of warp number `warp` of `warps` in a round: some slices at a time,
** with their arcs distributed over the lanes. */
static __device__ __forceinline__ void
gg_peel_walk(const peel_lists &p, const uint64_t *slice, uint32_t count, uint32_t warp,
             uint32_t warps, const slice_list &next, const arc_of_core &take) {
    uint32_t tile = count / warps + 1;
    tile = tile < GG_WARP ? tile : GG_WARP;
    for (uint64_t at = (uint64_t)warp * tile; at < count; at += (uint64_t)warps * tile) {
        uint64_t entry = 0;
        if (gg_lane() < tile && at + gg_lane() < count)
            entry = slice[at + gg_lane()];
        const uint64_t begin = entry >> PEEL_ARC_BITS;
        const uint32_t arcs = (uint32_t)entry & ((1u << PEEL_ARC_BITS) - 1);
        uint32_t total;
        const uint32_t first = warp_sum_before(arcs, &total);
        for (uint32_t base = 0; base < total; base += PEEL_AT_ONCE * GG_WARP) {
            uint32_t to[PEEL_AT_ONCE];
            bool falls[PEEL_AT_ONCE];
            peel_rows<PEEL_AT_ONCE> rows = {};
#pragma unroll
            for (uint32_t i = 0; i < PEEL_AT_ONCE; i++) {
                const uint32_t k = base + i * GG_WARP + gg_lane();
                falls[i] = k < total;
                to[i] = 0;
                if (base + i * GG_WARP >= total)
                    continue; /* all lanes take the same branch */
                const unsigned owner = owner_of(first, k);
                const uint64_t arc =
                    warp_from_64(begin, owner) + (k - warp_from(first, owner));
                to[i] = gg_load_now(p.rows.target + arc, falls[i]);
            }
            take_all(p, take, to, falls, &rows);
            gg_peel_append_rows(rows, next);
        }
    }
}

/* Runs rounds by one block, as long as they are narrow. */
static __device__ void gg_peel_alone(const peel_lists &p, uint32_t round, uint32_t count,
                                     near_lists *near, const arc_of_core &take) {
    const uint32_t end = round + PEEL_ALONE;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        near->slice[round % 2][i] = p.slice[round % 2][i];
    if (threadIdx.x < PEEL_COUNTS)
        near->count[threadIdx.x] = threadIdx.x == round % PEEL_COUNTS ? count : 0;
    if (threadIdx.x == 0)
        near->stop = 0;
    __syncthreads();
    while (count > 0 && count <= p.narrow && round < end && !near->stop) {
        const slice_list next = {p.slice[(round + 1) % 2], nullptr,
                                 near->slice[(round + 1) % 2],
                                 &near->count[(round + 1) % PEEL_COUNTS]};
        gg_peel_walk(p, near->slice[round % 2], count, threadIdx.x / GG_WARP,
                     blockDim.x / GG_WARP, next, take);
        if (threadIdx.x == 0) /* last read in the round before */
            near->count[(round + 2) % PEEL_COUNTS] = 0;
        __syncthreads();
        round++;
        count = near->count[round % PEEL_COUNTS];
        if (threadIdx.x == 0 && round % PEEL_STOP_ROUNDS == 0)
            near->stop = *(const volatile uint32_t *)p.host_stop;
        __syncthreads();
    }
    cooperative_groups::this_grid()
        .sync(); /* the other blocks wait here and do not read `barrier` */
    if (threadIdx.x < PEEL_COUNTS)
        p.state->barrier[threadIdx.x] =
            threadIdx.x == round % PEEL_COUNTS
                ? (peel_barrier)count << PEEL_BLOCK_BITS | (near->stop ? PEEL_STOP : 0)
                : 0;
    if (threadIdx.x == 0) {
        p.state->round = round;
        p.state->stopped = near->stop;
    }
}

/* ---- barriers ---- */

/* Loads the word of a finished round for the whole block. */
static __device__ __forceinline__ peel_barrier read_barrier(peel_barrier *barrier,
                                                            near_lists *near) {
    __syncthreads();
    if (threadIdx.x == 0)
        near->barrier = gg_peek(barrier);
    __syncthreads();
    return near->barrier;
}

/* Waits until all blocks have done their shares of the round, so that their lists and
** counters are visible. Returns the complete word. */
static __device__ __forceinline__ peel_barrier wait_for_blocks(peel_barrier *barrier,
                                                               bool stop,
                                                               near_lists *near) {
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t *const word = (uint64_t *)barrier;
        const peel_barrier blocks = (1u << PEEL_BLOCK_BITS) - 1;
        peel_barrier now;
        __threadfence();
        device_arrive_64(word, 1 + (stop ? PEEL_STOP : 0));
        do /* all blocks of a cooperative launch run, and none waits elsewhere */
            now = device_acquire_64(word);
        while ((now & blocks) != gridDim.x);
        __threadfence();
        near->barrier = now;
    }
    __syncthreads();
    return near->barrier;
}

/* All threads of a cooperative grid call, after a barrier. Runs rounds from `round` on,
** until a round is empty or the host asks to stop. Ends with a barrier. Returns the
** number of the next round. */
static __device__ __forceinline__ uint32_t gg_peel(const peel_lists &p, uint32_t round,
                                                   near_lists *near,
                                                   const arc_of_core &take) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    struct peel_state *state = p.state;
    /* Neighbours in a list go to different blocks, so that a round of a few hundred
    ** slices is work for all. */
    const uint32_t warp = threadIdx.x / GG_WARP * gridDim.x + blockIdx.x,
                   warps = (uint32_t)(gg_threads_of_grid() / GG_WARP);
    peel_barrier now = read_barrier(&state->barrier[round % PEEL_COUNTS], near);
    for (;;) {
        const uint32_t count = slices_of(now);
        if (count == 0 || now >= PEEL_STOP) {
            grid.sync(); /* all threads have seen it */
            return round;
        }
        if (count <= p.narrow) {
            if (blockIdx.x == 0)
                gg_peel_alone(p, round, count, near, take);
            else
                grid.sync();
            grid.sync();
            gg_late();
            round = gg_peek(&state->round);
            now = read_barrier(&state->barrier[round % PEEL_COUNTS], near);
            continue;
        }
        peel_barrier *barrier = &state->barrier[(round + 1) % PEEL_COUNTS];
        const slice_list next = {p.slice[(round + 1) % 2], barrier, nullptr, nullptr};
        const bool asks = round % PEEL_STOP_ROUNDS == 0 && gg_thread() == 0;
        const bool stop = asks && *(const volatile uint32_t *)p.host_stop != 0;
        if (gg_thread() == 0)
            state->barrier[(round + 2) % PEEL_COUNTS] = 0;
        if (stop)
            state->stopped = 1;
        gg_peel_walk(p, p.slice[round % 2], count, warp, warps, next, take);
        round++;
        now = wait_for_blocks(barrier, stop, near);
    }
}

#endif
