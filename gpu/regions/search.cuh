/* The kernel that searches by regions: a block takes a region that has received shorter
** distances, searches in it until no distance falls, and sends messages to the regions
** around it.
**
**     received[] --> distance, in shared memory --> rounds on inner arcs --.
**                       ^                                                 |
**                       '-------------------------------------------------+--> distance[]
**                           received[] of others, by outer arcs <---------'
**
** A round within a region takes half a microsecond, a step through device memory two or
** three. A region that receives shorter distances is searched again. A round has few
** vertices, and its time is that of a chain of loads from shared memory. So an entry of a
** list has all data of a vertex that a lane needs, and a vertex may be in a list twice.
** Messages that arrive during a search join its rounds.
**
** Distances are the least fixpoint of d[v] = min(d[u] + weight) in any order of steps; by
** depth weights are 1. Only the block that has a region writes its distance[]. Other
** blocks lower its received[]. queue.h chooses the next region. */
#ifndef GPUGRAPH_REGIONS_SEARCH_CUH
#define GPUGRAPH_REGIONS_SEARCH_CUH

#include "queue.h"
#include "graph/frontier.cuh"
#include "regions.cuh"

#include <type_traits>

/* Threads of a block (H200, road24m and mesh16m: 14.5 and 8.6 ms with 256, 14.1 and 6.8
** with 512). */
#ifndef GG_REGION_BLOCK /* a test uses fewer */
#define GG_REGION_BLOCK 512
#endif
/* Vertices in the list of a round. If there are more, the round relaxes all vertices of
** the region. */
#ifndef GG_REGION_LIST /* a test uses fewer */
#define GG_REGION_LIST 1024
#endif

enum {
    THREADS = GG_REGION_BLOCK,
    LANES = 8, /* for a vertex, in a round */
    LIST = GG_REGION_LIST,
    LANE_PLACES = 4 /* vertices that a lane loads at once */
};

struct regions_found { /* by the whole search */
    unsigned long long reached;
    uint32_t deepest;
};

struct region_search {
    struct regions_queue queue;
    struct regions_found *found;
    const uint32_t *stop;
    uint32_t *distance, *received; /* by rank */
    uint32_t vertices, arcs;       /* in shared memory */
};

/* ---- shared memory of a block ---- */

struct region_turn { /* the region of a block */
    struct region_place place;
    uint32_t region, bucket, seen; /* as in queue.h */
    uint32_t count[3]; /* lengths of the lists of this round and of the next two */
    uint32_t fresh[2]; /* messages have arrived; of this round and of the next one */
};

/* A vertex whose distance has fallen. row: the beginning of its arcs, and their end in
** the upper half. */
struct listed {
    uint32_t row, distance;
};

/* Inner arcs in shared memory. */
template <bool by_weight> struct region_arc {
    typedef typename std::conditional<by_weight, uint32_t, uint16_t>::type word;
    static __device__ __forceinline__ uint32_t place(word arc) {
        return by_weight ? arc & ((1u << REGION_PLACE_BITS) - 1) : arc;
    }
    static __device__ __forceinline__ uint32_t weight(word arc) {
        return by_weight ? arc >> REGION_PLACE_BITS : 1;
    }
    static __device__ __forceinline__ const word *of(const device_regions &r) {
        return static_cast<const word *>(by_weight ? static_cast<const void *>(r.arc)
                                                   : r.target);
    }
};

template <bool by_weight> struct region_memory {
    struct region_turn *turn;
    struct listed *lists;                       /* of this round and of the next one */
    uint32_t *distance;                         /* by place */
    uint32_t *row;                              /* by place, as in struct listed */
    typename region_arc<by_weight>::word *arcs; /* inner arcs */
    uint8_t *changed;                           /* since the block took the region */
};

template <bool by_weight>
static __device__ __forceinline__ region_memory<by_weight>
lay_out(unsigned char *memory, uint32_t vertices, uint32_t arcs) {
    region_memory<by_weight> m;
    m.turn = reinterpret_cast<struct region_turn *>(memory);
    m.lists = reinterpret_cast<struct listed *>(m.turn + 1);
    m.distance = reinterpret_cast<uint32_t *>(m.lists + 2 * LIST);
    m.row = m.distance + vertices;
    m.arcs = reinterpret_cast<typename region_arc<by_weight>::word *>(m.row + vertices);
    m.changed = reinterpret_cast<uint8_t *>(m.arcs + arcs);
    return m;
}

template <bool by_weight>
static inline uint32_t shared_bytes(uint32_t vertices, uint32_t arcs) {
    return (uint32_t)(sizeof(struct region_turn) + 2 * LIST * sizeof(struct listed)) +
           vertices * 9 + arcs * (uint32_t)sizeof(typename region_arc<by_weight>::word);
}

static __device__ __forceinline__ uint32_t shared_now(const uint32_t *at) {
    return *(const volatile uint32_t *)at;
}

/* True if the sum would be UINT32_MAX or more. UINT32_MAX means that there is no path. */
static __device__ __forceinline__ bool leaves_range(uint32_t distance, uint32_t weight) {
    return weight > UINT32_MAX - 1 - distance;
}

/* ---- steps of a block ---- */

/* Lists a vertex. A count beyond LIST means that the list is full. */
template <bool by_weight>
static __device__ __forceinline__ void list_up(const region_memory<by_weight> &m,
                                               uint32_t round, uint32_t *count,
                                               uint32_t row, uint32_t distance) {
    const uint32_t at = atomicAdd(count, 1u);
    if (at < LIST) {
        const struct listed one = {row, distance};
        m.lists[(round % 2) * LIST + at] = one;
    }
}

/* Loads a region, with arcs in words of 16 bytes, and lists vertices with messages. */
template <bool by_weight>
static __device__ void bring_in(const device_regions &r, const region_search &s,
                                const region_place &p,
                                const region_memory<by_weight> &m) {
    enum { PER_WORD = sizeof(uint4) / sizeof(typename region_arc<by_weight>::word) };
    const uint32_t from = p.inner / PER_WORD * PER_WORD;
    const uint4 *words =
        reinterpret_cast<const uint4 *>(region_arc<by_weight>::of(r) + from);
    const uint32_t count = (p.inner_end - from + PER_WORD - 1) / PER_WORD;
    for (uint32_t i = threadIdx.x; i < count; i += THREADS)
        reinterpret_cast<uint4 *>(m.arcs)[i] = __ldg(words + i);
    for (uint32_t i = threadIdx.x; i < p.vertices; i += LANE_PLACES * THREADS) {
        uint32_t received[LANE_PLACES], known[LANE_PLACES], row[LANE_PLACES];
        WARP_UNROLL
        for (uint32_t k = 0; k < LANE_PLACES; k++) {
            const uint32_t v = i + k * THREADS, at = p.first + v;
            received[k] = known[k] = row[k] = 0;
            if (v < p.vertices) {
                received[k] = device_load(&s.received[at]);
                known[k] = device_load(&s.distance[at]);
                row[k] = (r.inner[at] - from) | (r.inner[at + 1] - from) << 16;
            }
        }
        WARP_UNROLL
        for (uint32_t k = 0; k < LANE_PLACES; k++) {
            const uint32_t v = i + k * THREADS;
            const bool news = received[k] < known[k];
            if (v >= p.vertices)
                break;
            m.row[v] = row[k];
            m.distance[v] = news ? received[k] : known[k];
            m.changed[v] = news;
            if (news)
                list_up(m, 0, &m.turn->count[0], row[k], received[k]);
        }
    }
}

/* Lists vertices with messages that have arrived since the region was loaded. */
template <bool by_weight>
static __device__ void take_news(const region_search &s, const region_place &p,
                                 const region_memory<by_weight> &m, uint32_t round,
                                 uint32_t *count) {
    for (uint32_t v = threadIdx.x; v < p.vertices; v += THREADS) {
        const uint32_t received = device_load(&s.received[p.first + v]);
        if (received < m.distance[v]) {
            m.distance[v] = received;
            m.changed[v] = 1;
            list_up(m, round, count, m.row[v], received);
        }
    }
}

/* Runs a round: some lanes relax the inner arcs of each listed vertex, or of all vertices
** if the list is full. A vertex is listed for the next round each time its distance
** falls. */
template <bool by_weight>
static __device__ void relax(const region_search &s, const region_memory<by_weight> &m,
                             uint32_t vertices, uint32_t round, uint32_t listed,
                             uint32_t *count) {
    const bool all = listed > LIST;
    const uint32_t many = all ? vertices : listed;
    for (uint32_t i = threadIdx.x / LANES; i < many; i += THREADS / LANES) {
        struct listed u;
        if (all) {
            u.row = m.row[i];
            u.distance = shared_now(&m.distance[i]);
            if (u.distance == UINT32_MAX)
                continue;
        } else {
            u = m.lists[(round % 2) * LIST + i];
        }
        for (uint32_t at = (u.row & 0xffff) + threadIdx.x % LANES; at < u.row >> 16;
             at += LANES) {
            const typename region_arc<by_weight>::word arc = m.arcs[at];
            const uint32_t v = region_arc<by_weight>::place(arc), row = m.row[v];
            const uint32_t weight = region_arc<by_weight>::weight(arc);
            const uint32_t sum = u.distance + weight;
            if (by_weight && leaves_range(u.distance, weight))
                device_store(&s.queue.board->lost, 1);
            else if (sum < shared_now(&m.distance[v]) &&
                     atomicMin(&m.distance[v], sum) > sum) {
                m.changed[v] = 1;
                list_up(m, round + 1, count, row, sum);
            }
        }
    }
}

/* Runs rounds until no distance falls. Returns their number. Polls for messages by a load
** for which no round waits. */
template <bool by_weight>
static __device__ uint32_t relax_all(const region_search &s, const region_place &p,
                                     const region_memory<by_weight> &m) {
    struct region_turn *const t = m.turn;
    const bool leads = threadIdx.x == 0;
    uint32_t *const news = &s.queue.news[t->region];
    uint32_t round = 0, latest = t->seen, listed = shared_now(&t->count[0]);
    while (listed > 0) {
        if (leads) {
            t->count[(round + 2) % 3] = 0;
            t->fresh[round % 2] = latest != t->seen;
            latest = device_load(news);
        }
        relax(s, m, p.vertices, round, listed, &t->count[(round + 1) % 3]);
        __syncthreads();
        const bool fresh = shared_now(&t->fresh[round % 2]);
        round++;
        if (fresh) {
            if (leads)
                t->seen = latest = regions_look(&s.queue, t->region);
            __syncthreads();
            take_news(s, p, m, round, &t->count[round % 3]);
            __syncthreads();
        }
        listed = shared_now(&t->count[round % 3]);
    }
    return round;
}

struct outer_arc {
    uint32_t from, to, region, weight;
    bool there;
};

template <bool by_weight>
static __device__ __forceinline__ outer_arc outer_at(const device_regions &r,
                                                     const region_place &p, uint32_t i) {
    const uint32_t at = p.outer + i;
    if (at >= p.outer_end)
        return outer_arc{0, 0, 0, 0, false};
    return outer_arc{r.from[at], r.to[at], r.to_region[at], by_weight ? r.length[at] : 1,
                     true};
}

/* Sends shorter distances of changed vertices along outer arcs, one lane per arc. The
** first arcs were loaded with the region. */
template <bool by_weight>
static __device__ void send_messages(const device_regions &r, const region_search &s,
                                     const region_place &p,
                                     const region_memory<by_weight> &m, outer_arc arc) {
    const uint32_t whole = (p.outer_end - p.outer + GG_WARP - 1) / GG_WARP * GG_WARP;
    for (uint32_t i = threadIdx.x; i < whole; i += THREADS) {
        if (i >= THREADS)
            arc = outer_at<by_weight>(r, p, i);
        bool sends = arc.there && m.changed[arc.from];
        uint32_t sum = 0, region = 0;
        if (sends) {
            const uint32_t received = device_load(&s.received[arc.to]),
                           known = device_load(&s.distance[arc.to]);
            const uint32_t from = m.distance[arc.from];
            sum = from + arc.weight;
            region = arc.region;
            sends = !by_weight || !leaves_range(from, arc.weight);
            if (!sends)
                device_store(&s.queue.board->lost, 1);
            sends = sends && sum < received && sum < known &&
                    device_min(&s.received[arc.to], sum) > sum;
        }
        /* For each region, one lane sends the least of the distances. */
        bool notifies = false;
        uint32_t least = 0;
        for (uint32_t left = warp_ballot(sends), same; left != 0; left &= ~same) {
            const unsigned first = warp_first(left);
            const uint32_t one = warp_from(region, first);
            const bool mine = sends && region == one;
            same = warp_ballot(mine);
            const uint32_t most_left = warp_max(mine ? ~sum : 0);
            if (warp_lane() == first) {
                notifies = true;
                least = ~most_left;
            }
        }
        if (notifies)
            regions_tell(&s.queue, region, least);
    }
}

/* ---- the kernel ---- */

/* Searches by regions. Blocks need not be resident together, because no block waits for
** another one. */
template <bool by_weight>
static __global__ void __launch_bounds__(THREADS)
    search_regions(const __grid_constant__ device_regions r,
                   const __grid_constant__ region_search s) {
    extern __shared__ __align__(16) unsigned char memory[];
    const region_memory<by_weight> m = lay_out<by_weight>(memory, s.vertices, s.arcs);
    struct region_turn *const t = m.turn;
    uint64_t visits = 0, rounds = 0;
    for (;; visits++) {
        if (threadIdx.x < GG_WARP) {
            uint32_t from = 0;
            const uint32_t got =
                regions_take(&s.queue, blockIdx.x == 0 ? s.stop : NULL, &from);
            if (gg_lane() == 0) {
                t->region = got;
                t->bucket = from;
                if (got != NO_REGION) {
                    const region_place place = r.place[got];
                    t->seen = regions_look(&s.queue, got);
                    t->place = place;
                }
                t->count[0] = t->count[1] = t->count[2] = 0;
            }
        }
        __syncthreads();
        const uint32_t region = t->region;
        if (region == NO_REGION)
            break;
        const region_place p = t->place;
        const outer_arc first_arc = outer_at<by_weight>(r, p, threadIdx.x);
        bring_in(r, s, p, m);
        __syncthreads();
        rounds += relax_all(s, p, m);
        for (uint32_t i = threadIdx.x; i < p.vertices; i += THREADS)
            if (m.changed[i])
                device_store(&s.distance[p.first + i], m.distance[i]);
        send_messages(r, s, p, m, first_arc);
        __syncthreads();
        if (threadIdx.x == 0)
            regions_leave(&s.queue, region, t->bucket, t->seen);
    }
    if (threadIdx.x == 0) {
        device_add_64(&s.queue.board->visits, visits);
        device_add_64(&s.queue.board->rounds, rounds);
    }
}

/* One thread per source, repeats allowed. */
static __global__ void gg_plant_regions(const __grid_constant__ device_regions r,
                                        const __grid_constant__ region_search s,
                                        const uint32_t *source, uint32_t sources) {
    for (uint64_t i = gg_thread(); i < sources; i += gg_threads_of_grid()) {
        const uint32_t rank = r.rank[source[i]];
        /* the last region that begins at `rank` or before */
        uint32_t low = 0, high = r.count;
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (r.place[middle].first <= rank)
                low = middle;
            else
                high = middle;
        }
        if (device_min(&s.received[rank], 0) > 0)
            regions_tell(&s.queue, low, 0);
    }
}

#endif
