/* What the parts of the kernel of breadth-first search by the whole grid share: its
** state, and the piles that collect the finds of a warp on their way into the queue.
**
**     pile     FULL vertices and up to a warp's more, in shared memory
**       |        flushed when the pile is full, and at the end of a step
**     queue    rows of the level that is being found, or the list of vertices left
**              over */
#ifndef GPUGRAPH_BFS_WIDE_CUH
#define GPUGRAPH_BFS_WIDE_CUH

#include "bfs.cuh"

/* Threads of a block. Each multiprocessor has one block, because few blocks make a cheap
** barrier. */
#ifndef GG_BFS_WIDE_BLOCK
#define GG_BFS_WIDE_BLOCK 1024
#endif
/* Levels are bottom-up as soon as the frontier has more than 1 / ALPHA of the arcs that
** no level has looked at and more than 1 / LEAST of all arcs. At the end of a long search
** the first condition alone says nothing. */
#define GG_BFS_DEVICE_ALPHA 15
#define GG_BFS_LEAST        32
/* Arcs of the frontier that cost as much as a vertex left over, and the number of
** vertices left over that cost less than a further step. */
#define GG_BFS_LOOKS 4
#define GG_BFS_FEW   65536

enum {
    BLOCK = GG_BFS_WIDE_BLOCK,
    WARPS = BLOCK / GG_WARP,
    SPAN = 4,   /* batches of arcs, words of a bitmap, that a warp loads together */
    FULL = 128, /* vertices of a pile that is flushed */
    PILE = FULL + GG_WARP,
    LANE_FINDS = FULL / GG_WARP
};
static_assert((int)WARPS <= (int)GG_WARP, "a warp adds up a block's warps");

enum mode { DONE, DOWN, SWEEP, LIST, COLLECT };

/* The state of a search, which the first thread of a block computes for all its threads.
** All blocks compute the same state. */
struct state : bfs_progress {
    enum mode mode;
    uint32_t entries, arcs, calm;
    uint64_t newest;
};

struct wide {
    device_csr g;
    bfs_below below;
    bfs_arrays b;
    bfs_bounds bounds;
    bfs_shape shape;
};

/* Vertices that a warp keeps until a reservation in the queue pays. */
struct pile {
    uint32_t *vertex; /* PILE vertices, in shared memory */
    uint32_t count;
};

/* ---- piles ---- */

BFS_STEP void take_off(const pile &p, uint32_t (&v)[LANE_FINDS]) {
#pragma unroll
    for (int i = 0; i < LANE_FINDS; i++) {
        uint32_t at = i * GG_WARP + gg_lane();
        v[i] = at < p.count ? p.vertex[at] : GPUGRAPH_NONE;
    }
}

/* One warp. Returns true if the pile is full: it must be flushed before the next call. */
BFS_STEP bool put_on(pile *p, uint32_t v, bool wanted) {
    unsigned mask = __ballot_sync(ALL_LANES, wanted);
    if (wanted)
        p->vertex[p->count + __popc(mask & ((1u << gg_lane()) - 1))] = v;
    p->count += __popc(mask);
    __syncwarp();
    return p->count >= FULL;
}

/* Moves the remaining vertices down, after the first FULL have been taken. */
BFS_STEP void move_down(pile *p) {
    uint32_t left = p->count - FULL;
    uint32_t v = gg_lane() < left ? p->vertex[FULL + gg_lane()] : 0;
    __syncwarp();
    if (gg_lane() < left)
        p->vertex[gg_lane()] = v;
    p->count = left;
    __syncwarp();
}

BFS_STEP void add_find(const wide &w, const state &s, pile *finds, uint32_t v,
                       bool fresh) {
    if (!put_on(finds, v, fresh))
        return;
    uint32_t row[LANE_FINDS];
    bfs_rows<LANE_FINDS> rows;
    take_off(*finds, row);
    gg_weigh(w.g, row, &rows);
    gg_enqueue(w.b.queue + s.tail, &w.b.control->step[s.phase % 3].size, rows);
    move_down(finds);
}

BFS_STEP void flush_rest(const wide &w, const state &s, const pile &p) {
    uint32_t row[LANE_FINDS], at = 0, count = p.count < FULL ? p.count : FULL;
    if (count == 0)
        return;
    take_off(p, row);
    if (gg_lane() == 0)
        at = atomicAdd(&w.b.control->step[s.phase % 3].rest, count);
    at = __shfl_sync(ALL_LANES, at, 0) + gg_lane();
#pragma unroll
    for (int i = 0; i < LANE_FINDS; i++)
        if (row[i] != GPUGRAPH_NONE)
            w.b.rest[1 - s.side][at + i * GG_WARP] = row[i];
}

BFS_STEP void leave_over(const wide &w, const state &s, pile *rest, uint32_t v,
                         bool wanted) {
    if (!put_on(rest, v, wanted))
        return;
    flush_rest(w, s, *rest);
    move_down(rest);
}

/* The whole block queues what is left in the piles of its warps, by one reservation
** behind *size. The first thread gets the total. */
static __device__ bfs_size flush_piles(const device_csr &g, uint2 *level, bfs_size *size,
                                       const pile &finds) {
    __shared__ bfs_size start[GG_WARP];
    uint32_t row[LANE_FINDS], warp = threadIdx.x / GG_WARP;
    bfs_rows<LANE_FINDS> rows;
    bfs_size all = 0;
    take_off(finds, row);
    gg_weigh(g, row, &rows);
    if (gg_lane() == 0)
        start[warp] = rows.total;
    __syncthreads();
    if (warp == 0) {
        bfs_size mine = gg_lane() < WARPS ? start[gg_lane()] : 0, to = mine, base = 0;
        for (int step = 1; step < GG_WARP; step *= 2) {
            bfs_size other = __shfl_up_sync(ALL_LANES, to, step);
            if ((int)gg_lane() >= step)
                to += other;
        }
        all = __shfl_sync(ALL_LANES, to, GG_WARP - 1);
        if (gg_lane() == 0 && all > 0)
            base = atomicAdd(size, all);
        start[gg_lane()] = __shfl_sync(ALL_LANES, base, 0) + to - mine;
    }
    __syncthreads();
    if (rows.total > 0)
        gg_place(level, start[warp], rows);
    return all;
}

BFS_STEP void flush_finds(const wide &w, const state &s, const pile &finds) {
    flush_piles(w.g, w.b.queue + s.tail, &w.b.control->step[s.phase % 3].size, finds);
}

#endif
