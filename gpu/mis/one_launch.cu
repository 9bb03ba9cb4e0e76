/* Maximal independent set, method "one-launch": all rounds in one kernel, without rounds.
**
**     tiles      32 vertices each, dealt to the warps in turn
**     pass 1     a warp looks at its tiles; what must wait goes into the warp's list
**     pass 2 ..  it looks at its list again and again, until nobody waits
**
**     look at v:  its word, and that of its blocker, the neighbour it waits for
**                 blocker open: wait; blocker joined: drop; blocker dropped: look at the
**                 neighbours behind it, for the next one
**                 no more neighbours: v joins and drops its neighbours at once
**
** A word only ever becomes final, for a reason that stays true, and what a thread sees may
** be late but never wrong: so nothing needs an order, a lock or an atomic operation, and
** the set is that of the greedy pass (Blelloch, Fineman, Shun, SPAA 2012). Each arc is
** looked at once from each side at most; a vertex that loses early is dropped by a
** neighbour and never looks at most of its arcs, which is where the time goes on graphs
** with hubs. So the first pass leaves long rows alone: most of them are dropped by then.
**
** No warp waits for another one inside a pass: the earliest open vertex can always be
** decided by its own warp. Passes are bounded all the same; the host then looks, and
** launches again for what is left. */
#include "mis.cuh"

#define MIS_EARLIER(g, u, v) mis_wins_tie(*(g), u, v)
#define MIS_FIRST_SHARE(g)   ((g)->first_share)
#include "balanced.h"

#include <cooperative_groups.h>

#include <stdio.h>

enum { SERIAL = GG_MIS_SERIAL, PROBE = GG_MIS_PROBE };
static_assert(SERIAL % PROBE == 0, "a thread's part of a row is whole batches");

struct launch_state {
    uint32_t open;   /* vertices that wait still */
    uint32_t passes; /* of the warp that had most */
};

struct launch {
    struct launch_state *state;
    struct waiting *list;
    uint32_t room; /* entries of each warp */
    bool resume;   /* words are there already */
};

/* ---- kernels ---- */

/* Has v joined: its neighbours drop. A thread each, where rows are short; else all lanes
** together for one lane's row after the other. */
static __device__ __forceinline__ void drop_neighbours(const mis_graph &g, bool joins,
                                                       uint64_t begin, uint64_t end) {
    bool is_short = end - begin <= SERIAL;
    if (joins && is_short)
        for (uint64_t i = begin; i < end; i++)
            gg_put(&g.word[__ldg(&g.target[i])], MIS_DROPPED);
    unsigned rows = __ballot_sync(ALL_LANES, joins && !is_short);
    for (; rows; rows &= rows - 1) {
        int leader = __ffs(rows) - 1;
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        uint64_t i = __shfl_sync(ALL_LANES, (unsigned long long)begin, leader);
        for (i += gg_lane(); i < last; i += GG_WARP)
            gg_put(&g.word[__ldg(&g.target[i])], MIS_DROPPED);
    }
}

/* One thread per vertex while SERIAL arcs suffice, then one warp. All lanes call; true
** where the vertex must wait, with *w brought up to date. A row longer than `longest` is
** not looked at yet. */
static __device__ __forceinline__ bool look(const mis_graph &g, bool live,
                                            uint64_t longest, waiting *w) {
    uint32_t v = w->vertex, own = live ? gg_peek(&g.word[v]) : MIS_DROPPED;
    uint32_t other =
        w->blocker != GPUGRAPH_NONE ? gg_peek(&g.word[w->blocker]) : MIS_DROPPED;
    bool open = own != MIS_DROPPED && own != MIS_JOINED;
    bool looks = open && other == MIS_DROPPED, drops = open && other == MIS_JOINED;
    uint64_t begin = 0, end = 0, limit = 0;
    sight s = {0, GPUGRAPH_NONE, MIS_DROPPED, 0, false};
    if (looks) {
        begin = g.offset[v];
        end = g.offset[v + 1];
        looks = end - begin <= longest;
    }
    if (looks) {
        uint64_t at = begin + w->at;
        limit = end - at > SERIAL ? at + SERIAL : end;
        s = mis_scan<1, PROBE, TIES_BLOCK>(g, v, own, at, limit, false);
    }
    bool more = looks && !s.joined && s.at == limit && limit < end;
    unsigned rows = __ballot_sync(ALL_LANES, more);
    for (; rows; rows &= rows - 1) {
        int leader = __ffs(rows) - 1;
        uint64_t at = __shfl_sync(ALL_LANES, (unsigned long long)limit, leader);
        uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, leader);
        sight wide = mis_scan<GG_WARP, 2, TIES_BLOCK>(
            g, __shfl_sync(ALL_LANES, v, leader), __shfl_sync(ALL_LANES, own, leader), at,
            last, false);
        if ((int)gg_lane() == leader)
            s = wide;
    }
    bool joins = looks && !s.joined && s.at == end;
    drops = drops || (looks && s.joined);
    if (joins || drops)
        gg_put(&g.word[v], joins ? MIS_JOINED : MIS_DROPPED);
    drop_neighbours(g, joins, begin, end);
    if (looks) {
        mis_past_tie(g, v, own, &s);
        w->at = (uint32_t)(s.at - begin);
        w->blocker = s.blocker;
    }
    return open && !joins && !drops;
}

/* Keeps, behind the first `count` entries, those of the lanes that want it. All lanes
** have read what they need of the list. Returns the new count. */
static __device__ __forceinline__ uint32_t keep(waiting *list, uint32_t count,
                                                bool wanted, const waiting &w) {
    unsigned mask = __ballot_sync(ALL_LANES, wanted);
    if (wanted)
        list[count + __popc(mask & ((1u << gg_lane()) - 1))] = w;
    __syncwarp();
    return count + __popc(mask);
}

template <bool balanced>
static __device__ __forceinline__ bool look_at(const mis_graph &g, bool live,
                                               uint64_t longest, waiting *w) {
    return balanced ? mis_look_balanced(&g, live, longest, w) : look(g, live, longest, w);
}

/* Passes of a warp, the first over its tiles and then over its list, until that is empty
** or for long enough. Returns what is left. */
template <bool balanced>
static __device__ __forceinline__ uint32_t all_passes(const mis_graph &g, const launch &l,
                                                      uint32_t *passes) {
    const uint64_t warp = gg_thread() / GG_WARP, step = gg_threads_of_grid() / GG_WARP;
    waiting *list = l.list + warp * l.room;
    uint32_t count = l.room, pass = 0;
    while (count > 0 && pass < GG_MIS_PASSES) {
        uint32_t kept = 0;
        uint64_t longest = pass == 0 ? GG_MIS_FIRST_DEGREE : UINT64_MAX;
        for (uint32_t i = 0; i < count; i += GG_WARP) {
            uint64_t v = (warp + i / GG_WARP * step) * GG_WARP + gg_lane();
            bool live = pass > 0 ? i + gg_lane() < count : v < g.n;
            waiting w = {live ? (uint32_t)v : 0, GPUGRAPH_NONE, 0};
            if (live && pass > 0)
                w = list[i + gg_lane()];
            bool waits = look_at<balanced>(g, live, longest, &w);
            kept = keep(list, kept, waits, w);
        }
        if (kept == count)
            __nanosleep(GG_MIS_REST_NS);
        count = kept;
        pass++;
        if (pass % GG_MIS_STOP_PASSES == 0 && *(const volatile uint32_t *)g.stop != 0)
            pass = GG_MIS_PASSES;
        pass = __shfl_sync(ALL_LANES, pass, 0);
    }
    *passes = pass;
    return count;
}

/* Cooperative. One thread per vertex for words and members, look() between. */
template <bool balanced>
static __global__ void __launch_bounds__(GG_BLOCK, balanced ? GG_MIS_BALANCED_BLOCKS
                                                            : GG_MIS_BLOCKS)
    decide_all(const __grid_constant__ mis_graph g, const __grid_constant__ launch l) {
    if (!l.resume) {
        for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid())
            mis_first_word(g, (uint32_t)v);
        cooperative_groups::this_grid().sync();
        gg_late();
    }
    uint32_t passes, count = all_passes<balanced>(g, l, &passes);
    if (gg_lane() == 0) {
        if (count > 0)
            atomicAdd(&l.state->open, count);
        atomicMax(&l.state->passes, passes);
    }
    /* The vertices of the warp's own tiles: all decided, or the host launches again. */
    for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid())
        g.member[v] = gg_peek(&g.word[v]) == MIS_JOINED;
}

/* ---- driver ---- */

/* Vertices that a warp has room for, in a grid of that many warps. */
static uint32_t room_of_warp(uint32_t n, uint64_t warps) {
    uint64_t tiles = ((uint64_t)n + GG_WARP - 1) / GG_WARP;
    return (uint32_t)((tiles + warps - 1) / warps * GG_WARP);
}

static void carve(struct workspace *space, struct mis_graph *g, struct launch *l,
                  uint64_t warps) {
    l->state = gg_carve<struct launch_state>(space, 1);
    l->list = gg_carve<struct waiting>(space, warps * l->room);
    g->word = gg_carve<uint32_t>(space, g->n);
    g->member = gg_carve<uint8_t>(space, g->n);
}

uint64_t gg_mis_one_launch_bytes(uint32_t n) {
    /* A grid has at most a thread for each vertex, in whole blocks, so the last tile of every
    ** warp at most doubles the list. */
    return (uint64_t)n * 5 + (2 * (uint64_t)n + GG_BLOCK) * sizeof(struct waiting) + 1024;
}

bool gg_mis_one_launch(struct cuda_job *job, struct mis_graph *g, bool balanced,
                       struct mis_report *report) {
    struct workspace space = {NULL, 0};
    struct launch l = {NULL, NULL, 0, false};
    struct launch_state state = {0, 0};
    const struct cooperative_kernel kernel = {balanced ? (const void *)decide_all<true>
                                                       : (const void *)decide_all<false>,
                                              "decide_all", GG_BLOCK, 0};
    unsigned blocks = gg_grid(job, g->n, gg_blocks_at_once(job, &kernel));
    uint64_t warps = (uint64_t)blocks * (GG_BLOCK / GG_WARP);
    l.room = room_of_warp(g->n, warps);
    carve(&space, g, &l, warps);
    if (!gg_workspace(job, &space))
        return false;
    carve(&space, g, &l, warps);
    void *arguments[] = {g, &l};
    struct mis_launches all = {&kernel, blocks, arguments,    &l.resume,
                               l.state, &state, sizeof state, 0};
    if (!gg_mis_until_decided(job, &all))
        return false;
    snprintf(report->text, sizeof report->text, "%u launch(es), up to %u passes",
             all.count, state.passes);
    return true;
}
