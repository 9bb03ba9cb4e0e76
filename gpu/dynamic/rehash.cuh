/* Rehash on a device. Some lanes, a warp or several warps rehash a vertex, according to
** the size of its table. The operations of a lane: slab_tile.h. */
#ifndef GPUGRAPH_DYNAMIC_REHASH_CUH
#define GPUGRAPH_DYNAMIC_REHASH_CUH

#include "dynamic.cuh"
#include "slab_tile.h"

/* Lanes that rehash a vertex with a short base: about as many as the new base has
** slabs. */
enum { FEW = 8 };

/* The desks of a block's teams: shared memory in which a team fills slabs. */
struct rehash_share {
    alignas(16) uint32_t word[GG_BLOCK * SLAB_SIZE];
    alignas(16) uint32_t filled[GG_BLOCK * SLAB_SECTORS];
};

/* The desk of this thread's team. */
template <int size>
static __device__ __forceinline__ slab_desk desk_of(rehash_share *share) {
    uint32_t first = threadIdx.x / size * size;
    return slab_desk{&share->word[first * SLAB_SIZE],
                     &share->filled[first * SLAB_SECTORS]};
}

/* If there are enough short tables, a warp rehashes several at once. It takes their bases
** together. */
template <bool valued>
static __device__ __forceinline__ void rehash_small(const slab_graph &old,
                                                    const slab_graph &g, uint32_t warp,
                                                    uint32_t warps, rehash_share *share) {
    const uint32_t teams = GG_WARP / FEW, count = g.pool->growing[0];
    const uint32_t turns = min(max(count / (warps * teams), 1u), (uint32_t)FEW);
    const uint32_t lane = warp_lane(), tables = turns * teams;
    const slab_desk desk = desk_of<FEW>(share);
    for (uint64_t first = (uint64_t)warp * tables; first < count;
         first += (uint64_t)warps * tables) {
        bool mine = lane < tables && first + lane < count;
        uint32_t vertex = mine ? g.growing[first + lane] : SLAB_NONE;
        slab_rehash(&old, &g, vertex, turns, FEW, &desk, valued);
    }
}

/* One warp per table that is neither short nor huge. */
template <bool valued>
static __device__ __forceinline__ void
rehash_larger(const slab_graph &old, const slab_graph &g, uint32_t warp, uint32_t warps,
              rehash_share *share) {
    const slab_desk desk = desk_of<GG_WARP>(share);
    for (uint64_t i = warp; i < g.pool->growing[1]; i += warps) {
        uint32_t vertex = warp_lane() == 0 ? g.growing[g.n - 1 - i] : SLAB_NONE;
        slab_rehash(&old, &g, vertex, 1, GG_WARP, &desk, valued);
    }
}

/* One warp per part of a huge table. */
template <bool valued>
static __device__ __forceinline__ void rehash_parts(const slab_graph &old,
                                                    const slab_graph &g, uint32_t warp,
                                                    uint32_t warps, rehash_share *share) {
    const slab_desk desk = desk_of<GG_WARP>(share);
    for (uint64_t i = warp; i < g.pool->parts; i += warps) {
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

/* Each list begins at another warp, because usually no list has work for all warps. So
** the warps work on all lists at the same time. */
template <bool valued>
static __device__ __forceinline__ void
rehash_all(const slab_graph &old, const slab_graph &g, rehash_share *share) {
    const uint32_t warps = (uint32_t)(gg_threads_of_grid() / GG_WARP);
    const uint32_t warp = (uint32_t)(gg_thread() / GG_WARP);
    rehash_small<valued>(old, g, warp, warps, share);
    rehash_larger<valued>(old, g, warps - 1 - warp, warps, share);
    rehash_parts<valued>(old, g, (warp + warps / 2) % warps, warps, share);
}

#endif
