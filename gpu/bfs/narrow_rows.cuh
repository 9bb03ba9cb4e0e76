/* How the kernel that runs breadth-first search by one cluster looks at a level by rows: an entry is a
** row's first arc and its arcs.
**
**     entry     row's first arc, arcs          in the shared memory of the block that has it
**       |   a warp to what one block has sent, some lanes to a row
**     target[]
**       |   together: claim its bit, and look its row up in case the claim is won
**     entry     sent to the blocks in turns, so that all have as much to do
**
** A level is two loads from device memory deep. */
#ifndef GPUGRAPH_BFS_NARROW_ROWS_CUH
#define GPUGRAPH_BFS_NARROW_ROWS_CUH

#include "narrow.cuh"

/* One warp: rows that its lanes have found, 0 arcs: none. They go to the blocks in turns,
** or where there is no room to the queue. */
template <int count>
static __device__ __forceinline__ void
pass_on(const narrow &w, const place<uint2> &p, uint32_t half,
        const uint32_t (&begin)[count], const uint32_t (&arcs)[count]) {
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

/* One warp: claims the targets v of its lanes, NONE: none. Returns how many this thread
** found. */
template <int count>
static __device__ __forceinline__ uint32_t visit(const narrow &w, const place<uint2> &p,
                                                 const uint32_t (&v)[count],
                                                 uint32_t half, uint32_t depth) {
    const uint32_t *offset =
        reinterpret_cast<const uint32_t *>(w.g.offset); /* low words */
    uint32_t begin[count], arcs[count], before[count], found = 0;
    /* Rows and claims are asked for together, and waited for together. */
#pragma unroll
    for (int i = 0; i < count; i++) {
        begin[i] = gg_load_now(offset + 2 * (uint64_t)v[i], v[i] != GPUGRAPH_NONE);
        arcs[i] = gg_load_now(offset + 2 * (uint64_t)v[i] + 2, v[i] != GPUGRAPH_NONE);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
        before[i] = UINT32_MAX;
        if (v[i] != GPUGRAPH_NONE)
            before[i] = atomicOr(&p.visited[v[i] / 32], 1u << v[i] % 32);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
        bool fresh = !(before[i] >> v[i] % 32 & 1);
        arcs[i] = fresh ? arcs[i] - begin[i] : 0;
        if (fresh) {
            found++;
            gg_fetch_ahead_far(&w.g.target[begin[i]]);
            w.b.depth[v[i]] = depth;
            if (w.bounds.targets && gg_bit(w.b.wanted, v[i]))
                atomicAdd(&p.m->hits, 1u);
        }
    }
    pass_on<count>(w, p, half, begin, arcs);
    return found;
}

/* TURNS rows of a group of lanes, and PARTS of the targets of each. */
struct rows_ahead {
    uint2 entry[TURNS];
    uint32_t v[TURNS][PARTS];
};

static __device__ __forceinline__ void load(const narrow &w, const part<uint2> &t,
                                            uint32_t at, rows_ahead *b) {
    const uint32_t sub = gg_lane() & ((1u << t.lanes) - 1);
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        uint32_t row = at + i * t.stride + (gg_lane() >> t.lanes);
        b->entry[i] = row < t.count ? t.entry[row] : make_uint2(0, 0);
    }
#pragma unroll
    for (int i = 0; i < TURNS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            b->v[i][k] = sub + (k << t.lanes) < b->entry[i].y
                             ? __ldg(&w.g.target[b->entry[i].x + sub + (k << t.lanes)])
                             : GPUGRAPH_NONE;
}

/* The warp's part of a level, its first batch loaded. */
static __device__ uint32_t expand(const narrow &w, const place<uint2> &p,
                                  const part<uint2> &t, rows_ahead *b, uint32_t turn,
                                  uint32_t depth) {
    const uint32_t lanes = 1u << t.lanes, sub = gg_lane() & (lanes - 1);
    const uint32_t half = (turn + 1) % 2;
    uint32_t found = 0;
    for (uint32_t at = t.at; at < t.count;) {
        const bool more = at + t.stride < t.count;
        const bool over =
            __any_sync(ALL_LANES, b->entry[0].y > lanes || b->entry[1].y > lanes);
        if (more && over) {
            const uint32_t v[4] = {b->v[0][0], b->v[0][1], b->v[1][0], b->v[1][1]};
            found += visit<4>(w, p, v, half, depth);
        } else if (more || over) {
            const uint32_t v[2] = {b->v[0][0], more ? b->v[1][0] : b->v[0][1]};
            found += visit<2>(w, p, v, half, depth);
        } else {
            const uint32_t v[1] = {b->v[0][0]};
            found += visit<1>(w, p, v, half, depth);
        }
        if (over)
#pragma unroll
            for (int i = 0; i < TURNS && at + i * t.stride < t.count; i++)
                for (uint32_t j = sub + PARTS * lanes;
                     __any_sync(ALL_LANES, j < b->entry[i].y); j += lanes) {
                    uint32_t v[1] = {GPUGRAPH_NONE};
                    if (j < b->entry[i].y)
                        v[0] = __ldg(&w.g.target[b->entry[i].x + j]);
                    found += visit<1>(w, p, v, half, depth);
                }
        at += TURNS * t.stride;
        if (at < t.count)
            load(w, t, at, b);
    }
    return found;
}

/* The frontier goes to the queue, for the whole grid. */
static __device__ void carry_out(const narrow &w, const place<uint2> &p,
                                 const part<uint2> &t) {
    const uint32_t warps = blockDim.x / GG_WARP >> p.shift;
    const uint32_t warp = threadIdx.x / GG_WARP >> p.shift;
    for (uint32_t i = warp * GG_WARP; i < t.count; i += warps * GG_WARP) {
        uint2 entry = i + gg_lane() < t.count ? t.entry[i + gg_lane()] : make_uint2(0, 0);
        bfs_rows<1> rows = {{entry.x}, {entry.y}, 0, 0, 0};
        gg_add_up(&rows);
        gg_enqueue(w.b.queue + p.tail, &w.b.control->spill, rows);
    }
}

/* The block's share of the frontier, from the queue, as if it had been found here. */
static __device__ void bring_in(const narrow &w, const place<uint2> &p, uint32_t first,
                                bfs_size frontier) {
    const uint2 *queue = w.b.queue + first;
    const uint32_t entries = (uint32_t)frontier, arcs = (uint32_t)(frontier >> 32);
    const uint32_t all = gridDim.x * blockDim.x;
    const place<uint2> there = {p.m, p.me, p.shift, GPUGRAPH_NONE, p.visited};
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

struct by_rows {
    typedef uint2 entry;
    typedef rows_ahead batch;
    static __device__ __forceinline__ void begin(const narrow &w, const place<uint2> &p,
                                                 uint32_t first, bfs_size frontier) {
        bring_in(w, p, first, frontier);
    }
    static __device__ __forceinline__ part<uint2>
    share(const narrow &w, const place<uint2> &p, uint32_t turn) {
        return part_of(p, turn, LANES, w.short_rows ? FEW_LANES : LANES);
    }
    static __device__ __forceinline__ void ask(const narrow &w, const part<uint2> &t,
                                               batch *b) {
        load(w, t, t.at, b);
    }
    static __device__ __forceinline__ uint32_t look(const narrow &w,
                                                    const place<uint2> &p,
                                                    const part<uint2> &t, rows_ahead *b,
                                                    uint32_t turn, uint32_t depth) {
        return expand(w, p, t, b, turn, depth);
    }
    static __device__ __forceinline__ void leave(const narrow &w, const place<uint2> &p,
                                                 const part<uint2> &t) {
        carry_out(w, p, t);
    }
};

#endif
