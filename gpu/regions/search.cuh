/* The kernel that searches by regions: a block takes a region that has been told something new, searches in it
** until no distance falls any more, and tells the regions around it.
**
**     told[]  -->  distance, in shared memory  -->  rounds along inner arcs  --.
**                        ^                                                     |
**                        '-----------------------------------------------------+--> distance[]
**                                                                              '--> told[] of others, by outer arcs
**
** A round within a region costs a fifth of a microsecond, where a step through device memory takes two or
** three; a region is searched some times, as it is told of shorter ways. Distances are the least
** fixpoint of d[v] = min(d[u] + 1), whatever the order of the steps. Only the block that has a region
** writes its distance[]; others lower its told[]. queue.h says which region comes next. */
#ifndef GPUGRAPH_REGIONS_SEARCH_CUH
#define GPUGRAPH_REGIONS_SEARCH_CUH

#include "queue.h"
#include "graph/frontier.cuh"
#include "regions.cuh"

enum { THREADS = GG_REGION_BLOCK };

struct regions_found { /* by the whole search */
    unsigned long long reached;
    uint32_t deepest;
};

struct region_search {
    struct regions_queue queue;
    struct regions_found *found;
    const uint32_t *stop;
    uint32_t *distance, *told; /* by rank */
    uint32_t lanes;            /* of a vertex: 2 to the power of it */
    uint32_t vertices, arcs;   /* room for them in shared memory */
};

/* ---- shared memory of a block ---- */

struct region_turn {               /* what a block does now */
    uint32_t region, bucket, seen; /* as queue.h has them */
    uint32_t count[3]; /* of the lists of this round, the next one and the one after it */
    uint32_t nothing[2]; /* whole words of 16 bytes */
};

struct region_memory {
    struct region_turn *turn;
    uint32_t *distance;  /* of each vertex */
    uint16_t *arcs;      /* inner ones */
    uint16_t *begin;     /* of each vertex' arcs, and the end */
    uint16_t *list[2];   /* of this round, of the next one */
    uint32_t *listed[2]; /* bit v: in that list */
    uint8_t *changed;    /* since the region was taken, or told others last */
};

static __host__ __device__ __forceinline__ uint32_t bit_words(uint32_t vertices) {
    return vertices / 32 + 1;
}

static __device__ __forceinline__ region_memory lay_out(unsigned char *memory,
                                                        uint32_t vertices,
                                                        uint32_t arcs) {
    region_memory m;
    m.turn = reinterpret_cast<struct region_turn *>(memory);
    m.distance = reinterpret_cast<uint32_t *>(m.turn + 1);
    m.arcs = reinterpret_cast<uint16_t *>(m.distance + vertices);
    m.listed[0] = reinterpret_cast<uint32_t *>(m.arcs + arcs);
    m.listed[1] = m.listed[0] + bit_words(vertices);
    m.begin = reinterpret_cast<uint16_t *>(m.listed[1] + bit_words(vertices));
    m.list[0] = m.begin + vertices + 2;
    m.list[1] = m.list[0] + vertices;
    m.changed = reinterpret_cast<uint8_t *>(m.list[1] + vertices);
    return m;
}

static inline uint32_t shared_bytes(uint32_t vertices, uint32_t arcs) {
    return (uint32_t)sizeof(struct region_turn) + vertices * 4 + arcs * 2 +
           2 * bit_words(vertices) * 4 + (3 * vertices + 2) * 2 + vertices;
}

/* ---- steps of a block ---- */

/* Brings a region in, arcs by whole words of 16 bytes. What it was told is listed. */
static __device__ void bring_in(const device_regions &r, const region_search &s,
                                const region_place &p, const region_memory &m) {
    enum { PER_WORD = sizeof(uint4) / sizeof(uint16_t) };
    const uint32_t from = p.inner / PER_WORD * PER_WORD;
    const uint4 *words = reinterpret_cast<const uint4 *>(r.target + from);
    const uint32_t count = (p.inner_end - from + PER_WORD - 1) / PER_WORD;
    for (uint32_t i = threadIdx.x; i < p.vertices; i += THREADS) {
        const uint32_t told = device_load(&s.told[p.first + i]);
        const uint32_t known = device_load(&s.distance[p.first + i]);
        m.begin[i] = (uint16_t)(r.inner[p.first + i] - from);
        m.distance[i] = told < known ? told : known;
        m.changed[i] = told < known;
        if (told < known)
            m.list[0][atomicAdd(&m.turn->count[0], 1u)] = (uint16_t)i;
    }
    for (uint32_t i = threadIdx.x; i < count; i += THREADS)
        reinterpret_cast<uint4 *>(m.arcs)[i] = __ldg(words + i);
    for (uint32_t i = threadIdx.x; i < 2 * bit_words(s.vertices); i += THREADS)
        m.listed[0][i] = 0;
    if (threadIdx.x == 0)
        m.begin[p.vertices] = (uint16_t)(p.inner_end - from);
}

static __device__ __forceinline__ uint32_t shared_now(const uint32_t *at) {
    return *(const volatile uint32_t *)at;
}

/* A round: the vertices of a list relax their inner arcs. Whose distance falls is in the next list,
** once. */
static __device__ void relax(const region_search &s, const region_memory &m,
                             uint32_t round, uint32_t listed, uint32_t *count) {
    const uint16_t *list = m.list[round % 2];
    uint16_t *next = m.list[(round + 1) % 2];
    uint32_t *bits = m.listed[round % 2], *next_bits = m.listed[(round + 1) % 2];
    const uint32_t lanes = 1u << s.lanes, sub = threadIdx.x & (lanes - 1);
    for (uint32_t i = threadIdx.x >> s.lanes; i < listed; i += THREADS >> s.lanes) {
        const uint32_t u = list[i], end = m.begin[u + 1];
        const uint32_t from = shared_now(&m.distance[u]);
        if (sub == 0 && round > 0)
            atomicAnd(&bits[u / 32], ~(1u << u % 32));
        for (uint32_t at = m.begin[u] + sub; at < end; at += lanes) {
            const uint32_t v = m.arcs[at];
            if (from + 1 < shared_now(&m.distance[v]) &&
                atomicMin(&m.distance[v], from + 1) > from + 1) {
                const uint32_t bit = 1u << v % 32;
                m.changed[v] = 1;
                if (!(atomicOr(&next_bits[v / 32], bit) & bit))
                    next[atomicAdd(count, 1u)] = (uint16_t)v;
            }
        }
    }
}

/* One lane per outer arc of what has changed: whom it tells of a shorter way. */
static __device__ void tell(const device_regions &r, const region_search &s,
                            const region_place &p, const region_memory &m) {
    const uint32_t whole = (p.outer_end - p.outer + GG_WARP - 1) / GG_WARP * GG_WARP;
    for (uint32_t i = threadIdx.x; i < whole; i += THREADS) {
        const uint32_t at = p.outer + i;
        const bool there = at < p.outer_end;
        const uint32_t u = there ? r.from[at] : 0;
        bool tells = there && m.changed[u];
        uint32_t sum = 0, region = 0;
        if (tells) {
            const uint32_t v = r.to[at];
            sum = m.distance[u] + 1;
            region = r.to_region[at];
            tells = sum < device_load(&s.told[v]) && sum < device_load(&s.distance[v]) &&
                    device_min(&s.told[v], sum) > sum;
        }
        /* One lane for each region tells it the least of its distances. */
        bool speaks = false;
        uint32_t least = 0;
        for (uint32_t left = warp_ballot(tells), same; left != 0; left &= ~same) {
            const unsigned first = warp_first(left);
            const uint32_t one = warp_from(region, first);
            const bool mine = tells && region == one;
            same = warp_ballot(mine);
            const uint32_t most_left = warp_max(mine ? ~sum : 0);
            if (warp_lane() == first) {
                speaks = true;
                least = ~most_left;
            }
        }
        if (speaks)
            regions_tell(&s.queue, region, least);
    }
}

/* ---- the kernel ---- */

/* Blocks in any number, which need not be there at once: nobody waits but for work. */
static __global__ void __launch_bounds__(THREADS)
    search_regions(const __grid_constant__ device_regions r,
                   const __grid_constant__ region_search s) {
    extern __shared__ __align__(16) unsigned char memory[];
    const region_memory m = lay_out(memory, s.vertices, s.arcs);
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
                t->seen = got != NO_REGION ? regions_look(&s.queue, got) : 0;
                t->count[0] = t->count[1] = t->count[2] = 0;
            }
        }
        __syncthreads();
        const uint32_t region = t->region;
        if (region == NO_REGION)
            break;
        const region_place p = r.place[region];
        bring_in(r, s, p, m);
        __syncthreads();
        uint32_t round = 0;
        for (uint32_t listed; (listed = shared_now(&t->count[round % 3])) > 0; round++) {
            if (threadIdx.x == 0)
                t->count[(round + 2) % 3] = 0;
            relax(s, m, round, listed, &t->count[(round + 1) % 3]);
            __syncthreads();
        }
        rounds += round;
        for (uint32_t i = threadIdx.x; i < p.vertices; i += THREADS)
            if (m.changed[i])
                device_store(&s.distance[p.first + i], m.distance[i]);
        tell(r, s, p, m);
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
        uint32_t low = 0, high = r.count; /* the last that begins at rank or before */
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (r.place[middle].first <= rank)
                low = middle;
            else
                high = middle;
        }
        if (device_min(&s.told[rank], 0) > 0)
            regions_tell(&s.queue, low, 0);
    }
}

#endif
