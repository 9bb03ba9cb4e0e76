/* Tree edges on the device. tree.c has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**         depths        depth[u] + 1 = depth[v]
**         parents       u = parent[v]
**         distances     distance[u] + weight = distance[v] and distance[u] < distance[v]
**
** There is one pass over the edge list, with an atomic minimum for each edge that fits. A
** thread loads tree_edge[v] first, because most vertices already have a smaller edge. The
** gather of two values for each edge takes most of the time, so a pass reads as few and
** as narrow values as possible:
**
**     depths      a byte, depth mod 255, from tables that mostly stay in the second-level
**                 cache. The pass is cut into parts. A vertex that has its edge after a
**                 part loses its byte, since all further edges have larger numbers
**     distances   a thread does not load the distance of the far end if the sum exceeds
**                 the largest distance of all
**
** Tied vertices are those that only level edges reach (tree.c):
**
**     settled   bitmap: a source, or a vertex that has its tree edge
**     round k   an open vertex takes the smallest level edge from a settled vertex, and
**               is then settled itself: k level edges connect it with a vertex that was
**               settled before round 1
**
** A round is one pass over the edges. Paths over level edges are short if weights of zero
** are rare. The host settles long ones, because it visits each of their edges once. */
#include "distance.cuh"
#include "graph/frontier.cuh"
#include "tree.cuh"

/* Edge numbers of 64 bits, in the type of atomic functions. `number` below is this or
** uint32_t. */
typedef unsigned long long wide_number;

/* Offers edge e to v. The number for "no edge" is the largest one. */
template <typename number>
static __device__ __forceinline__ void offer(number *tree_edge, uint32_t v, number e) {
    if (e < gg_peek(&tree_edge[v]))
        atomicMin(&tree_edge[v], e);
}

struct senses { /* senses in which an edge may be travelled */
    bool forward, backward;
};

static inline senses senses_of(gpugraph_direction direction) {
    return senses{direction != GPUGRAPH_IN, direction != GPUGRAPH_OUT};
}

enum { EDGES_A_THREAD = 4 };

/* Loads four entries of an array that begins at a multiple of 16 bytes, as a stream. */
template <typename type>
static __device__ __forceinline__ void load_four(const type *from,
                                                 type (&to)[EDGES_A_THREAD]) {
    const int parts = sizeof to / sizeof(uint4);
    static_assert(parts * sizeof(uint4) == sizeof to, "whole reads");
#pragma unroll
    for (int i = 0; i < parts; i++)
        reinterpret_cast<uint4 *>(to)[i] =
            __ldcs(reinterpret_cast<const uint4 *>(from) + i);
}

/* Finds the edge list, and resets all tree edges. */
static bool begin_tree(cuda_job *job, bool weighted, device_edges *edges,
                       void *tree_edge) {
    return gg_device_edges(job, weighted, edges) &&
           gg_fill(job, tree_edge, 0xff, gg_tree_bytes(job, true));
}

/* ---- depths and parents: kernels ---- */

/* The byte of a vertex that is not reached, or has its edge. */
#define NO_BYTE 255u
enum { PARTS = 3, PART_GROWTH = 4 };

/* Bytes of depths by vertex: `from` for starts of edges, `to` for their ends. */
struct depth_bytes {
    uint8_t *from, *to;
    const uint32_t *depth; /* NULL: no depth exceeds a byte */
};

/* One thread per vertex. */
static __global__ void write_bytes(const uint32_t *depth, uint32_t n, depth_bytes b) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        b.from[v] = b.to[v] =
            (uint8_t)(depth[v] == GPUGRAPH_NONE ? NO_BYTE : depth[v] % NO_BYTE);
}

/* One thread per vertex. */
template <typename number>
static __global__ void drop_bytes(const number *tree_edge, uint32_t n, depth_bytes b) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (tree_edge[v] != ~(number)0)
            b.to[v] = NO_BYTE;
}

static __device__ __forceinline__ bool one_deeper(const depth_bytes &b, uint32_t from,
                                                  uint32_t to, uint32_t u, uint32_t v) {
    uint32_t next = from + 1 == NO_BYTE ? 0 : from + 1;
    return from != NO_BYTE && to == next && (!b.depth || b.depth[v] == b.depth[u] + 1);
}

/* One thread to four edges, from `begin`, a multiple of four, to `end`. */
template <typename number>
static __global__ void depth_tree(device_edges edges, senses senses, depth_bytes b,
                                  uint64_t begin, uint64_t end, number *tree_edge) {
    const uint64_t step = gg_threads_of_grid() * EDGES_A_THREAD;
    for (uint64_t e = begin + gg_thread() * EDGES_A_THREAD; e < end; e += step) {
        uint32_t s[EDGES_A_THREAD], t[EDGES_A_THREAD], from[EDGES_A_THREAD],
            to[EDGES_A_THREAD], back_from[EDGES_A_THREAD], back_to[EDGES_A_THREAD];
        uint32_t count = end - e < EDGES_A_THREAD ? (uint32_t)(end - e) : EDGES_A_THREAD;
        if (count == EDGES_A_THREAD) {
            load_four(edges.source + e, s);
            load_four(edges.target + e, t);
        }
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++) {
            if (count < EDGES_A_THREAD) {
                s[i] = edges.source[e + (i < count ? i : 0)];
                t[i] = edges.target[e + (i < count ? i : 0)];
            }
            from[i] = senses.forward ? b.from[s[i]] : NO_BYTE;
            to[i] = senses.forward ? b.to[t[i]] : NO_BYTE;
            back_from[i] = senses.backward ? b.from[t[i]] : NO_BYTE;
            back_to[i] = senses.backward ? b.to[s[i]] : NO_BYTE;
        }
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++) {
            if (i >= count)
                continue;
            if (one_deeper(b, from[i], to[i], s[i], t[i]))
                offer(tree_edge, t[i], (number)e + i);
            if (one_deeper(b, back_from[i], back_to[i], t[i], s[i]))
                offer(tree_edge, s[i], (number)e + i);
        }
    }
}

template <typename number>
static __global__ void parent_edges(device_edges edges, senses senses,
                                    const uint32_t *parent, number *tree_edge) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (senses.forward && parent[t] == s)
            offer(tree_edge, t, (number)e);
        if (senses.backward && parent[s] == t)
            offer(tree_edge, s, (number)e);
    }
}

/* ---- depths and parents: steps ---- */

template <typename number>
static bool make_depth_tree(cuda_job *job, gpugraph_direction direction,
                            const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                            number *tree_edge) {
    device_edges edges;
    if (!begin_tree(job, false, &edges, tree_edge))
        return false;
    depth_bytes bytes = {scratch, scratch + edges.n, deepest < NO_BYTE ? NULL : depth};
    unsigned list = gg_grid(job, edges.n, 16);
    GG_LAUNCH(job, write_bytes, list, depth, edges.n, bytes);
    uint64_t low = 0, high = edges.m;
    for (int part = 1; part < PARTS; part++)
        high /= PART_GROWTH;
    for (int part = 0; part < PARTS && gg_going(job); part++) {
        uint64_t end =
            part == PARTS - 1 ? edges.m : high / EDGES_A_THREAD * EDGES_A_THREAD;
        if (part > 0)
            GG_LAUNCH(job, drop_bytes, list, tree_edge, edges.n, bytes);
        GG_LAUNCH(job, depth_tree, gg_grid(job, (end - low) / EDGES_A_THREAD + 1, 8),
                  edges, senses_of(direction), bytes, low, end, tree_edge);
        low = end;
        high *= PART_GROWTH;
    }
    return gg_going(job);
}

bool gg_device_depth_tree(cuda_job *job, gpugraph_direction direction,
                          const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                          void *tree_edge) {
    return job->graph->wide ? make_depth_tree(job, direction, depth, deepest, scratch,
                                              static_cast<wide_number *>(tree_edge))
                            : make_depth_tree(job, direction, depth, deepest, scratch,
                                              static_cast<uint32_t *>(tree_edge));
}

bool gg_device_parent_edges(cuda_job *job, gpugraph_direction direction,
                            const uint32_t *parent, void *tree_edge) {
    device_edges edges;
    if (!begin_tree(job, false, &edges, tree_edge))
        return false;
    const unsigned grid = gg_grid(job, edges.m, 16);
    const senses sense = senses_of(direction);
    return job->graph->wide ? GG_LAUNCH(job, parent_edges, grid, edges, sense, parent,
                                        static_cast<wide_number *>(tree_edge))
                            : GG_LAUNCH(job, parent_edges, grid, edges, sense, parent,
                                        static_cast<uint32_t *>(tree_edge));
}

/* ---- distances: kernels ---- */

/* Finds the largest distance. One thread per vertex. */
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
    senses sense;
    const typename type::word *distance;
    const unsigned long long *largest; /* largest distance of all */
    const uint32_t *settled;           /* for ties */
    number *tree_edge;
};

template <typename type>
static __device__ __forceinline__ bool one_farther(typename type::word from,
                                                   typename type::weight weight,
                                                   typename type::word to) {
    return from < to && to != type::unreached() && type::add(from, weight) == to;
}

/* Offers one edge, in the senses that the distance of s and the weight allow. */
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

/* One thread to four edges. It loads the distance of the source first: edges are often
** sorted by source, so that this is in a cache. */
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
            forward[i] = j.sense.forward && type::add(ds[i], w[i]) <= most;
            backward[i] = j.sense.backward && ds[i] != type::unreached() &&
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

/* Rounds before the host settles the rest. A round is one pass at the speed of the
** device's memory; the host then needs two passes by one thread. */
enum { TIE_ROUNDS = 64 };

struct tie_scratch {
    uint32_t open;
    uint32_t unused[3]; /* aligns `settled` to 16 bytes */
    uint32_t settled[]; /* n bits */
};

static uint64_t scratch_bytes(uint32_t n) {
    return sizeof(struct tie_scratch) + ((uint64_t)n / 32 + 1) * sizeof(uint32_t);
}

uint64_t gg_distance_tree_scratch(const cuda_job *job) {
    return scratch_bytes(job->graph->n) / sizeof(uint32_t);
}

static __device__ __forceinline__ bool is_settled(const uint32_t *settled, uint32_t v) {
    return settled[v / 32] >> v % 32 & 1;
}

/* One thread per source. */
static __global__ void settle_sources(const uint32_t *source, uint32_t sources,
                                      tie_scratch *s) {
    for (uint64_t i = gg_thread(); i < sources; i += gg_threads_of_grid())
        atomicOr(&s->settled[source[i] / 32], 1u << source[i] % 32);
}

/* Settles vertices that have an edge, and counts reached vertices that are open. One lane
** per vertex, one warp per word. */
template <typename type, typename number>
static __global__ void settle_vertices(const typename type::word *distance, uint32_t n,
                                       const number *tree_edge, tie_scratch *s) {
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
        if (from_u == from_v || !(from_u ? pass.sense.forward : pass.sense.backward))
            continue;
        const typename type::word du = pass.distance[u], dv = pass.distance[v];
        if (du != dv || du == type::unreached() || type::add(du, weights[at]) != dv)
            continue;
        offer(pass.tree_edge, from_u ? v : u, (number)at);
    }
}

/* ---- distances: steps ---- */

template <typename type, typename number>
static bool pass_over_edges(cuda_job *job, distance_pass<type, number> pass,
                            unsigned long long *largest) {
    pass.largest = largest;
    gg_fill(job, largest, 0, sizeof *largest);
    GG_LAUNCH(job, find_largest<type>, gg_grid(job, pass.edges.n, 8), pass.distance,
              pass.edges.n, largest);
    return GG_LAUNCH(job, distance_tree<type>,
                     gg_grid(job, pass.edges.m / EDGES_A_THREAD + 1, 8), pass);
}

/* Marks settled vertices, and counts reached vertices that are open. */
template <typename type, typename number>
static bool count_tied(cuda_job *job, const distance_pass<type, number> &pass,
                       tie_scratch *s, uint32_t *open) {
    const uint32_t n = pass.edges.n;
    gg_fill(job, &s->open, 0, sizeof s->open);
    return GG_LAUNCH(job, settle_vertices<type>, gg_grid(job, n, 16), pass.distance, n,
                     pass.tree_edge, s) &&
           gg_fetch(job, open, &s->open, sizeof *open);
}

template <typename type, typename number>
static bool settle_tied(cuda_job *job, distance_pass<type, number> pass,
                        const uint32_t *source, uint32_t sources, tie_scratch *s,
                        uint32_t *ties) {
    uint32_t before, open;
    pass.settled = s->settled;
    if (!gg_fill(job, s, 0, scratch_bytes(pass.edges.n)) ||
        !GG_LAUNCH(job, settle_sources, gg_grid(job, sources, 2), source, sources, s) ||
        !count_tied(job, pass, s, &open))
        return false;
    before = open + 1;
    for (int round = 0; round < TIE_ROUNDS && open > 0 && open < before; round++) {
        before = open;
        if (!GG_LAUNCH(job, offer_level<type>, gg_grid(job, pass.edges.m, 16), pass) ||
            !count_tied(job, pass, s, &open))
            return false;
    }
    *ties = open;
    return true;
}

/* source, scratch: on the device. */
template <typename type, typename number>
static bool grow_distance_tree(cuda_job *job, const gpugraph_search *search,
                               const void *distance, const uint32_t *source,
                               void *tree_edge, uint32_t *ties, uint32_t *scratch) {
    distance_pass<type, number> pass = {};
    pass.sense = senses_of(search->direction);
    pass.distance = static_cast<const typename type::word *>(distance);
    pass.tree_edge = static_cast<number *>(tree_edge);
    return begin_tree(job, true, &pass.edges, pass.tree_edge) &&
           pass_over_edges(job, pass, reinterpret_cast<unsigned long long *>(scratch)) &&
           (!ties || settle_tied(job, pass, source, search->source_count,
                                 reinterpret_cast<tie_scratch *>(scratch), ties));
}

bool gg_device_distance_tree(cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch) {
    return gg_by_distance_type(job->graph->distance_type, [&](auto one) {
        typedef decltype(one) type;
        const auto grow = job->graph->wide ? grow_distance_tree<type, wide_number>
                                           : grow_distance_tree<type, uint32_t>;
        return grow(job, search, distance, source, tree_edge, ties, scratch);
    });
}
