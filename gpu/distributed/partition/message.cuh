/* A message from a part to one other, on devices: values of masters that have changed, for their ghosts there.
**
**     list     place of each | value of each                            room entries of both
**     bits     a bit for each place | base of each chunk | values       whichever is shorter
**
** Both sides of a message of NCCL must know its length, so it has room for a number of values that both
** know, and the form follows from that. A chunk of places is a block's: its values lie one after the
** other from its base on, in the order of places. Chunks follow each other as their blocks came. What has no
** room stays changed, for a message of the right length. */
#ifndef GPUGRAPH_MULTI_MESSAGE_CUH
#define GPUGRAPH_MULTI_MESSAGE_CUH

#include "graph/frontier.cuh"

enum {
    MESSAGE_EACH = 4, /* places of a thread */
    MESSAGE_CHUNK = MESSAGE_EACH * GG_BLOCK,
    MESSAGE_WORDS = MESSAGE_CHUNK / GG_WARP /* of bits, of a chunk: one for each lane */
};
static_assert((int)MESSAGE_WORDS == (int)GG_WARP, "a warp adds up a chunk");

struct part_message {
    uint32_t places, room; /* values that it has room for */
    uint32_t *place;       /* NULL: bits say which */
    uint32_t *bits, *base;
    void *value;
    unsigned long long *count; /* of changed places; the list holds `room` of them */
};

static inline uint32_t part_message_chunks(uint32_t places) {
    return (uint32_t)(((uint64_t)places + MESSAGE_CHUNK - 1) / MESSAGE_CHUNK);
}

/* Lays a message of values of `size` bytes out; *bytes: its length, a multiple of 8. */
static inline struct part_message part_message_at(unsigned char *at, uint32_t places,
                                                  uint32_t room, size_t size,
                                                  uint64_t *bytes) {
    const uint64_t chunks = part_message_chunks(places),
                   which = chunks * MESSAGE_WORDS + chunks; /* words */
    struct part_message m = {places, room, NULL, NULL, NULL, NULL, NULL};
    uint32_t *word = (uint32_t *)at;
    uint64_t words = which;
    if (room <= which) {
        m.place = word;
        words = room;
    } else {
        m.bits = word;
        m.base = word + chunks * MESSAGE_WORDS;
    }
    words += words % 2;
    m.value = word + words;
    *bytes = words * sizeof *word + ((uint64_t)room * size + 7) / 8 * 8;
    return m;
}

/* The longest message to a peer with so many places. */
static inline uint64_t part_message_most(uint32_t places, size_t size) {
    uint64_t bytes;
    part_message_at(NULL, places, places, size, &bytes);
    return bytes;
}

static __device__ __forceinline__ uint32_t part_lanes_below() {
    return (1u << gg_lane()) - 1;
}

/* word[] of a chunk, in shared memory: counts become sums of those before. The first warp calls; the sum of all. */
static __device__ __forceinline__ uint32_t part_sums_before(uint32_t *word) {
    const uint32_t mine = word[gg_lane()];
    uint32_t sum = mine;
    for (unsigned step = 1; step < GG_WARP; step *= 2) {
        const uint32_t other = __shfl_up_sync(ALL_LANES, sum, step);
        if (gg_lane() >= step)
            sum += other;
    }
    word[gg_lane()] = sum - mine;
    return __shfl_sync(ALL_LANES, sum, GG_WARP - 1);
}

/* Values below `limit` that differ from what was sent last go into the message, and sent[] has them from then on.
** place[i]: the master of place i, or GPUGRAPH_NONE. told(value, fits): of each that differs. The whole grid calls,
** blocks of GG_BLOCK. */
template <typename word, typename told_type>
static __device__ __forceinline__ void part_pack(const part_message &m,
                                                 const uint32_t *place, const word *value,
                                                 word limit, word *sent, told_type told) {
    __shared__ uint32_t before[MESSAGE_WORDS], base;
    const uint32_t chunks = (m.places + (MESSAGE_CHUNK - 1ull)) / MESSAGE_CHUNK,
                   warp = threadIdx.x / GG_WARP;
    for (uint32_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        word now[MESSAGE_EACH];
        uint32_t changed[MESSAGE_EACH];
        const uint64_t first = (uint64_t)chunk * MESSAGE_CHUNK + threadIdx.x;
        for (int k = 0; k < MESSAGE_EACH; k++) {
            const uint64_t i = first + k * GG_BLOCK;
            const uint32_t v = i < m.places ? place[i] : GPUGRAPH_NONE;
            now[k] = v != GPUGRAPH_NONE ? value[v] : limit;
            changed[k] = __ballot_sync(ALL_LANES, now[k] < limit && now[k] != sent[i]);
            if (gg_lane() == 0)
                before[k * (GG_BLOCK / GG_WARP) + warp] = __popc(changed[k]);
        }
        __syncthreads();
        if (warp == 0) {
            const uint32_t all = part_sums_before(before);
            if (gg_lane() == 0)
                base = all ? (uint32_t)atomicAdd(m.count, (unsigned long long)all) : 0;
        }
        __syncthreads();
        for (int k = 0; k < MESSAGE_EACH; k++) {
            const uint64_t i = first + k * GG_BLOCK;
            const uint32_t slot = base + before[k * (GG_BLOCK / GG_WARP) + warp] +
                                  __popc(changed[k] & part_lanes_below());
            const bool differs = changed[k] >> gg_lane() & 1,
                       fits = differs && slot < m.room;
            const uint32_t goes = __ballot_sync(ALL_LANES, fits);
            if (!m.place && gg_lane() == 0)
                m.bits[i / GG_WARP] = goes;
            if (fits) {
                if (m.place)
                    m.place[slot] = (uint32_t)i;
                static_cast<word *>(m.value)[slot] = now[k];
                sent[i] = now[k];
            }
            if (differs)
                told(now[k], fits);
        }
        if (!m.place && threadIdx.x == 0)
            m.base[chunk] = base;
        __syncthreads();
    }
}

/* take(place, value) for each value of a message that has come. The whole grid calls. */
template <typename word, typename take_type>
static __device__ __forceinline__ void part_take(const part_message &m, take_type take) {
    __shared__ uint32_t before[MESSAGE_WORDS];
    const word *value = static_cast<const word *>(m.value);
    const unsigned long long come = *m.count < m.room ? *m.count : m.room;
    if (m.place) {
        for (uint64_t i = gg_thread(); i < come; i += gg_threads_of_grid())
            take(m.place[i], value[i]);
        return;
    }
    const uint32_t chunks = (m.places + (MESSAGE_CHUNK - 1ull)) / MESSAGE_CHUNK,
                   warp = threadIdx.x / GG_WARP;
    for (uint32_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const uint32_t *bits = m.bits + (uint64_t)chunk * MESSAGE_WORDS;
        if (warp == 0) {
            before[gg_lane()] = __popc(bits[gg_lane()]);
            part_sums_before(before);
        }
        __syncthreads();
        for (int k = 0; k < MESSAGE_EACH; k++) {
            const uint32_t at = k * (GG_BLOCK / GG_WARP) + warp, set = bits[at];
            if (set >> gg_lane() & 1)
                take(
                    chunk * MESSAGE_CHUNK + at * GG_WARP + gg_lane(),
                    value[m.base[chunk] + before[at] + __popc(set & part_lanes_below())]);
        }
        __syncthreads();
    }
}

#endif
