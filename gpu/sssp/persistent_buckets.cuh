/* The engine "persistent" from bucket to bucket: the common work of all blocks between
** the steps that relax a list.
**
**     seed, then for each bucket   finish_bucket     rounds until the bucket stays empty
**                                  targets_wait      is a target not final?
**                                  next_bucket       one with entries, or deal_rest
**
** Every block reads the same board after each grid barrier. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_BUCKETS_CUH
#define GPUGRAPH_SSSP_PERSISTENT_BUCKETS_CUH

#include "persistent_local.cuh"
#include "persistent_pull.cuh"

template <typename type>
static __device__ void begin(const persistent<type> &p, block_memory<type> &m) {
    for (uint64_t v = gg_thread(); v < p.vertices; v += gg_threads_of_grid()) {
        p.distance[v] = type::unreached();
        p.mark[v] = 0;
    }
    if (type::ends == 2)
        weigh_ends(p, m);
}

/* Lists the sources for round 1, one thread per source, repeats allowed. From both ends
** the target, which comes after the source, is listed, too. */
template <typename type>
static __device__ void seed(const persistent<type> &p, const place<type> &at,
                            block_memory<type> &m) {
    if (p.limits.none)
        return;
    const uint32_t seeds = type::ends == 2 ? 2 : p.limits.sources;
    for (uint64_t i = gg_thread(); i < seeds; i += gg_threads_of_grid()) {
        uint32_t v = p.ends[i] + (type::ends == 2 && i == 1 ? p.g.n : 0);
        if (atomicExch(&p.distance[v], (typename type::word)0) != 0) {
            note_waiting(p, m, v, 1);
            settle(p, m, v);
            put(p, at, m, next_list(at), v);
        }
    }
}

/* Adds up the block's counts, and empties its stages. */
template <typename type>
static __device__ void close(const persistent<type> &p, const place<type> &at,
                             block_memory<type> &m) {
    unload_all(p, at, m);
    if (threadIdx.x == 0 && m.settled > 0) {
        atomicAdd(&p.state->board.round[at.round % 3].settled, m.settled);
        m.settled = 0;
    }
    if (type::ends == 2)
        report_ends(p, at, m);
}

/* True if a target is not final, or there are no targets. The whole block calls, and the
** answer is the same in all blocks although others may continue meanwhile. */
template <typename type>
static __device__ bool targets_wait(const persistent<type> &p, const place<type> &at) {
    bool waits = p.limits.targets == 0;
    for (uint32_t i = threadIdx.x; i < p.limits.targets && !waits;
         i += GG_PERSISTENT_BLOCK) {
        typename type::word d = gg_peek(&p.distance[p.ends[p.limits.sources + i]]);
        waits = d == type::unreached() || !is_final(at, d);
    }
    return __syncthreads_or(waits);
}

/* Starts a round, and clears the counters of the one after it. */
template <typename type>
static __device__ void next_round(const persistent<type> &p, place<type> &at,
                                  uint32_t vertices) {
    at.round++;
    if (blockIdx.x != 0 || threadIdx.x != 0)
        return;
    const uint32_t next = (at.round + 1) % 3;
    p.state->board.round[next] = {0, 0, 0, 0, 0, 0};
    p.state->path[next] = NO_PATH;
    p.state->waiting[next][0] = p.state->waiting[next][1] = 0;
    if ((vertices > LARGE_ROUND || at.round % STOP_ROUNDS == 0) &&
        *(const volatile uint32_t *)p.limits.stop != 0)
        atomicOr(&p.state->board.round[at.round % 3].flags, (uint32_t)STOPPED);
}

/* Distributes the rest over buckets that begin at its least distance. Buckets become
** wider when the rest becomes small, because a round of few vertices takes as long as a
** round of some more. False: there is no rest, or a block was lost. */
template <typename type>
static __device__ bool deal_rest(const persistent<type> &p, place<type> &at,
                                 block_memory<type> &m, uint32_t *barriers) {
    typedef typename type::word word;
    persistent_state *state = p.state;
    const uint32_t count = m.board.count[REST_LIST + at.side];
    const uint32_t *pile = list_at(p, REST_LIST + at.side);
    if (count == 0)
        return false;
    if (blockIdx.x == 0 && threadIdx.x < REST)
        state->board.count[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        m.least = ~0ull;
    __syncthreads();
    unsigned long long least = ~0ull;
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        word d = gg_peek(&p.distance[__ldcg(&pile[i])]);
        if (bucket_of(at, d) == REST && d < least)
            least = d;
    }
    if (least < m.least)
        atomicMin(&m.least, least);
    __syncthreads();
    if (threadIdx.x == 0 && m.least < gg_peek(&state->least))
        atomicMin(&state->least, m.least);
    if (!meet(state, barriers, m))
        return false;
    least = gg_peek(&state->least);
    if (least == ~0ull)
        return false;
    const place<type> before = at;
    if (count < p.fall * at.rest)
        at.per_bucket /= GG_PERSISTENT_WIDER;
    at.rest = count;
    at.origin = (word)least;
    at.bucket = 0;
    at.side = 1 - at.side;
    for (uint64_t i = gg_thread(); i - gg_lane() < count; i += gg_threads_of_grid()) {
        uint32_t v = i < count ? __ldcg(&pile[i]) : 0;
        word d = gg_peek(&p.distance[v]);
        if (i < count && bucket_of(before, d) == REST) {
            uint32_t bucket = bucket_of(at, d);
            put(p, at, m, bucket == REST ? REST_LIST + at.side : bucket, v);
        }
        make_room(p, at, m);
    }
    unload_all(p, at, m);
    if (!meet(state, barriers, m))
        return false;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        state->least = ~0ull;
        state->board.count[REST_LIST + before.side] = 0;
    }
    return true;
}

/* From both ends, when finishing: the next list that has not been read. */
template <typename type>
static __device__ bool next_left(const place<type> &at, block_memory<type> &m) {
    uint32_t list = m.paths.list + 1;
    while (list < LISTS &&
           (m.board.count[list] == 0 || (list >= REST && list != REST_LIST + at.side)))
        list++;
    __syncthreads();
    if (threadIdx.x == 0)
        m.paths.list = list;
    __syncthreads();
    return list < LISTS;
}

/* The next bucket that has entries, from its list or from the rest. */
template <typename type>
static __device__ bool next_bucket(const persistent<type> &p, place<type> &at,
                                   block_memory<type> &m, uint32_t *barriers) {
    if (is_finishing(m))
        return next_left(at, m);
    for (;;) {
        while (++at.bucket < REST && !is_past_bound(at, at.bucket))
            if (m.board.count[at.bucket] > 0)
                return true;
        const bool rests = at.bucket >= REST && deal_rest(p, at, m, barriers);
        if (!rests && !is_bounded(at))
            return false;
        if (!rests) {
            pass_bound(p, at);
            if (!pull(p, at, m, barriers))
                return false;
        }
        at.bucket = UINT32_MAX;
    }
}

/* Relaxes one list of vertices, and the slices of its long rows. */
template <typename type>
static __device__ bool relax_list(const persistent<type> &p, const place<type> &at,
                                  block_memory<type> &m, input in, bool own,
                                  uint32_t *barriers) {
    if (own) {
        local(p, at, m, in);
        close(p, at, m);
        return meet(p.state, barriers, m);
    }
    for (;;) {
        walk(p, at, m, in);
        close(p, at, m);
        if (!meet(p.state, barriers, m))
            return false;
        uint32_t slices = m.board.round[at.round % 3].slices;
        if (slices == 0 || in.contents == OF_SLICES)
            return true;
        in = {OF_SLICES, NULL, slices};
    }
}

/* Runs rounds until the bucket is final. `in` is the first list. */
template <typename type>
static __device__ bool finish_bucket(const persistent<type> &p, place<type> &at,
                                     block_memory<type> &m, input in, uint64_t *settled,
                                     uint32_t *barriers) {
    const uint32_t own = p.local ? gridDim.x * LOCAL_SHARE : 0;
    bool is_long = false;
    for (;;) {
        next_round(p, at, in.count);
        set_bound(p, at, in.count);
        if (!relax_list(p, at, m, in, in.count <= own && !is_long, barriers))
            return false;
        const struct round found = m.board.round[at.round % 3];
        *settled += found.settled;
        read_ends(p, at, m);
        is_long = found.flags & LONG_ROWS;
        if (found.flags & STOPPED)
            return false;
        in = {OF_ROUND, list_at(p, next_list(at)), found.vertices};
        if (in.count == 0)
            return true;
    }
}

/* After an early end: resets distances that are not final. One thread per vertex. */
template <typename type>
static __device__ void reset_rest(const persistent<type> &p, const place<type> &at,
                                  const block_memory<type> &m) {
    for (uint64_t v = gg_thread(); v < p.g.n; v += gg_threads_of_grid()) {
        typename type::word d = gg_peek(&p.distance[v]);
        if (d != type::unreached() &&
            (!is_final(at, d) || (is_finishing(m) && d > m.paths.known[0] &&
                                  !is_wanted(p, m, (uint32_t)v, d))))
            p.distance[v] = type::unreached();
    }
}

#endif
