/* Trees that are hooked together on a device. components.c has the idea. */
#ifndef GPUGRAPH_COMPONENTS_TREES_CUH
#define GPUGRAPH_COMPONENTS_TREES_CUH

#include "components.cuh"
#include "components.h"
#include "graph/frontier.cuh"

enum {
    LONG_ROW = 64, /* arcs from which on a warp takes a row together */
    WARPS = GG_BLOCK / GG_WARP
};

/* ---- trees ---- */

static __device__ __forceinline__ uint32_t tree_parent(const uint32_t *component,
                                                       uint32_t v) {
    return *(const volatile uint32_t *)&component[v];
}

/* Returns a present or an earlier parent from any cache, while no tree is hooked to
** another: an ancestor stays an ancestor, and a root stays a root. All paths of a large
** component end at one word. If loads bypassed the caches, the one place of this word in
** memory would have to serve all warps. */
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
        if (a != above) /* never changes a root: high is no root */
            point_to(component, high, a);
        b = low;
    }
}

/* Edges that a warp keeps until each lane has one. */
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

/* All lanes of the warp call, each with an edge or none. `count` is the same in all
** lanes. */
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

/* Halves the path to the root while following it. If another thread has stored the root
** meanwhile, this thread replaces it by another ancestor: the path is longer again, and
** still right. */
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

/* One block of COMPONENTS_VOTES threads. Each thread counts how many of the others have
** its root. */
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
