/* Tree edges on the device: tree.c beside this has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**         depths        depth[u] + 1 = depth[v]
**         distances     distance[u] + weight = distance[v] and distance[u] < distance[v]
**         parents       u = parent[v]
**
** One pass over the edge list, an atomic minimum for each edge that fits; a load looks
** first, for most edges come too late. */
#include "cuda.cuh"
#include "distance.cuh"
#include "frontier.cuh"

/* e is offered to v. NONE is the largest number, so it loses against all. */
static __device__ __forceinline__ void offer(uint32_t *tree_edge, uint32_t v,
                                             uint32_t e) {
    if (e < gg_peek(&tree_edge[v]))
        atomicMin(&tree_edge[v], e);
}

struct ways { /* in which an edge may be travelled */
    bool forward, backward;
};

static struct ways ways_of(gpugraph_direction direction) {
    return ways{direction != GPUGRAPH_IN, direction != GPUGRAPH_OUT};
}

/* ---- kernels: one thread per edge ---- */

static __device__ __forceinline__ bool one_deeper(uint32_t from, uint32_t to) {
    return from != GPUGRAPH_NONE && to != GPUGRAPH_NONE && to == from + 1;
}

static __global__ void depth_tree(device_edges edges, ways ways, const uint32_t *depth,
                                  uint32_t *tree_edge) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        uint32_t ds = depth[s], dt = depth[t];
        if (ways.forward && one_deeper(ds, dt))
            offer(tree_edge, t, (uint32_t)e);
        if (ways.backward && one_deeper(dt, ds))
            offer(tree_edge, s, (uint32_t)e);
    }
}

static __global__ void parent_edges(device_edges edges, ways ways, const uint32_t *parent,
                                    uint32_t *tree_edge) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (ways.forward && parent[t] == s)
            offer(tree_edge, t, (uint32_t)e);
        if (ways.backward && parent[s] == t)
            offer(tree_edge, s, (uint32_t)e);
    }
}

template <typename type>
static __device__ __forceinline__ bool one_farther(typename type::word from,
                                                   typename type::weight weight,
                                                   typename type::word to) {
    return from < to && to != type::unreached() && type::add(from, weight) == to;
}

template <typename type>
static __global__ void distance_tree(device_edges edges, ways ways,
                                     const typename type::word *distance,
                                     uint32_t *tree_edge) {
    const typename type::weight *weight =
        static_cast<const typename type::weight *>(edges.weight);
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        typename type::word ds = distance[s], dt = distance[t];
        if (ways.forward && one_farther<type>(ds, weight[e], dt))
            offer(tree_edge, t, (uint32_t)e);
        if (ways.backward && one_farther<type>(dt, weight[e], ds))
            offer(tree_edge, s, (uint32_t)e);
    }
}

/* One thread per source: it has no tree edge, but must not count as a tie. */
static __global__ void mark_roots(const uint32_t *source, uint32_t sources,
                                  uint32_t *is_root) {
    for (uint64_t i = gg_thread(); i < sources; i += gg_threads_of_grid())
        atomicOr(&is_root[source[i] / 32], 1u << source[i] % 32);
}

/* One thread per vertex: reached, no source, and no edge from a nearer vertex. */
template <typename type>
static __global__ void count_ties(const typename type::word *distance, uint32_t n,
                                  const uint32_t *tree_edge, const uint32_t *is_root,
                                  uint32_t *ties) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (distance[v] != type::unreached() && tree_edge[v] == GPUGRAPH_NONE &&
            !(is_root[v / 32] >> v % 32 & 1))
            atomicAdd(ties, 1u);
}

/* ---- steps ---- */

static bool begin(struct cuda_job *job, bool weighted, struct device_edges *edges,
                  uint32_t *tree_edge) {
    return gg_device_edges(job, weighted, edges) &&
           gg_fill(job, tree_edge, 0xff, (uint64_t)edges->n * sizeof *tree_edge);
}

bool gg_device_depth_tree(struct cuda_job *job, gpugraph_direction direction,
                          const uint32_t *depth, uint32_t *tree_edge) {
    struct device_edges edges;
    if (!begin(job, false, &edges, tree_edge))
        return false;
    depth_tree<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(
        edges, ways_of(direction), depth, tree_edge);
    return gg_launched(job, "depth_tree");
}

bool gg_device_parent_edges(struct cuda_job *job, gpugraph_direction direction,
                            const uint32_t *parent, uint32_t *tree_edge) {
    struct device_edges edges;
    if (!begin(job, false, &edges, tree_edge))
        return false;
    parent_edges<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(
        edges, ways_of(direction), parent, tree_edge);
    return gg_launched(job, "parent_edges");
}

template <typename type>
static bool distances(struct cuda_job *job, const gpugraph_search *search,
                      const void *distance, const uint32_t *source, uint32_t *tree_edge,
                      uint32_t *ties, uint32_t *scratch) {
    struct device_edges edges;
    const typename type::word *word = static_cast<const typename type::word *>(distance);
    uint32_t *is_root = scratch + 1;
    if (!begin(job, true, &edges, tree_edge) ||
        !gg_fill(job, scratch, 0, ((uint64_t)edges.n / 32 + 2) * sizeof *scratch))
        return false;
    distance_tree<type><<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(
        edges, ways_of(search->direction), word, tree_edge);
    gg_launched(job, "distance_tree");
    mark_roots<<<gg_grid(job, search->source_count, 2), GG_BLOCK, 0, job->stream>>>(
        source, search->source_count, is_root);
    gg_launched(job, "mark_roots");
    count_ties<type><<<gg_grid(job, edges.n, 16), GG_BLOCK, 0, job->stream>>>(
        word, edges.n, tree_edge, is_root, scratch);
    gg_launched(job, "count_ties");
    return gg_fetch(job, ties, scratch, sizeof *ties);
}

bool gg_device_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             uint32_t *tree_edge, uint32_t *ties, uint32_t *scratch) {
    switch (job->graph->distance_type) {
    case GPUGRAPH_UINT32:
        return distances<integer32>(job, search, distance, source, tree_edge, ties,
                                    scratch);
    case GPUGRAPH_UINT64:
        return distances<integer64>(job, search, distance, source, tree_edge, ties,
                                    scratch);
    default:
        return distances<real>(job, search, distance, source, tree_edge, ties, scratch);
    }
}
