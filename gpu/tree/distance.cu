/* Tree edges of a search by weight on the device: tree.c has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**                            distance[u] + weight = distance[v] and distance[u] < distance[v]
**
** One pass over the edge list, as tree.cu makes them for depths. It gathers no distance of the
** far end if the sum is larger than the largest distance: no vertex lies there.
**
** Ties are vertices all of whose tight edges come from their own distance:
**
**     settled   bitmap: a source, or a vertex that has its tree edge
**     round k   each level edge from a settled vertex to an open one is offered to it: the
**               smallest stays. A vertex that has one now is settled: k steps from those that
**               were settled at first
**
** A round is one pass over the edges. Paths over level edges are short where weights of zero
** are rare. A long one is left to the host, which goes along it once. */
#include "distance.cuh"
#include "pass.cuh"

/* ---- nearer vertices: kernels ---- */

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

template <typename type, typename number> struct distance_pass {
    device_edges edges;
    ways way;
    const typename type::word *distance;
    const unsigned long long *largest; /* distance of all */
    const uint32_t *settled;           /* of ties */
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
offer_edge(const distance_pass<type, number> &j, number e, uint32_t s, uint32_t t,
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
    distance_tree(const __grid_constant__ distance_pass<type, number> j) {
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

/* ---- ties: kernels ---- */

/* Each is a pass at the speed of the device's memory; the host goes over all edges twice, alone. */
enum { TIE_ROUNDS = 64 };

struct tie_scratch {
    uint32_t open;
    uint32_t unused[3]; /* bits begin at a multiple of 16 bytes */
    uint32_t settled[]; /* n bits */
};

static uint64_t scratch_bytes(uint32_t n) {
    return sizeof(struct tie_scratch) + ((uint64_t)n / 32 + 1) * sizeof(uint32_t);
}

uint64_t gg_distance_tree_scratch(const struct cuda_job *job) {
    return scratch_bytes(job->graph->n) / sizeof(uint32_t);
}

static __device__ __forceinline__ bool is_settled(const uint32_t *settled, uint32_t v) {
    return settled[v / 32] >> v % 32 & 1;
}

/* One thread per source. */
static __global__ void settle_sources(const uint32_t *source, uint32_t sources,
                                      struct tie_scratch *s) {
    for (uint64_t i = gg_thread(); i < sources; i += gg_threads_of_grid())
        atomicOr(&s->settled[source[i] / 32], 1u << source[i] % 32);
}

/* One lane per vertex, one warp per word: who has an edge is settled; how many that are reached are open. */
template <typename type, typename number>
static __global__ void settle_vertices(const typename type::word *distance, uint32_t n,
                                       const number *tree_edge, struct tie_scratch *s) {
    const uint64_t whole = ((uint64_t)n + GG_WARP - 1) / GG_WARP * GG_WARP;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const uint32_t before = s->settled[v / 32];
        const bool has_edge = v < n && tree_edge[v] != ~(number)0;
        const uint32_t word = before | __ballot_sync(ALL_LANES, has_edge);
        const bool open =
            v < n && !(word >> v % 32 & 1) && distance[v] != type::unreached();
        const uint32_t open_here = __popc(__ballot_sync(ALL_LANES, open));
        if (gg_lane() == 0 && word != before)
            s->settled[v / 32] = word;
        if (gg_lane() == 0 && open_here > 0)
            atomicAdd(&s->open, open_here);
    }
}

/* One thread per edge. */
template <typename type, typename number>
static __global__ void
offer_level(const __grid_constant__ distance_pass<type, number> pass) {
    const device_edges &edges = pass.edges;
    const auto *weights = static_cast<const typename type::weight *>(edges.weight);
    for (uint64_t at = gg_thread(); at < edges.m; at += gg_threads_of_grid()) {
        const uint32_t u = edges.source[at], v = edges.target[at];
        const bool from_u = is_settled(pass.settled, u),
                   from_v = is_settled(pass.settled, v);
        if (from_u == from_v || !(from_u ? pass.way.forward : pass.way.backward))
            continue;
        const typename type::word du = pass.distance[u], dv = pass.distance[v];
        if (du != dv || du == type::unreached() || type::add(du, weights[at]) != dv)
            continue;
        offer(pass.tree_edge, from_u ? v : u, (number)at);
    }
}

/* ---- steps ---- */

template <typename type, typename number>
static bool pass_over_edges(struct cuda_job *job, distance_pass<type, number> pass,
                            unsigned long long *largest) {
    pass.largest = largest;
    gg_fill(job, largest, 0, sizeof *largest);
    GG_LAUNCH(job, find_largest<type>, gg_grid(job, pass.edges.n, 8), pass.distance,
              pass.edges.n, largest);
    return GG_LAUNCH(job, distance_tree<type>,
                     gg_grid(job, pass.edges.m / EDGES_A_THREAD + 1, 8), pass);
}

/* Marks what is settled, and counts the vertices that are reached and open. */
template <typename type, typename number>
static bool count_tied(struct cuda_job *job, const distance_pass<type, number> &pass,
                       struct tie_scratch *s, uint32_t *open) {
    const uint32_t n = pass.edges.n;
    gg_fill(job, &s->open, 0, sizeof s->open);
    return GG_LAUNCH(job, settle_vertices<type>, gg_grid(job, n, 16), pass.distance, n,
                     pass.tree_edge, s) &&
           gg_fetch(job, open, &s->open, sizeof *open);
}

struct tree_task {
    const gpugraph_search *search;
    const void *distance;
    const uint32_t *source; /* on the device */
    void *tree_edge;
    uint32_t *ties, *scratch;
};

template <typename type, typename number>
static bool settle_tied(struct cuda_job *job, const struct tree_task *t,
                        distance_pass<type, number> pass) {
    struct tie_scratch *s = reinterpret_cast<struct tie_scratch *>(t->scratch);
    const uint32_t sources = t->search->source_count;
    uint32_t before, open;
    pass.settled = s->settled;
    if (!gg_fill(job, s, 0, scratch_bytes(pass.edges.n)))
        return false;
    if (!GG_LAUNCH(job, settle_sources, gg_grid(job, sources, 2), t->source, sources,
                   s) ||
        !count_tied(job, pass, s, &open))
        return false;
    before = open + 1;
    for (int round = 0; round < TIE_ROUNDS && open > 0 && open < before; round++) {
        before = open;
        offer_level<type, number>
            <<<gg_grid(job, pass.edges.m, 16), GG_BLOCK, 0, job->stream>>>(pass);
        if (!gg_launched(job, "offer_level") || !count_tied(job, pass, s, &open))
            return false;
    }
    *t->ties = open;
    return true;
}

template <typename type, typename number>
static bool grow_distance_tree(struct cuda_job *job, const struct tree_task *t) {
    distance_pass<type, number> pass = {};
    pass.way = ways_of(t->search->direction);
    pass.distance = static_cast<const typename type::word *>(t->distance);
    pass.tree_edge = static_cast<number *>(t->tree_edge);
    return gg_begin_tree(job, true, &pass.edges, pass.tree_edge) &&
           pass_over_edges(job, pass,
                           reinterpret_cast<unsigned long long *>(t->scratch)) &&
           (!t->ties || settle_tied(job, t, pass));
}

bool gg_device_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch) {
    const struct tree_task t = {search, distance, source, tree_edge, ties, scratch};
    return gg_by_distance_type(job->graph->distance_type, [&](auto one) {
        typedef decltype(one) type;
        return job->graph->wide ? grow_distance_tree<type, wide_number>(job, &t)
                                : grow_distance_tree<type, uint32_t>(job, &t);
    });
}
