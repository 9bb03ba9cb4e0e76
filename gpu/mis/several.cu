/* Maximal independent set, method "several": the graph is shared by devices, and all of them decide
** at once, without rounds.
**
**     word       of every place, on every device           as in mis.cuh
**     first      each device makes the words of its places and puts them into all copies; they meet
**     passes     each looks at its own open vertices, as one_launch.cu does; whoever drops a
**                vertex puts that into all copies
**
** A word becomes final for a reason that stays true, so a copy may be late and is never wrong: it
** shows an open vertex a while longer. That is all the order that one device needs among its blocks
** (one_launch.cu), and all that several need among them: there is no meeting after the first, a
** device leaves when its own vertices are decided, and the set is that of the greedy pass.
**
** That a vertex has joined stays with its owner, who drops its neighbours in all copies: an open
** neighbour elsewhere waits until it finds itself dropped.
**
** Vertices of equal words have equal degrees as long as these are below 2^28, since a word holds
** all of their bits: so a tie with another device's vertex needs nothing that lies there.
**
** Without peer access the kernel returns when a pass has decided nothing, and the host copies each
** device's words to the others. A copy may then show a neighbour open again that had been found
** dropped; its owner comes to the same, by the vertex that joined: the first neighbour that joins is an
** earlier one, behind which no look goes as long as it is open. */
#include "several.cuh"
#include "several/bring.cuh"
#include "keep.cuh"
#include "mis.h"

#include <stdio.h>

struct mis_shared {
    struct several_view view;
    several_array<uint32_t> copy; /* of words */
    uint32_t
        *other[SEVERAL_MOST]; /* the other devices' copies, where kernels reach them */
    uint32_t others;
    const uint64_t *offset; /* by place: only own ones */
    const uint32_t *target;
    uint32_t *word;         /* the own copy */
    uint8_t *member;        /* by place - first */
    struct mis_graph order; /* what keys are made of; takes numbers for rows */
    struct mis_left *left;
    struct waiting *list;
    uint32_t room; /* entries of the list, for each warp */
    bool resume;   /* words are there */
};

struct mis_left {
    uint32_t open;   /* vertices that wait */
    uint32_t passes; /* of the warp that had most */
};

static __device__ __noinline__ bool earlier(const mis_shared *g, uint32_t u, uint32_t v) {
    const several_places *places = &g->view.places;
    uint64_t degree = g->offset[v + 1] - g->offset[v];
    uint32_t number_u = (uint32_t)several_number(places, u);
    uint32_t number_v = (uint32_t)several_number(places, v);
    uint64_t of_u = mis_key(g->order, number_u, degree);
    uint64_t of_v = mis_key(g->order, number_v, degree);
    return of_u != of_v ? of_u < of_v : number_u < number_v;
}

/* A dropped vertex, into every copy: its owner has not to look at its row, and one that finds it
** dropped does not look at it again, so nobody else would tell the others. */
static __device__ __forceinline__ void put_final(const mis_shared *g, uint32_t v,
                                                 uint32_t value) {
    gg_put(&g->word[v], value);
    if (value == MIS_JOINED || g->others == 0)
        return;
    system_store(&g->other[0][v], value);
    for (uint32_t q = 1; q < g->others; q++)
        system_store(&g->other[q][v], value);
}

#define MIS_GRAPH            struct mis_shared
#define MIS_PUT(g, v, value) put_final(g, v, value)
#define MIS_EARLIER(g, u, v) earlier(g, u, v)
#include "balanced.h"

/* ---- kernels ---- */

/* One thread per own place. */
static __device__ __forceinline__ void first_word(const mis_shared &g, uint32_t local) {
    uint32_t v = g.view.first + local;
    uint64_t degree = g.offset[v + 1] - g.offset[v];
    uint32_t word = MIS_JOINED;
    if (degree > 0)
        word = mis_word(g.order,
                        (uint32_t)several_number_of(&g.view.places, g.view.me, local),
                        degree);
    several_put(g.view, g.copy, (uint64_t)v, word);
}

/* Passes of a warp, the first over its tiles of own places and then over its list, until that is
** empty; or for long enough; or, where nothing can come from other devices, in vain. Returns what
** is left. */
static __device__ __forceinline__ uint32_t all_passes(const mis_shared &g,
                                                      uint32_t *passes) {
    const uint64_t warp = gg_thread() / GG_WARP, step = gg_threads_of_grid() / GG_WARP;
    const uint32_t stride = g.view.places.stride;
    waiting *list = g.list + warp * g.room;
    uint32_t count = g.room, pass = 0;
    while (count > 0 && pass < GG_MIS_PASSES) {
        uint32_t kept = 0;
        uint64_t longest = pass == 0 ? GG_MIS_FIRST_DEGREE : UINT64_MAX;
        for (uint32_t i = 0; i < count; i += GG_WARP) {
            uint64_t local = (warp + i / GG_WARP * step) * GG_WARP + gg_lane();
            bool live = pass > 0 ? i + gg_lane() < count : local < stride;
            waiting w = {live ? g.view.first + (uint32_t)local : 0, GPUGRAPH_NONE, 0};
            if (live && pass > 0)
                w = list[i + gg_lane()];
            bool waits = mis_look_balanced(&g, live, longest, &w);
            kept = mis_keep(list, kept, waits, w);
        }
        if (kept == count)
            __nanosleep(GG_MIS_REST_NS);
        pass++;
        bool vain = kept == count && pass > 2 && !g.view.meeting.peers;
        count = kept;
        if (vain || (pass % GG_MIS_STOP_PASSES == 0 && host_load(g.order.stop) != 0))
            pass = GG_MIS_PASSES;
        pass = __shfl_sync(ALL_LANES, pass, 0);
    }
    *passes = pass;
    return count;
}

/* Cooperative. One thread per own place for words and members, passes between. */
static __global__ void __launch_bounds__(GG_BLOCK, GG_MIS_BALANCED_BLOCKS)
    decide_shared(const __grid_constant__ mis_shared g) {
    const uint32_t stride = g.view.places.stride;
    if (!g.resume) {
        for (uint64_t i = gg_thread(); i < stride; i += gg_threads_of_grid())
            first_word(g, (uint32_t)i);
        if (!several_meet(g.view, 0))
            return;
    }
    uint32_t passes, count = all_passes(g, &passes);
    if (gg_lane() == 0) {
        if (count > 0)
            atomicAdd(&g.left->open, count);
        atomicMax(&g.left->passes, passes);
    }
    for (uint64_t i = gg_thread(); i < stride; i += gg_threads_of_grid())
        g.member[i] = gg_peek(&g.word[g.view.first + i]) == MIS_JOINED;
}

/* ---- driver ---- */

static const struct cooperative_kernel kernel = {(const void *)decide_shared,
                                                 "decide_shared", GG_BLOCK, 0};

struct shared_run {
    struct several_team *team;
    const struct several_parts *parts;
    const struct mis_question *question;
    struct several_view view[SEVERAL_MOST];
    struct mis_shared g[SEVERAL_MOST];
    several_array<uint32_t> word, hash;
    several_array<uint8_t> member;
    several_array<struct mis_left> left;
    several_array<struct waiting> list;
    uint32_t room;
};

/* Entries of a warp's list, and of all of them: as many warps as the member with most has. */
static void plan_lists(struct shared_run *r, uint64_t *entries) {
    const uint32_t stride = r->parts->places.stride;
    uint64_t tiles = stride / GG_WARP;
    *entries = 0;
    for (int p = 0; p < r->team->parts; p++) {
        uint64_t warps = (uint64_t)r->view[p].meeting.blocks * (GG_BLOCK / GG_WARP);
        uint64_t room = (tiles + warps - 1) / warps * GG_WARP;
        r->g[p].room = (uint32_t)room;
        *entries = warps * room > *entries ? warps * room : *entries;
    }
}

static void carve(struct shared_run *r, struct several_space *space) {
    const struct several_places *places = &r->parts->places;
    uint64_t entries;
    plan_lists(r, &entries);
    r->left = gg_several_carve<struct mis_left>(space, 1);
    r->list = gg_several_carve<struct waiting>(space, entries);
    r->word = gg_several_carve<uint32_t>(space, several_all_places(places));
    r->member = gg_several_carve<uint8_t>(space, places->stride);
    r->hash = gg_several_carve<uint32_t>(space, r->question->hash ? places->n : 0);
}

static bool send_hashes(struct shared_run *r) {
    for (int p = 0; p < r->team->parts && r->question->hash; p++)
        gg_upload(gg_several_on(r->team, p), r->hash.at[p], r->question->hash,
                  (uint64_t)r->parts->places.n * sizeof(uint32_t));
    return gg_several_going(r->team);
}

static void set_up(struct shared_run *r, int p) {
    const struct mis_question *q = r->question;
    struct mis_shared *g = &r->g[p];
    const struct several_rows *rows = &r->parts->rows[p];
    uint32_t n = r->parts->places.n;
    g->view = r->view[p];
    g->copy = r->word;
    g->offset = rows->offset - r->view[p].first;
    g->target = rows->target;
    g->word = r->word.at[p];
    g->others = 0;
    for (int q = 0; q < r->team->parts && r->team->peers; q++)
        if (q != p)
            g->other[g->others++] = r->word.at[q];
    g->member = r->member.at[p];
    g->left = r->left.at[p];
    g->list = r->list.at[p];
    g->order.priority = q->priority;
    g->order.shift = n > 1 ? __builtin_clz(n - 1) : 0;
    g->order.stop = r->view[p].meeting.stop;
    g->order.hashes.salt = gg_mix((uint64_t)q->seed + 0x9e3779b97f4a7c15u);
    g->order.hashes.first = q->first_id;
    g->order.hashes.stored = q->hash ? r->hash.at[p] : NULL;
}

static bool prepare(struct shared_run *r) {
    if (r->parts->most_arcs >= (uint64_t)1 << 28) {
        gg_fail(
            r->team->run, GPUGRAPH_TOO_LARGE,
            "a vertex has %llu neighbours, more than several devices can compare: use "
            "one",
            (unsigned long long)r->parts->most_arcs);
        return false;
    }
    auto lay_out = [&](struct several_space *space) { carve(r, space); };
    if (!gg_several_prepare(r->team, several_ways(), &r->parts->places, &kernel, r->view,
                            lay_out))
        return false;
    for (int p = 0; p < r->team->parts; p++)
        set_up(r, p);
    return send_hashes(r);
}

/* A launch; *open: vertices of all members that wait still. */
static bool launch(struct shared_run *r, uint64_t *open, uint32_t *passes) {
    *open = 0;
    for (int p = 0; p < r->team->parts; p++) {
        gg_fill(gg_several_on(r->team, p), r->g[p].left, 0, sizeof(struct mis_left));
    }
    if (!gg_several_launch_each(r->team, &kernel, r->view, r->g))
        return false;
    for (int p = 0; p < r->team->parts && gg_several_going(r->team); p++) {
        struct mis_left left = {};
        gg_fetch(gg_several_on(r->team, p), &left, r->g[p].left, sizeof left);
        *open += left.open;
        *passes = left.passes > *passes ? left.passes : *passes;
        r->g[p].resume = true;
    }
    return gg_several_going(r->team);
}

/* Words of each member's places to all others. */
static bool exchange(struct shared_run *r) {
    void *at[SEVERAL_MOST];
    for (int p = 0; p < r->team->parts; p++)
        at[p] = r->word.at[p];
    return r->team->peers || r->team->parts == 1 ||
           gg_several_segments(r->team, at,
                               (uint64_t)r->parts->places.stride * sizeof(uint32_t));
}

static bool until_decided(struct shared_run *r, struct mis_answer *answer) {
    uint64_t open, left = UINT64_MAX;
    double began = gg_now_ms();
    if (!r->team->peers && (!launch(r, &open, &answer->passes) || !exchange(r)))
        return false;
    do {
        if (!launch(r, &open, &answer->passes) || (open > 0 && !exchange(r)))
            return false;
        answer->launches++;
        if (open >= left) {
            gg_fail(r->team->run, GPUGRAPH_DEVICE_FAILED,
                    "the kernel %s makes no progress: %llu vertices wait for each other",
                    kernel.name, (unsigned long long)open);
            return false;
        }
        left = open;
    } while (open > 0);
    answer->ms = gg_now_ms() - began;
    answer->member = r->member;
    return true;
}

bool gg_mis_on_team(struct several_team *team, const struct several_parts *parts,
                    const struct mis_question *question, struct mis_answer *answer) {
    struct shared_run *r = (struct shared_run *)gg_alloc_zero(team->run, 1, sizeof *r);
    if (!r)
        return false;
    *answer = mis_answer();
    r->team = team;
    r->parts = parts;
    r->question = question;
    bool done = prepare(r) && until_decided(r, answer);
    gg_release(r);
    return done;
}

/* ---- a graph's ---- */

static bool search(struct several_team *team, struct mis_question *question,
                   uint8_t *member) {
    struct several_parts parts;
    struct mis_answer answer;
    char more[200];
    if (!gg_several_rows(team, CSR_SIMPLE, false, &parts))
        return false;
    double started = gg_now_ms();
    if (!gg_mis_on_team(team, &parts, question, &answer))
        return false;
    snprintf(more, sizeof more, "%d parts, exchange %s, %u launch(es), up to %u passes",
             team->parts, team->exchange->name, answer.launches, answer.passes);
    gg_search_phase(team->run, started, parts.places.n, more);
    started = gg_now_ms();
    if (gg_several_bring(team, &parts.places, answer.member, member))
        gg_phase(team->run, "download", started, parts.places.n, "members");
    return gg_several_going(team);
}

gpugraph_status gg_mis_several(gpugraph_graph *graph, gpugraph_priority priority,
                               int64_t seed, gpugraph_run *run, const int *ordinal,
                               int parts, uint8_t *member) {
    struct several_team team;
    run->used_method = "several";
    bool stored = (priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM) &&
                  !gg_ids_are_consecutive(graph);
    uint32_t *hash = NULL;
    if (stored) {
        hash = (uint32_t *)gg_alloc(run, graph->n, sizeof *hash);
        if (!hash || gg_hash_ids(graph, seed, run, hash) != GPUGRAPH_OK) {
            gg_release(hash);
            return run->status;
        }
    }
    struct mis_question question = {priority, seed, (uint64_t)graph->ids.first_integer,
                                    hash};
    if (gg_several_open(&team, graph, run, ordinal, parts)) {
        search(&team, &question, member);
        gg_several_close(&team);
    }
    gg_release(hash);
    return run->status;
}

int64_t gg_mis_several_bytes(const gpugraph_graph *graph, int parts) {
    const int64_t n = graph->n, share = n / parts + 2048;
    return gg_several_rows_lack(graph, parts, CSR_SIMPLE, false) +
           4 * (n + 2048 * parts) + (gg_ids_are_consecutive(graph) ? 0 : 4 * n) +
           share * (1 + 2 * (int64_t)sizeof(struct waiting)) + 65536;
}
