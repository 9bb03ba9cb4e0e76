/* The engine "persistent" from both ends: what a search for one shortest way needs beside one from
** the source.
**
**     0 .. n - 1       distance from the source       rows
**     n .. 2 n - 1     distance to the target         transpose
**
** Both halves are one graph to the engine: a bucket holds vertices of either. Who lowers a
** distance looks at the same vertex in the other half: that is a way, and no shortest one is longer.
**
**     source  o settled |  low[0] .....   shortest   ..... low[1]  | settled o  target
**
** What a half has not settled is `low` away at least: as far as the bucket begins, or as the lightest
** arc of its end weighs. So a vertex that is farther than the bound less the other half's low either
** is settled there, and then the way through it is known, or lies on no shortest way (may_lead).
** Once both lows together are over the bound every vertex on a shortest way is settled in one half,
** and the bound is the distance (but for rounding). From then on `finishing`: the source's half
** alone goes on, over vertices whose distance to the target is final and that lie on a way within
** the bound. These get the distances that the whole search would give, in whatever order they are
** come upon: an order of buckets would take as many of them again, so all is one bucket, which
** takes in what the lists hold.
**
** REAL distances to the target are sums in the other order: the bound is wider than all rounding,
** and they only say what may be left out.
**
** Where one end has nothing left that waits its half is complete, but for what lies on no shortest
** way. If two blocks that come upon a way at once, from either side, both missed it, a longer one
** would count: the search would end later, and find the same. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_ENDS_CUH
#define GPUGRAPH_SSSP_PERSISTENT_ENDS_CUH

#include "persistent.cuh"

#define NO_WAY (~0ull)

/* ---- rows, of one half or two ---- */

/* Of an arc's number: it is one of `back`, and leads to a vertex from n on. */
#define BACK_ARC (1ull << 63)

/* Asked for at once: what else v leads to, its distance, is on its way together with it. */
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

/* Where the arc's target is kept. */
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

/* Where the arc's weight is kept. */
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
    uint32_t target; /* without what tells the halves apart */
    typename type::weight weight;
};

/* Both asked for at once, where they are wanted. */
template <typename type>
static __device__ __forceinline__ struct arc_ahead<type>
arc_now(const struct persistent<type> &p, uint64_t arc, bool wanted) {
    struct arc_ahead<type> a;
    a.target = gg_load_now(target_place(p, arc), wanted);
    a.weight = gg_load_now(weight_place(p, arc), wanted);
    return a;
}

/* ---- ways ---- */

/* By one thread, at first. */
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

/* v has come to `now`: is there a way through it? */
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

/* False: v, at `sum`, is on no shortest way, or not at that distance. */
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
    /* The bound is the range, and there are arcs at the other end? */
    if (m.ways.shortest == NO_WAY && !p.limits.tight &&
        m.ways.low[1 - end] != type::unreached())
        p.state->dropped = 1;
    return false;
}

/* Are arcs from v, at `now`, to be followed? */
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

/* The whole grid: lightest, of both ends. */
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

/* One thread: for the round after the next one. */
static __device__ __forceinline__ void clear_ends(struct persistent_state *state,
                                                  uint32_t round) {
    state->way[round] = NO_WAY;
    state->waiting[round][0] = state->waiting[round][1] = 0;
}

/* What the block has seen in this round. */
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

/* What all have seen in this round, after the meeting that ended it. The whole block calls. */
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

/* A little less than a bucket, for what rounding does to its number. */
#define NEARLY_A_BUCKET (1 - 1e-6)

/* One thread: what is known once all buckets before that one are done. */
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

/* The whole block, before a bucket. */
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

/* By one thread. */
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

/* The whole block, after a bucket, with the same answer in all blocks. True: the search is over. */
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
        at.bucket = 0; /* the one that all is in */
        at.per_bucket = 0;
    }
    return m.ways.over;
}

#endif
