/* The exchange between the devices of persistent_parts.cuh: messages to the owners of
** foreign vertices, and words by which all devices make the same decisions. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_MESSAGES_CUH
#define GPUGRAPH_SSSP_PERSISTENT_MESSAGES_CUH

#include "sssp/persistent_buckets.cuh"
#include "distributed/devices/several.cuh"

static_assert((int)SENDERS == (int)SEVERAL_MOST, "an inbox for each device");
static_assert((int)TOLD_WORDS == (int)SEVERAL_WORDS, "all words of a report");

enum parts_words {
    WORK,
    REST_WAITS,
    SETTLED,
    TARGETS_WAIT,
    BUCKETS_LISTED,
    BUCKETS_CROWDED,
    LEAST_INVERTED
};
/* Counts devices with entries in a bucket, or with more than their share of a crowd. */
enum { BITS_OF_BUCKET = 8 };

enum parts_step {
    STEP_SEED,
    STEP_RELAX,
    STEP_LEAST,
    STEP_DEAL,
    STEP_SHARE,
    STEP_PULL,
    STEP_OVER
};

/* The progress of the search, equal in all blocks of all devices. */
template <typename type> struct parts_course {
    struct place<type> at, before; /* before the rest was dealt out */
    uint32_t step;      /* enum parts_step: the current one, or the last one reported */
    uint32_t of_bucket; /* STEP_RELAX: relax the bucket's list, else the round's */
    uint32_t barriers;  /* grid barriers of this device */
    uint32_t buckets;
    uint32_t early;
    uint64_t rest, settled;
};

template <typename type> struct parts_search {
    struct persistent<type> p;
    struct several_view view;
    several_array<typename type::word> distance;
    several_array<letter<type>> inbox[2]; /* by sender, `stride` entries each; in turn */
    struct letter<type> *outbox;          /* without peers: by receiver */
    struct parts_course<type> *course;
};

/* ---- messages ---- */

template <typename type>
static __device__ __forceinline__ struct letter<type> *
box_of_messages(const struct parts_search<type> &s, uint32_t round, uint32_t receiver) {
    const uint32_t me = s.view.me, stride = s.view.places.stride;
    return s.view.barrier.peers
               ? s.inbox[round % 2].at[receiver] + several_box(receiver, me, stride)
               : s.outbox + several_box(me, receiver, stride);
}

/* Reserves entries for messages of those lanes that write to this receiver; other lanes
** keep `k`. */
static __device__ __forceinline__ uint64_t
reserve_for_lanes(const several_barrier &m, uint64_t met, uint32_t receiver, bool writes,
                  uint64_t k) {
    const unsigned lanes = __ballot_sync(ALL_LANES, writes);
    if (lanes == 0)
        return k;
    const int leader = __ffs((int)lanes) - 1;
    unsigned long long first = 0;
    if ((int)gg_lane() == leader)
        first = several_reserve_messages(&m, met, receiver, (uint32_t)__popc(lanes));
    first = __shfl_sync(ALL_LANES, first, leader);
    return writes ? first + (unsigned)__popc(lanes & ((1u << gg_lane()) - 1)) : k;
}

/* Makes messages of the list's entries. With two devices all messages go to the other
** device, in the order of the list. */
template <typename type>
static __device__ void send_messages(const struct parts_search<type> &s,
                                     const struct parts_course<type> &c, uint64_t met,
                                     uint32_t count) {
    const struct persistent<type> &p = s.p;
    const uint32_t parts = s.view.places.parts, round = c.at.round;
    const uint32_t *list = list_at(p, OUT_LIST);
    if (parts == 2 && gg_thread() == 0)
        several_report_messages(&s.view.barrier, met, 1 - s.view.me, count);
    for (uint64_t i = gg_thread(); i - gg_lane() < count; i += gg_threads_of_grid()) {
        const uint32_t v = i < count ? __ldcg(&list[i]) : 0;
        const uint32_t to = i < count ? several_owner(&s.view.places, v) : parts;
        uint64_t k = i;
        for (uint32_t q = 0; parts > 2 && q < parts; q++)
            k = reserve_for_lanes(s.view.barrier, met, q, to == q, k);
        if (i < count)
            box_of_messages(s, round, to)[k] = letter<type>{gg_peek(&p.distance[v]), v};
    }
}

/* Loads the reports of that round and the addresses of its messages for the block. */
template <typename type>
static __device__ void load_reports(const struct parts_search<type> &s,
                                    const struct parts_course<type> &c, uint64_t met,
                                    struct block_memory<type> &m) {
    const uint32_t parts = s.view.places.parts, me = s.view.me,
                   stride = s.view.places.stride;
    __syncthreads();
    if (threadIdx.x < SEVERAL_WORDS)
        m.mail.told[threadIdx.x] =
            several_received(&s.view.barrier, met, (unsigned)threadIdx.x);
    if (threadIdx.x < parts) {
        const uint32_t q = threadIdx.x;
        m.mail.count[q] =
            q == me ? 0 : (uint32_t)several_received_messages(&s.view.barrier, met, q);
        m.mail.letter[q] =
            q == me ? NULL : s.inbox[c.at.round % 2].at[me] + several_box(me, q, stride);
    }
    __syncthreads();
}

/* ---- reports ---- */

/* True if an own target is not final, or there are no targets. The whole block calls. */
template <typename type>
static __device__ bool own_targets_wait(const struct persistent<type> &p,
                                        const struct place<type> &at) {
    bool waits = p.limits.targets == 0;
    for (uint32_t i = threadIdx.x; i < p.limits.targets && !waits;
         i += GG_PERSISTENT_BLOCK) {
        const uint32_t v = p.ends[p.limits.sources + i];
        const typename type::word d = gg_peek(&p.distance[v]);
        waits = is_here(p, v) && (d == type::unreached() || !is_final(at, d));
    }
    return __syncthreads_or(waits);
}

/* Reports, by block 0 after a grid barrier of the device. */
template <typename type>
static __device__ void
report_round(const struct parts_search<type> &s, const struct parts_course<type> &c,
             uint64_t met, const struct block_memory<type> &m, uint64_t messages) {
    const struct several_barrier *barrier = &s.view.barrier;
    const struct round &round = m.board.round[c.at.round % 3];
    const bool waits = own_targets_wait(s.p, c.at);
    if (threadIdx.x != 0)
        return;
    const uint32_t crowd = s.p.crowd / s.view.places.parts;
    uint64_t listed = 0, crowded = 0;
    for (uint32_t bucket = 0; bucket < REST; bucket++) {
        const uint32_t count = m.board.count[bucket];
        listed |= (uint64_t)(count > 0) << BITS_OF_BUCKET * bucket;
        crowded |= (uint64_t)(count > crowd) << BITS_OF_BUCKET * bucket;
    }
    several_report(barrier, met, WORK, round.vertices + messages);
    several_report(barrier, met, SETTLED, round.settled);
    several_report(barrier, met, REST_WAITS, m.board.count[REST_LIST + c.at.side]);
    several_report(barrier, met, BUCKETS_LISTED, listed);
    several_report(barrier, met, BUCKETS_CROWDED, crowded);
    several_report(barrier, met, TARGETS_WAIT, waits);
}

#endif
