/* The engine "persistent" from both ends: what a search for one shortest path needs
** besides the search from the source.
**
**     0 .. n - 1       distance from the source       rows
**     n .. 2 n - 1     distance to the target         transpose
**
** Both halves are one graph to the engine: a bucket holds vertices of both. A thread that
** lowers a distance looks at the same vertex in the other half. If that is reached, there
** is a path through the vertex, and no shortest path is longer.
**
**     source  o settled |  low[0] .....   shortest   ..... low[1]  | settled o  target
**
** `low` is a lower bound of the distances that a half has not settled: the beginning of
** the current bucket, or the lightest arc at its end. A vertex whose distance exceeds the
** bound minus the other half's `low` need not be followed (may_lead). If a shortest path
** passes the vertex, the other half has settled the vertex, and the path is known.
**
** Once both lows together exceed the bound, every vertex on a shortest path is settled in
** one half, and the bound is the distance, except for rounding. From then on the search
** is `finishing`: the source's half continues alone, over vertices whose distance to the
** target is final and that lie on a path within the bound. These vertices get the
** distances that the whole search would find, in any order of relaxations. Ordered
** buckets would need as many rounds again, so there is one bucket, which takes the
** entries of all lists.
**
** REAL distances to the target are sums in the other order. They only decide which
** vertices to leave out, and the bound is wider than all their rounding.
**
** If no vertex of one half waits, that half has settled every vertex on a shortest path.
** If two blocks reach a path from both sides at once and both miss it, a longer path
** counts. The search then ends later, with the same result. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_ENDS_CUH
#define GPUGRAPH_SSSP_PERSISTENT_ENDS_CUH

#include "persistent.cuh"

#define NO_PATH (~0ull)

/* ---- rows, of one half or two ---- */

/* Set in the number of an arc of `back`, which leads to a vertex from n on. */
#define BACK_ARC (1ull << 63)

/* Loads both offsets at once, so that they travel together with the load of v's
** distance. */
template <typename type>
SSSP_STEP void row_at(const persistent<type> &p, uint32_t v, uint64_t *begin,
                      uint64_t *end) {
    const bool back = type::ends == 2 && v >= p.g.n;
    const uint32_t first = type::parts ? p.first : 0;
    const uint32_t row = back ? v - p.g.n : v - first;
    *begin = gg_load_now((back ? p.back.begin : p.g.begin) + row, true) |
             (back ? BACK_ARC : 0);
    *end = gg_load_now((back ? p.back.end : p.g.end) + row, true) | (back ? BACK_ARC : 0);
}

template <typename type> SSSP_STEP bool is_back(uint64_t arc) {
    return type::ends == 2 && (arc & BACK_ARC);
}

/* The number of the first vertex of the half that the arc is in. */
template <typename type>
SSSP_STEP uint32_t half_of(const persistent<type> &p, uint64_t arc) {
    return is_back<type>(arc) ? p.g.n : 0;
}

/* The address of the arc's target. */
template <typename type>
SSSP_STEP const uint32_t *target_place(const persistent<type> &p, uint64_t arc) {
    return is_back<type>(arc) ? p.back.target + (arc & ~BACK_ARC) : p.g.target + arc;
}

template <typename type>
SSSP_STEP uint32_t target_of(const persistent<type> &p, uint64_t arc) {
    return __ldg(target_place(p, arc)) + half_of(p, arc);
}

/* The address of the arc's weight. */
template <typename type>
SSSP_STEP const typename type::weight *weight_place(const persistent<type> &p,
                                                    uint64_t arc) {
    const void *weights = is_back<type>(arc) ? p.back.weight : p.g.weight;
    return static_cast<const typename type::weight *>(weights) +
           (is_back<type>(arc) ? arc & ~BACK_ARC : arc);
}

template <typename type>
SSSP_STEP typename type::weight weight_of(const persistent<type> &p, uint64_t arc) {
    return __ldg(weight_place(p, arc));
}

template <typename type> struct arc_ahead {
    uint32_t target; /* target, without n added for the second half */
    typename type::weight weight;
};

/* Loads both at once, if they are wanted. */
template <typename type>
SSSP_STEP arc_ahead<type> arc_now(const persistent<type> &p, uint64_t arc, bool wanted) {
    arc_ahead<type> a;
    a.target = gg_load_now(target_place(p, arc), wanted);
    a.weight = gg_load_now(weight_place(p, arc), wanted);
    return a;
}

/* ---- paths ---- */

/* Sets the initial state. One thread calls. */
template <typename type>
static __device__ void forget_paths(const persistent<type> &p, block_memory<type> &m) {
    m.paths.seen = m.paths.shortest = NO_PATH;
    m.paths.bound = p.limits.most;
    m.paths.over = m.paths.finishing = false;
    for (int end = 0; end < 2; end++) {
        m.paths.now[end] = m.paths.waiting[end] = 0;
        m.paths.lightest[end] = NO_PATH;
        m.paths.low[end] = m.paths.known[end] = 0;
        m.paths.reach[end] = p.limits.most;
    }
}

template <typename type>
SSSP_STEP typename type::word distance_in_other_half(const persistent<type> &p,
                                                     uint32_t v) {
    return gg_peek(&p.distance[v < p.g.n ? v + p.g.n : v - p.g.n]);
}

/* v has fallen to `now`: notes the path through v, if the other half has reached v. */
template <typename type>
SSSP_STEP void note_path(const persistent<type> &p, block_memory<type> &m, uint32_t v,
                         typename type::word now) {
    if (type::ends == 1)
        return;
    typename type::word rest = distance_in_other_half(p, v);
    if (rest == type::unreached())
        return;
    typename type::word length = type::plus(now, rest);
    if (length <= p.limits.most && length < gg_peek(&m.paths.seen))
        atomicMin(&m.paths.seen, (unsigned long long)length);
}

/* False: no shortest path passes v at the distance `sum`. */
template <typename type>
SSSP_STEP bool may_lead(const persistent<type> &p, const block_memory<type> &m,
                        uint32_t v, typename type::word sum) {
    if (type::ends == 1)
        return true;
    const int end = v >= p.g.n;
    if (sum <= m.paths.reach[end])
        return true;
    typename type::word rest = distance_in_other_half(p, v);
    if (rest <= m.paths.known[1 - end] && type::plus(sum, rest) <= m.paths.bound)
        return true;
    /* No path is known, and a path through v would leave the range of distances. */
    if (m.paths.shortest == NO_PATH && !p.limits.tight &&
        m.paths.low[1 - end] != type::unreached())
        p.state->dropped = 1;
    return false;
}

/* True if the arcs of v, at distance `now`, should be followed. */
template <typename type>
SSSP_STEP bool is_wanted(const persistent<type> &p, const block_memory<type> &m,
                         uint32_t v, typename type::word now) {
    if (!is_finishing(m))
        return true;
    if (v >= p.g.n)
        return false;
    typename type::word rest = distance_in_other_half(p, v);
    return rest <= m.paths.known[1] && type::plus(now, rest) <= m.paths.bound;
}

/* ---- between blocks ---- */

/* Finds the lightest arc at each end. The whole grid calls. */
template <typename type>
static __device__ void weigh_ends(const persistent<type> &p, block_memory<type> &m) {
    for (uint32_t end = 0; end < 2; end++) {
        uint64_t arc, stop;
        row_at(p, p.ends[end] + (end > 0 ? p.g.n : 0), &arc, &stop);
        for (arc += gg_thread(); arc < stop; arc += gg_threads_of_grid()) {
            unsigned long long weight = type::add(0, weight_of(p, arc));
            if (weight < gg_peek(&m.paths.lightest[end]))
                atomicMin(&m.paths.lightest[end], weight);
        }
    }
    __syncthreads();
    if (threadIdx.x < 2 && m.paths.lightest[threadIdx.x] != NO_PATH)
        atomicMin(&p.state->lightest[threadIdx.x], m.paths.lightest[threadIdx.x]);
}

/* Adds what the block has seen in this round. */
template <typename type>
SSSP_STEP void report_ends(const persistent<type> &p, const place<type> &at,
                           block_memory<type> &m) {
    const uint32_t round = at.round % 3;
    if (threadIdx.x == 0 && m.paths.seen < m.paths.shortest)
        atomicMin(&p.state->path[round], m.paths.seen);
    if (threadIdx.x < 2 && m.paths.now[threadIdx.x] != 0) {
        atomicAdd(&p.state->waiting[round][threadIdx.x], m.paths.now[threadIdx.x]);
        m.paths.now[threadIdx.x] = 0;
    }
}

template <typename type> SSSP_STEP void set_reach(block_memory<type> &m) {
    for (int end = 0; end < 2; end++)
        m.paths.reach[end] = type::without(m.paths.bound, m.paths.low[1 - end]);
}

/* Reads what all blocks have seen in the last round, after its barrier. The whole block
** calls. */
template <typename type>
SSSP_STEP void read_ends(const persistent<type> &p, const place<type> &at,
                         block_memory<type> &m) {
    if (type::ends == 1)
        return;
    const uint32_t round = at.round % 3;
    if (threadIdx.x < 2) {
        m.paths.waiting[threadIdx.x] += gg_peek(&p.state->waiting[round][threadIdx.x]);
        m.paths.lightest[threadIdx.x] = gg_peek(&p.state->lightest[threadIdx.x]);
    }
    if (threadIdx.x == 0) {
        unsigned long long length = gg_peek(&p.state->path[round]);
        if (length < m.paths.shortest) {
            m.paths.shortest = length;
            m.paths.bound = type::bound((typename type::word)length);
            set_reach(m);
        }
    }
    __syncthreads();
}

/* ---- between buckets ---- */

/* A little less than a bucket, because the number of a bucket is rounded. */
#define NEARLY_A_BUCKET (1 - 1e-6)

/* Sets the bounds that hold once all buckets before this one are done. One thread
** calls. */
template <typename type>
static __device__ void set_lows(const persistent<type> &p, const place<type> &at,
                                block_memory<type> &m, uint32_t bucket) {
    typedef typename type::word word;
    found_paths<type> &w = m.paths;
    const word begin = type::past(at.origin, bucket * p.delta * NEARLY_A_BUCKET);
    for (int end = 0; end < 2; end++) {
        const unsigned long long lightest = w.lightest[end];
        w.low[end] = lightest <= begin              ? begin
                     : lightest < type::unreached() ? (word)lightest
                                                    : type::unreached();
        w.known[end] = w.low[end] > 0 ? w.low[end] - 1 : 0;
    }
    set_reach(m);
}

/* Prepares the next bucket. The whole block calls. */
template <typename type>
static __device__ void begin_bucket(const persistent<type> &p, const place<type> &at,
                                    block_memory<type> &m) {
    if (type::ends == 1 || is_finishing(m))
        return;
    if (threadIdx.x == 0)
        set_lows(p, at, m, at.bucket);
    __syncthreads();
}

/* After a bucket: true if the search is over. The whole block calls, and all blocks get
** the same answer. */
template <typename type>
static __device__ bool look_at_ends(const persistent<type> &p, place<type> &at,
                                    block_memory<type> &m) {
    if (type::ends == 1 || is_finishing(m))
        return false;
    found_paths<type> &w = m.paths;
    __syncthreads();
    if (threadIdx.x == 0) {
        const bool all_back = w.waiting[1] == 0;
        set_lows(p, at, m, at.bucket + 1);
        w.over = w.waiting[0] == 0 || (all_back && w.shortest == NO_PATH);
        w.finishing = !w.over && w.shortest != NO_PATH &&
                      (all_back || type::plus(w.low[0], w.low[1]) > w.bound);
        if (all_back)
            w.known[1] = p.limits.most;
        w.list = at.bucket;
    }
    __syncthreads();
    if (is_finishing(m)) {
        at.bucket = 0; /* the only bucket from now on */
        at.per_bucket = 0;
    }
    return w.over;
}

#endif
