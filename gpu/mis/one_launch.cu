/* Maximal independent set, method "one-launch": the whole search in one kernel without
** rounds.
**
**     tiles      32 vertices each, distributed over the warps in turn
**     pass 1     A warp looks at its tiles. Vertices that must wait go into the warp's
**                list.
**     pass 2 ..  The warp looks at its list again and again, until no vertex waits.
**
**     look at v:  Load the word of v and the word of its blocker, the neighbour it waits
**                 for. Blocker open: wait. Blocker joined: drop. Blocker dropped: look at
**                 the neighbours behind the blocker for the next one. No more neighbours:
**                 v joins and drops its neighbours at once.
**
** A word changes only once, for a reason that stays true. A thread may see a word late
** but never wrong, so the kernel needs no order, lock or atomic operation, and the set is
** the set of the greedy pass (Blelloch, Fineman, Shun, SPAA 2012). Each arc is looked at
** at most once from each side. A vertex that a neighbour drops early never looks at most
** of its arcs, which saves most of the time on graphs with hubs. So the first pass leaves
** out long rows: most of their vertices drop during this pass.
**
** No warp waits for another warp inside a pass. The earliest open vertex can always be
** decided, so passes make progress. After a bounded number of passes the kernel ends, and
** the host launches it again for the open vertices.
**
** The balanced look uses words, or a byte for each vertex if the second-level cache does
** not hold the words (one_launch_codes.cu). Rows may lie in pinned host memory: method
** "out-of-core". A waiting vertex loads only its own word and the word of its blocker, so
** most arcs cross the bus once. */
#include "mis.h"
#include "base/limits.h"
#include "passes.cuh"

#define MIS_EARLIER(g, u, v) mis_wins_tie(*(g), u, v)
#define MIS_FIRST_SHARE(g)   ((g)->first_share)
#define MIS_ROW_END(g, v)    ((g)->end[v])
#include "balanced.h"

#include <stdio.h>

enum {
    SERIAL = 32,   /* arcs of a row that a thread looks at before its warp helps */
    PROBE = 4,     /* words of neighbours that a thread loads together */
    ROW_BLOCKS = 6 /* for each multiprocessor; the compiler limits registers to fit */
};
static_assert(SERIAL % PROBE == 0, "a thread's part of a row is whole batches");

/* ---- looks ---- */

/* Drops the neighbours of vertices that have joined. A thread drops the neighbours of a
** short row. All lanes together take the long rows of the warp, one after the other. */
static __device__ __forceinline__ void drop_neighbours(const mis_graph &g, bool joins,
                                                       uint64_t begin, uint64_t end) {
    bool is_short = end - begin <= SERIAL;
    if (joins && is_short)
        for (uint64_t i = begin; i < end; i++)
            device_store(&g.word[__ldg(&g.target[i])], MIS_DROPPED);
    unsigned rows = __ballot_sync(ALL_LANES, joins && !is_short);
    for (; rows; rows &= rows - 1) {
        int leader = __ffs(rows) - 1;
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        uint64_t i = __shfl_sync(ALL_LANES, (unsigned long long)begin, leader);
        for (i += gg_lane(); i < last; i += GG_WARP)
            device_store(&g.word[__ldg(&g.target[i])], MIS_DROPPED);
    }
}

/* Looks at a vertex for each lane: one thread up to SERIAL arcs, then the warp. All lanes
** call. Returns true if the vertex must wait, and updates *w. A row with more than
** `longest` arcs is left for a later pass. */
static __device__ __forceinline__ bool look_at_row(const mis_graph &g, bool live,
                                                   uint64_t longest, waiting *w) {
    uint32_t v = w->vertex, own = live ? gg_peek(&g.word[v]) : MIS_DROPPED;
    uint32_t other =
        w->blocker != GPUGRAPH_NONE ? gg_peek(&g.word[w->blocker]) : MIS_DROPPED;
    bool open = own != MIS_DROPPED && own != MIS_JOINED;
    bool looks = open && other == MIS_DROPPED, drops = open && other == MIS_JOINED;
    uint64_t begin = 0, end = 0, limit = 0;
    sight s = {0, GPUGRAPH_NONE, MIS_DROPPED, false};
    if (looks) {
        begin = g.offset[v];
        end = g.end[v];
        looks = end - begin <= longest;
    }
    if (looks) {
        uint64_t at = begin + w->at;
        limit = end - at > SERIAL ? at + SERIAL : end;
        s = mis_scan<1, PROBE>(g, own, at, limit);
    }
    bool more = looks && !s.joined && s.at == limit && limit < end;
    unsigned rows = __ballot_sync(ALL_LANES, more);
    for (; rows; rows &= rows - 1) {
        int leader = __ffs(rows) - 1;
        uint64_t at = __shfl_sync(ALL_LANES, (unsigned long long)limit, leader);
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        sight wide =
            mis_scan<GG_WARP, 2>(g, __shfl_sync(ALL_LANES, own, leader), at, last);
        if ((int)gg_lane() == leader)
            s = wide;
    }
    bool joins = looks && !s.joined && s.at == end;
    drops = drops || (looks && s.joined);
    if (joins || drops)
        device_store(&g.word[v], joins ? MIS_JOINED : MIS_DROPPED);
    drop_neighbours(g, joins, begin, end);
    if (looks) {
        mis_past_tie(g, v, own, &s);
        w->at = (uint32_t)(s.at - begin);
        w->blocker = s.blocker;
    }
    return open && !joins && !drops;
}

/* ---- forms ---- */

struct by_rows {
    enum { blocks = ROW_BLOCKS };
    static __device__ __forceinline__ void first_words(const mis_graph &g) {
        for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid())
            mis_first_word(g, (uint32_t)v);
    }
    static __device__ __forceinline__ bool look(const mis_graph &g, bool live,
                                                uint64_t longest, waiting *w) {
        return look_at_row(g, live, longest, w);
    }
    static __device__ __forceinline__ void write_members(const mis_graph &g) {
        for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid())
            g.member[v] = gg_peek(&g.word[v]) == MIS_JOINED;
    }
};

struct by_arcs : by_rows {
    enum { blocks = GG_MIS_BALANCED_BLOCKS };
    static __device__ __forceinline__ bool look(const mis_graph &g, bool live,
                                                uint64_t longest, waiting *w) {
        return mis_look_balanced(&g, live, longest, w, mis_room_for_notes());
    }
};

/* ---- driver ---- */

/* The number of vertices for which each of `warps` warps needs space. */
static uint32_t room_of_warp(uint32_t n, uint64_t warps) {
    uint64_t tiles = ((uint64_t)n + GG_WARP - 1) / GG_WARP;
    return (uint32_t)((tiles + warps - 1) / warps * GG_WARP);
}

static void carve_mis_launch(struct workspace *space, struct mis_graph *g,
                             struct launch *l, uint64_t warps, bool codes) {
    l->state = gg_carve<struct launch_state>(space, 1);
    l->list = gg_carve<struct waiting>(space, warps * l->room);
    g->word = gg_carve<uint32_t>(space, codes ? 0 : g->n);
    g->code = gg_carve<uint8_t>(space, codes ? g->n : 0);
    g->member = gg_carve<uint8_t>(space, g->n);
}

/* The last tile of a warp may be empty. A grid has at most a thread for each vertex, in
** whole blocks, and no more threads than a device runs at once. */
uint64_t gg_mis_one_launch_bytes(uint32_t n) {
    const uint64_t most = GG_PLANNED_PROCESSORS * 2048;
    const uint64_t threads = (n < most ? n : most) + GG_BLOCK;
    return (uint64_t)n * 5 + (n + threads) * sizeof(struct waiting) + 1024;
}

/* Passes are bounded, so the kernel is launched until it leaves no vertex open. Returns
** the number of launches. 0: the job must end. */
static unsigned launch_until_decided(struct cuda_job *job,
                                     const struct cooperative_kernel *kernel,
                                     unsigned blocks, struct mis_graph *g,
                                     struct launch *l, struct launch_state *state) {
    void *arguments[] = {g, l};
    uint32_t left = UINT32_MAX;
    unsigned launches = 0;
    gg_fill(job, l->state, 0, sizeof *l->state);
    gg_mark(job, GG_BEGAN);
    do {
        gg_fill(job, &l->state->open, 0, sizeof l->state->open);
        gg_launch_cooperative(job, kernel, blocks, arguments);
        gg_mark(job, GG_ENDED);
        if (!gg_fetch(job, state, l->state, sizeof *state))
            return 0;
        if (state->open >= left) {
            gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                    "the kernel %s makes no progress: %u vertices wait for each "
                    "other: please report this graph",
                    kernel->name, state->open);
            return 0;
        }
        left = state->open;
        l->resume = true;
        launches++;
    } while (left > 0);
    return launches;
}

bool gg_mis_one_launch(struct cuda_job *job, struct mis_graph *g, bool balanced,
                       char *report, size_t room) {
    struct launch l = {NULL, NULL, 0, false};
    struct launch_state state = {0, 0};
    const uint64_t most = gg_limits.mis_word_bytes > 0 ? gg_limits.mis_word_bytes
                                                       : job->device->cache_bytes;
    const bool codes = balanced && g->n * sizeof *g->word > most;
    const struct cooperative_kernel kernel = {codes ? gg_mis_by_codes()
                                              : balanced
                                                  ? (const void *)decide_all<by_arcs>
                                                  : (const void *)decide_all<by_rows>,
                                              "decide_all", GG_BLOCK, 0};
    unsigned blocks = gg_grid(job, g->n, gg_blocks_at_once(job, &kernel));
    uint64_t warps = (uint64_t)blocks * (GG_BLOCK / GG_WARP);
    l.room = room_of_warp(g->n, warps);
    if (!gg_take_arrays(job,
                        [&](workspace *s) { carve_mis_launch(s, g, &l, warps, codes); }))
        return false;
    const unsigned launches = launch_until_decided(job, &kernel, blocks, g, &l, &state);
    snprintf(report, room, "%u launch(es), up to %u passes", launches, state.passes);
    return launches > 0;
}
