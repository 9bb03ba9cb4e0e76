/* Combined requests of the threads of a block to words that all blocks share. */
#ifndef GPUGRAPH_DYNAMIC_BLOCK_CUH
#define GPUGRAPH_DYNAMIC_BLOCK_CUH

#include "dynamic.cuh"
#include "slab_table.h"
#include "device/block_sum.cuh"

/* Combines the requests of all threads of a block in one scan and one addition to each
** word. Every thread gets its share. If every warp changed a word separately, thousands
** of additions would wait in a queue. */
struct block_share {
    block_sums<uint64_t> sums;
    uint32_t first[SLAB_LISTS], end;
};

/* A thread requests 0 or 1 of each word. The scan has 10 bits for each word, above its
** lower 32 bits. */
static __device__ __forceinline__ uint64_t one_of(uint32_t word, bool wanted) {
    return (uint64_t)wanted << (32 + 10 * word);
}
static __device__ __forceinline__ uint32_t sum_of(uint64_t sums, uint32_t word) {
    return (uint32_t)(sums >> (32 + 10 * word)) & 0x3ff;
}

/* Reserves an entry behind the count of each word that the thread wants. All threads of
** the block call. */
template <int words, int threads = GG_BLOCK>
static __device__ __forceinline__ void
block_reserve(uint32_t *const (&word)[words], const bool (&wanted)[words],
              uint32_t (&place)[words], block_share *share) {
    static_assert(words <= SLAB_LISTS, "bits of a scan");
    uint64_t mine = 0, all;
#pragma unroll
    for (int k = 0; k < words; k++)
        mine |= one_of(k, wanted[k]);
    const uint64_t before = gg_sum_before<threads>(mine, &all, &share->sums);
#pragma unroll
    for (int k = 0; k < words; k++)
        if (threadIdx.x == k && sum_of(all, k) > 0)
            share->first[k] = device_take(word[k], sum_of(all, k));
    __syncthreads();
#pragma unroll
    for (int k = 0; k < words; k++)
        place[k] = share->first[k] + sum_of(before, k);
}

/* Takes bases for all threads of a block, from the lists and then from the arena's end;
** SLAB_NONE if the arena is exhausted. */
template <int threads = GG_BLOCK>
static __device__ __forceinline__ uint32_t block_take_bases(const slab_graph &g,
                                                            uint32_t sectors,
                                                            block_share *share) {
    const uint32_t kind = slab_kind_of(sectors);
    uint64_t mine = kind < SLAB_LISTS ? one_of(kind, true) : sectors, all;
    const uint64_t before = gg_sum_before<threads>(mine, &all, &share->sums);
    if (threadIdx.x < SLAB_LISTS) {
        uint32_t k = threadIdx.x, asked = sum_of(all, k), count = g.pool->count[k];
        bool takes = asked > 0 && count > 0;
        share->first[k] = takes ? device_take(&g.pool->taken[k], asked) : count;
    }
    __syncthreads();
    /* Order at the arena's end: first bases of other sizes, then each kind of base. */
    uint32_t base = SLAB_NONE, place = (uint32_t)before, fresh = (uint32_t)all;
    for (uint32_t k = 0; k < SLAB_LISTS; k++) {
        uint32_t count = g.pool->count[k], first = share->first[k];
        uint32_t asked = sum_of(all, k), at = sum_of(before, k);
        uint32_t listed = first < count ? count - first : 0;
        listed = listed < asked ? listed : asked;
        if (k == kind && at < listed)
            base = g.list[k][slab_ring(&g, k, first + at)];
        else if (k == kind)
            place = fresh + ((at - listed) << k);
        fresh += (asked - listed) << k;
    }
    if (fresh == 0)
        return sectors > 0 ? base : 0;
    if (threadIdx.x == 0)
        share->end = device_load(&g.pool->report.full) ? g.capacity
                                                       : device_take(&g.pool->end, fresh);
    __syncthreads();
    if (sectors == 0 || base != SLAB_NONE)
        return sectors > 0 ? base : 0;
    uint32_t room = share->end <= g.capacity ? g.capacity - share->end : 0;
    if (place <= room && room - place >= sectors)
        return share->end + place;
    device_store(&g.pool->report.full, 1);
    return SLAB_NONE;
}

/* Adds the values of all threads of a block to a word; called by all of them. */
static __device__ __forceinline__ void gg_tally(uint64_t *at, uint32_t mine) {
    __shared__ uint32_t sum;
    __syncthreads(); /* all have read the earlier sum */
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    mine = __reduce_add_sync(0xffffffffu, mine);
    if (mine > 0 && warp_lane() == 0)
        atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0 && sum > 0)
        device_add_64(at, sum);
}

#endif
