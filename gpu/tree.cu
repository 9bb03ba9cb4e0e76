/* Tree edges on the device: tree.c beside this has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**         depths        depth[u] + 1 = depth[v]
**         distances     distance[u] + weight = distance[v] and distance[u] < distance[v]
**         parents       u = parent[v]
**
** One pass over the edge list, an atomic minimum for each edge that fits; a load looks
** first, for most edges come too late. What costs is the gather of two values for each
** edge, so as few and as narrow ones as will do:
**     depths       a byte, depth mod 255, from tables that mostly stay in the second-level
**                  cache. The pass is cut into parts; a vertex that has its edge after a
**                  part loses its byte, since all further edges have larger numbers
**     distances    a byte of the far end's, which most sums do not fit, where all of them
**                  are more than the cache holds; and nothing where the near end's and the
**                  weight leave no chance: no sum beyond the largest leads to a vertex */
#include "cuda.cuh"
#include "distance.cuh"
#include "frontier.cuh"

/* Edge numbers of 64 bits, as atomics know them. `number` below is this or uint32_t. */
typedef unsigned long long wide_number;

/* e is offered to v. No edge is the largest number, so it loses against all. */
template <typename number>
static __device__ __forceinline__ void offer(number *tree_edge, uint32_t v, number e) {
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

/* Byte of a depth; NO_BYTE: not reached, or an edge is known. */
#define NO_BYTE 255u
enum { EDGES_A_THREAD = 4, PARTS = 3, PART_GROWTH = 4 };

struct depth_bytes { /* of the vertices where an edge begins, and where it ends */
    uint8_t *from, *to;
    const uint32_t *depth; /* NULL: the bytes are the depths */
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

/* Four entries of an array that begins at a multiple of 16 bytes, as streams are read. */
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

static __device__ __forceinline__ bool one_deeper(const depth_bytes &b, uint32_t from,
                                                  uint32_t to, uint32_t u, uint32_t v) {
    uint32_t next = from + 1 == NO_BYTE ? 0 : from + 1;
    return from != NO_BYTE && to == next && (!b.depth || b.depth[v] == b.depth[u] + 1);
}

/* One thread to four edges, from `begin`, a multiple of four, to `end`. */
template <typename number>
static __global__ void depth_tree(device_edges edges, ways ways, depth_bytes b,
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
            from[i] = ways.forward ? b.from[s[i]] : NO_BYTE;
            to[i] = ways.forward ? b.to[t[i]] : NO_BYTE;
            back_from[i] = ways.backward ? b.from[t[i]] : NO_BYTE;
            back_to[i] = ways.backward ? b.to[s[i]] : NO_BYTE;
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
static __global__ void parent_edges(device_edges edges, ways ways, const uint32_t *parent,
                                    number *tree_edge) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (ways.forward && parent[t] == s)
            offer(tree_edge, t, (number)e);
        if (ways.backward && parent[s] == t)
            offer(tree_edge, s, (number)e);
    }
}

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

static bool begin(struct cuda_job *job, bool weighted, struct device_edges *edges,
                  void *tree_edge) {
    return gg_device_edges(job, weighted, edges) &&
           gg_fill(job, tree_edge, 0xff, gg_tree_bytes(job, true));
}

uint64_t gg_depth_tree_scratch(const struct cuda_job *job, gpugraph_direction direction) {
    uint64_t bytes = 2 * (uint64_t)job->graph->n;
    uint64_t rows = gg_tree_rows_scratch(job, direction);
    return rows > bytes ? rows : bytes;
}

template <typename number>
static bool depth_tree_by_edges(struct cuda_job *job, gpugraph_direction direction,
                                const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                                number *tree_edge) {
    struct device_edges edges;
    if (!begin(job, false, &edges, tree_edge))
        return false;
    depth_bytes bytes = {scratch, scratch + edges.n, deepest < NO_BYTE ? NULL : depth};
    unsigned list = gg_grid(job, edges.n, 16);
    write_bytes<<<list, GG_BLOCK, 0, job->stream>>>(depth, edges.n, bytes);
    gg_launched(job, "write_bytes");
    uint64_t low = 0, high = edges.m;
    for (int part = 1; part < PARTS; part++)
        high /= PART_GROWTH;
    for (int part = 0; part < PARTS && gg_going(job); part++) {
        uint64_t end =
            part == PARTS - 1 ? edges.m : high / EDGES_A_THREAD * EDGES_A_THREAD;
        if (part > 0)
            drop_bytes<<<list, GG_BLOCK, 0, job->stream>>>(tree_edge, edges.n, bytes);
        depth_tree<<<gg_grid(job, (end - low) / EDGES_A_THREAD + 1, 8), GG_BLOCK, 0,
                     job->stream>>>(edges, ways_of(direction), bytes, low, end,
                                    tree_edge);
        gg_launched(job, "depth_tree");
        low = end;
        high *= PART_GROWTH;
    }
    return gg_going(job);
}

bool gg_device_depth_tree(struct cuda_job *job, gpugraph_direction direction,
                          const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                          uint64_t scratch_bytes, void *tree_edge) {
    bool done = false;
    if (job->graph->wide)
        return depth_tree_by_edges(job, direction, depth, deepest, scratch,
                                   static_cast<wide_number *>(tree_edge));
    uint32_t *narrow = static_cast<uint32_t *>(tree_edge);
    if (!gg_tree_by_rows(job, direction, depth, deepest, scratch, scratch_bytes, narrow,
                         &done) ||
        done)
        return gg_going(job);
    return depth_tree_by_edges(job, direction, depth, deepest, scratch, narrow);
}

template <typename number>
static bool find_parent_edges(struct cuda_job *job, gpugraph_direction direction,
                              const uint32_t *parent, number *tree_edge) {
    struct device_edges edges;
    if (!begin(job, false, &edges, tree_edge))
        return false;
    parent_edges<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(
        edges, ways_of(direction), parent, tree_edge);
    return gg_launched(job, "parent_edges");
}

bool gg_device_parent_edges(struct cuda_job *job, gpugraph_direction direction,
                            const uint32_t *parent, void *tree_edge) {
    return job->graph->wide ? find_parent_edges(job, direction, parent,
                                                static_cast<wide_number *>(tree_edge))
                            : find_parent_edges(job, direction, parent,
                                                static_cast<uint32_t *>(tree_edge));
}

template <typename type, typename number>
static bool grow_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                               const void *distance, const uint32_t *source,
                               number *tree_edge, uint32_t *ties, uint32_t *scratch) {
    struct device_edges edges;
    const typename type::word *word = static_cast<const typename type::word *>(distance);
    uint32_t *is_root = scratch + 1;
    if (!begin(job, true, &edges, tree_edge) ||
        !gg_fill(job, scratch, 0, ((uint64_t)edges.n / 32 + 2) * sizeof *scratch))
        return false;
    /* The largest distance lies where the ties are counted afterwards. */
    unsigned long long *largest = reinterpret_cast<unsigned long long *>(scratch);
    uint8_t *byte = (uint64_t)edges.n * sizeof *word < GG_TREE_CACHED
                        ? NULL
                        : reinterpret_cast<uint8_t *>(scratch + edges.n / 32 + 2);
    survey<type><<<gg_grid(job, edges.n, 8), GG_BLOCK, 0, job->stream>>>(word, edges.n,
                                                                         largest, byte);
    gg_launched(job, "survey");
    const tree_job<type, number> work = {
        edges, ways_of(search->direction), word, largest, byte, tree_edge};
    distance_tree<type>
        <<<gg_grid(job, edges.m / EDGES_A_THREAD + 1, 8), GG_BLOCK, 0, job->stream>>>(
            work);
    gg_launched(job, "distance_tree");
    if (!gg_fill(job, scratch, 0, sizeof *largest))
        return false;
    mark_roots<<<gg_grid(job, search->source_count, 2), GG_BLOCK, 0, job->stream>>>(
        source, search->source_count, is_root);
    gg_launched(job, "mark_roots");
    count_ties<type><<<gg_grid(job, edges.n, 16), GG_BLOCK, 0, job->stream>>>(
        word, edges.n, tree_edge, is_root, scratch);
    gg_launched(job, "count_ties");
    return gg_fetch(job, ties, scratch, sizeof *ties);
}

template <typename type>
static bool distances(struct cuda_job *job, const gpugraph_search *search,
                      const void *distance, const uint32_t *source, void *tree_edge,
                      uint32_t *ties, uint32_t *scratch) {
    return job->graph->wide
               ? grow_distance_tree<type>(job, search, distance, source,
                                          static_cast<wide_number *>(tree_edge), ties,
                                          scratch)
               : grow_distance_tree<type>(job, search, distance, source,
                                          static_cast<uint32_t *>(tree_edge), ties,
                                          scratch);
}

uint64_t gg_distance_tree_scratch(uint32_t n) {
    return (uint64_t)n / 32 + 2 + ((uint64_t)n + 3) / 4;
}

bool gg_device_distance_tree(struct cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch) {
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
