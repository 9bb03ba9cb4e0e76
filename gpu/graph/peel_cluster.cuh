/* Rounds of a peel (peel.cuh) by one cluster of blocks: those that are too wide for one block, and so narrow that
** a barrier of the whole grid would cost more than their arcs do.
**
**     entry     a slice's first arc, its arcs      in the shared memory of the block that has it
**       |   a warp for each
**     target[]
**       |   its counter, and its row in case that it falls
**     entry     sent to the blocks in turns, so that all have as much to do (device/cluster.cuh)
**
** All answers of a round are there before a block tells the others how many entries it has sent, so no counter
** is lowered for a round before the last one has ended. A block that runs out of room puts slices on the
** list in memory, and the whole grid goes on; so it does where a round has grown. */
#ifndef GPUGRAPH_PEEL_CLUSTER_CUH
#define GPUGRAPH_PEEL_CLUSTER_CUH

#include "device/cluster.cuh"
#include "graph/peel.cuh"

/* Blocks of the cluster, entries that a block sends in a round; slices for each block up to which it begins, and entries
** for each block from which it leaves a round to the grid. */
#define GG_PEEL_CLUSTER      16
#define GG_PEEL_CLUSTER_ROOM 2048
#define GG_PEEL_CLUSTER_IN   128
#define GG_PEEL_CLUSTER_OUT  256

enum {
    CLUSTER_BLOCKS = GG_PEEL_CLUSTER,
    CLUSTER_ROOM = GG_PEEL_CLUSTER_ROOM, /* entries that a block sends in a round */
    CLUSTER_ARCS = 2 * GG_WARP,          /* of an entry, at most */
    CLUSTER_AT_ONCE = 2 /* entries of a warp whose arcs are on their way together */
};
static_assert(CLUSTER_AT_ONCE * CLUSTER_ARCS == PEEL_AT_ONCE * GG_WARP,
              "take_all has as many arcs of a lane");
static_assert(CLUSTER_ROOM % CLUSTER_BLOCKS == 0, "a block sends as much to each");

/* What a block tells the others at the end of a round: what it has sent, and flags. */
#define CLUSTER_LEAVES  (1u << 31) /* no room */
#define CLUSTER_STOPS   (1u << 30) /* the host was interrupted */
#define CLUSTER_ENTRIES (CLUSTER_STOPS - 1)

struct peel_block {
    uint2 entry[2][CLUSTER_ROOM];  /* by sender */
    uint2 news[2][CLUSTER_BLOCKS]; /* by sender: entries and flags */
    struct cluster_mail mail;
    uint32_t sent, flags;
};

/* What a thread goes by. */
struct peel_place {
    peel_block *m;
    uint32_t me, shift; /* this block; blocks as a power of 2 */
};

/* How many of a sender's entries come to a receiver: entry p of block b goes to block (b + p) mod blocks. */
static __device__ __forceinline__ uint32_t entries_for(const peel_place &at,
                                                       uint32_t sent, uint32_t sender,
                                                       uint32_t receiver) {
    const uint32_t blocks = 1u << at.shift, first = (receiver - sender) & (blocks - 1);
    sent = sent < CLUSTER_ROOM ? sent : CLUSTER_ROOM;
    return (sent + blocks - 1 - first) >> at.shift;
}

/* ---- between blocks ---- */

/* Two slices at most, on the list of that round in memory. */
static __device__ __forceinline__ void put_far(const peel_lists &p, uint32_t round,
                                               uint64_t first, uint32_t arcs) {
    const uint32_t slices = (arcs + PEEL_SLICE - 1) / PEEL_SLICE,
                   at = atomicAdd(&p.state->spill, slices);
    for (uint32_t i = 0; i < slices; i++)
        p.slice[round % 2][at + i] =
            slice_from(first + (uint64_t)i * PEEL_SLICE, first + arcs);
}

/* Entry `number` that this block has found for a round. */
static __device__ __forceinline__ void send_entry(const peel_lists &p,
                                                  const peel_place &at, uint32_t number,
                                                  uint32_t half, uint32_t round,
                                                  uint64_t first, uint64_t end) {
    const uint32_t arcs = (uint32_t)min(end - first, (uint64_t)CLUSTER_ARCS);
    if (number < CLUSTER_ROOM) {
        const uint32_t lane = CLUSTER_ROOM >> at.shift,
                       slot = at.me * lane + (number >> at.shift);
        gg_send(&at.m->mail, &at.m->entry[half][slot],
                (at.me + number) & ((1u << at.shift) - 1), half,
                make_uint2((uint32_t)first, arcs));
    } else {
        put_far(p, round, first, arcs);
        atomicOr(&at.m->flags, CLUSTER_LEAVES);
    }
    gg_fetch_ahead_far(p.rows.target + first);
}

/* Rows of a warp's lanes, in entries. All lanes of the warp call. */
template <uint32_t count>
static __device__ __forceinline__ void
send_rows(const peel_lists &p, const peel_place &at, uint32_t half, uint32_t round,
          const peel_rows<count> &rows) {
    uint32_t mine = 0, total, number = 0;
#pragma unroll
    for (uint32_t i = 0; i < count; i++)
        mine +=
            (uint32_t)((rows.end[i] - rows.begin[i] + CLUSTER_ARCS - 1) / CLUSTER_ARCS);
    const uint32_t before = warp_sum_before(mine, &total);
    if (total == 0)
        return;
    if (gg_lane() == 0)
        number = atomicAdd(&at.m->sent, total);
    number = warp_from(number, 0) + before;
#pragma unroll
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t entries =
            (uint32_t)((rows.end[i] - rows.begin[i] + CLUSTER_ARCS - 1) / CLUSTER_ARCS);
        if (entries > 0)
            send_entry(p, at, number, half, round, rows.begin[i], rows.end[i]);
        for (uint32_t lanes = warp_ballot(entries > 1); lanes != 0; lanes &= lanes - 1) {
            const unsigned lane = (unsigned)__ffs((int)lanes) - 1;
            const uint32_t its_number = warp_from(number, lane),
                           its = warp_from(entries, lane);
            const uint64_t first = warp_from_64(rows.begin[i], lane),
                           end = warp_from_64(rows.end[i], lane);
            for (uint32_t k = 1 + gg_lane(); k < its; k += GG_WARP)
                send_entry(p, at, its_number + k, half, round,
                           first + (uint64_t)k * CLUSTER_ARCS, end);
        }
        number += entries;
    }
}

/* All of the block: what it has sent is all that it will send in this turn. */
static __device__ __forceinline__ void end_turn(const peel_place &at, uint32_t turn) {
    __syncthreads();
    if (threadIdx.x < GG_WARP) {
        const uint32_t sent = at.m->sent, flags = at.m->flags;
        __syncwarp();
        if (threadIdx.x == 0)
            at.m->sent = at.m->flags = 0;
        __syncwarp(); /* before the other warps of the block can go on */
        if (threadIdx.x < 1u << at.shift) {
            gg_announce(&at.m->mail, threadIdx.x, turn % 2,
                        entries_for(at, sent, at.me, threadIdx.x) + 1);
            gg_send(&at.m->mail, &at.m->news[turn % 2][at.me], threadIdx.x, turn % 2,
                    make_uint2(sent | flags, 0));
        }
    }
}

/* What a warp knows of a turn: of all blocks, and of what came to this one, by sender. */
struct peel_turn {
    uint32_t total, flags, came;
    uint32_t count, first; /* of this lane's sender */
};

static __device__ __forceinline__ peel_turn sum_up(const peel_place &at, uint32_t turn) {
    const bool there = gg_lane() < 1u << at.shift;
    const uint32_t news = there ? at.m->news[turn % 2][gg_lane()].x : 0;
    peel_turn t;
    t.total = __reduce_add_sync(ALL_LANES, news & CLUSTER_ENTRIES);
    t.flags = __reduce_or_sync(ALL_LANES, news & ~CLUSTER_ENTRIES);
    t.count = there ? entries_for(at, news & CLUSTER_ENTRIES, gg_lane(), at.me) : 0;
    t.first = warp_sum_before(t.count, &t.came);
    return t;
}

/* Entry i of those that came; the same for all lanes of the warp. */
static __device__ __forceinline__ uint2 entry_of(const peel_place &at, const peel_turn &t,
                                                 uint32_t turn, uint32_t i) {
    const uint32_t sender =
        31 - (uint32_t)__clz((int)warp_ballot(t.count > 0 && t.first <= i));
    return at.m->entry[turn % 2][sender * (CLUSTER_ROOM >> at.shift) + i -
                                 warp_from(t.first, sender)];
}

/* ---- a round ---- */

template <typename take_type>
static __device__ __forceinline__ uint32_t walk_turn(const peel_lists &p,
                                                     const peel_place &at,
                                                     const peel_turn &t, uint32_t turn,
                                                     uint32_t round,
                                                     const take_type &take) {
    const uint32_t warps = blockDim.x / GG_WARP;
    uint32_t taken = 0;
    for (uint32_t i = threadIdx.x / GG_WARP; i < t.came; i += CLUSTER_AT_ONCE * warps) {
        uint32_t to[PEEL_AT_ONCE];
        bool falls[PEEL_AT_ONCE];
        peel_rows<PEEL_AT_ONCE> rows = {};
#pragma unroll
        for (uint32_t j = 0; j < CLUSTER_AT_ONCE; j++) {
            const bool there = i + j * warps < t.came; /* the same for all lanes */
            const uint2 entry =
                there ? entry_of(at, t, turn, i + j * warps) : make_uint2(0, 0);
#pragma unroll
            for (uint32_t k = 0; k < CLUSTER_ARCS / GG_WARP; k++) {
                const uint32_t arc = k * GG_WARP + gg_lane(),
                               which = j * (CLUSTER_ARCS / GG_WARP) + k;
                falls[which] = arc < entry.y;
                to[which] =
                    gg_load_now(p.rows.target + (uint64_t)entry.x + arc, falls[which]);
            }
        }
        taken += take_all(p, take, to, falls, round, &rows);
        send_rows(p, at, (turn + 1) % 2, round + 1, rows);
    }
    return taken;
}

/* The block's share of the list in memory, as if it had been found here. */
static __device__ __forceinline__ void bring_in(const peel_lists &p, const peel_place &at,
                                                uint32_t round, uint32_t count) {
    const uint32_t all = blockDim.x << at.shift;
    for (uint32_t i = at.me * blockDim.x; i < count; i += all) {
        peel_rows<1> row = {};
        if (i + threadIdx.x < count) {
            const uint64_t slice = p.slice[round % 2][i + threadIdx.x];
            row.begin[0] = slice >> PEEL_ARC_BITS;
            row.end[0] = row.begin[0] + (slice & ((1u << PEEL_ARC_BITS) - 1));
        }
        send_rows(p, at, 0, round, row);
    }
}

/* What came goes to the list in memory. */
static __device__ __forceinline__ void carry_out(const peel_lists &p,
                                                 const peel_place &at, const peel_turn &t,
                                                 uint32_t turn, uint32_t round) {
    for (uint32_t i = threadIdx.x / GG_WARP; i < t.came; i += blockDim.x / GG_WARP) {
        const uint2 entry = entry_of(at, t, turn, i);
        if (gg_lane() == 0)
            put_far(p, round, entry.x, entry.y);
    }
}

static __device__ __forceinline__ void leave_cluster(const peel_lists &p, uint32_t round,
                                                     uint32_t flags, bool failed) {
    struct peel_state *state = p.state;
    for (uint32_t i = 0; i < PEEL_COUNTS; i++)
        state->slices[i] = i == round % PEEL_COUNTS ? gg_peek(&state->spill) : 0;
    state->spill = 0;
    state->round = round;
    state->stopped = flags & CLUSTER_STOPS ? 1 : 0;
    state->failed = failed;
}

/* One cluster, of blocks that are all of the grid: rounds from the one that the list is of, while they are narrow.
** Arcs have numbers of 32 bits. */
template <typename take_type>
static __device__ __forceinline__ void
gg_peel_by_cluster(const peel_lists &p, peel_block *m, const take_type &take) {
    const uint32_t blocks = gg_cluster_blocks();
    const peel_place at = {m, blockIdx.x, 31u - (uint32_t)__clz((int)blocks)};
    uint32_t round = p.state->round, taken = 0, turn = 0;
    const uint32_t count = p.state->slices[round % PEEL_COUNTS];
    bool there;
    peel_turn t;
    if (count == 0 || count > GG_PEEL_CLUSTER_IN * blocks || p.state->stopped)
        return;
    if (threadIdx.x == 0)
        m->sent = m->flags = 0;
    gg_open_mail(&m->mail, blocks);
    bring_in(p, at, round, count);
    for (;; turn++, round++) {
        if (blockIdx.x == 0 && threadIdx.x == 0 && turn % PEEL_STOP_ROUNDS == 0 &&
            *(const volatile uint32_t *)p.host_stop != 0)
            atomicOr(&m->flags, CLUSTER_STOPS);
        end_turn(at, turn);
        gg_late();
        there = gg_receive(&m->mail, turn);
        t = sum_up(at, turn);
        if (!there || t.total == 0 || t.flags != 0 ||
            t.total > GG_PEEL_CLUSTER_OUT * blocks)
            break;
        taken += walk_turn(p, at, t, turn, round, take);
    }
    if (there)
        carry_out(p, at, t, turn, round);
    taken = __reduce_add_sync(ALL_LANES, taken);
    if (gg_lane() == 0 && taken > 0)
        atomicAdd(&p.state->taken, taken);
    __threadfence();
    gg_close_mail();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        leave_cluster(p, round, t.flags, !there);
}

/* ---- the host's side ---- */

static inline void configure_cluster(struct cuda_job *job, int blocks,
                                     cudaLaunchConfig_t *config,
                                     cudaLaunchAttribute *attribute) {
    *config = cudaLaunchConfig_t();
    config->gridDim = dim3((unsigned)blocks);
    config->blockDim = dim3(PEEL_BLOCK);
    config->stream = job->stream;
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = (unsigned)blocks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config->attrs = attribute;
    config->numAttrs = blocks > 1 ? 1 : 0;
}

/* Blocks of the largest cluster that fits, a power of two. */
static inline int gg_peel_cluster(struct cuda_job *job, const void *kernel) {
    int blocks, major = 0, clusters = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                           job->device->ordinal);
    blocks = major >= 9 ? CLUSTER_BLOCKS : 1;
    if (blocks > 8)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (; blocks > 1; blocks /= 2) {
        cudaLaunchConfig_t config;
        cudaLaunchAttribute attribute;
        configure_cluster(job, blocks, &config, &attribute);
        if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess &&
            clusters > 0)
            break;
    }
    cudaGetLastError();
    return blocks;
}

static inline bool gg_launch_peel_cluster(struct cuda_job *job, const void *kernel,
                                          const char *name, int blocks,
                                          void **arguments) {
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
    configure_cluster(job, blocks, &config, &attribute);
    return gg_going(job) &&
           gg_note(job, cudaLaunchKernelExC(&config, kernel, arguments), name);
}

#endif
