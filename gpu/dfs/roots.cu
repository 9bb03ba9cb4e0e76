/* Roots of a depth-first forest, all found at once.
**
**     undirected    the smallest vertex of each weak component
**     directed      each vertex that no arc leads to (such a vertex can only be a root),
**                   and the smallest vertex of each weak component without such a vertex
**
** The trees of these roots may grow at the same time. Vertices that directed arcs do not
** reach from these roots lie behind cycles that no arc leads to. The workers open further
** roots among these vertices. */
#include "components/components.cuh"
#include "dfs.cuh"
#include "graph/frontier.cuh"
#include "base/warp.h"

/* One thread for each edge: marks the vertices that arcs lead to. Loops do not count. */
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

/* One thread for each vertex: marks the components with a vertex that no arc leads to. */
static __global__ void serve_components(dfs_forest f, uint32_t n) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        if (has_bit(f.entered, v))
            continue;
        uint32_t least = f.component[v], bit = 1u << least % 32;
        if (!(gg_peek(&f.served[least / 32]) & bit))
            atomicOr(&f.served[least / 32], bit);
    }
}

/* One thread for each vertex: lists the roots. */
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

/* Fills s->forest.entered and served. */
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
    const struct component_arrays components = {n, s->forest.component, s->forest.served,
                                                s->forest.roots};
    if (!gg_device_edges(job, false, &edges) ||
        !gg_components_of_edges(job, &edges, &components))
        return false;
    if (directed)
        look_at_arcs(job, s, &edges);
    gg_fill(job, s->forest.roots, 0, sizeof *s->forest.roots);
    GG_LAUNCH(job, gather_roots, gg_grid(job, n, 16), s->forest, n, directed);
    return gg_fetch(job, &s->roots, s->forest.roots, sizeof s->roots);
}
