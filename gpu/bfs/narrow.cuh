/* Breadth-first search by one cluster: the shared memory of the kernel, and the exchange
** of rows and counts between its blocks. device/cluster.cuh has the transport.
**
**     pass_on           (narrow.cu) sends the rows of a warp to all blocks in turns
**     finish_sending    sends the number of entries
**     sum_up            adds up the counts of all blocks, after they have arrived
**     part_of_warp      a warp's share of the entries
**
**     entry[turn % 2]    [ from block 0 | from block 1 | ... ]  ROOM / blocks from each
**
** Entry p of block b goes to block (b + p) mod blocks. There it is entry p / blocks of
** those from b. */
#ifndef GPUGRAPH_BFS_NARROW_CUH
#define GPUGRAPH_BFS_NARROW_CUH

#include "bfs.cuh"
#include "device/cluster.cuh"

/* Blocks of the cluster, threads of a block, entries of a block. */
#ifndef GG_BFS_CLUSTER
#define GG_BFS_CLUSTER      16
#define GG_BFS_NARROW_BLOCK 512
#define GG_BFS_NARROW_ROOM  2048
#endif

enum {
    ROOM = GG_BFS_NARROW_ROOM, /* entries that a block sends in a level */
    MOST_BLOCKS = GG_BFS_CLUSTER,
    /* Lanes for a row, as powers of 2. Rows of roads and meshes have up to 8 arcs. Most
    ** rows of roads have at most 4 arcs and get 4 lanes if there are many rows. */
    LANES = 3,
    FEW_LANES = 2,
    PARTS = 2, /* arcs of a row that a lane loads together */
    TURNS = 2  /* rows of a lane that are loaded together: 1 and 4 are slower */
};
static_assert(GG_BFS_NARROW_BLOCK / GG_WARP % MOST_BLOCKS == 0,
              "whole warps to each sender");
static_assert(PARTS == 2 && TURNS == 2, "expand_rows() handles two of each");
static_assert(GG_BFS_NARROW_IN <= GG_BFS_NARROW_ROOM, "a frontier fits the cluster");
static_assert(ROOM % MOST_BLOCKS == 0, "a block sends as much to each");

/* The word that a block sends to the others at the end of a level: the number of its
** entries, and flags. */
#define LEAVES  (1u << 31) /* no space, or a long row */
#define STOPS   (1u << 30) /* the host was interrupted */
#define ENTRIES (STOPS - 1)

/* An entry is a row's first arc and its number of arcs. */
struct block_memory {
    uint2 entry[2][ROOM];       /* by sender */
    uint2 news[2][MOST_BLOCKS]; /* by sender: entries and flags; targets found */
    cluster_mail mail;
    uint32_t sent; /* entries of the level that is being found */
    uint32_t hits, flags;
};

struct narrow {
    device_csr g;
    bfs_arrays b;
    bfs_bounds bounds;
    bfs_shape shape;
    bool short_rows; /* most rows have few arcs */
};

/* A thread's view of its block. */
struct place {
    block_memory *m;
    uint32_t me, shift; /* this block; the number of blocks as a power of 2 */
    uint32_t tail;      /* end of the queue; NONE: the queue already has all entries */
    uint32_t *visited;
};

/* The number of the sender's `sent` entries that go to the receiver. */
BFS_STEP uint32_t entries_for_block(uint32_t shift, uint32_t sent, uint32_t sender,
                                    uint32_t receiver) {
    uint32_t blocks = 1u << shift, first = (receiver - sender) & (blocks - 1);
    sent = sent < ROOM ? sent : ROOM;
    return (sent + blocks - 1 - first) >> shift;
}

/* Sends the counts, after the block's last entry of this turn. All its threads call. */
BFS_STEP void finish_sending(const place &p, uint32_t turn) {
    __syncthreads();
    if (threadIdx.x < GG_WARP) {
        uint32_t sent = p.m->sent, flags = p.m->flags, hits = p.m->hits;
        __syncwarp();
        if (threadIdx.x == 0)
            p.m->sent = p.m->flags = p.m->hits = 0;
        __syncwarp(); /* before the other warps of the block can go on */
        if (threadIdx.x < 1u << p.shift) {
            uint32_t entries = entries_for_block(p.shift, sent, p.me, threadIdx.x);
            gg_announce_bytes(&p.m->mail, threadIdx.x, turn % 2,
                              entries * (uint32_t)sizeof(uint2) +
                                  (uint32_t)sizeof(uint2));
            gg_send(&p.m->mail, &p.m->news[turn % 2][p.me], threadIdx.x, turn % 2,
                    make_uint2(sent | flags, hits));
        }
    }
}

struct summary {
    uint32_t total, flags, hits; /* sums over all blocks */
};

/* One warp. */
BFS_STEP summary sum_up(const place &p, uint32_t turn) {
    bool there = gg_lane() < 1u << p.shift;
    uint2 one = there ? p.m->news[turn % 2][gg_lane()] : make_uint2(0, 0);
    summary s;
    s.total = __reduce_add_sync(ALL_LANES, one.x & ENTRIES);
    s.flags = __reduce_or_sync(ALL_LANES, one.x & ~ENTRIES);
    s.hits = __reduce_add_sync(ALL_LANES, one.y);
    return s;
}

/* The entries that this warp serves: a part of the entries from one sender. If there are
** too many short rows for one turn, each row gets fewer lanes. */
struct part {
    const uint2 *entry;
    uint32_t at, count, stride;
    uint32_t lanes; /* for a row, as a power of 2 */
};

BFS_STEP part part_of_warp(const place &p, uint32_t turn, bool short_rows) {
    const uint32_t warp = threadIdx.x / GG_WARP, blocks = 1u << p.shift;
    const uint32_t warps = blockDim.x / GG_WARP >> p.shift; /* for a sender */
    const uint32_t sender = warp & (blocks - 1);
    uint32_t sent = p.m->news[turn % 2][sender].x & ENTRIES;
    part t;
    t.entry = p.m->entry[turn % 2] + sender * (ROOM >> p.shift);
    t.count = entries_for_block(p.shift, sent, sender, p.me);
    t.lanes = short_rows && t.count > warps * (GG_WARP >> LANES) ? FEW_LANES : LANES;
    t.at = (warp >> p.shift) * (GG_WARP >> t.lanes);
    t.stride = warps * (GG_WARP >> t.lanes);
    return t;
}

#endif
