/* Breadth-first search by the whole grid: the state of the kernel, its steps, and piles.
** A pile collects vertices that a warp finds, before they enter the queue. wide.cu
** chooses the steps.
**
**     pile     up to FULL + 31 vertices, in shared memory
**       |        flushed when it has FULL vertices, and at the end of a step
**     queue    rows of the next level, or the list of vertices that a bottom-up level
**              leaves unvisited */
#ifndef GPUGRAPH_BFS_WIDE_STEPS_CUH
#define GPUGRAPH_BFS_WIDE_STEPS_CUH

#include "bfs.cuh"

/* Threads of a block. Each multiprocessor has one block, because few blocks make a cheap
** barrier. */
#ifndef GG_BFS_WIDE_BLOCK
#define GG_BFS_WIDE_BLOCK 1024
#endif
/* Levels are bottom-up as soon as the frontier has more than 1 / ALPHA of the arcs that
** no level has looked at and more than 1 / LEAST of all arcs. At the end of a long search
** the first condition also holds for a small frontier. */
#define GG_BFS_DEVICE_ALPHA 15
#define GG_BFS_LEAST        32
/* GG_BFS_LOOKS arcs of the frontier cost as much as one unvisited vertex in the list.
** GG_BFS_FEW such vertices cost less than another step. */
#define GG_BFS_LOOKS 4
#define GG_BFS_FEW   65536

enum {
    BLOCK = GG_BFS_WIDE_BLOCK,
    WARPS = BLOCK / GG_WARP,
    SPAN = 4,   /* batches of arcs or words of a bitmap that a warp loads together */
    FULL = 128, /* a pile with this number of vertices is flushed */
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

/* The whole block queues the remaining vertices of its piles, with one reservation in
** *size. The first thread returns the total. */
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

/* ---- steps: each returns how many vertices the warp has found ---- */

enum {
    HANDFUL = 8, /* targets that a lane looks at without its warp */
    GRASP = 4    /* targets that a lane loads together */
};
static_assert(HANDFUL % GRASP == 0, "a handful is whole grasps");

BFS_STEP void note_target(const wide &w, const state &s, uint32_t v) {
    if (w.bounds.targets && gg_bit(w.b.wanted, v))
        atomicAdd(&w.b.control->step[s.phase % 3].hits, 1u);
}

/* ---- DOWN ---- */

/* One warp finds the last entry that begins at or before the arc. Each step divides the
** range by 32. */
BFS_STEP uint32_t entry_of(const uint2 *frontier, uint32_t entries, uint32_t arc) {
    uint32_t low = 0, high = entries;
    while (high - low > 1) {
        uint32_t step = (high - low + GG_WARP - 1) / GG_WARP, at = low + gg_lane() * step;
        bool before = at < high && __ldcg(&frontier[at]).y <= arc;
        uint32_t last = GG_WARP - 1 - __clz(__ballot_sync(ALL_LANES, before) | 1);
        low += last * step;
        high = high < low + step ? high : low + step;
    }
    return low;
}

/* Loads targets of arcs from k on, up to SPAN for each lane. Each lane has the entry of
** one row of these arcs. */
BFS_STEP void load_arcs(const wide &w, uint2 entry, uint32_t k, uint32_t stop,
                        uint32_t (&v)[SPAN]) {
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        uint32_t arc = k + i * GG_WARP + gg_lane(), owner = 0;
        for (uint32_t step = GG_WARP / 2; step > 0; step /= 2)
            if (__shfl_sync(ALL_LANES, entry.y, (int)(owner + step)) <= arc)
                owner += step;
        uint32_t begin = __shfl_sync(ALL_LANES, entry.x, (int)owner);
        uint32_t before = __shfl_sync(ALL_LANES, entry.y, (int)owner);
        v[i] = arc < stop ? __ldg(&w.g.target[begin + (arc - before)]) : GPUGRAPH_NONE;
    }
}

BFS_STEP uint32_t visit_arcs(const wide &w, const state &s, const uint32_t (&v)[SPAN],
                             pile *finds) {
    uint32_t *visited = w.b.visited[s.odd], found = 0;
    bool fresh[SPAN];
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        fresh[i] =
            v[i] != GPUGRAPH_NONE && !(gg_peek(&visited[v[i] / 32]) >> v[i] % 32 & 1);
    uint32_t before[SPAN];
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        before[i] = UINT32_MAX;
        if (fresh[i])
            before[i] = atomicOr(&visited[v[i] / 32], 1u << v[i] % 32);
    }
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        fresh[i] = !(before[i] >> v[i] % 32 & 1);
        if (fresh[i]) {
            w.b.depth[v[i]] = s.level + 1;
            note_target(w, s, v[i]);
        }
        found += __popc(__ballot_sync(ALL_LANES, fresh[i]));
        add_find(w, s, finds, v[i], fresh[i]);
    }
    return found;
}

/* One warp expands its share of the frontier's arcs. Neighbouring shares go to different
** blocks. */
static __device__ uint32_t go_down(const wide &w, const state &s, pile *finds) {
    const uint64_t warps = (uint64_t)gridDim.x * WARPS;
    const uint64_t warp = (uint64_t)(threadIdx.x / GG_WARP) * gridDim.x + blockIdx.x;
    const uint2 *frontier = w.b.queue + s.first;
    const uint64_t share = gg_whole_warps((s.arcs + warps - 1) / warps);
    uint64_t low = warp * share, end = low + share < s.arcs ? low + share : s.arcs;
    uint32_t found = 0;
    if (low >= s.arcs)
        return 0;
    uint32_t k = (uint32_t)low, high = (uint32_t)end;
    uint32_t e = entry_of(frontier, s.entries, k);
    while (k < high) {
        uint2 entry = make_uint2(0, UINT32_MAX);
        if (e + gg_lane() < s.entries)
            entry = __ldcg(&frontier[e + gg_lane()]);
        uint32_t covered = s.arcs, stop = high, v[SPAN];
        if (e + GG_WARP < s.entries)
            covered = __ldcg(&frontier[e + GG_WARP]).y;
        stop = covered < stop ? covered : stop;
        stop = stop - k > SPAN * GG_WARP ? k + SPAN * GG_WARP : stop;
        load_arcs(w, entry, k, stop, v);
        found += visit_arcs(w, s, v, finds);
        unsigned begun = __ballot_sync(ALL_LANES, entry.y <= stop);
        e += stop == covered ? GG_WARP : GG_WARP - 1 - __clz(begun);
        k = stop;
    }
    return found;
}

/* ---- bottom-up ---- */

/* Returns a target of the lane's row for which is_visited holds, or NONE. Each lane first
** looks at HANDFUL targets of its own row. The warp then looks at the rest of each row.
** All lanes call. */
template <typename test_type>
BFS_STEP uint32_t look_at_row(const device_csr &rows, uint32_t v, bool looks,
                              test_type is_visited) {
    uint64_t at = 0, end = 0;
    uint32_t found = GPUGRAPH_NONE;
    if (looks) {
        at = rows.begin[v];
        end = rows.end[v];
    }
    uint64_t limit = end - at > HANDFUL ? at + HANDFUL : end;
    while (__any_sync(ALL_LANES, at < limit && found == GPUGRAPH_NONE)) {
        uint32_t u[GRASP];
#pragma unroll
        for (int i = 0; i < GRASP; i++)
            u[i] = at + i < limit && found == GPUGRAPH_NONE ? __ldg(&rows.target[at + i])
                                                            : GPUGRAPH_NONE;
        bool hit[GRASP];
#pragma unroll
        for (int i = 0; i < GRASP; i++)
            hit[i] = u[i] != GPUGRAPH_NONE && is_visited(u[i]);
#pragma unroll
        for (int i = 0; i < GRASP; i++)
            found = hit[i] ? u[i] : found;
        at += GRASP;
    }
    unsigned longer = __ballot_sync(ALL_LANES, found == GPUGRAPH_NONE && limit < end);
    for (; longer; longer &= longer - 1) {
        int leader = __ffs(longer) - 1;
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        uint64_t i = __shfl_sync(ALL_LANES, (unsigned long long)limit, leader);
        uint32_t hit = GPUGRAPH_NONE;
        for (; i < last && !__any_sync(ALL_LANES, hit != GPUGRAPH_NONE);
             i += 2 * GG_WARP) {
            uint64_t a = i + gg_lane(), c = a + GG_WARP;
            uint32_t first = a < last ? __ldg(&rows.target[a]) : GPUGRAPH_NONE;
            uint32_t second = c < last ? __ldg(&rows.target[c]) : GPUGRAPH_NONE;
            bool one = first != GPUGRAPH_NONE && is_visited(first);
            bool two = second != GPUGRAPH_NONE && is_visited(second);
            hit = one ? first : two ? second : GPUGRAPH_NONE;
        }
        unsigned hits = __ballot_sync(ALL_LANES, hit != GPUGRAPH_NONE);
        hit = __shfl_sync(ALL_LANES, hit, hits ? __ffs(hits) - 1 : 0);
        found = (int)gg_lane() == leader ? hit : found;
    }
    return found;
}

/* Loads the hubs of open vertices whose numbers are GG_WARP apart. NONE: not open, or the
** row is empty. */
template <int count>
BFS_STEP void nearest(const wide &w, uint64_t v, const bool (&open)[count],
                      uint32_t (&hub)[count]) {
#pragma unroll
    for (int i = 0; i < count; i++)
        hub[i] = open[i] ? __ldcg(&w.below.hub[v + i * GG_WARP]) : GPUGRAPH_NONE;
}

/* Looks at the rows of lanes whose hub is not visited. The visited target that is found
** becomes the hub of the vertex. */
template <typename test_type>
BFS_STEP bool look_further(const wide &w, uint32_t v, bool looks, test_type is_visited) {
    uint32_t u = look_at_row(w.below.rows, v, looks, is_visited);
    if (u != GPUGRAPH_NONE)
        w.below.hub[v] = u;
    return u != GPUGRAPH_NONE;
}

/* Each warp takes SPAN words of the bitmap at a time, each lane one vertex of a word. */
static __device__ uint32_t sweep(const wide &w, const state &s, pile *rest) {
    const uint32_t *visited = w.b.visited[s.odd];
    const uint64_t warps = (uint64_t)gridDim.x * WARPS;
    const uint64_t quads = ((uint64_t)w.g.n + 127) / 128;
    auto is_visited = [&](uint32_t u) { return gg_bit(visited, u); };
    uint32_t found = 0;
    uint64_t quad = (uint64_t)blockIdx.x * WARPS + threadIdx.x / GG_WARP;
    for (; quad < quads; quad += warps) {
        uint4 four = __ldcg(reinterpret_cast<const uint4 *>(visited) + quad);
        uint4 shut = __ldg(reinterpret_cast<const uint4 *>(w.below.closed) + quad);
        uint32_t word[SPAN] = {four.x, four.y, four.z, four.w}, hub[SPAN];
        const uint32_t closed[SPAN] = {shut.x, shut.y, shut.z, shut.w};
        bool open[SPAN], hit[SPAN];
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            uint64_t v = quad * 128 + i * GG_WARP + gg_lane();
            open[i] = v < w.g.n && !((word[i] | closed[i]) >> gg_lane() & 1);
        }
        nearest(w, quad * 128 + gg_lane(), open, hub);
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            open[i] = hub[i] != GPUGRAPH_NONE;
            hit[i] = open[i] && is_visited(hub[i]);
        }
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            uint32_t v = (uint32_t)(quad * 128 + i * GG_WARP + gg_lane());
            bool looks = open[i] && !hit[i];
            if (__any_sync(ALL_LANES, looks))
                hit[i] |= look_further(w, v, looks, is_visited);
            if (hit[i]) {
                w.b.depth[v] = s.level + 1;
                note_target(w, s, v);
            }
            unsigned fresh = __ballot_sync(ALL_LANES, hit[i]);
            word[i] |= fresh;
            found += __popc(fresh);
            leave_over(w, s, rest, v, open[i] && !hit[i]);
        }
        if (gg_lane() == 0)
            reinterpret_cast<uint4 *>(w.b.visited[1 - s.odd])[quad] =
                make_uint4(word[0], word[1], word[2], word[3]);
    }
    return found;
}

/* Each thread takes a vertex of the list of unvisited vertices. */
static __device__ uint32_t look_at_rest(const wide &w, const state &s, pile *finds,
                                        pile *rest) {
    const uint32_t *list = w.b.rest[s.side], *depth = w.b.depth;
    const uint64_t threads = (uint64_t)gridDim.x * BLOCK;
    auto is_visited = [&](uint32_t u) { return __ldcg(&depth[u]) <= s.level; };
    uint32_t found = 0;
    uint64_t i = (uint64_t)(threadIdx.x / GG_WARP) * gridDim.x + blockIdx.x;
    for (i *= GG_WARP; i < s.rest; i += threads) {
        bool open = i + gg_lane() < s.rest;
        uint32_t v = open ? __ldcg(&list[i + gg_lane()]) : 0;
        open = open && __ldcg(&depth[v]) == GPUGRAPH_NONE;
        const bool opens[1] = {open};
        uint32_t hub[1];
        nearest(w, v, opens, hub);
        bool hit = open && is_visited(hub[0]), looks = open && !hit;
        if (__any_sync(ALL_LANES, looks))
            hit |= look_further(w, v, looks, is_visited);
        if (hit) {
            w.b.depth[v] = s.level + 1;
            atomicOr(&w.b.visited[s.odd][v / 32], 1u << v % 32);
            note_target(w, s, v);
        }
        found += __popc(__ballot_sync(ALL_LANES, hit));
        add_find(w, s, finds, v, hit);
        leave_over(w, s, rest, v, open && !hit);
    }
    return found;
}

/* Queues the vertices that the latest SWEEP found. Each warp takes one bitmap word. */
static __device__ void collect_sweep(const wide &w, const state &s, pile *finds) {
    const uint32_t *visited = w.b.visited[s.odd], *before = w.b.visited[1 - s.odd];
    const uint64_t words = ((uint64_t)w.g.n + 31) / 32;
    uint64_t word = (uint64_t)blockIdx.x * WARPS + threadIdx.x / GG_WARP;
    for (; word < words; word += (uint64_t)gridDim.x * WARPS) {
        uint32_t fresh = __ldcg(&visited[word]) & ~__ldcg(&before[word]);
        if (fresh)
            add_find(w, s, finds, (uint32_t)(word * 32) + gg_lane(),
                     fresh >> gg_lane() & 1);
    }
}

#endif
