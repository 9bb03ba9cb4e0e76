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
** the current bucket, or the lightest arc at its end. Let a vertex be farther than the
** bound less the low of the other half. If a shortest path passes it, the other half has
** settled it, so that the path through it is known. So it need not be followed
** (may_lead).
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

#define NO_WAY (~0ull)

/* ---- rows, of one half or two ---- */

/* Set in the number of an arc of `back`, which leads to a vertex from n on. */
#define BACK_ARC (1ull << 63)

/* Loads both offsets at once, so that they travel together with the load of v's
** distance. */
template <typename type>
static __device__ __forceinline__ void
row_at(const struct persistent<type> &p, uint32_t v, uint64_t *begin, uint64_t *end) {
    const bool back = type::ends == 2 && v >= p.g.n;
    const uint32_t first = type::parts ? p.first : 0;
    const uint32_t row = back ? v - p.g.n : v - first;
    *begin = gg_load_now((back ? p.back.begin : p.g.begin) + row, true) |
             (back ? BACK_ARC : 0);
    *end = gg_load_now((back ? p.back.end : p.g.end) + row, true) | (back ? BACK_ARC : 0);
}

template <typename type> static __device__ __forceinline__ bool is_back(uint64_t arc) {
    return type::ends == 2 && (arc & BACK_ARC);
}

/* The number of the first vertex of the half that the arc is in. */
template <typename type>
static __device__ __forceinline__ uint32_t half_of(const struct persistent<type> &p,
                                                   uint64_t arc) {
    return is_back<type>(arc) ? p.g.n : 0;
}

/* The address of the arc's target. */
template <typename type>
static __device__ __forceinline__ const uint32_t *
target_place(const struct persistent<type> &p, uint64_t arc) {
    return is_back<type>(arc) ? p.back.target + (arc & ~BACK_ARC) : p.g.target + arc;
}

template <typename type>
static __device__ __forceinline__ uint32_t target_of(const struct persistent<type> &p,
                                                     uint64_t arc) {
    return __ldg(target_place(p, arc)) + half_of(p, arc);
}

/* The address of the arc's weight. */
template <typename type>
static __device__ __forceinline__ const typename type::weight *
weight_place(const struct persistent<type> &p, uint64_t arc) {
    const void *weights = is_back<type>(arc) ? p.back.weight : p.g.weight;
    return static_cast<const typename type::weight *>(weights) +
           (is_back<type>(arc) ? arc & ~BACK_ARC : arc);
}

template <typename type>
static __device__ __forceinline__ typename type::weight
weight_of(const struct persistent<type> &p, uint64_t arc) {
    return __ldg(weight_place(p, arc));
}

template <typename type> struct arc_ahead {
    uint32_t target; /* target, without n added for the second half */
    typename type::weight weight;
};

/* Loads both at once, if they are wanted. */
template <typename type>
static __device__ __forceinline__ struct arc_ahead<type>
arc_now(const struct persistent<type> &p, uint64_t arc, bool wanted) {
    struct arc_ahead<type> a;
    a.target = gg_load_now(target_place(p, arc), wanted);
    a.weight = gg_load_now(weight_place(p, arc), wanted);
    return a;
}

/* ---- paths ---- */

/* Sets the initial state. One thread calls. */
template <typename type>
static __device__ void forget_ways(const struct persistent<type> &p,
                                   struct block_memory<type> &m) {
    m.ways.seen = m.ways.shortest = NO_WAY;
    m.ways.bound = p.limits.most;
    m.ways.over = m.ways.finishing = false;
    for (int end = 0; end < 2; end++) {
        m.ways.now[end] = m.ways.waiting[end] = 0;
        m.ways.lightest[end] = NO_WAY;
        m.ways.low[end] = m.ways.known[end] = 0;
        m.ways.reach[end] = p.limits.most;
    }
}

template <typename type>
static __device__ __forceinline__ typename type::word
distance_in_other_half(const struct persistent<type> &p, uint32_t v) {
    return gg_peek(&p.distance[v < p.g.n ? v + p.g.n : v - p.g.n]);
}

/* v has fallen to `now`: notes the path through v, if the other half has reached v. */
template <typename type>
static __device__ __forceinline__ void note_way(const struct persistent<type> &p,
                                                struct block_memory<type> &m, uint32_t v,
                                                typename type::word now) {
    if (type::ends == 1)
        return;
    typename type::word rest = distance_in_other_half(p, v);
    if (rest == type::unreached())
        return;
    typename type::word way = type::plus(now, rest);
    if (way <= p.limits.most && way < gg_peek(&m.ways.seen))
        atomicMin(&m.ways.seen, (unsigned long long)way);
}

/* False: no shortest path passes v at the distance `sum`. */
template <typename type>
static __device__ __forceinline__ bool may_lead(const struct persistent<type> &p,
                                                const struct block_memory<type> &m,
                                                uint32_t v, typename type::word sum) {
    if (type::ends == 1)
        return true;
    const int end = v >= p.g.n;
    if (sum <= m.ways.reach[end])
        return true;
    typename type::word rest = distance_in_other_half(p, v);
    if (rest <= m.ways.known[1 - end] && type::plus(sum, rest) <= m.ways.bound)
        return true;
    /* Is the bound the range of distances, and are there arcs at the other end? */
    if (m.ways.shortest == NO_WAY && !p.limits.tight &&
        m.ways.low[1 - end] != type::unreached())
        p.state->dropped = 1;
    return false;
}

/* True if the arcs of v, at distance `now`, should be followed. */
template <typename type>
static __device__ __forceinline__ bool is_wanted(const struct persistent<type> &p,
                                                 const struct block_memory<type> &m,
                                                 uint32_t v, typename type::word now) {
    if (!is_finishing(m))
        return true;
    if (v >= p.g.n)
        return false;
    typename type::word rest = distance_in_other_half(p, v);
    return rest <= m.ways.known[1] && type::plus(now, rest) <= m.ways.bound;
}

/* ---- between blocks ---- */

/* Finds the lightest arc at both ends. The whole grid calls. */
template <typename type>
static __device__ void weigh_ends(const struct persistent<type> &p,
                                  struct block_memory<type> &m) {
    for (uint32_t end = 0; end < 2; end++) {
        uint64_t arc, stop;
        row_at(p, p.ends[end] + (end > 0 ? p.g.n : 0), &arc, &stop);
        for (arc += gg_thread(); arc < stop; arc += gg_threads_of_grid()) {
            unsigned long long weight = type::add(0, weight_of(p, arc));
            if (weight < gg_peek(&m.ways.lightest[end]))
                atomicMin(&m.ways.lightest[end], weight);
        }
    }
    __syncthreads();
    if (threadIdx.x < 2 && m.ways.lightest[threadIdx.x] != NO_WAY)
        atomicMin(&p.state->lightest[threadIdx.x], m.ways.lightest[threadIdx.x]);
}

/* Clears the counters of the round after the next one. One thread calls. */
static __device__ __forceinline__ void clear_ends(struct persistent_state *state,
                                                  uint32_t round) {
    state->way[round] = NO_WAY;
    state->waiting[round][0] = state->waiting[round][1] = 0;
}

/* Adds what the block has seen in this round. */
template <typename type>
static __device__ __forceinline__ void tell_ends(const struct persistent<type> &p,
                                                 const struct place<type> &at,
                                                 struct block_memory<type> &m) {
    const uint32_t round = at.round % 3;
    if (threadIdx.x == 0 && m.ways.seen < m.ways.shortest)
        atomicMin(&p.state->way[round], m.ways.seen);
    if (threadIdx.x < 2 && m.ways.now[threadIdx.x] != 0) {
        atomicAdd(&p.state->waiting[round][threadIdx.x], m.ways.now[threadIdx.x]);
        m.ways.now[threadIdx.x] = 0;
    }
}

template <typename type>
static __device__ __forceinline__ void set_reach(struct block_memory<type> &m) {
    for (int end = 0; end < 2; end++)
        m.ways.reach[end] = type::without(m.ways.bound, m.ways.low[1 - end]);
}

/* Reads what all blocks have seen in the last round, after its barrier. The whole block
** calls. */
template <typename type>
static __device__ __forceinline__ void hear_ends(const struct persistent<type> &p,
                                                 const struct place<type> &at,
                                                 struct block_memory<type> &m) {
    if (type::ends == 1)
        return;
    const uint32_t round = at.round % 3;
    if (threadIdx.x < 2) {
        m.ways.waiting[threadIdx.x] += gg_peek(&p.state->waiting[round][threadIdx.x]);
        m.ways.lightest[threadIdx.x] = gg_peek(&p.state->lightest[threadIdx.x]);
    }
    if (threadIdx.x == 0) {
        unsigned long long way = gg_peek(&p.state->way[round]);
        if (way < m.ways.shortest) {
            m.ways.shortest = way;
            m.ways.bound = type::bound((typename type::word)way);
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
static __device__ void set_lows(const struct persistent<type> &p,
                                const struct place<type> &at,
                                struct block_memory<type> &m, uint32_t bucket) {
    typedef typename type::word word;
    struct ways<type> &w = m.ways;
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
static __device__ void begin_bucket(const struct persistent<type> &p,
                                    const struct place<type> &at,
                                    struct block_memory<type> &m) {
    if (type::ends == 1 || is_finishing(m))
        return;
    if (threadIdx.x == 0)
        set_lows(p, at, m, at.bucket);
    __syncthreads();
}

/* Tests whether the search is over, or may finish. One thread calls. */
template <typename type>
static __device__ void try_to_finish(const struct persistent<type> &p,
                                     const struct place<type> &at,
                                     struct block_memory<type> &m) {
    struct ways<type> &w = m.ways;
    const bool all_back = w.waiting[1] == 0;
    set_lows(p, at, m, at.bucket + 1);
    w.over = w.waiting[0] == 0 || (all_back && w.shortest == NO_WAY);
    w.finishing = !w.over && w.shortest != NO_WAY &&
                  (all_back || type::plus(w.low[0], w.low[1]) > w.bound);
    if (all_back)
        w.known[1] = p.limits.most;
    w.list = at.bucket;
}

/* After a bucket: true if the search is over. The whole block calls, and all blocks get
** the same answer. */
template <typename type>
static __device__ bool look_at_ends(const struct persistent<type> &p,
                                    struct place<type> &at,
                                    struct block_memory<type> &m) {
    if (type::ends == 1 || is_finishing(m))
        return false;
    __syncthreads();
    if (threadIdx.x == 0)
        try_to_finish(p, at, m);
    __syncthreads();
    if (is_finishing(m)) {
        at.bucket = 0; /* the only bucket from now on */
        at.per_bucket = 0;
    }
    return m.ways.over;
}

#endif
