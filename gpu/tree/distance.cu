/* Tree edges of a search by weight on the device: tree.c has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**                            distance[u] + weight = distance[v] and distance[u] < distance[v]
**
** One pass over the edge list, as tree.cu makes them for depths. It gathers a byte of the far
** end's distance, which most sums do not fit, where all distances are more than the cache holds;
** and nothing where the near end's and the weight leave no chance: no sum beyond the largest
** leads to a vertex. */
#include "distance.cuh"
#include "pass.cuh"

/* ---- kernels: one thread per edge ---- */

/* A byte of a distance in which different ones rarely agree. */
template <typename type>
static __device__ __forceinline__ uint8_t byte_of(typename type::word distance) {
    return (uint8_t)((uint64_t)distance * 0x9e3779b97f4a7c15u >> 56);
}

/* The largest distance of all, and a byte of each. One thread per vertex. */
template <typename type>
static __global__ void survey(const typename type::word *distance, uint32_t n,
                              unsigned long long *largest, uint8_t *byte) {
    unsigned long long mine = 0;
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        typename type::word d = distance[v];
        if (byte)
            byte[v] = byte_of<type>(d);
        if (d != type::unreached() && d > mine)
            mine = d;
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2) {
        unsigned long long other = __shfl_xor_sync(ALL_LANES, mine, step);
        mine = other > mine ? other : mine;
    }
    if (gg_lane() == 0 && mine > gg_peek(largest))
        atomicMax(largest, mine);
}

template <typename type, typename number> struct tree_job {
    device_edges edges;
    ways way;
    const typename type::word *distance;
    const unsigned long long *largest;
    const uint8_t *byte; /* NULL: distances themselves are at hand */
    number *tree_edge;
};

template <typename type>
static __device__ __forceinline__ bool one_farther(typename type::word from,
                                                   typename type::weight weight,
                                                   typename type::word to) {
    return from < to && to != type::unreached() && type::add(from, weight) == to;
}

/* One edge: distances are looked up where the bytes agree, or the way is backward. */
template <typename type, typename number>
static __device__ __forceinline__ void
offer_edge(const tree_job<type, number> &j, number e, uint32_t s, uint32_t t,
           typename type::weight w, typename type::word ds, bool forward, bool backward) {
    if (!forward && !backward)
        return;
    const typename type::word dt = j.distance[t];
    if (forward && one_farther<type>(ds, w, dt))
        offer(j.tree_edge, t, e);
    if (backward && one_farther<type>(dt, w, ds))
        offer(j.tree_edge, s, e);
}

/* One thread to four edges. The source's distance first: edges often stand in the order of
** their sources, so that it is at hand. */
template <typename type, typename number>
static __global__ void __launch_bounds__(GG_BLOCK)
    distance_tree(const __grid_constant__ tree_job<type, number> j) {
    typedef typename type::word word;
    typedef typename type::weight weight;
    const weight *weights = static_cast<const weight *>(j.edges.weight);
    const word most = (word)*j.largest;
    const uint64_t step = gg_threads_of_grid() * EDGES_A_THREAD;
    for (uint64_t e = gg_thread() * EDGES_A_THREAD; e < j.edges.m; e += step) {
        uint32_t s[EDGES_A_THREAD], t[EDGES_A_THREAD];
        weight w[EDGES_A_THREAD];
        word ds[EDGES_A_THREAD], sum[EDGES_A_THREAD];
        bool forward[EDGES_A_THREAD], backward[EDGES_A_THREAD];
        const bool whole = j.edges.m - e >= EDGES_A_THREAD;
        if (whole) {
            load_four(weights + e, w);
            load_four(j.edges.source + e, s);
            load_four(j.edges.target + e, t);
        }
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++) {
            uint64_t at = e + i < j.edges.m ? e + i : e; /* a repeat changes nothing */
            if (!whole) {
                w[i] = weights[at];
                s[i] = j.edges.source[at];
                t[i] = j.edges.target[at];
            }
            ds[i] = type::add(0, w[i]) > most ? type::unreached() : j.distance[s[i]];
            sum[i] = type::add(ds[i], w[i]);
            forward[i] = j.way.forward && sum[i] <= most;
            backward[i] = j.way.backward && ds[i] != type::unreached() &&
                          type::add(0, w[i]) <= ds[i];
        }
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++)
            forward[i] = forward[i] && (!j.byte || j.byte[t[i]] == byte_of<type>(sum[i]));
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++) {
            number at = (number)(e + i < j.edges.m ? e + i : e);
            offer_edge(j, at, s[i], t[i], w[i], ds[i], forward[i], backward[i]);
        }
    }
}

/* One thread per source: it has no tree edge, but must not count as a tie. */
static __global__ void mark_roots(const uint32_t *source, uint32_t sources,
                                  uint32_t *is_root) {
    for (uint64_t i = gg_thread(); i < sources; i += gg_threads_of_grid())
        atomicOr(&is_root[source[i] / 32], 1u << source[i] % 32);
}

/* One thread per vertex: reached, no source, and no edge from a nearer vertex. */
template <typename type, typename number>
static __global__ void count_ties(const typename type::word *distance, uint32_t n,
                                  const number *tree_edge, const uint32_t *is_root,
                                  uint32_t *ties) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (distance[v] != type::unreached() && tree_edge[v] == ~(number)0 &&
            !(is_root[v / 32] >> v % 32 & 1))
            atomicAdd(ties, 1u);
}

/* ---- steps ---- */

/* Distances are at hand up to that share of the second-level cache. (H200: rmat22, 17
** of 50 MB, 1.16 ms without bytes and 1.25 with; rmat24, 67 MB, 7.0 and 5.2.) */
#define CACHED_SHARE 2

/* Scratch words: the largest distance in two, of which the first counts ties
** afterwards, a bit for each vertex, then bytes. */
enum { TIES, ROOTS = 2 };

static uint64_t words_before(uint32_t n) {
    return ((uint64_t)n / 32 + 1 + ROOTS + 3) / 4 * 4;
}

uint64_t gg_distance_tree_scratch(const struct cuda_job *job) {
    const uint32_t n = job->graph->n;
    return words_before(n) + ((uint64_t)n + 3) / 4;
}

template <typename type, typename number>
static bool pass_over_edges(struct cuda_job *job, gpugraph_direction direction,
                            const struct device_edges *edges,
                            const typename type::word *distance, number *tree_edge,
                            uint32_t *scratch) {
    unsigned long long *largest = reinterpret_cast<unsigned long long *>(scratch);
    uint8_t *byte =
        (uint64_t)edges->n * sizeof *distance < job->device->cache_bytes / CACHED_SHARE
            ? NULL
            : reinterpret_cast<uint8_t *>(scratch + words_before(edges->n));
    survey<type><<<gg_grid(job, edges->n, 8), GG_BLOCK, 0, job->stream>>>(
        distance, edges->n, largest, byte);
    gg_launched(job, "survey");
    const tree_job<type, number> work = {*edges, ways_of(direction), distance, largest,
                                         byte,   tree_edge};
    distance_tree<type>
        <<<gg_grid(job, edges->m / EDGES_A_THREAD + 1, 8), GG_BLOCK, 0, job->stream>>>(
            work);
    gg_launched(job, "distance_tree");
    return gg_fill(job, largest, 0, sizeof *largest);
}

template <typename type, typename number>
static bool count_all_ties(struct cuda_job *job, const gpugraph_search *search,
                           const struct device_edges *edges,
                           const typename type::word *distance, const uint32_t *source,
                           const number *tree_edge, uint32_t *scratch, uint32_t *ties) {
    mark_roots<<<gg_grid(job, search->source_count, 2), GG_BLOCK, 0, job->stream>>>(
        source, search->source_count, scratch + ROOTS);
    gg_launched(job, "mark_roots");
    count_ties<type><<<gg_grid(job, edges->n, 16), GG_BLOCK, 0, job->stream>>>(
        distance, edges->n, tree_edge, scratch + ROOTS, scratch + TIES);
    return gg_launched(job, "count_ties") &&
           gg_fetch(job, ties, scratch + TIES, sizeof *ties);
}

template <typename type, typename number>
static bool grow_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                               const void *distance, const uint32_t *source,
                               number *tree_edge, uint32_t *ties, uint32_t *scratch) {
    struct device_edges edges;
    const typename type::word *word = static_cast<const typename type::word *>(distance);
    return gg_begin_tree(job, true, &edges, tree_edge) &&
           gg_fill(job, scratch, 0, words_before(job->graph->n) * sizeof *scratch) &&
           pass_over_edges<type>(job, search->direction, &edges, word, tree_edge,
                                 scratch) &&
           count_all_ties<type>(job, search, &edges, word, source, tree_edge, scratch,
                                ties);
}

template <typename type>
static bool grow_either_tree(struct cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch) {
    return job->graph->wide
               ? grow_distance_tree<type>(job, search, distance, source,
                                          static_cast<wide_number *>(tree_edge), ties,
                                          scratch)
               : grow_distance_tree<type>(job, search, distance, source,
                                          static_cast<uint32_t *>(tree_edge), ties,
                                          scratch);
}

bool gg_device_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch) {
    switch (job->graph->distance_type) {
    case GPUGRAPH_UINT32:
        return grow_either_tree<integer32>(job, search, distance, source, tree_edge, ties,
                                           scratch);
    case GPUGRAPH_UINT64:
        return grow_either_tree<integer64>(job, search, distance, source, tree_edge, ties,
                                           scratch);
    default:
        return grow_either_tree<real>(job, search, distance, source, tree_edge, ties,
                                      scratch);
    }
}
