/* Breadth-first search over parts, each on a device: parts.c by bitmaps. Arcs lie where their targets are masters, so
** whatever a level finds is found by its owner, and one exchange of bits tells the others.
**
**     visited   a bit for each local, up to this level
**     fresh     those of the last level, ghosts among them
**
**     level     top-down    slices of fresh rows, whose arcs are dealt out evenly (graph/frontier.cuh)
**               bottom-up   every master that is not visited looks along its row of the transpose
**               settle      visited takes what is fresh, and a bit of each place says so
**               bits        of places, wire, bits of ghosts
**               agree       how many were found, and how many arcs lead on from there */
#include "several_search.h"
#include "graph/frontier.cuh"
#include "distributed/partition/device.cuh"

enum { ALONE = 32 /* arcs that a thread looks at before its warp helps */ };

struct bfs_on_part {
    struct device_csr rows, into; /* into: of masters */
    uint32_t masters, locals;
    uint32_t *visited, *fresh;
    uint32_t *depth; /* of masters */
    const uint32_t *closed;
    uint64_t *slice;
    uint32_t *slices; /* how many there are */
    unsigned long long
        *tally; /* what all parts are told: vertices found, arcs from there */
};

/* ---- kernels ---- */

/* A warp for 32 words. */
static __global__ void slice_fresh(const __grid_constant__ bfs_on_part g) {
    const uint64_t words = (g.locals + 31ull) / 32;
    for (uint64_t i = gg_thread(); i < gg_whole_warps(words); i += gg_threads_of_grid()) {
        const uint32_t mine = i < words ? g.fresh[i] : 0;
        for (uint32_t left = __ballot_sync(ALL_LANES, mine != 0); left;
             left &= left - 1) {
            const int lane = __ffs((int)left) - 1;
            const uint32_t word = __shfl_sync(ALL_LANES, mine, lane);
            gg_append_slices(g.rows,
                             (uint32_t)(i - gg_lane() + lane) * GG_WARP + gg_lane(),
                             word >> gg_lane() & 1, g.slice, g.slices);
        }
    }
}

/* Adds what the lanes of a warp have found. All lanes call. */
static __device__ __forceinline__ void tell(const bfs_on_part &g, uint32_t found,
                                            unsigned long long arcs) {
    found = __reduce_add_sync(ALL_LANES, found);
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        arcs += __shfl_down_sync(ALL_LANES, arcs, step);
    if (gg_lane() == 0 && found) {
        atomicAdd(&g.tally[0], (unsigned long long)found);
        atomicAdd(&g.tally[1], arcs);
    }
}

/* Top-down: the whole grid walks the slices. fresh is cleared before. */
static __global__ void __launch_bounds__(GG_BLOCK)
    expand(const __grid_constant__ bfs_on_part g, uint32_t level) {
    uint32_t found = 0;
    unsigned long long arcs = 0;
    gg_walk<uint8_t>(
        g.rows, g.slice, *g.slices, [](uint32_t) { return (uint8_t)0; },
        [&](uint8_t, uint64_t arc, bool live) {
            if (!live)
                return;
            uint32_t w = g.rows.target[arc], bit = 1u << w % 32;
            if (g.visited[w / 32] & bit || gg_peek(&g.fresh[w / 32]) & bit ||
                atomicOr(&g.fresh[w / 32], bit) & bit)
                return;
            g.depth[w] = level + 1;
            found++;
            arcs += g.rows.offset[w + 1] - g.rows.offset[w];
        });
    __syncwarp();
    tell(g, found, arcs);
}

static __device__ __forceinline__ bool is_visited(const bfs_on_part &g, uint32_t u) {
    return g.visited[u / 32] >> u % 32 & 1;
}

/* Is one of the row's arcs from `at` on from a visited vertex? The whole warp looks for one lane after the
** other that wants to know. */
static __device__ __forceinline__ bool look_together(const bfs_on_part &g, bool wants,
                                                     uint64_t at, uint64_t end) {
    bool hit = false;
    for (unsigned lanes = __ballot_sync(ALL_LANES, wants); lanes; lanes &= lanes - 1) {
        int leader = __ffs(lanes) - 1;
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        uint64_t first = __shfl_sync(ALL_LANES, (unsigned long long)at, leader);
        bool any = false;
        for (uint64_t i = first; i < last && !any; i += GG_WARP) {
            bool mine =
                i + gg_lane() < last && is_visited(g, g.into.target[i + gg_lane()]);
            any = __any_sync(ALL_LANES, mine);
        }
        hit = (int)gg_lane() == leader ? any : hit;
    }
    return hit;
}

/* Bottom-up: one thread per master, whole warps. Writes all of the masters' words of fresh. */
static __global__ void __launch_bounds__(GG_BLOCK)
    look_up(const __grid_constant__ bfs_on_part g, uint32_t level) {
    uint32_t found = 0;
    unsigned long long arcs = 0;
    for (uint64_t v = gg_thread(); v < gg_whole_warps(g.masters);
         v += gg_threads_of_grid()) {
        const uint32_t shut = g.visited[v / GG_WARP] | g.closed[v / GG_WARP];
        bool open = v < g.masters && !(shut >> gg_lane() & 1), hit = false;
        uint64_t at = open ? g.into.offset[v] : 0;
        uint64_t end = open ? g.into.offset[v + 1] : 0;
        for (int i = 0; i < ALONE && at < end && !hit; i++)
            hit = is_visited(g, g.into.target[at++]);
        hit |= look_together(g, at < end && !hit, at, end);
        uint32_t word = __ballot_sync(ALL_LANES, hit);
        if (gg_lane() == 0)
            g.fresh[v / GG_WARP] = word;
        if (hit) {
            g.depth[v] = level + 1;
            found++;
            arcs += g.rows.offset[v + 1] - g.rows.offset[v];
        }
    }
    __syncwarp();
    tell(g, found, arcs);
}

/* One thread per word of masters. out: bits of places, cleared before. */
static __global__ void settle(const __grid_constant__ bfs_on_part g,
                              const __grid_constant__ part_told t, uint32_t *out) {
    for (uint64_t i = gg_thread(); i < t.words; i += gg_threads_of_grid()) {
        const uint32_t fresh = g.fresh[i];
        if (!fresh)
            continue;
        g.visited[i] |= fresh;
        part_tell(t, i, fresh, out);
    }
}

/* Ghosts first .. first + count - 1 of one peer. One thread per word of locals; words at both ends may be
** another peer's, too. */
static __global__ void bits_of_ghosts(const __grid_constant__ bfs_on_part g,
                                      uint32_t first, uint32_t count,
                                      const uint32_t *in) {
    const uint32_t shift = first % 32, words = (count + 31) / 32;
    for (uint64_t i = gg_thread(); i < (count + shift + 31ull) / 32;
         i += gg_threads_of_grid()) {
        const uint32_t word = part_word_of_ghosts(in, i, words, shift);
        if (word) {
            g.fresh[first / 32 + i] |= word;
            g.visited[first / 32 + i] |= word;
        }
    }
}

static __global__ void begin_at(const __grid_constant__ bfs_on_part g,
                                const uint32_t *source, uint32_t sources) {
    unsigned long long arcs = 0;
    for (uint32_t i = 0; i < sources; i++) {
        uint32_t v = source[i];
        g.depth[v] = 0;
        g.fresh[v / 32] |= 1u << v % 32;
        g.visited[v / 32] |= 1u << v % 32;
        arcs += g.rows.offset[v + 1] - g.rows.offset[v];
    }
    g.tally[0] = sources;
    g.tally[1] = arcs;
}

/* ---- driver ---- */

struct bfs_drive {
    struct cuda_job *job;
    gpugraph_part *p;
    struct bfs_on_part g;
    uint32_t *source, *out, *in;
    unsigned long long (*all)[PART_TALLY]; /* of parts */
    uint32_t sources;
    uint64_t words;                       /* of a bitmap of locals */
    uint64_t found, frontier, unexplored; /* of all parts */
    uint32_t levels, bottom_up;
};

static void carve(struct bfs_drive *b, struct workspace *space) {
    const struct part_device *d = b->p->device;
    b->words = ((uint64_t)d->locals + 31) / 32;
    b->g.visited = gg_carve<uint32_t>(space, b->words);
    b->g.fresh = gg_carve<uint32_t>(space, b->words);
    b->out = gg_carve<uint32_t>(space, part_words_out(b->p));
    b->g.slices = gg_carve<uint32_t>(space, 1);
    b->all = gg_carve<unsigned long long[PART_TALLY]>(space, b->p->exchange->parts);
    b->g.tally = b->all ? b->all[b->p->exchange->part] : NULL;
    b->g.depth = gg_carve<uint32_t>(space, d->masters);
    b->g.slice = gg_carve<uint64_t>(space, gg_slices_at_most(d->locals, d->arcs));
    b->source = gg_carve<uint32_t>(space, (uint64_t)b->sources + 1);
    b->in = gg_carve<uint32_t>(space, part_words_in(b->p));
}

static bool prepare(struct bfs_drive *b, const uint32_t *source) {
    const struct part_device *d = b->p->device;
    struct workspace space = {NULL, 0};
    carve(b, &space);
    if (!gg_workspace(b->job, &space))
        return false;
    carve(b, &space);
    b->g.rows = {d->locals, d->arcs, d->offset, d->target, NULL};
    b->g.into = {d->masters, d->arcs, d->into_offset, d->into_source, NULL};
    b->g.masters = d->masters;
    b->g.locals = d->locals;
    b->g.closed = d->closed;
    b->unexplored = b->p->offset[b->p->masters];
    gg_upload(b->job, b->source, source, b->sources * sizeof *source);
    return gg_wait(b->job) && part_sum(b->p, b->job->run, &b->unexplored);
}

/* Zeros from there to before the end: visited, fresh, out, slices and all lie behind each other, so that one fill takes
** several. */
static bool clear_up_to(struct bfs_drive *b, void *from, const void *end) {
    return gg_fill(b->job, from, 0, (uint64_t)((char *)end - (char *)from));
}

static bool clear(struct bfs_drive *b) {
    clear_up_to(b, b->g.visited, b->all + b->p->exchange->parts);
    return gg_fill(b->job, b->g.depth, 0xff, (uint64_t)b->g.masters * 4);
}

/* Ghosts of what is fresh, then what all parts have found at that level. */
static bool agree(struct bfs_drive *b) {
    gpugraph_part *p = b->p;
    struct cuda_job *job = b->job;
    uint64_t sum[PART_TALLY];
    const struct part_told told = part_told_of(p);
    settle<<<gg_grid(job, told.words + 1, 8), GG_BLOCK, 0, job->stream>>>(b->g, told,
                                                                          b->out);
    if (!gg_launched(job, "settle"))
        return false;
    if (!part_wire_begin(job, p))
        return false;
    part_swap_bits(job, p, b->out, b->in, 1);
    part_swap_tallies(job, p, b->g.tally, b->all);
    if (!part_wire_end(job, p))
        return false;
    const auto launch = [&](uint32_t local, uint32_t ghosts, uint64_t at) {
        bits_of_ghosts<<<gg_grid(job, ghosts / 32 + 2, 8), GG_BLOCK, 0, job->stream>>>(
            b->g, local, ghosts, b->in + at / 32);
    };
    if (!part_put_ghosts_right(job, p, "bits_of_ghosts", launch))
        return false;
    if (!part_combine_tallies(job, p, b->all, GPUGRAPH_SUM, sum))
        return false;
    b->found = sum[0];
    b->frontier = sum[1];
    b->unexplored -= sum[1] < b->unexplored ? sum[1] : b->unexplored;
    return true;
}

static bool one_level(struct bfs_drive *b, uint32_t level) {
    struct cuda_job *job = b->job;
    const bool up = b->frontier * GG_PART_BOTTOM_UP > b->unexplored;
    part_at(b->p, "level", level);
    const void *end = b->all + b->p->exchange->parts;
    const uint32_t masters = b->g.masters;
    if (up) {
        if (!clear_up_to(b, b->g.fresh + part_words_of_masters(b->p), end))
            return false;
        if (masters)
            look_up<<<gg_grid(job, masters, 8), GG_BLOCK, 0, job->stream>>>(b->g, level);
    } else {
        if (!clear_up_to(b, b->g.slices, end))
            return false;
        slice_fresh<<<gg_grid(job, b->words, 8), GG_BLOCK, 0, job->stream>>>(b->g);
        if (!gg_launched(job, "slice_fresh") || !clear_up_to(b, b->g.fresh, b->g.slices))
            return false;
        expand<<<8 * job->device->processors, GG_BLOCK, 0, job->stream>>>(b->g, level);
    }
    b->bottom_up += up;
    if (!gg_launched(job, up ? "look_up" : "expand"))
        return false;
    return agree(b);
}

static bool search(struct bfs_drive *b, uint32_t max_depth) {
    struct cuda_job *job = b->job;
    if (!clear(b))
        return false;
    begin_at<<<1, 1, 0, job->stream>>>(b->g, b->source, b->sources);
    if (!gg_launched(job, "begin_at") || !agree(b))
        return false;
    for (; b->found > 0 && b->levels < max_depth; b->levels++)
        if (!one_level(b, b->levels))
            return false;
    return gg_going(job);
}

gpugraph_status gg_cuda_part_bfs(gpugraph_part *p, const uint32_t *source,
                                 uint32_t sources, uint32_t max_depth, gpugraph_run *run,
                                 uint32_t *depth) {
    struct cuda_job job;
    struct bfs_drive b = {};
    if (!p->device->into_offset || part_writes_ghosts(p))
        return gg_fail(
            run, GPUGRAPH_INVALID,
            "a breadth-first search on devices is of parts by target with edge "
            "ids");
    if (!part_job_open_shared(&job, p, run))
        return run->status;
    b.job = &job;
    b.p = p;
    b.sources = sources;
    if (gg_bfs_of_shared_parts(&job, p, source, sources, max_depth, depth)) {
        /* in each other's memory */
    } else if (prepare(&b, source)) {
        const double start = gg_now_ms();
        if (search(&b, max_depth))
            gg_phase(
                run, "search", start, (int64_t)p->arcs,
                "%u levels, %u of them bottom-up, over %u parts on devices, exchange "
                "%s",
                b.levels, b.bottom_up, p->exchange->parts, p->device->way);
        gg_download(&job, depth, b.g.depth, (uint64_t)p->masters * sizeof *depth);
    }
    return gg_job_close(&job);
}
