/* Rehash on a device: by one lane, some lanes or several warps for a vertex, by the size of its
** table; and what the threads of a block take together. What a warp does: slab_walk.h. */
#ifndef GPUGRAPH_DYNAMIC_REHASH_CUH
#define GPUGRAPH_DYNAMIC_REHASH_CUH

#include "dynamic.cuh"
#include "slab_walk.h"

#include <cooperative_groups.h>
#include <cub/block/block_scan.cuh>

enum { TEAM = 8 }; /* lanes that rehash a vertex with slabs, not very many */

/* What all threads of a block ask of one word, in one addition: each gets its part. A word
** that every warp asks of by itself is a queue of thousands. */
struct block_share {
    cub::BlockScan<uint32_t, GG_BLOCK>::TempStorage scan;
    uint32_t first;
};
static __device__ __forceinline__ uint32_t block_reserve(uint32_t *at, uint32_t amount,
                                                         block_share *share) {
    uint32_t before, all;
    cub::BlockScan<uint32_t, GG_BLOCK>(share->scan).ExclusiveSum(amount, before, all);
    if (threadIdx.x == 0)
        share->first = all ? device_take(at, all) : 0;
    __syncthreads();
    uint32_t mine = share->first + before;
    __syncthreads();
    return mine;
}

/* Bases for all threads of a block; SLAB_NONE when the arena has ended. */
static __device__ __forceinline__ uint32_t take_bases(const slab_graph &g,
                                                      uint32_t sectors,
                                                      block_share *share) {
    uint32_t base = sectors == 0 ? 0 : SLAB_NONE; /* none is wanted */
    for (uint32_t kind = 0; kind < SLAB_LISTS; kind++) {
        uint32_t count = g.pool->count[kind];
        bool mine = sectors == 1u << kind;
        if (count == 0 || !__syncthreads_or(mine))
            continue;
        uint32_t at = block_reserve(&g.pool->taken[kind], mine, share);
        if (mine && at < count)
            base = g.list[kind][slab_ring(&g, kind, at)];
    }
    uint32_t rest = base == SLAB_NONE ? sectors : 0;
    if (!__syncthreads_or(rest > 0))
        return base;
    if (__syncthreads_or(device_load(&g.pool->report.full)))
        return base;
    uint32_t at = block_reserve(&g.pool->end, rest, share);
    if (rest == 0)
        return base;
    if (at <= g.capacity && g.capacity - at >= rest)
        return at;
    device_store(&g.pool->report.full, 1);
    return SLAB_NONE;
}

/* The vertex as it will be, but for its base. */
static __device__ __forceinline__ slab_vertex wanted(const slab_graph &g, uint32_t v,
                                                     const slab_vertex &from,
                                                     bool valued) {
    return slab_vertex{SLAB_NONE, slab_wanted(&g, v, from, valued), from.used - from.dead,
                       0};
}

/* A team's share of a move to the new base, and what follows when all have done theirs. */
static __device__ __forceinline__ bool copy_to(const slab_graph &old, const slab_graph &g,
                                               const slab_vertex &from,
                                               const slab_vertex &to, uint32_t rank,
                                               uint32_t size, bool valued) {
    return to.base != SLAB_NONE && slab_copy_runs(&old, from, &g, to, rank, size, valued);
}

static __device__ __forceinline__ void finish_rehash(const slab_graph &old,
                                                     const slab_graph &g, uint32_t v,
                                                     const slab_vertex &from,
                                                     const slab_vertex &to, bool copied,
                                                     uint32_t rank, uint32_t size) {
    if (rank == 0)
        g.incoming[v] = 0;
    if (to.base == SLAB_NONE)
        return;
    if (!copied || old.word == g.word)
        slab_clear_runs(&g, copied ? from : to, rank, size);
    if (rank == 0 && copied)
        g.vertex[v] = to;
}

/* One lane per vertex. */
template <bool valued>
static __device__ __forceinline__ void
rehash_small(const slab_graph &old, const slab_graph &g, block_share *share) {
    uint32_t small = g.pool->growing[0];
    for (uint64_t part = blockIdx.x * (uint64_t)GG_BLOCK; part < small;
         part += gg_threads_of_grid()) {
        uint64_t i = part + threadIdx.x;
        slab_vertex from = {0, 0, 0, 0}, to = from;
        uint32_t v = i < small ? g.growing[i] : SLAB_NONE;
        if (v != SLAB_NONE) {
            from = slab_vertex_of(&old, v);
            to = wanted(g, v, from, valued);
        }
        to.base = take_bases(g, to.sectors, share);
        if (v == SLAB_NONE)
            continue;
        bool copied = copy_to(old, g, from, to, 0, 1, valued);
        finish_rehash(old, g, v, from, to, copied, 0, 1);
    }
}

/* Some lanes per vertex. */
template <bool valued>
static __device__ __forceinline__ void rehash_larger(const slab_graph &old,
                                                     const slab_graph &g) {
    auto team = cooperative_groups::tiled_partition<TEAM>(
        cooperative_groups::this_thread_block());
    const uint32_t rank = team.thread_rank();
    for (uint64_t i = gg_thread() / TEAM; i < g.pool->growing[1];
         i += gg_threads_of_grid() / TEAM) {
        uint32_t v = g.growing[g.n - 1 - i];
        slab_vertex from = slab_vertex_of(&old, v), to = wanted(g, v, from, valued);
        if (rank == 0)
            to.base = slab_take_base(&g, to.sectors);
        to.base = team.shfl(to.base, 0);
        bool copied = copy_to(old, g, from, to, rank, TEAM, valued);
        finish_rehash(old, g, v, from, to, team.all(copied), rank, TEAM);
        team.sync();
    }
}

/* One warp per part of a huge one. */
template <bool valued>
static __device__ __forceinline__ void rehash_parts(const slab_graph &old,
                                                    const slab_graph &g) {
    for (uint64_t i = gg_thread() / GG_WARP; i < g.pool->parts;
         i += gg_threads_of_grid() / GG_WARP) {
        slab_move_part(&old, &g, (uint32_t)i, valued);
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

template <bool valued>
static __device__ __forceinline__ void
rehash_all(const slab_graph &old, const slab_graph &g, block_share *share) {
    rehash_small<valued>(old, g, share);
    __syncwarp();
    rehash_larger<valued>(old, g);
    rehash_parts<valued>(old, g);
}

#endif
