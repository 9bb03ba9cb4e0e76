/* Breadth-first search on several devices: the kernel of each device, level after level.
** several.cuh has its steps. */
#include "several.cuh"

/* The counts of a block in a step, in shared memory. */
struct found {
    unsigned long long arcs;
    uint32_t entries, vertices, hits, open;
    uint32_t messages[SEVERAL_MOST];
};

struct piles { /* the piles of a warp */
    pile finds, messages;
};

/* ---- finding ---- */

static __device__ __forceinline__ void note_queued(found *f, bfs_size size) {
    if (size == 0)
        return;
    atomicAdd(&f->entries, (uint32_t)size);
    atomicAdd(&f->arcs, size >> 32);
}

/* Puts own vertices into the next frontier: v of the lanes with `fresh`. */
static __device__ __forceinline__ void queue_up(const bfs_shared &b,
                                                const shared_state &s, found *f,
                                                pile *finds, uint32_t v, bool fresh) {
    if (!put_on(finds, v, fresh))
        return;
    uint32_t row[LANE_FINDS];
    bfs_rows<LANE_FINDS> rows;
    take_off(*finds, row);
    gg_weigh(b.w.g, row, &rows);
    gg_enqueue(b.w.b.queue + s.tail, &b.control->size[s.slot], rows);
    if (gg_lane() == 0)
        note_queued(f, rows.total);
    move_down(finds);
}

static __device__ __forceinline__ void reach(const bfs_shared &b, const shared_state &s,
                                             found *f, uint32_t v) {
    b.w.b.depth[v] = s.mode == S_PLANT ? 0 : s.level + 1;
    if (b.w.bounds.targets && gg_bit(b.w.b.wanted, v))
        atomicAdd(&f->hits, 1u);
}

static __device__ __forceinline__ void count_found(found *f, unsigned mask) {
    if (mask && gg_lane() == 0)
        atomicAdd(&f->vertices, (uint32_t)__popc(mask));
}

/* ---- messages ---- */

static __device__ __forceinline__ uint32_t *box_for(const bfs_shared &b, uint32_t q) {
    const uint32_t stride = b.view.places.stride;
    return b.view.barrier.peers ? b.inbox.at[q] + (uint64_t)b.view.me * stride
                                : b.outbox + (uint64_t)q * stride;
}

/* Sends the first FULL entries of the pile to their owners, one owner after the other. */
static __device__ __forceinline__ void post(const bfs_shared &b, found *f,
                                            const pile &messages) {
    uint32_t v[LANE_FINDS], owner[LANE_FINDS];
    take_off(messages, v);
#pragma unroll
    for (int i = 0; i < LANE_FINDS; i++)
        owner[i] =
            v[i] != GPUGRAPH_NONE ? several_owner(&b.view.places, v[i]) : GPUGRAPH_NONE;
    for (uint32_t q = 0; q < b.view.places.parts; q++) {
        unsigned mask[LANE_FINDS];
        uint32_t count = 0, at = 0;
        if (q == b.view.me)
            continue;
#pragma unroll
        for (int i = 0; i < LANE_FINDS; i++) {
            mask[i] = __ballot_sync(ALL_LANES, owner[i] == q);
            count += __popc(mask[i]);
        }
        if (count == 0)
            continue;
        if (gg_lane() == 0) {
            at = atomicAdd(&b.control->sent[q], count);
            atomicAdd(&f->messages[q], count);
        }
        at = __shfl_sync(ALL_LANES, at, 0);
        uint32_t *box = box_for(b, q);
#pragma unroll
        for (int i = 0; i < LANE_FINDS; i++) {
            if (owner[i] == q)
                box[at + __popc(mask[i] & ((1u << gg_lane()) - 1))] = v[i];
            at += __popc(mask[i]);
        }
    }
}

static __device__ __forceinline__ void
write_message(const bfs_shared &b, found *f, pile *messages, uint32_t v, bool wanted) {
    if (!put_on(messages, v, wanted))
        return;
    post(b, f, *messages);
    move_down(messages);
}

/* ---- steps ---- */

/* One thread for each source; sources may repeat. */
static __device__ void plant(const bfs_shared &b, const shared_state &s, found *f,
                             piles *p) {
    uint64_t whole = gg_whole_warps(b.sources);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint32_t v = i < b.sources ? b.source[i] : GPUGRAPH_NONE, bit = 1u << v % 32;
        bool own = v != GPUGRAPH_NONE && several_is_own(b.view, v);
        bool fresh = own && !(atomicOr(&b.w.b.visited[0][v / 32], bit) & bit);
        if (fresh)
            reach(b, s, f, v);
        count_found(f, __ballot_sync(ALL_LANES, fresh));
        queue_up(b, s, f, &p->finds, v, fresh);
    }
}

/* Takes targets of arcs. Claims unvisited own vertices. Sends other vertices to their
** owners, each once. */
static __device__ __forceinline__ void visit(const bfs_shared &b, const shared_state &s,
                                             found *f, const uint32_t (&v)[SPAN],
                                             piles *p) {
    uint32_t *visited = b.w.b.visited[s.odd], before[SPAN];
    bool fresh[SPAN];
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        fresh[i] =
            v[i] != GPUGRAPH_NONE && !(gg_peek(&visited[v[i] / 32]) >> v[i] % 32 & 1);
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        before[i] = UINT32_MAX;
        if (fresh[i])
            before[i] = atomicOr(&visited[v[i] / 32], 1u << v[i] % 32);
    }
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        fresh[i] = !(before[i] >> v[i] % 32 & 1);
        bool own = fresh[i] && several_is_own(b.view, v[i]);
        if (own)
            reach(b, s, f, v[i]);
        count_found(f, __ballot_sync(ALL_LANES, own));
        queue_up(b, s, f, &p->finds, v[i], own);
        if (b.view.places.parts > 1)
            write_message(b, f, &p->messages, v[i], fresh[i] && !own);
    }
}

/* One warp walks its share of the arcs of the own frontier. */
static __device__ void walk_down(const bfs_shared &b, const shared_state &s, found *f,
                                 piles *p) {
    const uint64_t warps = (uint64_t)gridDim.x * WARPS;
    const uint64_t warp = (uint64_t)(threadIdx.x / GG_WARP) * gridDim.x + blockIdx.x;
    const uint2 *frontier = b.w.b.queue + s.first;
    const uint64_t share = gg_whole_warps((s.arcs + warps - 1) / warps);
    uint64_t low = warp * share, end = low + share < s.arcs ? low + share : s.arcs;
    if (low >= s.arcs)
        return;
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
        load_arcs(b.w, entry, k, stop, v);
        visit(b, s, f, v, p);
        unsigned begun = __ballot_sync(ALL_LANES, entry.y <= stop);
        e += stop == covered ? GG_WARP : GG_WARP - 1 - __clz(begun);
        k = stop;
    }
}

/* Claims the received vertices. One thread takes one message. */
static __device__ void receive(const bfs_shared &b, const shared_state &s, found *f,
                               piles *p) {
    const uint32_t *inbox = b.inbox.at[b.view.me];
    uint32_t *visited = b.w.b.visited[s.odd];
    for (uint32_t q = 0; q < b.view.places.parts; q++) {
        const uint32_t *message = inbox + (uint64_t)q * b.view.places.stride + s.have[q];
        uint64_t whole = gg_whole_warps(s.received[q]);
        for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
            uint32_t v = i < s.received[q] ? __ldcg(&message[i]) : GPUGRAPH_NONE;
            uint32_t bit = 1u << v % 32;
            bool fresh = v != GPUGRAPH_NONE && !(atomicOr(&visited[v / 32], bit) & bit);
            if (fresh)
                reach(b, s, f, v);
            count_found(f, __ballot_sync(ALL_LANES, fresh));
            queue_up(b, s, f, &p->finds, v, fresh);
        }
    }
}

/* Stores four words of a bitmap, for 128 own places, into the copies that this device can
** access. own_too: also into its own copy. */
static __device__ __forceinline__ void put_quad(const bfs_shared &b,
                                                const several_array<uint32_t> &bitmap,
                                                uint64_t quad, uint4 four, bool own_too) {
    for (uint32_t q = 0; q < b.view.places.parts; q++)
        if (q == b.view.me ? own_too : b.view.barrier.peers != 0)
            reinterpret_cast<uint4 *>(bitmap.at[q])[quad] = four;
}

/* Sends the own part of the visited bitmap. One thread takes four words. */
static __device__ void sync_copies(const bfs_shared &b, const shared_state &s) {
    const uint64_t first = b.view.first / 128, quads = b.view.places.stride / 128;
    const uint4 *visited = reinterpret_cast<const uint4 *>(b.w.b.visited[s.odd]);
    for (uint64_t i = gg_thread(); i < quads; i += gg_threads_of_grid())
        put_quad(b, b.visited[s.odd], first + i, __ldcg(&visited[first + i]), false);
}

/* One warp takes SPAN words at a time, one lane a vertex of each word. */
static __device__ void sweep_own(const bfs_shared &b, const shared_state &s, found *f) {
    const uint32_t *visited = b.w.b.visited[s.odd];
    const uint64_t warps = (uint64_t)gridDim.x * WARPS;
    const uint64_t first = b.view.first / 128, end = first + b.view.places.stride / 128;
    auto is_visited = [&](uint32_t u) { return gg_bit(visited, u); };
    uint32_t found = 0, left = 0;
    uint64_t quad = first + (uint64_t)blockIdx.x * WARPS + threadIdx.x / GG_WARP;
    for (; quad < end; quad += warps) {
        uint4 four = __ldcg(reinterpret_cast<const uint4 *>(visited) + quad);
        uint4 shut = __ldg(reinterpret_cast<const uint4 *>(b.w.below.closed) + quad);
        uint32_t word[SPAN] = {four.x, four.y, four.z, four.w}, hub[SPAN];
        const uint32_t closed[SPAN] = {shut.x, shut.y, shut.z, shut.w};
        bool open[SPAN], hit[SPAN];
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            open[i] = !((word[i] | closed[i]) >> gg_lane() & 1);
        nearest(b.w, quad * 128 + gg_lane(), open, hub);
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            hit[i] = open[i] && is_visited(hub[i]);
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            uint32_t v = (uint32_t)(quad * 128 + i * GG_WARP + gg_lane());
            bool looks = open[i] && !hit[i];
            if (__any_sync(ALL_LANES, looks))
                hit[i] |= look_further(b.w, v, looks, is_visited);
            if (hit[i])
                reach(b, s, f, v);
            unsigned fresh = __ballot_sync(ALL_LANES, hit[i]);
            word[i] |= fresh;
            found += __popc(fresh);
            left += __popc(__ballot_sync(ALL_LANES, open[i] && !hit[i]));
        }
        if (gg_lane() == 0)
            put_quad(b, b.visited[1 - s.odd], quad,
                     make_uint4(word[0], word[1], word[2], word[3]), true);
    }
    if (gg_lane() == 0) {
        atomicAdd(&f->vertices, found);
        atomicAdd(&f->open, left);
    }
}

/* Queues the vertices that the last SWEEP found. One warp takes one word. */
static __device__ void collect_own(const bfs_shared &b, const shared_state &s, found *f,
                                   piles *p) {
    const uint32_t *visited = b.w.b.visited[s.odd], *before = b.w.b.visited[1 - s.odd];
    const uint64_t first = b.view.first / 32, end = first + b.view.places.stride / 32;
    uint64_t word = first + (uint64_t)blockIdx.x * WARPS + threadIdx.x / GG_WARP;
    for (; word < end; word += (uint64_t)gridDim.x * WARPS) {
        uint32_t fresh = __ldcg(&visited[word]) & ~__ldcg(&before[word]);
        if (fresh)
            queue_up(b, s, f, &p->finds, (uint32_t)(word * 32) + gg_lane(),
                     fresh >> gg_lane() & 1);
    }
}

static __device__ void do_step(const bfs_shared &b, const shared_state &s, found *f,
                               piles *p) {
    switch (s.mode) {
    case S_PLANT:
        plant(b, s, f, p);
        break;
    case S_DOWN:
        walk_down(b, s, f, p);
        break;
    case S_RECEIVE:
        receive(b, s, f, p);
        break;
    case S_SYNC:
        sync_copies(b, s);
        break;
    case S_SWEEP:
        sweep_own(b, s, f);
        break;
    default:
        collect_own(b, s, f, p);
    }
}

/* ---- between steps: the first thread of each block ---- */

static __device__ void report_found(const bfs_shared &b, const shared_state &s,
                                    uint64_t round, const found &f) {
    const several_barrier *m = &b.view.barrier;
    uint64_t messages = 0;
    for (uint32_t q = 0; q < b.view.places.parts; q++) {
        if (f.messages[q] > 0)
            several_report_messages(m, round, q, f.messages[q]);
        messages += f.messages[q];
    }
    const uint64_t sum[] = {f.entries, f.arcs, f.vertices, f.hits, messages, f.open};
    for (unsigned i = 0; i < sizeof sum / sizeof *sum; i++)
        if (sum[i] > 0)
            several_report(m, round, i, sum[i]);
    if (s.mode == S_PLANT && blockIdx.x == 0)
        several_report(m, round, SUM_MISSING, b.control->missing);
}

/* Makes the queued vertices the own frontier. The slot before the current one is free. */
static __device__ void adopt(const bfs_shared &b, shared_state *s, uint64_t entries,
                             uint64_t arcs) {
    bfs_size size = gg_peek(&b.control->size[s->slot]);
    if (blockIdx.x == 0)
        b.control->size[(s->slot + 2) % 3] = 0;
    s->slot = (s->slot + 1) % 3;
    s->first = s->tail;
    s->entries = (uint32_t)size;
    s->arcs = (uint32_t)(size >> 32);
    s->tail += s->entries;
    s->all_entries = entries;
    s->all_arcs = arcs;
}

static __device__ bool is_over(const bfs_shared &b, const shared_state &s) {
    return s.level >= b.w.bounds.max_depth || (b.w.bounds.targets && s.missing == 0) ||
           (b.w.bounds.limit > 0 && s.reached >= b.w.bounds.limit);
}

/* Chooses the step after a complete level, whose vertices are queued. */
static __device__ void choose_next(const bfs_shared &b, shared_state *s) {
    const uint64_t left = b.m - (s->seen < b.m ? s->seen : b.m);
    const bool looks_pay =
        s->all_arcs * GG_BFS_DEVICE_ALPHA > left && s->all_arcs * GG_BFS_LEAST > b.m;
    if (s->all_entries == 0 || is_over(b, *s))
        s->mode = S_DONE;
    else if (!looks_pay || !b.w.below.rows.begin)
        s->mode = S_DOWN;
    else
        s->mode = s->synced || b.view.places.parts == 1 ? S_SWEEP : S_SYNC;
}

static __device__ void complete_level(const bfs_shared &b, shared_state *s) {
    s->level++;
    s->reached += s->more_found;
    adopt(b, s, s->more_entries, s->more_arcs);
    s->synced = 0;
    choose_next(b, s);
}

static __device__ void end_sweep(const bfs_shared &b, shared_state *s, uint64_t found,
                                 uint64_t open) {
    const uint64_t average = b.m / (b.n + 1) + 1;
    s->odd ^= 1;
    s->level++;
    s->bottom_up++;
    s->reached += found;
    s->synced = 1;
    if (found == 0 || open == 0 || is_over(b, *s))
        s->mode = S_DONE;
    else
        s->mode = open <= GG_BFS_FEW || open * GG_BFS_LOOKS <= found * average
                      ? S_SWEEP
                      : S_COLLECT;
}

static __device__ void end_step(const bfs_shared &b, shared_state *s, uint64_t round) {
    const several_barrier *m = &b.view.barrier;
    uint64_t sum[SEVERAL_WORDS];
    several_received_all(m, round, sum);
    const uint64_t entries = sum[SUM_ENTRIES], arcs = sum[SUM_ARCS];
    const uint64_t found = sum[SUM_FOUND];
    s->missing -= sum[SUM_HITS];
    switch (s->mode) {
    case S_PLANT:
        s->missing += sum[SUM_MISSING];
        s->reached = found;
        adopt(b, s, entries, arcs);
        choose_next(b, s);
        break;
    case S_DOWN:
        s->seen += s->all_arcs;
        s->more_entries = entries;
        s->more_arcs = arcs;
        s->more_found = found;
        s->mode = S_RECEIVE;
        for (uint32_t q = 0; q < b.view.places.parts; q++)
            s->received[q] = (uint32_t)several_received_messages(m, round, q);
        if (sum[SUM_MESSAGES] == 0)
            complete_level(b, s);
        break;
    case S_RECEIVE:
        s->more_entries += entries;
        s->more_arcs += arcs;
        s->more_found += found;
        for (uint32_t q = 0; q < b.view.places.parts; q++)
            s->have[q] += s->received[q];
        complete_level(b, s);
        break;
    case S_SYNC:
        s->synced = 1;
        s->mode = S_SWEEP;
        break;
    case S_SWEEP:
        end_sweep(b, s, found, sum[SUM_OPEN]);
        break;
    default:
        adopt(b, s, entries, arcs);
        s->mode = entries > 0 ? S_DOWN : S_DONE;
    }
}

/* ---- the kernel ---- */

/* Cooperative. */
static __global__ void __launch_bounds__(BLOCK, 1)
    shared_levels(const __grid_constant__ bfs_shared b) {
    __shared__ shared_state s;
    __shared__ found f;
    __shared__ uint32_t find_pile[WARPS][PILE], message_pile[WARPS][PILE];
    uint64_t round = several_round(b.view);
    if (threadIdx.x == 0)
        s = b.control->saved[round % 2];
    for (;; round++) {
        piles p = {{find_pile[threadIdx.x / GG_WARP], 0},
                   {message_pile[threadIdx.x / GG_WARP], 0}};
        if (threadIdx.x == 0) {
            if (round > 0)
                end_step(b, &s, round - 1);
            f = found();
        }
        __syncthreads();
        if (s.mode == S_DONE)
            break;
        do_step(b, s, &f, &p);
        if (s.mode == S_DOWN && p.messages.count > 0)
            post(b, &f, p.messages);
        /* flush_piles synchronises all warps of the block. */
        bfs_size rest =
            flush_piles(b.w.g, b.w.b.queue + s.tail, &b.control->size[s.slot], p.finds);
        if (threadIdx.x == 0) {
            note_queued(&f, rest);
            report_found(b, s, round, f);
        }
        if (!several_barrier_wait(b.view, round)) {
            if (blockIdx.x == 0 && threadIdx.x == 0)
                b.control->saved[(round + 1) % 2] = s;
            return;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s.rounds = round;
        b.control->last = s;
    }
}

extern const struct cooperative_kernel gg_bfs_shared_levels = {
    (const void *)shared_levels, "shared_levels", BLOCK, 0};

/* One thread for each target; targets may repeat. */
static __global__ void mark_shared(const __grid_constant__ bfs_shared b,
                                   const uint32_t *target, uint32_t targets) {
    for (uint64_t i = gg_thread(); i < targets; i += gg_threads_of_grid()) {
        uint32_t v = target[i], bit = 1u << v % 32;
        if (several_is_own(b.view, v) && !(atomicOr(&b.w.b.wanted[v / 32], bit) & bit))
            atomicAdd(&b.control->missing, 1u);
    }
}

bool gg_bfs_mark_shared(struct cuda_job *job, const struct bfs_shared *b,
                        const uint32_t *target, uint32_t targets) {
    if (targets == 0 || !gg_going(job))
        return gg_going(job);
    mark_shared<<<gg_grid(job, targets, 2), GG_BLOCK, 0, job->stream>>>(*b, target,
                                                                        targets);
    return gg_launched(job, "mark_shared");
}
