/* Trees that are hooked together, on a device: components.c has the idea. */
#ifndef GPUGRAPH_COMPONENTS_TREES_CUH
#define GPUGRAPH_COMPONENTS_TREES_CUH

#include "components.cuh"
#include "components.h"
#include "graph/frontier.cuh"

enum {
    LONG_ROW = 64, /* arcs from which a warp takes a row together */
    WARPS = GG_BLOCK / GG_WARP
};

/* ---- trees ---- */

static __device__ __forceinline__ uint32_t tree_parent(const uint32_t *component,
                                                       uint32_t v) {
    return *(const volatile uint32_t *)&component[v];
}

/* A parent as it is or was, from any cache, while no tree is hooked to another: an ancestor stays one, and a root a
** root. The ways of a large component all end at one word; asked for behind the caches, its one place in
** memory would have to answer every warp. */
static __device__ __forceinline__ uint32_t some_parent_of(const uint32_t *component,
                                                          uint32_t v) {
    uint32_t parent;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(parent) : "l"(component + v));
    return parent;
}

static __device__ __forceinline__ void point_to(uint32_t *component, uint32_t v,
                                                uint32_t ancestor) {
    *(volatile uint32_t *)&component[v] = ancestor;
}

/* As link_ends in components.c. */
static __device__ void link_ends(uint32_t *component, uint32_t u, uint32_t v) {
    uint32_t a = tree_parent(component, u), b = tree_parent(component, v);
    while (a != b) {
        const uint32_t high = max(a, b), low = min(a, b);
        uint32_t above = tree_parent(component, high);
        if (above == low)
            return;
        if (above == high) {
            above = atomicCAS(&component[high], high, low);
            if (above == high)
                return;
        }
        a = tree_parent(component, above);
        if (a != above) /* a root is never changed so: high is none */
            point_to(component, high, a);
        b = low;
    }
}

/* Edges of a warp that wait for a lane each. */
struct waiting {
    uint2 edge[2 * GG_WARP];
};

static __device__ __forceinline__ void
link_waiting(const component_arrays &a, const waiting *w, uint32_t first, uint32_t end) {
    if (first + gg_lane() < end) {
        const uint2 e = w->edge[first + gg_lane()];
        link_ends(a.component, e.x, e.y);
    }
    __syncwarp();
}

/* All lanes of the warp, each with an edge or none; count is the warp's, for all lanes alike. */
static __device__ __forceinline__ uint32_t wait_or_link(const component_arrays &a,
                                                        waiting *w, uint32_t count,
                                                        bool has_edge, uint32_t u,
                                                        uint32_t v) {
    const unsigned lanes = __ballot_sync(~0u, has_edge);
    if (lanes == 0)
        return count;
    if (has_edge)
        w->edge[count + __popc(lanes & ((1u << gg_lane()) - 1))] = make_uint2(u, v);
    __syncwarp();
    count += __popc(lanes);
    if (count < GG_WARP)
        return count;
    link_waiting(a, w, count - GG_WARP, count);
    return count - GG_WARP;
}

static __global__ void plant_trees(const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid())
        a.component[v] = (uint32_t)v;
}

/* Halves the way to the root while it is followed. Another thread may have stored the root, and this one then
** stores an ancestor in its place: the way is longer again, and still right. */
static __global__ void shorten_paths(const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid()) {
        const uint32_t first = tree_parent(a.component, (uint32_t)v);
        uint32_t at = (uint32_t)v, above = first, next;
        while ((next = some_parent_of(a.component, above)) != above) {
            point_to(a.component, at, next);
            at = above;
            above = next;
        }
        if (above != first)
            point_to(a.component, (uint32_t)v, above);
    }
}

static __global__ void compress_trees(const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid()) {
        const uint32_t first = tree_parent(a.component, (uint32_t)v);
        uint32_t root = first, above;
        while ((above = some_parent_of(a.component, root)) != root)
            root = above;
        if (root != first)
            point_to(a.component, (uint32_t)v, root);
    }
}

/* ---- the largest component ---- */

/* One block of COMPONENTS_VOTES threads: how many of the others have this one's root? */
static __global__ void elect(const __grid_constant__ component_arrays a) {
    __shared__ uint32_t root[COMPONENTS_VOTES];
    __shared__ unsigned long long best;
    const uint32_t i = threadIdx.x;
    const uint32_t v = (uint32_t)((uint64_t)a.n * i / COMPONENTS_VOTES);
    root[i] = a.component[v];
    if (i == 0)
        best = 0;
    __syncthreads();
    unsigned long long same = 0;
    for (uint32_t j = 0; j < COMPONENTS_VOTES; j++)
        same += root[j] == root[i];
    atomicMax(&best, same << 32 | root[i]);
    __syncthreads();
    if (i == 0)
        *a.largest = (uint32_t)best;
}

#endif
