/* Rehash on a device: by some lanes, a warp or several for a vertex, by the size of its table; and
** what the threads of a block take and give back together. What a lane does: slab_tile.h. */
#ifndef GPUGRAPH_DYNAMIC_REHASH_CUH
#define GPUGRAPH_DYNAMIC_REHASH_CUH

#include "dynamic.cuh"
#include "slab_tile.h"

#include <cooperative_groups.h>
#include <cub/block/block_scan.cuh>

/* Lanes that rehash a vertex whose base is short, or not huge: about as many as the new base has
** slabs. */
enum { FEW = 8, TEAM = GG_WARP };

/* What all threads of a block ask of some words, in one scan and one addition to each word:
** every thread gets its part. A word that every warp asks of by itself is a queue of thousands. */
struct block_share {
    cub::BlockScan<uint64_t, GG_BLOCK>::TempStorage scan;
    uint32_t first[SLAB_LISTS], end;
};

/* The same and what the teams of a block need for a rehash. */
struct rehash_share {
    block_share block;
    uint32_t bag[SLAB_BAG][GG_BLOCK];
    alignas(16) uint32_t desk[GG_BLOCK * SLAB_SIZE];
    alignas(16) uint32_t filled[GG_BLOCK * SLAB_SECTORS];
};

/* A thread asks for 0 or 1 of each word; the scan has 10 bits for a word, above the lower 32. */
static __device__ __forceinline__ uint64_t one_of(uint32_t word, bool wanted) {
    return (uint64_t)wanted << (32 + 10 * word);
}
static __device__ __forceinline__ uint32_t sum_of(uint64_t sums, uint32_t word) {
    return (uint32_t)(sums >> (32 + 10 * word)) & 0x3ff;
}

/* A place behind what the words hold, for each that is wanted; all threads of the block come. */
template <int words>
static __device__ __forceinline__ void
block_reserve(uint32_t *const (&word)[words], const bool (&wanted)[words],
              uint32_t (&place)[words], block_share *share) {
    static_assert(words <= SLAB_LISTS, "bits of a scan");
    uint64_t mine = 0, before, all;
    for (int k = 0; k < words; k++)
        mine |= one_of(k, wanted[k]);
    cub::BlockScan<uint64_t, GG_BLOCK>(share->scan).ExclusiveSum(mine, before, all);
    for (int k = 0; k < words; k++)
        if (threadIdx.x == k && sum_of(all, k) > 0)
            share->first[k] = device_take(word[k], sum_of(all, k));
    __syncthreads();
    for (int k = 0; k < words; k++)
        place[k] = share->first[k] + sum_of(before, k);
}

/* Bases for all threads of a block, from the lists and, beyond these, from the arena's end;
** SLAB_NONE when that has come. */
static __device__ __forceinline__ uint32_t take_bases(const slab_graph &g,
                                                      uint32_t sectors,
                                                      block_share *share) {
    const uint32_t kind = sectors == 1 || sectors == 2 ? sectors - 1
                          : sectors == SLAB_SECTORS    ? 2
                                                       : (uint32_t)SLAB_LISTS;
    uint64_t mine = kind < SLAB_LISTS ? one_of(kind, true) : sectors, before, all;
    cub::BlockScan<uint64_t, GG_BLOCK>(share->scan).ExclusiveSum(mine, before, all);
    if (threadIdx.x < SLAB_LISTS) {
        uint32_t k = threadIdx.x, asked = sum_of(all, k), count = g.pool->count[k];
        bool takes = asked > 0 && count > 0;
        share->first[k] = takes ? device_take(&g.pool->taken[k], asked) : count;
    }
    __syncthreads();
    /* At the arena's end: first those of other sizes, then kind by kind. */
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

static __device__ __forceinline__ slab_bag empty_bag(rehash_share *share) {
    return slab_bag{&share->bag[0][threadIdx.x], GG_BLOCK, 0, 0};
}

/* All threads of a block give back what their bags hold. */
static __device__ __forceinline__ void
give_back_bags(const slab_graph &g, const slab_bag &bag, block_share *share) {
    enum { BITS = 16 }; /* of a sum */
    uint64_t mine = 0, before, all;
    for (uint32_t i = 0; i < bag.count; i++)
        mine += 1ull << (bag.kinds >> 2 * i & 3) * BITS;
    cub::BlockScan<uint64_t, GG_BLOCK>(share->scan).ExclusiveSum(mine, before, all);
    if (threadIdx.x < SLAB_LISTS) {
        uint32_t k = threadIdx.x, sum = all >> k * BITS & 0xffff;
        if (sum > 0)
            share->first[k] = g.pool->count[k] + device_take(&g.pool->pushed[k], sum);
    }
    __syncthreads();
    for (uint32_t i = 0; i < bag.count; i++) {
        uint32_t k = bag.kinds >> 2 * i & 3;
        uint32_t at = share->first[k] + (uint32_t)(before >> k * BITS & 0xffff);
        before += 1ull << k * BITS;
        if (at < g.room[k])
            g.list[k][slab_ring(&g, k, at)] = bag.piece[i * bag.stride];
        else
            device_take(&g.pool->spilled, 1);
    }
}

/* Adds to a word what the lanes of each warp bring; all lanes come. */
static __device__ __forceinline__ void gg_tally(uint64_t *at, uint32_t mine) {
    uint32_t sum = __reduce_add_sync(0xffffffffu, mine);
    if (sum > 0 && threadIdx.x % GG_WARP == 0)
        device_add_64(at, sum);
}

/* The vertex as it will be, but for its base. */
static __device__ __forceinline__ slab_vertex wanted(const slab_graph &g, uint32_t v,
                                                     const slab_vertex &from,
                                                     bool valued) {
    return slab_vertex{SLAB_NONE, slab_wanted(&g, v, from, valued), from.used - from.dead,
                       0};
}

/* The desk of this thread's team. */
template <int team_size>
static __device__ __forceinline__ slab_desk desk_of(rehash_share *share) {
    uint32_t first = threadIdx.x / team_size * team_size;
    return slab_desk{&share->desk[first * SLAB_SIZE],
                     &share->filled[first * SLAB_SECTORS]};
}

/* All tiles of a table, by a team. */
template <bool valued, class team_type>
static __device__ __forceinline__ bool
move_tiles(const slab_graph &old, const slab_graph &g, const slab_vertex &from,
           const slab_vertex &to, const team_type &team, const slab_desk &desk) {
    const uint32_t rank = team.thread_rank(), size = team.num_threads();
    bool fits = to.base != SLAB_NONE;
    for (uint32_t first = 0;
         fits && slab_has_entries(from) && first < slab_runs(to.sectors); first += size) {
        slab_tile tile = slab_tile_at(from, to, first, size);
        slab_clear_desk(&desk, rank, size);
        team.sync();
        fits = team.all(slab_collect(&old, &g, &tile, &desk, rank, size, valued));
        slab_flush(&g, &tile, &desk, rank, size);
        team.sync();
    }
    return fits;
}

/* What follows when all of a team have done theirs. */
static __device__ __forceinline__ void
finish_rehash(const slab_graph &old, const slab_graph &g, uint32_t v,
              const slab_vertex &from, const slab_vertex &to, bool copied, uint32_t rank,
              uint32_t size, slab_bag *bag) {
    if (rank == 0)
        g.incoming[v] = 0;
    if (to.base == SLAB_NONE)
        return;
    if (!copied || old.word == g.word)
        slab_clear_runs(&g, copied ? from : to, rank, size, bag);
    if (rank == 0 && copied)
        g.vertex[v] = to;
}

/* A team of lanes per vertex of a list, which has `count`; the block's teams together, which is
** number `block`. */
template <bool valued, int team_size>
static __device__ __forceinline__ void
rehash_listed(const slab_graph &old, const slab_graph &g, uint32_t count, uint32_t block,
              rehash_share *share) {
    auto team = cooperative_groups::tiled_partition<team_size>(
        cooperative_groups::this_thread_block());
    const uint32_t rank = team.thread_rank(), teams = GG_BLOCK / team_size;
    for (uint64_t part = block * (uint64_t)teams; part < count;
         part += gg_threads_of_grid() / team_size) {
        uint64_t i = part + threadIdx.x / team_size;
        slab_vertex from = {0, 0, 0, 0}, to = from;
        uint32_t v = SLAB_NONE;
        if (i < count) {
            v = team_size == FEW ? g.growing[i] : g.growing[g.n - 1 - i];
            from = slab_vertex_of(&old, v);
            to = wanted(g, v, from, valued);
        }
        slab_bag bag = empty_bag(share);
        to.base = team.shfl(take_bases(g, rank == 0 ? to.sectors : 0, &share->block), 0);
        if (v != SLAB_NONE) {
            bool moved =
                move_tiles<valued>(old, g, from, to, team, desk_of<team_size>(share));
            finish_rehash(old, g, v, from, to, moved, rank, team_size, &bag);
        }
        give_back_bags(g, bag, &share->block);
    }
}

/* One warp per part of a huge one. */
template <bool valued>
static __device__ __forceinline__ void rehash_parts(const slab_graph &old,
                                                    const slab_graph &g, uint32_t block,
                                                    rehash_share *share) {
    const slab_desk desk = desk_of<GG_WARP>(share);
    for (uint64_t i = (block * (uint64_t)GG_BLOCK + threadIdx.x) / GG_WARP;
         i < g.pool->parts; i += gg_threads_of_grid() / GG_WARP) {
        slab_move_part(&old, &g, (uint32_t)i, &desk, valued);
        __syncwarp();
    }
}

/* One warp per huge vertex. */
template <bool valued>
static __device__ __forceinline__ void plan_huge(const slab_graph &old,
                                                 const slab_graph &g) {
    for (uint64_t i = gg_thread() / GG_WARP; i < g.pool->growing[2];
         i += gg_threads_of_grid() / GG_WARP) {
        slab_plan_move(&old, &g, (uint32_t)i, valued);
        __syncwarp();
    }
}

/* One warp per part. */
static __device__ __forceinline__ void finish_huge(const slab_graph &old,
                                                   const slab_graph &g) {
    for (uint64_t i = gg_thread() / GG_WARP; i < g.pool->parts;
         i += gg_threads_of_grid() / GG_WARP) {
        slab_finish_part(&old, &g, (uint32_t)i);
        __syncwarp();
    }
}

/* Each list from another block on: as a rule none of them is long enough for all blocks, and what
** takes time is one table after the other. */
template <bool valued>
static __device__ __forceinline__ void
rehash_all(const slab_graph &old, const slab_graph &g, rehash_share *share) {
    const uint32_t *count = g.pool->growing, blocks = gridDim.x, block = blockIdx.x;
    rehash_listed<valued, FEW>(old, g, count[0], block, share);
    rehash_listed<valued, TEAM>(old, g, count[1], blocks - 1 - block, share);
    rehash_parts<valued>(old, g, (block + blocks / 2) % blocks, share);
}

#endif
