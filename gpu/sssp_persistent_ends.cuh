/* The engine "persistent" from both ends: what a search for one shortest way needs beside one from
** the source.
**
**     0 .. n - 1       distance from the source       rows
**     n .. 2 n - 1     distance to the target         rows turned round
**
** Both halves are one graph to the engine: a bucket holds vertices of either. Who lowers a
** distance looks at the same vertex in the other half: a way. Two vertices that are settled in
** neither half, nor ever will be in this bucket, are farther than half the bound from both ends.
** So once half the length of the shortest way seen lies in a bucket that is done, every vertex on
** a shortest way is settled in one half, and that length is the distance. From then on `finishing`:
** the source's half alone goes on, over vertices whose distance to the target is final and that lie
** on a way within the bound. These get the distances that the whole search would give, in whatever
** order they are come upon: an order of buckets would take as many of them again, so all is one
** bucket, which takes in what the lists hold.
**
** REAL distances to the target are sums in the other order: the bound is wider than all rounding,
** and they only say what may be left out.
**
** Where one end has nothing left that waits its half is complete, but for what is over the bound. If
** two blocks that come upon a way at once, from either side, both missed it, a longer one would
** count: the search would end later, and find the same. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_ENDS_CUH
#define GPUGRAPH_SSSP_PERSISTENT_ENDS_CUH

#include "sssp_persistent.cuh"

#define NO_WAY (~0ull)

/* v has come to `now`: is there a way through it? */
template <typename type>
static __device__ __forceinline__ void note_way(const struct persistent<type> &p,
                                                struct block_memory<type> &m, uint32_t v,
                                                typename type::word now) {
    if (type::ends == 1)
        return;
    typename type::word rest = gg_peek(&p.distance[v < p.g.n ? v + p.g.n : v - p.g.n]);
    if (rest == type::unreached())
        return;
    typename type::word way = type::plus(now, rest);
    if (way <= p.limits.most && way < m.way)
        atomicMin(&m.way, (unsigned long long)way);
}

/* False: no shortest way leads through v, at `now`. */
template <typename type>
static __device__ __forceinline__ bool is_wanted(const struct persistent<type> &p,
                                                 const struct place<type> &at, uint32_t v,
                                                 typename type::word now) {
    if (!is_finishing(at))
        return true;
    if (v >= p.g.n)
        return false;
    typename type::word rest = gg_peek(&p.distance[v + p.g.n]);
    return rest <= at.ends.known && type::plus(now, rest) <= at.ends.bound;
}

/* ---- between blocks ---- */

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
    if (threadIdx.x == 0 && m.way < at.ends.way)
        atomicMin(&p.state->way[round], m.way);
    if (threadIdx.x < 2 && m.waiting[threadIdx.x] != 0) {
        atomicAdd(&p.state->waiting[round][threadIdx.x], m.waiting[threadIdx.x]);
        m.waiting[threadIdx.x] = 0;
    }
}

/* What all have seen in this round, after the meeting that ended it. */
template <typename type>
static __device__ __forceinline__ void hear_ends(const struct persistent<type> &p,
                                                 struct place<type> &at) {
    if (type::ends == 1)
        return;
    const uint32_t round = at.round % 3;
    unsigned long long way = gg_peek(&p.state->way[round]);
    if (way < at.ends.way) {
        at.ends.way = way;
        at.ends.bound = type::bound((typename type::word)way);
    }
    for (int end = 0; end < 2; end++)
        at.ends.waiting[end] += gg_peek(&p.state->waiting[round][end]);
}

/* After a bucket, with the same answer in all blocks. True: the search is over. */
template <typename type>
static __device__ bool look_at_ends(struct place<type> &at, typename type::word most) {
    struct ends<type> &ends = at.ends;
    if (type::ends == 1)
        return false;
    if (ends.finishing)
        return false;
    const bool all_back = ends.waiting[1] == 0;
    if (ends.waiting[0] == 0)
        return true;
    if (ends.way == NO_WAY)
        return all_back;
    const typename type::word half = type::half(ends.bound);
    if (!all_back && bucket_of(at, half) > at.bucket)
        return false;
    ends.finishing = true;
    ends.list = at.bucket;
    at.bucket = 0; /* the one that all is in */
    at.per_bucket = 0;
    ends.known = all_back ? most : type::others(ends.bound, half);
    ends.settled = all_back ? 0 : half;
    return false;
}

#endif
