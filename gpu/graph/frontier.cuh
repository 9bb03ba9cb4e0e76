/* For kernels that collect the vertices of the next round: reads that bypass caches,
** positions in a list, the last block of a launch; and the host's loop over rounds. */
#ifndef GPUGRAPH_FRONTIER_CUH
#define GPUGRAPH_FRONTIER_CUH

#include "graph.cuh"
#include "base/warp.h"

/* A round of more vertices or slices reads the stop word, which is in host memory. */
enum { LARGE_ROUND = 8192 };

#define ALL_LANES 0xffffffffu

/* Reads a word that other threads may change during the kernel; returns no stale value
** from a cache. */
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

/* Reserves the next position for each lane with `wanted`; *count is the number of
** reserved positions. All lanes of the warp call it together. */
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

/* Every block calls it once, with all threads. Returns true in the last block, which then
** sees the writes of all other blocks before their calls. Resets *ticket for reuse. */
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

/* ---- host functions ---- */

enum { FIRST_ROUNDS = 4, MOST_ROUNDS = 64 };
#define ROUNDS_MS 5.0

/* Queues rounds and then fetches `bytes` of the state, until is_over() is true. If this
** takes less than ROUNDS_MS, the next number of rounds doubles, up to MOST_ROUNDS. */
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
