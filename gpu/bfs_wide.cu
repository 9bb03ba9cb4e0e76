/* Breadth-first search on the device by the whole grid: one cooperative kernel runs level
** after level, a grid barrier between them. bfs.cuh has the queue.
**
**     DOWN     the frontier's arcs in equal shares to all warps, 32 x SPAN of them at a time
**     SWEEP    the first look from below: every vertex not visited looks whether its hub
**              is, then at a handful of its neighbours, then its warp at all of them. A word
**              of the bitmap is a warp's, so it is written whole, into the other bitmap
**     LIST     later looks from below: those left over, by their list. Few are, so depths
**              tell who is visited, and the bitmap need not stand still
**     COLLECT  the frontier that a SWEEP found becomes a queue again
**
** A vertex has one hub, the neighbour with most arcs, which nearly always is visited once
** the frontier explodes: most vertices are found by one read in order and one bit. Direction
** after Beamer, Asanovic, Patterson (SC 2012), a handful first as in cuGraph. */
#include "bfs.cuh"

enum {
    BLOCK = GG_BFS_WIDE_BLOCK,
    WARPS = BLOCK / GG_WARP,
    SPAN = 4,   /* batches of arcs, words of a bitmap, that a warp loads together */
    FULL = 128, /* vertices of a pile that is flushed */
    PILE = FULL + GG_WARP,
    LANE_FINDS = FULL / GG_WARP,
    HANDFUL = 8,
    GRASP = 4 /* neighbours loaded together */
};
static_assert((int)WARPS <= (int)GG_WARP, "a warp adds up a block's warps");
static_assert(HANDFUL % GRASP == 0, "a handful is whole grasps");

enum mode { DONE, DOWN, SWEEP, LIST, COLLECT };

/* What all threads of a block go by; its first thread sets it, alike in all blocks. */
struct state {
    enum mode mode;
    uint32_t level; /* of the frontier */
    uint32_t first, entries, arcs, tail;
    uint32_t has_rest, rest, side, odd, phase, calm;
    uint32_t explodes, from_below, next;
    uint64_t reached, seen, newest;
};

struct wide {
    device_csr g;
    bfs_below below;
    bfs_arrays b;
    bfs_bounds bounds;
    bfs_shape shape;
};

/* Vertices that a warp keeps until they are worth a reservation. */
struct pile {
    uint32_t *vertex; /* PILE, in shared memory */
    uint32_t count;
};

/* ---- piles ---- */

static __device__ __forceinline__ void take_off(const pile &p,
                                                uint32_t (&v)[LANE_FINDS]) {
#pragma unroll
    for (int i = 0; i < LANE_FINDS; i++) {
        uint32_t at = i * GG_WARP + gg_lane();
        v[i] = at < p.count ? p.vertex[at] : GPUGRAPH_NONE;
    }
}

/* One warp. True when the pile is full: it must be flushed before the next one. */
static __device__ __forceinline__ bool put_on(pile *p, uint32_t v, bool wanted) {
    unsigned mask = __ballot_sync(ALL_LANES, wanted);
    if (wanted)
        p->vertex[p->count + __popc(mask & ((1u << gg_lane()) - 1))] = v;
    p->count += __popc(mask);
    __syncwarp();
    return p->count >= FULL;
}

/* After the first FULL have been taken off. */
static __device__ __forceinline__ void move_down(pile *p) {
    uint32_t left = p->count - FULL;
    uint32_t v = gg_lane() < left ? p->vertex[FULL + gg_lane()] : 0;
    __syncwarp();
    if (gg_lane() < left)
        p->vertex[gg_lane()] = v;
    p->count = left;
    __syncwarp();
}

static __device__ __forceinline__ void find(const wide &w, const state &s, pile *finds,
                                            uint32_t v, bool fresh) {
    if (!put_on(finds, v, fresh))
        return;
    uint32_t row[LANE_FINDS];
    bfs_rows<LANE_FINDS> rows;
    take_off(*finds, row);
    gg_weigh(w.g.offset, row, &rows);
    gg_enqueue(w.b.queue + s.tail, &w.b.control->step[s.phase % 3].size, rows);
    move_down(finds);
}

static __device__ __forceinline__ void flush_rest(const wide &w, const state &s,
                                                  const pile &p) {
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

static __device__ __forceinline__ void leave_over(const wide &w, const state &s,
                                                  pile *rest, uint32_t v, bool wanted) {
    if (!put_on(rest, v, wanted))
        return;
    flush_rest(w, s, *rest);
    move_down(rest);
}

/* The whole block: what is left in its warps' piles, by one reservation. */
static __device__ void flush_finds(const wide &w, const state &s, const pile &finds) {
    __shared__ bfs_size start[GG_WARP];
    bfs_size *size = &w.b.control->step[s.phase % 3].size;
    uint32_t row[LANE_FINDS], warp = threadIdx.x / GG_WARP;
    bfs_rows<LANE_FINDS> rows;
    take_off(finds, row);
    gg_weigh(w.g.offset, row, &rows);
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
        bfs_size total = __shfl_sync(ALL_LANES, to, GG_WARP - 1);
        if (gg_lane() == 0 && total > 0)
            base = atomicAdd(size, total);
        start[gg_lane()] = __shfl_sync(ALL_LANES, base, 0) + to - mine;
    }
    __syncthreads();
    if (rows.total > 0)
        gg_place(w.b.queue + s.tail, start[warp], rows);
}

/* ---- DOWN ---- */

/* The last entry that begins at or before that arc: one warp, a 32nd of what is left at
** each step. */
static __device__ __forceinline__ uint32_t entry_of(const uint2 *frontier,
                                                    uint32_t entries, uint32_t arc) {
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

/* The arcs from k on that 32 entries cover, up to SPAN for each lane. */
static __device__ __forceinline__ void load_arcs(const wide &w, uint2 entry, uint32_t k,
                                                 uint32_t stop, uint32_t (&v)[SPAN]) {
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

static __device__ __forceinline__ void note_target(const wide &w, uint32_t v) {
    if (w.bounds.targets && gg_bit(w.b.wanted, v))
        atomicSub(&w.b.control->missing, 1u);
}

static __device__ __forceinline__ uint32_t visit(const wide &w, const state &s,
                                                 const uint32_t (&v)[SPAN], pile *finds) {
    uint32_t *visited = w.b.visited[s.odd], found = 0;
    bool fresh[SPAN];
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        fresh[i] =
            v[i] != GPUGRAPH_NONE && !(gg_peek(&visited[v[i] / 32]) >> v[i] % 32 & 1);
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        fresh[i] = fresh[i] && gg_claim(visited, v[i]);
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        if (fresh[i]) {
            w.b.depth[v[i]] = s.level + 1;
            note_target(w, v[i]);
        }
        found += __popc(__ballot_sync(ALL_LANES, fresh[i]));
        find(w, s, finds, v[i], fresh[i]);
    }
    return found;
}

/* One warp: its share of the frontier's arcs. Shares that follow each other go to different
** blocks. Returns how many vertices it found. */
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
        found += visit(w, s, v, finds);
        unsigned begun = __ballot_sync(ALL_LANES, entry.y <= stop);
        e += stop == covered ? GG_WARP : GG_WARP - 1 - __clz(begun);
        k = stop;
    }
    return found;
}

/* ---- from below ---- */

/* Does is_visited hold for some target of the lane's row? A lane alone looks at a handful,
** its warp at what is left of the row. All lanes call. */
template <typename test_type>
static __device__ __forceinline__ bool look_at_row(const device_csr &rows, uint32_t v,
                                                   bool looks, test_type is_visited) {
    uint64_t at = 0, end = 0;
    bool found = false;
    if (looks) {
        at = rows.offset[v];
        end = rows.offset[v + 1];
    }
    uint64_t limit = end - at > HANDFUL ? at + HANDFUL : end;
    while (__any_sync(ALL_LANES, at < limit && !found)) {
        uint32_t u[GRASP];
#pragma unroll
        for (int i = 0; i < GRASP; i++)
            u[i] = at + i < limit && !found ? __ldg(&rows.target[at + i]) : GPUGRAPH_NONE;
#pragma unroll
        for (int i = 0; i < GRASP; i++)
            found |= u[i] != GPUGRAPH_NONE && is_visited(u[i]);
        at += GRASP;
    }
    unsigned longer = __ballot_sync(ALL_LANES, !found && limit < end);
    for (; longer; longer &= longer - 1) {
        int leader = __ffs(longer) - 1;
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        uint64_t i = __shfl_sync(ALL_LANES, (unsigned long long)limit, leader);
        bool hit = false;
        for (; i < last && !__any_sync(ALL_LANES, hit); i += 2 * GG_WARP) {
            uint64_t a = i + gg_lane(), c = a + GG_WARP;
            uint32_t first = a < last ? __ldg(&rows.target[a]) : GPUGRAPH_NONE;
            uint32_t second = c < last ? __ldg(&rows.target[c]) : GPUGRAPH_NONE;
            hit = (first != GPUGRAPH_NONE && is_visited(first)) ||
                  (second != GPUGRAPH_NONE && is_visited(second));
        }
        bool any = __any_sync(ALL_LANES, hit);
        found |= any && (int)gg_lane() == leader;
    }
    return found;
}

/* One warp to SPAN words at a time, one lane to a vertex. */
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
            open[i] = !((word[i] | closed[i]) >> gg_lane() & 1);
            hub[i] = open[i] ? __ldg(&w.below.hub[quad * 128 + i * GG_WARP + gg_lane()])
                             : GPUGRAPH_NONE;
        }
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            hit[i] = hub[i] != GPUGRAPH_NONE && is_visited(hub[i]);
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            uint32_t v = (uint32_t)(quad * 128 + i * GG_WARP + gg_lane());
            bool looks = open[i] && !hit[i];
            if (__any_sync(ALL_LANES, looks))
                hit[i] |= look_at_row(w.below.rows, v, looks, is_visited);
            if (hit[i]) {
                w.b.depth[v] = s.level + 1;
                note_target(w, v);
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

/* One thread to a vertex that was left over. */
static __device__ uint32_t look_again(const wide &w, const state &s, pile *finds,
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
        bool hit = open && is_visited(__ldg(&w.below.hub[v])), looks = open && !hit;
        if (__any_sync(ALL_LANES, looks))
            hit |= look_at_row(w.below.rows, v, looks, is_visited);
        if (hit) {
            w.b.depth[v] = s.level + 1;
            atomicOr(&w.b.visited[s.odd][v / 32], 1u << v % 32);
            note_target(w, v);
        }
        found += __popc(__ballot_sync(ALL_LANES, hit));
        find(w, s, finds, v, hit);
        leave_over(w, s, rest, v, open && !hit);
    }
    return found;
}

/* One warp to a word: what the latest SWEEP found goes into the queue. */
static __device__ void collect(const wide &w, const state &s, pile *finds) {
    const uint32_t *visited = w.b.visited[s.odd], *before = w.b.visited[1 - s.odd];
    const uint64_t words = ((uint64_t)w.g.n + 31) / 32;
    uint64_t word = (uint64_t)blockIdx.x * WARPS + threadIdx.x / GG_WARP;
    for (; word < words; word += (uint64_t)gridDim.x * WARPS) {
        uint32_t fresh = __ldcg(&visited[word]) & ~__ldcg(&before[word]);
        if (fresh)
            find(w, s, finds, (uint32_t)(word * 32) + gg_lane(), fresh >> gg_lane() & 1);
    }
}

/* ---- between steps: the first thread of each block ---- */

static __device__ void choose(const wide &w, state *s) {
    const uint64_t average = w.g.m / (w.g.n + 1) + 1;
    const bool looks_pay = s->arcs * (uint64_t)GG_BFS_DEVICE_ALPHA >
                               w.g.m - (s->seen < w.g.m ? s->seen : w.g.m) &&
                           s->arcs * (uint64_t)GG_BFS_LEAST > w.g.m;
    if (s->mode == SWEEP) {
        bool few = s->rest <= GG_BFS_FEW ||
                   s->rest * (uint64_t)GG_BFS_LOOKS <= s->newest * average;
        s->mode = few ? LIST : COLLECT;
        return;
    }
    s->mode = DOWN;
    if (s->has_rest) {
        s->mode = s->rest * (uint64_t)GG_BFS_LOOKS < s->arcs ? LIST : DOWN;
    } else if (looks_pay) {
        s->explodes = 1;
        s->mode = w.below.hub ? SWEEP : DOWN;
    }
    bool calm = s->mode == DOWN && s->entries <= w.shape.narrow_in &&
                s->arcs <= GG_BFS_NARROW_ROW * (uint64_t)w.shape.narrow_in;
    s->calm = calm ? s->calm + 1 : 0;
    if (s->calm > w.shape.narrow_levels) {
        s->next = BFS_NARROW;
        s->mode = DONE;
    }
}

static __device__ void begin(const wide &w, state *s) {
    const bfs_control *c = w.b.control;
    *s = state();
    s->level = c->level;
    s->first = c->first;
    s->tail = c->tail;
    s->entries = (uint32_t)c->frontier;
    s->arcs = (uint32_t)(c->frontier >> 32);
    s->has_rest = c->has_rest;
    s->rest = c->rest;
    s->side = c->side;
    s->odd = c->odd;
    s->phase = c->phase;
    s->reached = c->reached;
    s->seen = c->seen;
    s->next = BFS_WIDE;
    choose(w, s);
}

/* Waits for all blocks and tells what they found together. */
static __device__ uint64_t meet(const wide &w, const state &s, uint64_t found) {
    bfs_control *c = w.b.control;
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> arrived(
        c->step[s.phase % 3].arrived);
    if (blockIdx.x == 0 && (s.arcs >= GG_BFS_STOP_ARCS || s.phase % 64 == 0) &&
        *(const volatile uint32_t *)w.bounds.stop != 0)
        atomicOr(&c->failed, 2u);
    __threadfence();
    unsigned long long word =
        arrived.fetch_add(found << 16 | 1, cuda::memory_order_acq_rel);
    for (uint32_t looks = 0; (word & 0xffff) + (looks == 0) < gridDim.x; looks++) {
        word = arrived.load(cuda::memory_order_acquire);
        if (looks > GG_BFS_MOST_LOOKS) {
            atomicOr(&c->failed, 1u);
            break;
        }
    }
    word = arrived.load(cuda::memory_order_acquire);
    __threadfence();
    return word >> 16;
}

/* The step is complete: its results become the frontier, and the next step is chosen. */
static __device__ void end_step(const wide &w, state *s, uint64_t found) {
    bfs_control *c = w.b.control;
    bfs_step *step = &c->step[s->phase % 3];
    bfs_size size = gg_peek(&step->size);
    uint32_t rest = gg_peek(&step->rest), failed = gg_peek(&c->failed);
    uint32_t missing = w.bounds.targets ? gg_peek(&c->missing) : 1;
    if (blockIdx.x == 0)
        c->step[(s->phase + 2) % 3] = bfs_step(); /* all have left the one before */
    s->phase++;
    s->seen += s->mode == DOWN ? s->arcs : 0;
    s->newest = found;
    s->reached += found;
    s->level += s->mode != COLLECT;
    s->from_below += s->mode == SWEEP || s->mode == LIST;
    if (s->mode == SWEEP || s->mode == LIST) {
        s->side = 1 - s->side;
        s->rest = rest;
        s->has_rest = 1;
    }
    s->odd ^= s->mode == SWEEP;
    s->first = s->tail;
    s->entries = (uint32_t)size;
    s->arcs = (uint32_t)(size >> 32);
    s->tail += s->entries;
    bool over = (s->mode == SWEEP ? found == 0 : s->entries == 0) ||
                s->level >= w.bounds.max_depth || missing == 0 || failed != 0 ||
                (w.bounds.limit > 0 && s->reached >= w.bounds.limit);
    if (over) {
        s->next = BFS_OVER;
        s->mode = DONE;
    } else {
        choose(w, s);
    }
}

static __device__ void leave(const wide &w, const state &s) {
    bfs_control *c = w.b.control;
    c->next = s.next;
    c->level = s.level;
    c->first = s.first;
    c->tail = s.tail;
    c->frontier = (bfs_size)s.arcs << 32 | s.entries;
    c->has_rest = s.has_rest;
    c->rest = s.rest;
    c->side = s.side;
    c->odd = s.odd;
    c->phase = s.phase;
    c->reached = s.reached;
    c->seen = s.seen;
    c->explodes |= s.explodes;
    c->from_below += s.from_below;
    c->turns++;
}

/* ---- the kernel ---- */

/* Cooperative. */
static __global__ void __launch_bounds__(BLOCK, 1)
    wide_levels(const __grid_constant__ wide w) {
    __shared__ state s;
    __shared__ uint32_t found_by_block;
    __shared__ uint32_t find_pile[WARPS][PILE], rest_pile[WARPS][PILE];
    if (w.b.control->next != BFS_WIDE)
        return;
    if (threadIdx.x == 0) {
        begin(w, &s);
        found_by_block = 0;
    }
    __syncthreads();
    /* All blocks have read control alike: nobody writes to it before they have all met, and
    ** a launch has one step at least. */
    while (s.mode != DONE) {
        pile finds = {find_pile[threadIdx.x / GG_WARP], 0};
        pile rest = {rest_pile[threadIdx.x / GG_WARP], 0};
        uint32_t found = 0;
        if (s.mode == DOWN)
            found = go_down(w, s, &finds);
        else if (s.mode == SWEEP)
            found = sweep(w, s, &rest);
        else if (s.mode == LIST)
            found = look_again(w, s, &finds, &rest);
        else
            collect(w, s, &finds);
        if (gg_lane() == 0 && found > 0)
            atomicAdd(&found_by_block, found);
        flush_rest(w, s, rest);
        flush_finds(w, s, finds); /* and all warps of the block have met */
        __syncthreads();
        if (threadIdx.x == 0) {
            uint64_t all = meet(w, s, found_by_block);
            end_step(w, &s, all);
            found_by_block = 0;
        }
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        leave(w, s);
}

bool gg_bfs_wide(struct cuda_job *job, const struct device_csr *g,
                 const struct bfs_below *below, const struct bfs_arrays *b,
                 struct bfs_bounds bounds, struct bfs_shape shape) {
    struct wide w = {*g, *below, *b, bounds, shape};
    void *arguments[] = {&w};
    const struct cooperative_kernel kernel = {(const void *)wide_levels, "wide_levels",
                                              BLOCK, 0};
    return gg_launch_cooperative(job, &kernel, (unsigned)job->device->processors,
                                 arguments);
}
