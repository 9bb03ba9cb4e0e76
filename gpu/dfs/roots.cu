/* Roots of a depth-first forest, all found at once. A component is what hangs together,
** the direction of arcs aside; union-find over the edges names each by its smallest
** vertex.
**
**     undirected    the smallest vertex of each component
**     directed      every vertex that no arc leads to (it can only be a root), and the
**                   smallest vertex of a component that has none
**
** Their trees may grow at the same time. What directed arcs do not reach from there lies
** behind cycles that nothing leads to; the crew opens roots among that. */
#include "dfs.cuh"
#include "graph/frontier.cuh"
#include "base/warp.h"

/* One thread per vertex. */
static __global__ void part_components(uint32_t *component, uint32_t n) {
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

/* One thread per edge: what an arc leads to, loops left out. */
static __global__ void enter(device_edges edges, bool forward, uint32_t *entered) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e], v = forward ? t : s;
        uint32_t bit = 1u << v % 32;
        if (s != t && !(gg_peek(&entered[v / 32]) & bit))
            atomicOr(&entered[v / 32], bit);
    }
}

static __device__ __forceinline__ bool has_bit(const uint32_t *bits, uint64_t v) {
    return bits[v / 32] >> v % 32 & 1;
}

/* One thread per vertex: components with a vertex that no arc leads to. */
static __global__ void serve_components(dfs_forest f, uint32_t n) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        if (has_bit(f.entered, v))
            continue;
        uint32_t least = smallest(f.component, (uint32_t)v), bit = 1u << least % 32;
        if (!(gg_peek(&f.served[least / 32]) & bit))
            atomicOr(&f.served[least / 32], bit);
    }
}

/* One thread per vertex: roots come into the list. */
static __global__ void gather_roots(dfs_forest f, uint32_t n, bool directed) {
    uint64_t whole = gg_whole_warps(n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool root = v < n && f.component[v] == v;
        if (v < n && directed)
            root = !has_bit(f.entered, v) || (root && !has_bit(f.served, v));
        uint32_t at = gg_reserve(f.roots, root);
        if (root)
            f.root[at] = (uint32_t)v;
    }
}

/* Into s->forest.entered and served. */
static void look_at_arcs(struct cuda_job *job, struct dfs_search *s,
                         const struct device_edges *edges) {
    uint64_t bytes = (s->g.n / 32 + 1) * sizeof(uint32_t);
    gg_fill(job, s->forest.entered, 0, bytes);
    gg_fill(job, s->forest.served, 0, bytes);
    GG_LAUNCH(job, enter, gg_grid(job, edges->m, 16), *edges,
              s->direction == GPUGRAPH_OUT, s->forest.entered);
    GG_LAUNCH(job, serve_components, gg_grid(job, s->g.n, 16), s->forest, s->g.n);
}

bool gg_dfs_roots(struct cuda_job *job, struct dfs_search *s) {
    struct device_edges edges;
    uint32_t n = s->g.n;
    bool directed = s->direction != GPUGRAPH_BOTH;
    gg_fill(job, s->forest.roots, 0, sizeof *s->forest.roots);
    if (!gg_device_edges(job, false, &edges))
        return false;
    unsigned grid = gg_grid(job, n, 16);
    GG_LAUNCH(job, part_components, grid, s->forest.component, n);
    GG_LAUNCH(job, unite, gg_grid(job, edges.m, 16), edges, s->forest.component);
    if (directed)
        look_at_arcs(job, s, &edges);
    GG_LAUNCH(job, gather_roots, grid, s->forest, n, directed);
    return gg_fetch(job, &s->roots, s->forest.roots, sizeof s->roots);
}
