/* What the kernel that runs breadth-first search by one cluster keeps in shared memory, and how
** its blocks exchange rows and counts; device/cluster.cuh has the mail that carries them.
**
**     pass_on     rows found by a warp, to all blocks in turns
**     finish      so many were sent
**     sum_up      what all blocks have sent, once it is there
**     part_of     a warp's share of it
**
**     half of a level    [ from block 0 | from block 1 | ... ]  ROOM / blocks from each
**     entry p of block b goes to block (b + p) mod blocks, as its number p / blocks from b */
#ifndef GPUGRAPH_BFS_NARROW_CUH
#define GPUGRAPH_BFS_NARROW_CUH

#include "bfs.cuh"
#include "device/cluster.cuh"

enum {
    ROOM = GG_BFS_NARROW_ROOM, /* entries that a block sends in a level */
    MOST_BLOCKS = GG_BFS_CLUSTER,
    LANES = GG_BFS_NARROW_LANES, /* to a row: 2 to the power of it */
    FEW_LANES = GG_BFS_NARROW_FEW_LANES,
    PARTS = 2,                  /* arcs of a row that a lane loads together */
    TURNS = GG_BFS_NARROW_TURNS /* rows of a lane whose loads are on their way together */
};
static_assert(GG_BFS_NARROW_BLOCK / GG_WARP % MOST_BLOCKS == 0 &&
                  GG_BFS_NARROW_SMALL_BLOCK / GG_WARP % MOST_BLOCKS == 0,
              "whole warps to each sender");
static_assert(PARTS == 2 && TURNS == 2, "expand() takes them so");
static_assert(ROOM % MOST_BLOCKS == 0, "a block sends as much to each");

/* What a block tells the others at the end of a level: what it has sent, and flags. */
#define LEAVES  (1u << 31) /* no room, or a long row */
#define STOPS   (1u << 30) /* the host was interrupted */
#define ENTRIES (STOPS - 1)

struct block_memory {
    uint2 entry[2][ROOM];       /* by sender */
    uint2 news[2][MOST_BLOCKS]; /* by sender: entries and flags; targets found */
    struct cluster_mail mail;
    uint32_t sent; /* entries of the level being found */
    uint32_t hits, flags;
};

struct narrow {
    device_csr g;
    bfs_arrays b;
    bfs_bounds bounds;
    bfs_shape shape;
    bool short_rows; /* most have few arcs */
};

/* What a thread goes by. */
struct place {
    block_memory *m;
    uint32_t me, shift; /* this block; blocks as a power of 2 */
    uint32_t tail;      /* of the queue; NONE: what finds no room is there already */
    uint32_t *visited;
};

/* How many of that sender's entries came to this block. */
static __device__ __forceinline__ uint32_t share_of(const place &p, uint32_t sent,
                                                    uint32_t sender, uint32_t receiver) {
    uint32_t blocks = 1u << p.shift, first = (receiver - sender) & (blocks - 1);
    sent = sent < ROOM ? sent : ROOM;
    return (sent + blocks - 1 - first) >> p.shift;
}

/* ---- between blocks ---- */

/* One warp: rows that its lanes have found, 0 arcs: none. They go to the blocks in turns,
** or where there is no room to the queue. */
template <int count>
static __device__ __forceinline__ void
pass_on(const narrow &w, const place &p, uint32_t half, const uint32_t (&begin)[count],
        const uint32_t (&arcs)[count]) {
    unsigned mask[count];
    uint32_t total = 0, at = 0;
    bool leaves = false;
#pragma unroll
    for (int i = 0; i < count; i++) {
        mask[i] = __ballot_sync(ALL_LANES, arcs[i] > 0);
        total += __popc(mask[i]);
    }
    if (total == 0)
        return;
    if (gg_lane() == 0)
        at = atomicAdd(&p.m->sent, total);
    at = __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
    for (int i = 0; i < count; i++) {
        uint32_t mine = at + __popc(mask[i] & ((1u << gg_lane()) - 1));
        bool fits = arcs[i] > 0 && mine<ROOM, spills = arcs[i]> 0 && mine >= ROOM;
        leaves |= arcs[i] > GG_BFS_NARROW_ROW || spills;
        if (fits) {
            uint32_t lane = ROOM >> p.shift, slot = p.me * lane + (mine >> p.shift);
            uint32_t block = (p.me + mine) & ((1u << p.shift) - 1);
            gg_send(&p.m->mail, &p.m->entry[half][slot], block, half,
                    make_uint2(begin[i], arcs[i]));
        }
        if (p.tail != GPUGRAPH_NONE && __any_sync(ALL_LANES, spills)) {
            bfs_rows<1> rows = {{begin[i]}, {spills ? arcs[i] : 0}, 0, 0, 0};
            gg_add_up(&rows);
            gg_enqueue(w.b.queue + p.tail, &w.b.control->spill, rows);
        }
        at += __popc(mask[i]);
    }
    if (leaves)
        atomicOr(&p.m->flags, LEAVES);
}

/* All of the block: what it has sent is all it will send in this turn. */
static __device__ __forceinline__ void finish(const place &p, uint32_t turn) {
    __syncthreads();
    if (threadIdx.x < GG_WARP) {
        uint32_t sent = p.m->sent, flags = p.m->flags, hits = p.m->hits;
        __syncwarp();
        if (threadIdx.x == 0)
            p.m->sent = p.m->flags = p.m->hits = 0;
        __syncwarp(); /* before the other warps of the block can go on */
        if (threadIdx.x < 1u << p.shift) {
            uint32_t pairs = share_of(p, sent, p.me, threadIdx.x) + 1;
            gg_announce(&p.m->mail, threadIdx.x, turn % 2, pairs);
            gg_send(&p.m->mail, &p.m->news[turn % 2][p.me], threadIdx.x, turn % 2,
                    make_uint2(sent | flags, hits));
        }
    }
}

/* The block's share of the frontier, from the queue, as if it had been found here. */
static __device__ void bring_in(const narrow &w, const place &p, uint32_t first,
                                bfs_size frontier) {
    const uint2 *queue = w.b.queue + first;
    const uint32_t entries = (uint32_t)frontier, arcs = (uint32_t)(frontier >> 32);
    const uint32_t all = gridDim.x * blockDim.x;
    const place there = {p.m, p.me, p.shift, GPUGRAPH_NONE, p.visited};
    for (uint32_t i = p.me * blockDim.x; i < entries; i += all) {
        uint32_t at = i + threadIdx.x;
        uint32_t begin[1] = {0}, row[1] = {0};
        if (at < entries) {
            uint32_t end = at + 1 < entries ? queue[at + 1].y : arcs;
            begin[0] = queue[at].x;
            row[0] = end - queue[at].y;
        }
        pass_on<1>(w, there, 0, begin, row);
    }
}

struct summary {
    uint32_t total, flags, hits; /* of all blocks */
};

/* One warp. */
static __device__ __forceinline__ summary sum_up(const place &p, uint32_t turn) {
    bool there = gg_lane() < 1u << p.shift;
    uint2 one = there ? p.m->news[turn % 2][gg_lane()] : make_uint2(0, 0);
    summary s;
    s.total = __reduce_add_sync(ALL_LANES, one.x & ENTRIES);
    s.flags = __reduce_or_sync(ALL_LANES, one.x & ~ENTRIES);
    s.hits = __reduce_add_sync(ALL_LANES, one.y);
    return s;
}

/* The entries that this warp serves: part of what one block has sent to this one. Where rows are
** short and there are more than a turn has room for, fewer lanes are given to each. */
struct part {
    const uint2 *entry;
    uint32_t at, count, stride;
    uint32_t lanes; /* to a row: 2 to the power of it */
};

static __device__ __forceinline__ part part_of(const narrow &w, const place &p,
                                               uint32_t turn) {
    const uint32_t warp = threadIdx.x / GG_WARP, blocks = 1u << p.shift;
    const uint32_t warps = blockDim.x / GG_WARP >> p.shift; /* to a sender */
    const uint32_t sender = warp & (blocks - 1);
    uint32_t sent = p.m->news[turn % 2][sender].x & ENTRIES;
    part t;
    t.entry = p.m->entry[turn % 2] + sender * (ROOM >> p.shift);
    t.count = share_of(p, sent, sender, p.me);
    t.lanes = w.short_rows && t.count > warps * (GG_WARP >> LANES) ? FEW_LANES : LANES;
    t.at = (warp >> p.shift) * (GG_WARP >> t.lanes);
    t.stride = warps * (GG_WARP >> t.lanes);
    return t;
}

#endif
