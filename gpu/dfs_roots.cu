/* Roots of a depth-first forest: the smallest vertex of each connected component, found by
** union-find over the edges. No arc leads from one component to another, so their trees
** may grow at the same time and are those of one root after the other. Against directed
** arcs a component needs further roots, which the crew opens in order. */
#include "dfs.cuh"
#include "frontier.cuh"
#include "warp.h"

/* One thread per vertex. */
static __global__ void part(uint32_t *component, uint32_t n) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        component[v] = (uint32_t)v;
}

/* The smallest vertex known of v's component. Links are shortened on the way: never that
** of a root, which a union may be changing. */
static __device__ uint32_t smallest(uint32_t *component, uint32_t v) {
    for (;;) {
        uint32_t up = gg_peek(&component[v]);
        if (up == v)
            return v;
        uint32_t above = gg_peek(&component[up]);
        if (above != up)
            device_store(&component[v], above);
        v = up;
    }
}

/* One thread per edge: the larger of two roots is linked below the smaller one. */
static __global__ void unite(device_edges edges, uint32_t *component) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t a = smallest(component, edges.source[e]);
        uint32_t b = smallest(component, edges.target[e]);
        while (a != b) {
            uint32_t larger = a > b ? a : b, lower = a > b ? b : a;
            uint32_t was = atomicCAS(&component[larger], larger, lower);
            if (was == larger)
                break;
            a = smallest(component, was);
            b = smallest(component, lower);
        }
    }
}

/* One thread per vertex: the smallest of each component comes into the list. */
static __global__ void gather_roots(dfs_forest f, uint32_t n) {
    uint64_t whole = gg_whole_warps(n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool root = v < n && f.component[v] == v;
        uint32_t at = gg_reserve(f.roots, root);
        if (root)
            f.root[at] = (uint32_t)v;
    }
}

bool gg_dfs_roots(struct cuda_job *job, struct dfs_search *s) {
    struct device_edges edges;
    uint32_t n = s->g.n;
    gg_fill(job, s->forest.roots, 0, sizeof *s->forest.roots);
    if (!gg_device_edges(job, false, &edges))
        return false;
    unsigned grid = gg_grid(job, n, 16);
    part<<<grid, GG_BLOCK, 0, job->stream>>>(s->forest.component, n);
    gg_launched(job, "part");
    unite<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(edges,
                                                                   s->forest.component);
    gg_launched(job, "unite");
    gather_roots<<<grid, GG_BLOCK, 0, job->stream>>>(s->forest, n);
    gg_launched(job, "gather_roots");
    return gg_fetch(job, &s->roots, s->forest.roots, sizeof s->roots);
}
