/* Maximal independent set of a graph larger than the device: method "out-of-core".
**
**     target[]    in pinned host memory, read over the bus by whole lines of 128 bytes
**     offset[]    on the device, or pinned too where memory is very short
**     word[], member[]    on the device
**     list        of each warp: vertices that wait, as many as there is room for
**
** Asynchronous, as in one_launch.cu, but nobody pushes: a vertex remembers the earlier
** neighbour that it has met, asks for nothing but its word until that is final, and then
** drops with it or goes on behind it. So each line is read about once. Where a list is full
** a vertex that must wait is forgotten, and met again when the warp has been through all of
** its tiles: less memory, more lines. The earliest open vertex never waits, so every turn
** through the tiles decides some. */
#include "mis.cuh"

#include <cooperative_groups.h>

#include <stdio.h>

struct pinned_state {
    uint32_t open;  /* vertices that are not decided yet */
    uint32_t turns; /* through its tiles, of the warp that had most */
    unsigned long long lines, forgotten;
};

struct pinned_launch {
    struct pinned_state *state;
    struct waiting *list;
    uint32_t room; /* entries of each warp: whole tiles */
    bool resume;   /* words are there already */
};

/* What a warp has done and has yet to do. */
struct errand {
    struct waiting *list;
    uint32_t count, tile, tiles, turns;
    uint32_t idle; /* passes over the list in a row that decided nothing */
    bool forgot;   /* in this turn */
    uint32_t lines, forgotten;
};

/* ---- kernels ---- */

/* The first look, at 32 rows that lie together, one for each lane: line by line, each once,
** however many rows share it; the rest of a row that has met a neighbour that is not later
** is passed over. Lanes that do not look have begin = end, ends ascend. Returns the lines
** read. */
static __device__ __forceinline__ uint32_t look_at_tile(const mis_graph &g, uint32_t own,
                                                        uint64_t begin, uint64_t end,
                                                        sight *s) {
    uint32_t lines = 0;
    uint64_t base = 0;
    *s = {end, GPUGRAPH_NONE, MIS_DROPPED, 0, false};
    for (;; base += GG_WARP, lines++) {
        unsigned rows =
            __ballot_sync(ALL_LANES, s->at == end && end > base && end > begin);
        if (rows == 0)
            return lines;
        base = __shfl_sync(ALL_LANES, (unsigned long long)(begin > base ? begin : base),
                           __ffs(rows) - 1) /
               GG_WARP * GG_WARP;
        /* One arc for each lane: its row is the first that ends behind it. */
        uint64_t i = base + gg_lane();
        uint32_t u = __ldg(&g.target[i]), row = 0, word = MIS_DROPPED;
        for (uint32_t step = GG_WARP / 2; step > 0; step /= 2)
            if (__shfl_sync(ALL_LANES, (unsigned long long)end, row + step - 1) <= i)
                row += step;
        bool live = i >= __shfl_sync(ALL_LANES, (unsigned long long)begin, row);
        live = i < __shfl_sync(ALL_LANES, (unsigned long long)end, row) && live;
        if (live)
            word = gg_peek(&g.word[u]);
        bool blocks = word <= __shfl_sync(ALL_LANES, own, row) && live;
        /* One row for each lane: the first of its arcs in this line that blocks it. */
        unsigned found = __ballot_sync(ALL_LANES, blocks);
        uint64_t last = base + GG_WARP, from = begin > base ? begin : base;
        uint64_t to = end < last ? end : last;
        found = s->at == end && from < to
                    ? found & (ALL_LANES >> (last - to)) & (ALL_LANES << (from - base))
                    : 0;
        int at = found ? __ffs(found) - 1 : 0;
        uint32_t blocker = __shfl_sync(ALL_LANES, u, at);
        word = __shfl_sync(ALL_LANES, word, at);
        if (found) {
            s->at = base + at;
            s->blocker = blocker;
            s->word = word;
        }
    }
}

/* The rest of lanes' rows, one row after the other, by the whole warp. */
static __device__ __forceinline__ uint32_t look_behind(const mis_graph &g, bool looks,
                                                       const waiting &w, uint32_t own,
                                                       uint64_t begin, uint64_t end,
                                                       sight *s) {
    uint32_t lines = 0;
    for (unsigned rows = __ballot_sync(ALL_LANES, looks); rows; rows &= rows - 1) {
        int leader = __ffs(rows) - 1;
        uint32_t v = __shfl_sync(ALL_LANES, w.vertex, leader);
        uint64_t at = __shfl_sync(ALL_LANES, (unsigned long long)(begin + w.at), leader);
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        sight of_row = mis_scan<GG_WARP, 1, WHOLE_LINES>(
            g, v, __shfl_sync(ALL_LANES, own, leader), at, last, false);
        lines += of_row.steps;
        if ((int)gg_lane() == leader)
            *s = of_row;
    }
    return lines;
}

/* After a look: decides, or notes where to go on. True where the vertex must wait. */
static __device__ __forceinline__ bool conclude(const mis_graph &g, uint32_t own,
                                                uint64_t begin, uint64_t end, sight *s,
                                                waiting *w) {
    bool joins = !s->joined && s->at == end;
    bool drops = s->joined || (s->blocker != GPUGRAPH_NONE && s->word == MIS_JOINED);
    if (joins || drops)
        gg_put(&g.word[w->vertex], joins ? MIS_JOINED : MIS_DROPPED);
    mis_past_tie(g, w->vertex, own, s);
    w->at = (uint32_t)(s->at - begin);
    w->blocker = s->blocker;
    return !joins && !drops;
}

/* The next tile: what waits is kept, as far as there is room. */
static __device__ __forceinline__ void take_tile(const mis_graph &g,
                                                 const pinned_launch &l, errand *e) {
    const uint64_t warp = gg_thread() / GG_WARP, step = gg_threads_of_grid() / GG_WARP;
    uint64_t v = (warp + e->tile++ * step) * GG_WARP + gg_lane();
    bool live = v < g.n;
    uint32_t own = live ? gg_peek(&g.word[v]) : MIS_JOINED;
    bool open = own != MIS_JOINED && own != MIS_DROPPED, waits = false;
    uint64_t end = g.offset[live ? v + 1 : g.n], begin = open ? g.offset[v] : end;
    waiting w = {live ? (uint32_t)v : 0, GPUGRAPH_NONE, 0};
    sight s;
    e->lines += look_at_tile(g, own, begin, end, &s);
    if (open)
        waits = conclude(g, own, begin, end, &s, &w);
    unsigned mask = __ballot_sync(ALL_LANES, waits);
    uint32_t place = e->count + __popc(mask & ((1u << gg_lane()) - 1));
    uint32_t wanted = e->count + __popc(mask);
    if (waits && place < l.room)
        e->list[place] = w;
    __syncwarp();
    e->count = wanted < l.room ? wanted : l.room;
    e->forgotten += wanted - e->count;
    e->forgot |= wanted > e->count;
}

/* All that waits, once. */
static __device__ __forceinline__ void pass_over_list(const mis_graph &g, errand *e) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->count; i += GG_WARP) {
        bool live = i + gg_lane() < e->count;
        waiting w = {0, GPUGRAPH_NONE, 0};
        if (live)
            w = e->list[i + gg_lane()];
        uint32_t own = live ? gg_peek(&g.word[w.vertex]) : MIS_DROPPED;
        uint32_t other =
            w.blocker != GPUGRAPH_NONE ? gg_peek(&g.word[w.blocker]) : MIS_DROPPED;
        bool drops = live && other == MIS_JOINED, looks = live && other == MIS_DROPPED;
        bool waits = live && !drops && !looks;
        uint64_t begin = looks ? g.offset[w.vertex] : 0;
        uint64_t end = looks ? g.offset[w.vertex + 1] : 0;
        sight s;
        if (drops)
            gg_put(&g.word[w.vertex], MIS_DROPPED);
        w.at += looks && w.blocker != GPUGRAPH_NONE;
        e->lines += look_behind(g, looks, w, own, begin, end, &s);
        if (looks)
            waits = conclude(g, own, begin, end, &s, &w);
        unsigned mask = __ballot_sync(ALL_LANES, waits);
        if (waits)
            e->list[kept + __popc(mask & ((1u << gg_lane()) - 1))] = w;
        __syncwarp();
        kept += __popc(mask);
    }
    e->idle = kept == e->count ? e->idle + 1 : 0;
    e->count = kept;
    if (e->idle > 0)
        __nanosleep(GG_MIS_REST_NS);
}

/* All of its tiles once more: those in the list are met again as well. */
static __device__ __forceinline__ void turn_round(errand *e) {
    e->tile = e->count = e->idle = 0;
    e->forgot = false;
    e->turns++;
}

/* A tile takes as long as so many passes. */
enum { TILE_PASSES = GG_MIS_STOP_PASSES / GG_MIS_STOP_ROUNDS };

/* Until the warp's vertices are decided, or for long enough. A look at the stop flag goes across
** the bus: those of all who wait would fill it, so there are few. */
static __device__ __forceinline__ void run_errand(const mis_graph &g,
                                                  const pinned_launch &l, errand *e) {
    uint32_t passes = 0, since_look = 0;
    while (passes < GG_MIS_PASSES) {
        bool patient = e->idle < GG_MIS_PATIENCE;
        if (e->tile == e->tiles && e->forgot && (e->count == 0 || !patient))
            turn_round(e);
        if (e->tile < e->tiles && (e->count + GG_WARP <= l.room || !patient)) {
            take_tile(g, l, e);
            since_look += TILE_PASSES;
        } else if (e->count > 0) {
            pass_over_list(g, e);
            passes++;
            since_look++;
        } else {
            return;
        }
        if (since_look < GG_MIS_STOP_PASSES)
            continue;
        since_look = 0;
        if (__any_sync(ALL_LANES, *(const volatile uint32_t *)g.stop != 0))
            return;
    }
}

/* Cooperative. One thread per vertex for words and members, an errand for each warp. */
static __global__ void __launch_bounds__(GG_BLOCK)
    decide_across_bus(const __grid_constant__ mis_graph g,
                      const __grid_constant__ pinned_launch l) {
    const uint64_t warp = gg_thread() / GG_WARP, warps = gg_threads_of_grid() / GG_WARP;
    uint64_t tiles = ((uint64_t)g.n + GG_WARP - 1) / GG_WARP;
    if (!l.resume) {
        for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid())
            mis_first_word(g, (uint32_t)v);
        cooperative_groups::this_grid().sync();
        gg_late();
    }
    errand e = errand();
    e.list = l.list + warp * l.room;
    e.tiles = warp < tiles ? (uint32_t)((tiles - warp + warps - 1) / warps) : 0;
    e.turns = 1;
    run_errand(g, l, &e);
    /* The vertices of the warp's own tiles. */
    uint32_t open = 0;
    for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid()) {
        uint32_t word = gg_peek(&g.word[v]);
        open += word != MIS_JOINED && word != MIS_DROPPED;
        g.member[v] = word == MIS_JOINED;
    }
    if (open > 0)
        atomicAdd(&l.state->open, open);
    if (gg_lane() == 0) {
        atomicMax(&l.state->turns, e.turns);
        atomicAdd(&l.state->lines, (unsigned long long)e.lines);
        atomicAdd(&l.state->forgotten, (unsigned long long)e.forgotten);
    }
}

/* ---- driver ---- */

enum {
    FEWEST_TILES = 2, /* in a warp's list */
    MOST_WARPS = 1 << 14
};

static void carve(struct workspace *space, struct mis_graph *g, struct pinned_launch *l,
                  uint64_t warps) {
    l->state = gg_carve<struct pinned_state>(space, 1);
    g->word = gg_carve<uint32_t>(space, g->n);
    g->member = gg_carve<uint8_t>(space, g->n);
    l->list = gg_carve<struct waiting>(space, warps * l->room);
}

uint64_t gg_mis_pinned_bytes(uint32_t n) {
    /* A grid has at most a thread for each vertex, in whole blocks. */
    uint64_t warps = ((uint64_t)n + GG_BLOCK) / GG_WARP;
    warps = warps < MOST_WARPS ? warps : (uint64_t)MOST_WARPS;
    return (uint64_t)n * 5 + warps * FEWEST_TILES * GG_WARP * sizeof(struct waiting) +
           4096;
}

/* Entries of each warp's list: all that it may need, or what there is room for. */
static uint32_t room_of_warp(const struct cuda_job *job, uint32_t n, uint64_t warps) {
    uint64_t tiles = ((uint64_t)n + GG_WARP - 1) / GG_WARP;
    uint64_t all = (tiles + warps - 1) / warps;
    int64_t room = gg_device_room(job) - (int64_t)n * 5 - 4096;
    int64_t fit = room / (int64_t)(warps * GG_WARP * sizeof(struct waiting));
    fit = fit < FEWEST_TILES ? (int64_t)FEWEST_TILES : fit;
    return (uint32_t)((uint64_t)fit < all ? (uint64_t)fit : all) * GG_WARP;
}

static void tell(const struct mis_graph *g, const struct pinned_state *all,
                 unsigned launches, struct mis_report *report) {
    int used = snprintf(report->text, sizeof report->text,
                        "%u launch(es), %.3f of %.3f MB read over the bus", launches,
                        (double)all->lines * 128e-6, (double)g->m * 4e-6);
    if (all->forgotten > 0)
        snprintf(report->text + used, sizeof report->text - (size_t)used,
                 ", %llu vertices met again in up to %u turns", all->forgotten,
                 all->turns);
}

bool gg_mis_out_of_core(struct cuda_job *job, struct mis_graph *g,
                        struct mis_report *report) {
    struct workspace space = {NULL, 0};
    struct pinned_launch l = pinned_launch();
    struct pinned_state state = pinned_state();
    const struct cooperative_kernel kernel = {(const void *)decide_across_bus,
                                              "decide_across_bus", GG_BLOCK, 0};
    unsigned blocks = gg_grid(job, g->n, gg_blocks_at_once(job, &kernel));
    uint64_t warps = (uint64_t)blocks * (GG_BLOCK / GG_WARP);
    l.room = room_of_warp(job, g->n, warps);
    carve(&space, g, &l, warps);
    if (!gg_workspace(job, &space))
        return false;
    carve(&space, g, &l, warps);
    void *arguments[] = {g, &l};
    struct mis_launches all = {&kernel, blocks, arguments,    &l.resume,
                               l.state, &state, sizeof state, 0};
    if (!gg_mis_until_decided(job, &all))
        return false;
    tell(g, &state, all.count, report);
    return true;
}
