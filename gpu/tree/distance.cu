/* Tree edges of a search by weight on the device: tree.c has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**                            distance[u] + weight = distance[v] and distance[u] < distance[v]
**
** One pass over the edge list, as tree.cu makes them for depths. It gathers no distance of the
** far end if the sum is larger than the largest distance: no vertex lies there. */
#include "distance.cuh"
#include "pass.cuh"

/* ---- kernels: one thread per edge ---- */

/* The largest distance of all. One thread per vertex. */
template <typename type>
static __global__ void find_largest(const typename type::word *distance, uint32_t n,
                                    unsigned long long *largest) {
    unsigned long long mine = 0;
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        typename type::word d = distance[v];
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
    number *tree_edge;
};

template <typename type>
static __device__ __forceinline__ bool one_farther(typename type::word from,
                                                   typename type::weight weight,
                                                   typename type::word to) {
    return from < to && to != type::unreached() && type::add(from, weight) == to;
}

/* One edge, in the senses that the distance of s and the weight allow. */
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
        word ds[EDGES_A_THREAD];
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
            forward[i] = j.way.forward && type::add(ds[i], w[i]) <= most;
            backward[i] = j.way.backward && ds[i] != type::unreached() &&
                          type::add(0, w[i]) <= ds[i];
        }
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++) {
            number at = (number)(e + i < j.edges.m ? e + i : e);
            offer_edge(j, at, s[i], t[i], w[i], ds[i], forward[i], backward[i]);
        }
    }
}

/* ---- steps ---- */

template <typename type, typename number>
static bool pass_over_edges(struct cuda_job *job, gpugraph_direction direction,
                            const struct device_edges *edges,
                            const typename type::word *distance, number *tree_edge,
                            uint32_t *scratch) {
    unsigned long long *largest = reinterpret_cast<unsigned long long *>(scratch);
    gg_fill(job, largest, 0, sizeof *largest);
    find_largest<type><<<gg_grid(job, edges->n, 8), GG_BLOCK, 0, job->stream>>>(
        distance, edges->n, largest);
    gg_launched(job, "find_largest");
    const tree_job<type, number> work = {*edges, ways_of(direction), distance, largest,
                                         tree_edge};
    distance_tree<type>
        <<<gg_grid(job, edges->m / EDGES_A_THREAD + 1, 8), GG_BLOCK, 0, job->stream>>>(
            work);
    return gg_launched(job, "distance_tree");
}

template <typename type, typename number>
static bool grow_distance_tree(struct cuda_job *job, gpugraph_direction direction,
                               const void *distance, number *tree_edge,
                               uint32_t *scratch) {
    struct device_edges edges;
    const typename type::word *word = static_cast<const typename type::word *>(distance);
    return gg_begin_tree(job, true, &edges, tree_edge) &&
           pass_over_edges<type>(job, direction, &edges, word, tree_edge, scratch);
}

template <typename type>
static bool grow_either_tree(struct cuda_job *job, gpugraph_direction direction,
                             const void *distance, void *tree_edge, uint32_t *scratch) {
    return job->graph->wide
               ? grow_distance_tree<type>(job, direction, distance,
                                          static_cast<wide_number *>(tree_edge), scratch)
               : grow_distance_tree<type>(job, direction, distance,
                                          static_cast<uint32_t *>(tree_edge), scratch);
}

bool gg_device_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch) {
    const gpugraph_distance_type type = job->graph->distance_type;
    const gpugraph_direction way = search->direction;
    const bool grown =
        type == GPUGRAPH_UINT32
            ? grow_either_tree<integer32>(job, way, distance, tree_edge, scratch)
        : type == GPUGRAPH_UINT64
            ? grow_either_tree<integer64>(job, way, distance, tree_edge, scratch)
            : grow_either_tree<real>(job, way, distance, tree_edge, scratch);
    return grown &&
           gg_device_count_ties(job, search, distance, source, tree_edge, ties, scratch);
}
