/* Tree edges of a search by weight on the device: tree.c has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**                            distance[u] + weight = distance[v] and distance[u] < distance[v]
**
** One pass over the edge list, as tree.cu makes them for depths. It gathers a byte of the far
** end's distance, which most sums do not fit, where all distances are more than the cache holds;
** and nothing where the near end's and the weight leave no chance: no sum beyond the largest
** leads to a vertex.
**
** Or no such pass: where most arcs weigh too much to be tight, wherever they come from
** (ranked_rows_typed.h), and trees are asked for again and again, ranked_rows.cu keeps arcs in
** another order. A sample of the edges says how many that would be. */
#include "distance.cuh"
#include "base/limits.h"
#include "pass.cuh"
#include "ranked_rows.cuh"
#include "tuning.h"

/* ---- kernels: one thread per edge ---- */

/* A byte of a distance in which different ones rarely agree. */
template <typename type>
static __device__ __forceinline__ uint8_t byte_of(typename type::word distance) {
    return (uint8_t)((uint64_t)distance * 0x9e3779b97f4a7c15u >> 56);
}

/* The largest distance of all, the smallest that is more than 0, and a byte of each. One thread
** per vertex. */
template <typename type>
static __global__ void survey(const typename type::word *distance, uint32_t n,
                              unsigned long long *largest, unsigned long long *smallest,
                              uint8_t *byte) {
    unsigned long long mine = 0, least = type::unreached();
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        typename type::word d = distance[v];
        if (byte)
            byte[v] = byte_of<type>(d);
        if (d != type::unreached() && d > mine)
            mine = d;
        if (d > 0 && d < least)
            least = d;
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2) {
        unsigned long long other = __shfl_xor_sync(ALL_LANES, mine, step);
        mine = other > mine ? other : mine;
        other = __shfl_xor_sync(ALL_LANES, least, step);
        least = other < least ? other : least;
    }
    if (gg_lane() == 0 && mine > gg_peek(largest))
        atomicMax(largest, mine);
    if (gg_lane() == 0 && least < gg_peek(smallest))
        atomicMin(smallest, least);
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

/* As rank_may_be_tight of ranked_rows_typed.h. */
template <typename type>
static __device__ __forceinline__ bool may_be_tight(typename type::word smallest,
                                                    typename type::weight w,
                                                    typename type::word to) {
    const typename type::word alone = type::add(0, w);
    return alone > 0 && to != type::unreached() &&
           (type::add(smallest, w) <= to || alone == to);
}

/* One thread to one of GG_TREE_SAMPLE edges, or to each: how many of their arcs may be tight. */
template <typename type>
static __global__ void
sample_edges(device_edges edges, ways ways, const typename type::word *distance,
             const unsigned long long *smallest, uint64_t stride, uint32_t *left) {
    typedef typename type::word word;
    const uint64_t e = gg_thread() * stride;
    uint32_t mine = 0;
    if (e < edges.m) {
        const typename type::weight w =
            static_cast<const typename type::weight *>(edges.weight)[e];
        word s = distance[edges.source[e]], t = distance[edges.target[e]];
        mine += ways.forward && may_be_tight<type>((word)*smallest, w, t);
        mine += ways.backward && may_be_tight<type>((word)*smallest, w, s);
    }
    mine = __reduce_add_sync(ALL_LANES, mine);
    if (gg_lane() == 0 && mine > 0)
        atomicAdd(left, mine);
}

/* ---- steps ---- */

/* Scratch words: counters, the smallest distance in two, a bit for each vertex, then bytes or, by
** ranks, distances. */
enum { TIES, LEFT, COUNTERS, SMALLEST = COUNTERS, ROOTS = SMALLEST + 2 };

static unsigned long long *smallest_of(uint32_t *scratch) {
    return reinterpret_cast<unsigned long long *>(scratch + SMALLEST);
}

static uint64_t words_before(uint32_t n) {
    return ((uint64_t)n / 32 + 1 + ROOTS + 3) / 4 * 4;
}

uint64_t gg_distance_tree_scratch(const struct cuda_job *job,
                                  gpugraph_direction direction) {
    const gpugraph_graph *graph = job->graph;
    uint64_t bytes = gg_has_ranked_rows(job, direction)
                         ? graph->n * gg_distance_size(graph->distance_type)
                         : graph->n;
    return words_before(graph->n) + (bytes + 3) / 4;
}

template <typename type, typename number>
static bool pass_over_edges(struct cuda_job *job, gpugraph_direction direction,
                            const struct device_edges *edges,
                            const typename type::word *distance, number *tree_edge,
                            uint32_t *scratch) {
    /* The largest distance lies where arcs and ties are counted afterwards. */
    unsigned long long *largest = reinterpret_cast<unsigned long long *>(scratch);
    uint8_t *byte =
        (uint64_t)edges->n * sizeof *distance < job->device->cache_bytes / GG_TREE_CACHED
            ? NULL
            : reinterpret_cast<uint8_t *>(scratch + words_before(edges->n));
    survey<type><<<gg_grid(job, edges->n, 8), GG_BLOCK, 0, job->stream>>>(
        distance, edges->n, largest, smallest_of(scratch), byte);
    gg_launched(job, "survey");
    const tree_job<type, number> work = {*edges, ways_of(direction), distance, largest,
                                         byte,   tree_edge};
    distance_tree<type>
        <<<gg_grid(job, edges->m / EDGES_A_THREAD + 1, 8), GG_BLOCK, 0, job->stream>>>(
            work);
    gg_launched(job, "distance_tree");
    return gg_fill(job, largest, 0, sizeof *largest);
}

/* Ranked rows number their edges with 32 bits. */
static bool try_ranks(struct cuda_job *job, gpugraph_direction direction,
                      const void *distance, uint32_t *tree_edge, uint32_t *scratch) {
    return gg_ranked_rows_suit(job, direction) &&
           gg_tree_by_ranks(job, direction, distance,
                            scratch + words_before(job->graph->n),
                            reinterpret_cast<uint64_t *>(scratch + SMALLEST), tree_edge);
}

static bool try_ranks(struct cuda_job *, gpugraph_direction, const void *, wide_number *,
                      uint32_t *) {
    return false;
}

/* Edges of a sample of all, the first one and others at that distance. */
static uint64_t sample_stride(uint64_t m) {
    return (m + GG_TREE_SAMPLE - 1) / GG_TREE_SAMPLE;
}

/* What is left of a sample, the share of it. */
static double share_of(const struct device_edges *edges, ways ways, uint32_t left) {
    uint64_t stride = sample_stride(edges->m);
    uint64_t arcs = (edges->m + stride - 1) / stride * (ways.forward + ways.backward);
    return (double)left / (double)arcs;
}

/* Ties, and, where there are arcs enough for ranked rows, what is left of a sample. */
template <typename type, typename number>
static bool count_both(struct cuda_job *job, const gpugraph_search *search,
                       const struct device_edges *edges,
                       const typename type::word *distance, const uint32_t *source,
                       const number *tree_edge, uint32_t *scratch, uint32_t *ties) {
    const ways ways = ways_of(search->direction);
    const bool sampled = edges->m > 0 && edges->m >= gg_limits.tree_ranks.arcs;
    uint32_t counted[COUNTERS];
    mark_roots<<<gg_grid(job, search->source_count, 2), GG_BLOCK, 0, job->stream>>>(
        source, search->source_count, scratch + ROOTS);
    gg_launched(job, "mark_roots");
    count_ties<type><<<gg_grid(job, edges->n, 16), GG_BLOCK, 0, job->stream>>>(
        distance, edges->n, tree_edge, scratch + ROOTS, scratch + TIES);
    gg_launched(job, "count_ties");
    if (sampled) {
        sample_edges<type><<<GG_TREE_SAMPLE / GG_BLOCK, GG_BLOCK, 0, job->stream>>>(
            *edges, ways, distance, smallest_of(scratch), sample_stride(edges->m),
            scratch + LEFT);
        gg_launched(job, "sample_edges");
    }
    if (!gg_fetch(job, counted, scratch, sizeof counted))
        return false;
    *ties = counted[TIES];
    if (sampled)
        gg_note_tree(job, search->direction, share_of(edges, ways, counted[LEFT]));
    return true;
}

template <typename type, typename number>
static bool grow_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                               const void *distance, const uint32_t *source,
                               number *tree_edge, uint32_t *ties, uint32_t *scratch,
                               const char **how) {
    struct device_places places;
    const typename type::word *word = static_cast<const typename type::word *>(distance);
    if (!gg_begin_tree(job, true, &places, tree_edge) ||
        !gg_fill(job, scratch, 0, words_before(job->graph->n) * sizeof *scratch) ||
        !gg_fill(job, smallest_of(scratch), 0xff, sizeof *smallest_of(scratch)))
        return false;
    bool by_ranks = try_ranks(job, search->direction, distance, tree_edge, scratch);
    /* Who has made ranked rows has closed gaps. */
    if (!gg_going(job) || !gg_device_places(job, true, &places))
        return false;
    const struct device_edges edges = places.edges;
    *how = by_ranks ? "by transposed rows" : "one pass over the edges";
    if (!by_ranks && (!pass_over_edges<type>(job, search->direction, &edges, word,
                                             tree_edge, scratch) ||
                      !gg_end_tree(job, &places, tree_edge)))
        return false;
    return count_both<type>(job, search, &edges, word, source, tree_edge, scratch, ties);
}

template <typename type>
static bool distances(struct cuda_job *job, const gpugraph_search *search,
                      const void *distance, const uint32_t *source, void *tree_edge,
                      uint32_t *ties, uint32_t *scratch, const char **how) {
    return job->graph->wide
               ? grow_distance_tree<type>(job, search, distance, source,
                                          static_cast<wide_number *>(tree_edge), ties,
                                          scratch, how)
               : grow_distance_tree<type>(job, search, distance, source,
                                          static_cast<uint32_t *>(tree_edge), ties,
                                          scratch, how);
}

bool gg_device_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch,
                             const char **how) {
    switch (job->graph->distance_type) {
    case GPUGRAPH_UINT32:
        return distances<integer32>(job, search, distance, source, tree_edge, ties,
                                    scratch, how);
    case GPUGRAPH_UINT64:
        return distances<integer64>(job, search, distance, source, tree_edge, ties,
                                    scratch, how);
    default:
        return distances<real>(job, search, distance, source, tree_edge, ties, scratch,
                               how);
    }
}
