/* How the kernel that runs breadth-first search by one cluster looks at a level by fixed rows
** (graph/device_fixed.cu): an entry is a vertex, whose first targets lie at a place that follows from its number.
**
**     entry     vertex                         in the shared memory of the block that has it
**       |   a warp to what one block has sent, a lane to a place of a row
**     target[]
**       |   claim its bit
**     entry     sent to the blocks in turns; its row is asked for meanwhile
**
** A level is two trips to device memory deep as by rows, but the row's is under way with the mail, and
** for an arc that leads nowhere new nothing is loaded. */
#ifndef GPUGRAPH_BFS_NARROW_FIXED_CUH
#define GPUGRAPH_BFS_NARROW_FIXED_CUH

#include "graph/in_order.cuh"
#include "narrow.cuh"

static_assert(GG_FIXED_PLACES == 1 << LANES, "a lane to a place");

static __device__ __forceinline__ const uint32_t *fixed_row(const narrow &w, uint32_t v) {
    return w.fixed + (uint64_t)v * GG_FIXED_PLACES;
}

/* ---- a level ---- */

static __device__ __forceinline__ void queue_row(const narrow &w, uint32_t tail,
                                                 uint32_t v) {
    const uint32_t row[1] = {v};
    bfs_rows<1> rows;
    gg_weigh(w.g.offset, row, &rows);
    gg_enqueue(w.b.queue + tail, &w.b.control->spill, rows);
}

/* One warp: vertices that its lanes have found, NONE: none. They go to the blocks in turns, or
** where there is no room to the queue. */
template <int count>
static __device__ __forceinline__ void pass_on(const narrow &w, const place<uint32_t> &p,
                                               uint32_t half,
                                               const uint32_t (&v)[count]) {
    unsigned mask[count];
    uint32_t total = 0, at = 0;
    bool leaves = false;
#pragma unroll
    for (int i = 0; i < count; i++) {
        mask[i] = __ballot_sync(ALL_LANES, v[i] != GPUGRAPH_NONE);
        total += __popc(mask[i]);
    }
    if (total == 0)
        return;
    if (gg_lane() == 0)
        at = atomicAdd(&p.m->sent, total);
    at = __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
    for (int i = 0; i < count; i++) {
        const uint32_t mine = at + __popc(mask[i] & ((1u << gg_lane()) - 1));
        const bool there = v[i] != GPUGRAPH_NONE, spills = there && mine >= ROOM;
        leaves |= spills;
        if (there && !spills) {
            uint32_t lane = ROOM >> p.shift, slot = p.me * lane + (mine >> p.shift);
            uint32_t block = (p.me + mine) & ((1u << p.shift) - 1);
            gg_send(&p.m->mail, &p.m->entry[half][slot], block, half, v[i]);
        }
        if (p.tail != GPUGRAPH_NONE && __any_sync(ALL_LANES, spills))
            queue_row(w, p.tail, spills ? v[i] : GPUGRAPH_NONE);
        at += __popc(mask[i]);
    }
    if (leaves)
        atomicOr(&p.m->flags, LEAVES);
}

/* One warp: claims the targets v of its lanes, NONE: none. Returns how many this thread
** found. */
template <int count>
static __device__ __forceinline__ uint32_t visit(const narrow &w,
                                                 const place<uint32_t> &p,
                                                 const uint32_t (&v)[count],
                                                 uint32_t half, uint32_t depth) {
    uint32_t before[count], fresh[count], found = 0;
#pragma unroll
    for (int i = 0; i < count; i++) {
        before[i] = UINT32_MAX;
        if (v[i] != GPUGRAPH_NONE)
            before[i] = atomicOr(&p.visited[v[i] / 32], 1u << v[i] % 32);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
        fresh[i] = before[i] >> v[i] % 32 & 1 ? GPUGRAPH_NONE : v[i];
        if (fresh[i] != GPUGRAPH_NONE) {
            found++;
            gg_fetch_ahead_far(fixed_row(w, v[i]));
            w.b.depth[v[i]] = depth;
            if (w.bounds.targets && gg_bit(w.b.wanted, v[i]))
                atomicAdd(&p.m->hits, 1u);
        }
    }
    pass_on<count>(w, p, half, fresh);
    return found;
}

struct places_ahead { /* a place of TURNS rows */
    uint32_t entry[TURNS], v[TURNS];
};

static __device__ __forceinline__ void load(const narrow &w, const part<uint32_t> &t,
                                            uint32_t at, places_ahead *b) {
    const uint32_t place = gg_lane() % GG_FIXED_PLACES;
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        uint32_t row = at + i * t.stride + gg_lane() / GG_FIXED_PLACES;
        b->entry[i] = row < t.count ? t.entry[row] : GPUGRAPH_NONE;
    }
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        b->v[i] = b->entry[i] != GPUGRAPH_NONE ? __ldg(fixed_row(w, b->entry[i]) + place)
                                               : GPUGRAPH_NONE;
}

/* One warp: what rows that are longer have beyond their places, a lane for an arc. `more`: this
** lane's row, entry, is. */
static __device__ uint32_t look_beyond(const narrow &w, const place<uint32_t> &p,
                                       bool more, uint32_t entry, uint32_t half,
                                       uint32_t depth) {
    uint32_t found = 0;
    for (unsigned rows = __ballot_sync(ALL_LANES, more); rows; rows &= rows - 1) {
        const uint32_t u = __shfl_sync(ALL_LANES, entry, __ffs(rows) - 1);
        const uint64_t end = w.g.offset[u + 1];
        for (uint64_t i = w.g.offset[u] + GG_FIXED_PLACES - 1; i < end; i += GG_WARP) {
            const uint32_t v[1] = {i + gg_lane() < end ? __ldg(&w.g.target[i + gg_lane()])
                                                       : GPUGRAPH_NONE};
            found += visit<1>(w, p, v, half, depth);
        }
    }
    return found;
}

/* The warp's part of a level, its first batch loaded. */
static __device__ uint32_t expand(const narrow &w, const place<uint32_t> &p,
                                  const part<uint32_t> &t, places_ahead *b, uint32_t turn,
                                  uint32_t depth) {
    const uint32_t half = (turn + 1) % 2;
    uint32_t found = 0;
    for (uint32_t at = t.at; at < t.count;) {
        bool more[TURNS];
#pragma unroll
        for (int i = 0; i < TURNS; i++) {
            more[i] = b->v[i] == GG_FIXED_MORE;
            b->v[i] = more[i] ? GPUGRAPH_NONE : b->v[i];
        }
        if (at + t.stride < t.count) {
            const uint32_t v[2] = {b->v[0], b->v[1]};
            found += visit<2>(w, p, v, half, depth);
        } else {
            const uint32_t v[1] = {b->v[0]};
            found += visit<1>(w, p, v, half, depth);
        }
        if (__any_sync(ALL_LANES, more[0] || more[1]))
#pragma unroll
            for (int i = 0; i < TURNS; i++)
                found += look_beyond(w, p, more[i], b->entry[i], half, depth);
        at += TURNS * t.stride;
        if (at < t.count)
            load(w, t, at, b);
    }
    return found;
}

/* ---- from the queue and back ---- */

struct by_places {
    typedef uint32_t entry;
    typedef places_ahead batch;

    /* The block's share of the frontier, from the queue, as if it had been found here. */
    static __device__ void begin(const narrow &w, const place<uint32_t> &p,
                                 uint32_t first, bfs_size frontier) {
        const uint2 *queue = w.b.queue + first;
        const uint32_t entries = (uint32_t)frontier, all = gridDim.x * blockDim.x;
        const place<uint32_t> there = {p.m, p.me, p.shift, GPUGRAPH_NONE, p.visited};
        for (uint32_t i = p.me * blockDim.x; i < entries; i += all) {
            const uint32_t at = i + threadIdx.x;
            const uint32_t v[1] = {at < entries
                                       ? gg_last_at_most(w.g.offset, w.g.n, queue[at].x)
                                       : GPUGRAPH_NONE};
            pass_on<1>(w, there, 0, v);
        }
    }
    static __device__ __forceinline__ part<uint32_t>
    share(const narrow &, const place<uint32_t> &p, uint32_t turn) {
        return part_of(p, turn, LANES, LANES);
    }
    static __device__ __forceinline__ void ask(const narrow &w, const part<uint32_t> &t,
                                               batch *b) {
        load(w, t, t.at, b);
    }
    static __device__ __forceinline__ uint32_t look(const narrow &w,
                                                    const place<uint32_t> &p,
                                                    const part<uint32_t> &t, batch *b,
                                                    uint32_t turn, uint32_t depth) {
        return expand(w, p, t, b, turn, depth);
    }
    /* The frontier goes to the queue, for the whole grid. */
    static __device__ void leave(const narrow &w, const place<uint32_t> &p,
                                 const part<uint32_t> &t) {
        const uint32_t warps = blockDim.x / GG_WARP >> p.shift;
        const uint32_t warp = threadIdx.x / GG_WARP >> p.shift;
        for (uint32_t i = warp * GG_WARP; i < t.count; i += warps * GG_WARP)
            queue_row(w, p.tail,
                      i + gg_lane() < t.count ? t.entry[i + gg_lane()] : GPUGRAPH_NONE);
    }
};

#endif
