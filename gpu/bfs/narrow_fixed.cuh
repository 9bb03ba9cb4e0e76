/* How the kernel that runs breadth-first search by one cluster looks at a level by fixed rows
** (graph/device_fixed.cu): an entry is a vertex, whose first targets lie at a place that follows from its number.
**
**     entry     vertex                         in the shared memory of the block that has it
**       |   a warp to what one block has sent, a lane to a place of a row
**     target[]
**       |   claim its bit: on chip, in the shared memory of one of the blocks, where there is room
**     entry     sent to the blocks in turns; its row is asked for meanwhile
**
** So a level is one load from device memory deep, and that is under way with the mail. */
#ifndef GPUGRAPH_BFS_NARROW_FIXED_CUH
#define GPUGRAPH_BFS_NARROW_FIXED_CUH

#include "narrow.cuh"

/* ---- the bitmap ---- */

/* What the word of v's bit was before that bit was set. */
template <int variant>
static __device__ __forceinline__ uint32_t set_bit(const place<uint32_t> &p, uint32_t v) {
    const uint32_t word = v / 32, bit = 1u << v % 32;
    if (!(variant & 1))
        return atomicOr(&p.visited[word], bit);
    return gg_or_in(&p.m->mail, p.bits + place_of_word(p, word), block_of_word(p, word),
                    bit);
}
template <int variant>
static __device__ __forceinline__ uint32_t peek_bit(const place<uint32_t> &p,
                                                    uint32_t v) {
    const uint32_t word = v / 32;
    if (!(variant & 1))
        return gg_peek(&p.visited[word]);
    return gg_peek_in(&p.m->mail, p.bits + place_of_word(p, word),
                      block_of_word(p, word));
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
template <int shift, int variant, int count>
static __device__ __forceinline__ uint32_t visit(const narrow &w,
                                                 const place<uint32_t> &p,
                                                 const uint32_t (&v)[count],
                                                 uint32_t half, uint32_t depth) {
    uint32_t before[count], fresh[count], found = 0;
#pragma unroll
    for (int i = 0; i < count; i++) {
        before[i] = UINT32_MAX;
        if (variant & 2 && v[i] != GPUGRAPH_NONE)
            before[i] = peek_bit<variant>(p, v[i]);
    }
    bool open[count];
#pragma unroll
    for (int i = 0; i < count; i++)
        open[i] = variant & 2 ? !(before[i] >> v[i] % 32 & 1) : v[i] != GPUGRAPH_NONE;
#pragma unroll
    for (int i = 0; i < count; i++)
        if (open[i])
            before[i] = set_bit<variant>(p, v[i]);
#pragma unroll
    for (int i = 0; i < count; i++) {
        fresh[i] = open[i] && !(before[i] >> v[i] % 32 & 1) ? v[i] : GPUGRAPH_NONE;
        if (fresh[i] != GPUGRAPH_NONE) {
            found++;
            gg_fetch_ahead_far(&w.fixed.target[(uint64_t)v[i] << shift]);
            w.b.depth[v[i]] = depth;
            if (w.bounds.targets && gg_bit(w.b.wanted, v[i]))
                atomicAdd(&p.m->hits, 1u);
        }
    }
    pass_on<count>(w, p, half, fresh);
    return found;
}

struct places { /* of TURNS rows */
    uint32_t entry[TURNS], v[TURNS];
};

template <int shift>
static __device__ __forceinline__ void load(const narrow &w, const part<uint32_t> &t,
                                            uint32_t at, places *b) {
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        uint32_t row = at + i * t.stride + (gg_lane() >> shift);
        b->entry[i] = row < t.count ? t.entry[row] : GPUGRAPH_NONE;
    }
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        b->v[i] = b->entry[i] != GPUGRAPH_NONE
                      ? __ldg(&w.fixed.target[((uint64_t)b->entry[i] << shift) +
                                              (gg_lane() & ((1u << shift) - 1))])
                      : GPUGRAPH_NONE;
}

/* One warp: what a row that is longer has beyond its places, a lane for an arc. `more`: this
** lane's row, entry, is. */
template <int shift, int variant>
static __device__ uint32_t look_beyond(const narrow &w, const place<uint32_t> &p,
                                       bool more, uint32_t entry, uint32_t half,
                                       uint32_t depth) {
    uint32_t found = 0;
    for (unsigned rows = __ballot_sync(ALL_LANES, more); rows; rows &= rows - 1) {
        const uint32_t u = __shfl_sync(ALL_LANES, entry, __ffs(rows) - 1);
        const uint64_t end = w.g.offset[u + 1];
        for (uint64_t i = w.g.offset[u] + (1u << shift) - 1; i < end; i += GG_WARP) {
            const uint32_t v[1] = {i + gg_lane() < end ? __ldg(&w.g.target[i + gg_lane()])
                                                       : GPUGRAPH_NONE};
            found += visit<shift, variant, 1>(w, p, v, half, depth);
        }
    }
    return found;
}

/* The warp's part of a level, its first batch loaded. */
template <int shift, int variant>
static __device__ uint32_t expand(const narrow &w, const place<uint32_t> &p,
                                  const part<uint32_t> &t, places *b, uint32_t turn,
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
            found += visit<shift, variant, 2>(w, p, v, half, depth);
        } else {
            const uint32_t v[1] = {b->v[0]};
            found += visit<shift, variant, 1>(w, p, v, half, depth);
        }
        if (__any_sync(ALL_LANES, more[0] || more[1]))
#pragma unroll
            for (int i = 0; i < TURNS; i++)
                found +=
                    look_beyond<shift, variant>(w, p, more[i], b->entry[i], half, depth);
        at += TURNS * t.stride;
        if (at < t.count)
            load<shift>(w, t, at, b);
    }
    return found;
}

/* ---- from the queue and back ---- */

/* The vertex whose row, which is not empty, begins with that arc. */
static __device__ uint32_t vertex_at(const device_csr &g, uint64_t arc) {
    uint32_t low = 0, high = g.n; /* offset[low] <= arc < offset[high] */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (g.offset[middle] <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

template <int shift, int variant> struct by_places {
    typedef uint32_t entry;
    typedef places batch;

    /* The block's share of the frontier, from the queue, as if it had been found here. */
    static __device__ void begin(const narrow &w, const place<uint32_t> &p,
                                 uint32_t first, bfs_size frontier) {
        const uint2 *queue = w.b.queue + first;
        const uint32_t entries = (uint32_t)frontier, all = gridDim.x * blockDim.x;
        const place<uint32_t> there = {p.m,           p.me,      p.shift,
                                       GPUGRAPH_NONE, p.visited, p.bits};
        for (uint32_t i = p.me * blockDim.x; i < entries; i += all) {
            const uint32_t at = i + threadIdx.x;
            const uint32_t v[1] = {at < entries ? vertex_at(w.g, queue[at].x)
                                                : GPUGRAPH_NONE};
            pass_on<1>(w, there, 0, v);
        }
    }
    static __device__ __forceinline__ part<uint32_t>
    share(const narrow &, const place<uint32_t> &p, uint32_t turn) {
        return part_of(p, turn, shift, shift);
    }
    static __device__ __forceinline__ void ask(const narrow &w, const part<uint32_t> &t,
                                               batch *b) {
        load<shift>(w, t, t.at, b);
    }
    static __device__ __forceinline__ uint32_t look(const narrow &w,
                                                    const place<uint32_t> &p,
                                                    const part<uint32_t> &t, batch *b,
                                                    uint32_t turn, uint32_t depth) {
        return expand<shift, variant>(w, p, t, b, turn, depth);
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
