/* A frontier in slices. A slice is a part of the arcs of a vertex, so that many blocks
** can share a vertex with a million arcs.
**
**     list     v0 v1 v2 ...                 vertices, in any order, each once
**                |  append_slices
**     slices   v0|0  v1|0 v1|1 v1|2  v2|0   vertex << 32 | slice number
**                |  walk_slices
**     arcs     each block takes a tile of slices; its threads share the arcs evenly
**
** A vertex without arcs has no slice. Counters are in a struct in device memory, so that
** many steps can be queued without a transfer to the host: a kernel whose count is 0
** returns at once. Load balancing after Merrill, Garland, Grimshaw (PPoPP 2012). */
#ifndef GPUGRAPH_BFS_SLICES_CUH
#define GPUGRAPH_BFS_SLICES_CUH

#include "device/block_sum.cuh"
#include "graph/frontier.cuh"

enum {
    SLICE_ARCS = 1024, /* most arcs of a slice; the arcs of GG_BLOCK slices fit 32 bits */
    THIN_TILE = 32     /* least slices of a tile, even if the frontier is small */
};

/* An upper bound on the slices of all vertices. */
static inline uint64_t slices_at_most(uint32_t n, uint64_t arcs) {
    return n + arcs / SLICE_ARCS + 1;
}

/* If `wanted`, appends the slices of v to the *count entries of slice[]. All lanes of the
** warp call. */
static __device__ __forceinline__ void append_slices(const device_csr &g, uint32_t v,
                                                     bool wanted, uint64_t *slice,
                                                     uint32_t *count) {
    uint32_t mine = 0;
    if (wanted)
        mine = (uint32_t)((g.end[v] - g.begin[v] + SLICE_ARCS - 1) / SLICE_ARCS);
    uint32_t before = mine; /* becomes the sum of all lanes up to this one */
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
static __device__ __forceinline__ void walk_slices(const device_csr &g,
                                                   const uint64_t *slice, uint32_t count,
                                                   load_type load, visit_type visit) {
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
            /* Finds the last slice that begins at or before arc k of the tile. */
            for (uint32_t step = GG_BLOCK / 2; live && step > 0; step /= 2)
                if (first[owner + step] <= k)
                    owner += step;
            visit(value[owner], live ? begin[owner] + (k - first[owner]) : 0, live);
        }
        __syncthreads();
    }
}

/* True if the host asks to stop. The flag is in host memory, so only large rounds read
** it. */
static __device__ __forceinline__ bool stop_requested(const uint32_t *stop,
                                                      uint32_t slices) {
    return slices > LARGE_ROUND && *(const volatile uint32_t *)stop != 0;
}

#endif
