/* A frontier: the vertices whose arcs a kernel walks next, in slices, so that many blocks
** share a vertex with a million arcs.
**
**     list     v0 v1 v2 ...                 vertices, in any order, each once
**                |  gg_append_slices
**     slices   v0|0  v1|0 v1|1 v1|2  v2|0   vertex << 32 | slice number
**                |  gg_walk
**     arcs     a tile of slices for each block, its arcs distributed evenly to threads
**
** A vertex without arcs has no slice. Counters are in a struct in device memory, so that
** many steps can be queued without a transfer to the host: a kernel whose count is 0
** returns at once. Load balancing after Merrill, Garland, Grimshaw (PPoPP 2012). */
#ifndef GPUGRAPH_FRONTIER_CUH
#define GPUGRAPH_FRONTIER_CUH

#include "graph.cuh"
#include "device/block_sum.cuh"
#include "base/warp.h"

enum {
    SLICE_ARCS =
        1024,       /* arcs of a slice, at most: a tile of GG_BLOCK slices fits 32 bits */
    THIN_TILE = 32, /* slices of a tile of a small frontier: all blocks work */
    LARGE_ROUND = 8192 /* slices from which a round checks the stop flag */
};

#define ALL_LANES 0xffffffffu

/* Largest number of slices of all vertices together. */
static inline uint64_t gg_slices_at_most(uint32_t n, uint64_t arcs) {
    return n + arcs / SLICE_ARCS + 1;
}

/* Reads a word that other threads may change during the kernel, never from a stale
** cache. */
template <typename word> static __device__ __forceinline__ word gg_peek(word *at) {
    gg_late();
    if (sizeof(word) == 8)
        return (word)device_load_64((uint64_t *)at);
    if (sizeof(word) == 4)
        return (word)device_load((uint32_t *)at);
    static_assert(sizeof(word) == 8 || sizeof(word) == 4 || sizeof(word) == 1, "a word");
    uint32_t byte;
    asm volatile("ld.relaxed.gpu.u8 %0, [%1];" : "=r"(byte) : "l"(at) : "memory");
    return (word)byte;
}

static __device__ __forceinline__ uint64_t gg_whole_warps(uint64_t items) {
    return (items + GG_WARP - 1) / GG_WARP * GG_WARP;
}

static __device__ __forceinline__ unsigned gg_lane() {
    return threadIdx.x % GG_WARP;
}

/* Reserves positions behind *count for the lanes that want one. All lanes of the warp
** call. */
static __device__ __forceinline__ uint32_t gg_reserve(uint32_t *count, bool wanted) {
    unsigned mask = __ballot_sync(ALL_LANES, wanted);
    uint32_t first = 0;
    if (mask == 0)
        return 0;
    int leader = __ffs(mask) - 1;
    if ((int)gg_lane() == leader)
        first = atomicAdd(count, (uint32_t)__popc(mask));
    first = __shfl_sync(ALL_LANES, first, leader);
    return first + __popc(mask & ((1u << gg_lane()) - 1));
}

/* Appends the slices of v, if `wanted`, behind *count. All lanes of the warp call. */
static __device__ __forceinline__ void gg_append_slices(const device_csr &g, uint32_t v,
                                                        bool wanted, uint64_t *slice,
                                                        uint32_t *count) {
    uint32_t mine = 0;
    if (wanted)
        mine = (uint32_t)((g.end[v] - g.begin[v] + SLICE_ARCS - 1) / SLICE_ARCS);
    uint32_t before = mine; /* becomes the sum of this lane and those before it */
    for (int step = 1; step < GG_WARP; step *= 2) {
        uint32_t other = __shfl_up_sync(ALL_LANES, before, step);
        if ((int)gg_lane() >= step)
            before += other;
    }
    uint32_t total = __shfl_sync(ALL_LANES, before, GG_WARP - 1), first = 0;
    if (total == 0)
        return;
    if (gg_lane() == 0)
        first = atomicAdd(count, total);
    first = __shfl_sync(ALL_LANES, first, 0) + before - mine;
    for (uint32_t i = 0; i < mine; i++)
        slice[(uint64_t)first + i] = (uint64_t)v << 32 | i;
}

/* Walks the arcs of count slices with the whole grid. Calls visit(value, arc, true) for
** every arc, where value = load(vertex) is loaded once for a slice. All threads of a
** block call visit together; threads without an arc pass live = false, so that visit may
** use warp-wide operations. All threads of a block return together. */
template <typename value_type, typename load_type, typename visit_type>
static __device__ __forceinline__ void gg_walk(const device_csr &g, const uint64_t *slice,
                                               uint32_t count, load_type load,
                                               visit_type visit) {
    __shared__ block_sums<uint32_t> sums;
    __shared__ uint32_t first[GG_BLOCK]; /* arcs of the tile before each slice */
    __shared__ uint64_t begin[GG_BLOCK];
    __shared__ value_type value[GG_BLOCK];
    uint32_t tile = count / gridDim.x + 1;
    tile = tile < THIN_TILE ? THIN_TILE : tile > GG_BLOCK ? GG_BLOCK : tile;
    for (uint64_t at = (uint64_t)blockIdx.x * tile; at < count;
         at += (uint64_t)gridDim.x * tile) {
        uint64_t arcs = 0, start = 0;
        if (threadIdx.x < tile && at + threadIdx.x < count) {
            uint64_t entry = slice[at + threadIdx.x];
            uint32_t v = (uint32_t)(entry >> 32);
            start = g.begin[v] + (entry & UINT32_MAX) * SLICE_ARCS;
            arcs = g.end[v] - start;
            arcs = arcs > SLICE_ARCS ? SLICE_ARCS : arcs;
            value[threadIdx.x] = load(v);
        }
        uint32_t total;
        first[threadIdx.x] = gg_sum_before((uint32_t)arcs, &total, &sums);
        begin[threadIdx.x] = start;
        __syncthreads();
        for (uint32_t base = 0; base < total; base += GG_BLOCK) {
            uint32_t k = base + threadIdx.x, owner = 0;
            bool live = k < total;
            /* The last slice that begins at or before arc k of the tile. */
            for (uint32_t step = GG_BLOCK / 2; live && step > 0; step /= 2)
                if (first[owner + step] <= k)
                    owner += step;
            visit(value[owner], live ? begin[owner] + (k - first[owner]) : 0, live);
        }
        __syncthreads();
    }
}

/* True for all threads of the last block to call it, which sees all earlier writes of the
** other blocks. Every block calls it once, with all threads. The last resets *ticket. */
static __device__ __forceinline__ bool gg_last_block(uint32_t *ticket) {
    __shared__ bool last;
    gg_late();
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        if (last)
            *ticket = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

/* True if the host was interrupted. Reads over the bus, so only in large rounds. */
static __device__ __forceinline__ bool gg_stop_requested(const uint32_t *stop,
                                                         uint32_t slices) {
    return slices > LARGE_ROUND && *(const volatile uint32_t *)stop != 0;
}

/* ---- host functions ---- */

enum { FIRST_ROUNDS = 4, MOST_ROUNDS = 64 };
#define ROUNDS_MS 5.0

/* Queues rounds until is_over() is true, called after each fetch of `bytes` of the state:
** few rounds at first, more while a fetch takes longer than they do. */
template <typename round_type, typename over_type>
static inline bool gg_run_rounds(struct cuda_job *job, void *state, const void *on_device,
                                 size_t bytes, round_type queue_round,
                                 over_type is_over) {
    int rounds = FIRST_ROUNDS;
    do {
        double began = gg_now_ms();
        for (int i = 0; i < rounds && gg_going(job); i++)
            queue_round();
        if (!gg_fetch(job, state, on_device, bytes))
            return false;
        if (gg_now_ms() - began < ROUNDS_MS && rounds < MOST_ROUNDS)
            rounds *= 2;
    } while (!is_over() && gg_going(job));
    return gg_going(job);
}

#endif
