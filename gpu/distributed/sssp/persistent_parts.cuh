/* The engine "persistent" on several devices. Vertices are places (partition/places.h). A
** device has the rows of its own places, and distances and list entries of all places.
**
**     own       a vertex whose row is relaxed here
**     foreign   a vertex of another device. A round of its bucket sends its distance to
**               the owner in a message; distances before that round are not sent
**
**     step      relax   relaxes own vertices of a list and of messages, as on one device;
**                       then sends messages for foreign vertices within the bucket
**               least   finds the minimum of the waiting rest
**               deal    deals the rest to buckets
**               share   stores own distances up to a bound into all copies
**               pull    own vertices beyond the bound pull from those distances
**
** A barrier of all devices follows each step, and all make the same decision by its sums:
**
**     work      vertices of the next round, messages      any: relax
**     lists     buckets that have entries anywhere        any: relax the next one
**     rest      vertices beyond the buckets               any: least, then deal
**     bound     nothing is left within it                 share, then pull
**
** A bucket ends when no device has work in it, so buckets start and end everywhere at
** once. Own distances are the answer; copies of foreign ones only suppress messages that
** would not lower anything.
**
** Without peer access the kernel returns at each barrier and saves its course, and the
** host moves the messages. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_PARTS_CUH
#define GPUGRAPH_SSSP_PERSISTENT_PARTS_CUH

#include "persistent_messages.cuh"

/* ---- steps ---- */

/* Sets the distances of all sources, and lists own sources. */
template <typename type>
static __device__ bool seed_step(const struct parts_search<type> &s,
                                 struct parts_course<type> &c, uint64_t met,
                                 struct block_memory<type> &m) {
    const struct persistent<type> &p = s.p;
    begin(p, m);
    if (!meet(p.state, &c.barriers, m))
        return false;
    const uint32_t sources = p.limits.none ? 0 : p.limits.sources;
    for (uint64_t i = gg_thread(); i < sources; i += gg_threads_of_grid()) {
        const uint32_t v = p.ends[i];
        if (atomicExch(&p.distance[v], (typename type::word)0) != 0 && is_here(p, v)) {
            settle(p, m, v);
            put(p, c.at, m, next_list(c.at), v);
        }
    }
    close(p, c.at, m);
    if (!meet(p.state, &c.barriers, m))
        return false;
    if (blockIdx.x == 0)
        report_round(s, c, met, m, 0);
    return true;
}

template <typename type>
static __device__ bool relax_step(const struct parts_search<type> &s,
                                  struct parts_course<type> &c, uint64_t met,
                                  struct block_memory<type> &m) {
    const struct persistent<type> &p = s.p;
    const uint32_t list = c.of_bucket ? c.at.bucket : next_list(c.at);
    const uint32_t listed =
        c.of_bucket ? m.board.count[c.at.bucket] : m.board.round[c.at.round % 3].vertices;
    struct input in = {c.of_bucket ? OF_BUCKET : OF_ROUND, list_at(p, list), listed};
    for (uint32_t q = 0; q < s.view.places.parts; q++)
        in.count += m.mail.count[q];
    if (threadIdx.x == 0)
        m.mail.listed = listed;
    next_round(p, c.at, in.count);
    if (gg_thread() == 0)
        *out_counter(p, c.at.round + 1) = 0;
    __syncthreads();
    if (!relax_list(p, c.at, m, in, false, &c.barriers))
        return false;
    const uint32_t messages = m.board.count[ROUND_LIST + c.at.round % 2];
    send_messages(s, c, met, messages);
    if (blockIdx.x == 0)
        report_round(s, c, met, m, messages);
    return true;
}

template <typename type>
static __device__ bool least_step(const struct parts_search<type> &s,
                                  struct parts_course<type> &c, uint64_t met,
                                  struct block_memory<type> &m) {
    const struct persistent<type> &p = s.p;
    const uint32_t count = m.board.count[REST_LIST + c.at.side];
    const uint32_t *pile = list_at(p, REST_LIST + c.at.side);
    if (blockIdx.x == 0 && threadIdx.x < REST)
        p.state->board.count[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        m.least = ~0ull;
    __syncthreads();
    unsigned long long least = ~0ull;
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const typename type::word d = gg_peek(&p.distance[__ldcg(&pile[i])]);
        if (bucket_of(c.at, d) == REST && d < least)
            least = d;
    }
    if (least < m.least)
        atomicMin(&m.least, least);
    __syncthreads();
    if (threadIdx.x == 0 && m.least != ~0ull)
        several_report_largest(&s.view.barrier, met, LEAST_INVERTED, ~m.least);
    return true;
}

template <typename type>
static __device__ bool deal_step(const struct parts_search<type> &s,
                                 struct parts_course<type> &c, uint64_t met,
                                 struct block_memory<type> &m) {
    const struct persistent<type> &p = s.p;
    const uint32_t count = m.board.count[REST_LIST + c.before.side];
    const uint32_t *pile = list_at(p, REST_LIST + c.before.side);
    for (uint64_t i = gg_thread(); i - gg_lane() < count; i += gg_threads_of_grid()) {
        const uint32_t v = i < count ? __ldcg(&pile[i]) : 0;
        const typename type::word d = gg_peek(&p.distance[v]);
        if (i < count && bucket_of(c.before, d) == REST) {
            const uint32_t bucket = bucket_of(c.at, d);
            put(p, c.at, m, bucket == REST ? REST_LIST + c.at.side : bucket, v);
        }
        make_room(p, c.at, m);
    }
    unload_all(p, c.at, m);
    if (!meet(p.state, &c.barriers, m))
        return false;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0)
            p.state->board.count[REST_LIST + c.before.side] = 0;
        report_round(s, c, met, m, 0);
    }
    return true;
}

/* Stores own distances in the copies on other devices; beyond the bound the copies become
** unreached, because their owners pull. */
template <typename type>
static __device__ bool share_step(const struct parts_search<type> &s,
                                  const struct parts_course<type> &c) {
    const struct persistent<type> &p = s.p;
    for (uint64_t i = gg_thread(); s.view.barrier.peers && i < p.g.n;
         i += gg_threads_of_grid()) {
        const uint64_t v = p.first + i;
        const typename type::word d = gg_peek(&p.distance[v]),
                                  shared = d <= c.at.bound ? d : type::unreached();
        for (uint32_t q = 0; q < s.view.places.parts; q++)
            if (q != s.view.me)
                s.distance.at[q][v] = shared;
    }
    return true;
}

/* Forgets foreign distances beyond the bound, after the host has moved whole segments. */
template <typename type>
static __device__ void forget_others(const struct parts_search<type> &s,
                                     typename type::word bound) {
    for (uint64_t v = gg_thread(); v < s.p.vertices; v += gg_threads_of_grid())
        if (!is_here(s.p, (uint32_t)v) && gg_peek(&s.p.distance[v]) > bound)
            s.p.distance[v] = type::unreached();
}

template <typename type>
static __device__ bool pull_step(const struct parts_search<type> &s,
                                 struct parts_course<type> &c, uint64_t met,
                                 struct block_memory<type> &m) {
    if (!s.view.barrier.peers)
        forget_others(s, c.at.origin);
    if (!pull(s.p, c.at, m, &c.barriers))
        return false;
    if (blockIdx.x == 0)
        report_round(s, c, met, m, 0);
    return true;
}

/* ---- what comes next ---- */

/* True if any device has reported that bucket. */
static __device__ __forceinline__ bool is_reported(uint64_t buckets, uint32_t bucket) {
    return (buckets >> BITS_OF_BUCKET * bucket & ((1u << BITS_OF_BUCKET) - 1)) != 0;
}

/* Called if no entry is left in the buckets, or none within the bound. */
template <typename type>
static __device__ void leave_buckets(struct parts_course<type> &c) {
    c.step = is_bounded(c.at) ? STEP_SHARE : STEP_OVER;
}

template <typename type>
static __device__ void next_bucket_of_all(const struct persistent<type> &p,
                                          struct parts_course<type> &c,
                                          const uint64_t *sum, uint32_t first) {
    uint32_t bucket = first;
    while (bucket < REST && !is_reported(sum[BUCKETS_LISTED], bucket))
        bucket++;
    c.at.bucket = bucket;
    c.of_bucket = true;
    c.rest = sum[REST_WAITS];
    if (is_past_bound(c.at, bucket) || (bucket == REST && c.rest == 0)) {
        leave_buckets(c);
        return;
    }
    c.step = bucket < REST ? STEP_RELAX : STEP_LEAST;
    if (bucket < REST && is_reported(sum[BUCKETS_CROWDED], bucket))
        set_bound(p, c.at, UINT32_MAX);
}

/* Starts new buckets at the minimum of the rest. They are wider if the rest has less than
** the share p.fall of the previous one. */
template <typename type>
static __device__ void move_buckets(const struct persistent<type> &p,
                                    struct parts_course<type> &c, const uint64_t *sum) {
    const uint64_t least = ~sum[LEAST_INVERTED];
    if (least == UINT64_MAX) {
        leave_buckets(c);
        return;
    }
    c.before = c.at;
    if ((double)c.rest < p.fall * (double)c.at.rest)
        c.at.per_bucket /= GG_PERSISTENT_WIDER;
    c.at.rest = (uint32_t)c.rest;
    c.at.origin = (typename type::word)least;
    c.at.bucket = 0;
    c.at.side = 1 - c.at.side;
    c.step = STEP_DEAL;
}

/* Decides the next step from the reports, equally in all blocks of all devices. */
template <typename type>
static __device__ void decide(const struct persistent<type> &p,
                              struct parts_course<type> &c, const uint64_t *sum) {
    if (c.step == STEP_LEAST) {
        move_buckets(p, c, sum);
        return;
    }
    if (c.step == STEP_DEAL || c.step == STEP_PULL) {
        next_bucket_of_all(p, c, sum, 0);
        return;
    }
    if (c.step == STEP_SHARE) {
        pass_bound(p, c.at);
        c.step = STEP_PULL;
        return;
    }
    c.settled += sum[SETTLED];
    if (sum[WORK] > 0) {
        c.of_bucket = false;
        c.step = STEP_RELAX;
        set_bound(p, c.at, sum[WORK] < UINT32_MAX ? (uint32_t)sum[WORK] : UINT32_MAX);
        return;
    }
    c.buckets++;
    c.early = sum[TARGETS_WAIT] == 0 || (p.limit > 0 && c.settled >= p.limit);
    if (c.early)
        c.step = STEP_OVER;
    else
        next_bucket_of_all(p, c, sum, c.at.bucket + 1);
}

/* ---- kernel ---- */

template <typename type>
static __device__ bool do_step(const struct parts_search<type> &s,
                               struct parts_course<type> &c, uint64_t met,
                               struct block_memory<type> &m) {
    switch (c.step) {
    case STEP_SEED:
        return seed_step(s, c, met, m);
    case STEP_RELAX:
        return relax_step(s, c, met, m);
    case STEP_LEAST:
        return least_step(s, c, met, m);
    case STEP_DEAL:
        return deal_step(s, c, met, m);
    case STEP_SHARE:
        return share_step(s, c);
    default:
        return pull_step(s, c, met, m);
    }
}

/* After an early end, forgets own distances that are not final. */
template <typename type>
static __device__ void forget_own_rest(const struct persistent<type> &p,
                                       const struct place<type> &at) {
    for (uint64_t i = gg_thread(); i < p.g.n; i += gg_threads_of_grid()) {
        const uint64_t v = p.first + i;
        const typename type::word d = gg_peek(&p.distance[v]);
        if (d != type::unreached() && !is_final(at, d))
            p.distance[v] = type::unreached();
    }
}

/* Saves the course after all blocks have loaded the previous one. */
template <typename type>
static __device__ void keep_course(const struct parts_search<type> &s,
                                   struct parts_course<type> &c,
                                   struct block_memory<type> &m) {
    if (meet(s.p.state, &c.barriers, m) && gg_thread() == 0)
        *s.course = c;
    if (threadIdx.x == 0)
        atomicAdd(&s.p.state->served, (unsigned long long)m.served);
}

template <typename type>
static __device__ void search_parts(const struct parts_search<type> &s,
                                    struct block_memory<type> &m) {
    struct parts_course<type> c = *s.course;
    uint64_t met = several_round(s.view);
    if (met > 0) {
        if (threadIdx.x < GG_WARP)
            reinterpret_cast<uint32_t *>(&m.board)[threadIdx.x] =
                gg_peek(reinterpret_cast<uint32_t *>(&s.p.state->board) + threadIdx.x);
        load_reports(s, c, met - 1, m);
        decide(s.p, c, m.mail.told);
    }
    while (c.step != STEP_OVER) {
        if (!do_step(s, c, met, m))
            return;
        if (!s.view.barrier.peers) {
            keep_course(s, c, m);
            return;
        }
        if (!several_barrier_wait(s.view, met))
            return;
        load_reports(s, c, met, m);
        decide(s.p, c, m.mail.told);
        met++;
    }
    if (c.early)
        forget_own_rest(s.p, c.at);
    keep_course(s, c, m);
}

/* Cooperative, one on each device. walk() divides lists and rows among lanes in each
** step. */
template <typename type>
static __global__ void __launch_bounds__(GG_PERSISTENT_BLOCK, BLOCKS_TO_FIT)
    find_shared_distances(const __grid_constant__ parts_search<type> s) {
    extern __shared__ __align__(16) unsigned char memory[];
    struct block_memory<type> &m = *reinterpret_cast<struct block_memory<type> *>(memory);
    if (gg_lane() < LISTS)
        m.stage[warp_of_block()].tally[gg_lane()] = 0;
    if (gg_lane() == 0)
        m.stage[warp_of_block()].staged = 0;
    if (threadIdx.x == 0) {
        m.settled = m.served = 0;
        forget_paths(s.p, m);
    }
    __syncthreads();
    search_parts(s, m);
}

#endif
