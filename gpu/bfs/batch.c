/* Breadth-first searches from up to 64 sources at once, on the CPU: method
** "multi-source".
**
**     search         0 1 2 ... 63      its number is its bit in every word
**     seen[v]        1 0 1      0      the searches that have reached v
**     visit[v]       0 0 1      0      the searches that reached v in the newest level
**     next[w]       |= visit[v] & ~seen[w]      for each arc v -> w of the frontier
**
** All searches are at the same level, so one look at an arc serves all searches whose
** frontier the arc leaves. A level is made in one of two ways:
**   spread     The searches go along the arcs of the frontier, a list of vertices. Then
**              the found vertices are settled: seen, visit, depths.
**   gather     Each vertex that some search has not reached collects the words of its
**              neighbours along the transpose, until no search is missing.
**
** After Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann and Vo, "The More the
** Merrier: Efficient Multi-Source Graph Traversal" (VLDB 2014). The method pays if
** different searches reach many vertices at the same level, as in graphs with few levels.
** On roads each search reaches a vertex at a different level. */
#include "bfs.h"
#include "base/claims.h"
#include "graph/graph.h"

#include <string.h>

enum {
    LEAST_GATHERED = 8, /* with this many sources, making the transpose pays */
    GATHER_ALPHA = 4,   /* gather if more than m / ALPHA arcs leave the frontier */
    /* The number of vertices that a thread takes at a time. With 64, threads shared many
    ** cache lines. */
    GATHER_GRAB = 1024
};

struct tally {
    uint64_t fresh;    /* searches that have found something */
    uint64_t vertices; /* vertices of the next frontier */
    uint64_t arcs;     /* arcs that leave the next frontier */
    uint64_t reached;  /* vertices, counted for each search that has reached them */
};

struct batch {
    gpugraph_run *run;
    const gpugraph_search *search;
    csr forward, reverse; /* reverse.begin NULL: there is no transpose */
    uint32_t *const *depth;
    uint32_t searches;
    uint64_t searching; /* searches that are not over */
    int threads;
    uint64_t taken; /* work of a step that threads have taken */
    uint64_t *seen, *visit, *next;
    uint32_t *list, *found; /* the frontier; the vertices that a level finds */
    uint64_t listed;        /* vertices in the list */
    uint64_t tail;          /* vertices in found */
    uint32_t level;         /* the level of the frontier */
    uint32_t gathered;      /* levels that were gathered */
    struct tally sum;       /* over the threads of a level; `reached`: over all levels */
};

static void add_tally(struct batch *b, const struct tally *t) {
    __atomic_fetch_or(&b->sum.fresh, t->fresh, __ATOMIC_RELAXED);
    __atomic_fetch_add(&b->sum.vertices, t->vertices, __ATOMIC_RELAXED);
    __atomic_fetch_add(&b->sum.arcs, t->arcs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&b->sum.reached, t->reached, __ATOMIC_RELAXED);
}

/* Writes the depth of v for each of these searches. */
static inline void put_depth(struct batch *b, uint32_t v, uint64_t searches,
                             uint32_t depth) {
    for (; searches; searches &= searches - 1)
        b->depth[__builtin_ctzll(searches)][v] = depth;
}

/* Records that these searches have reached v in this level. */
static inline void arrive(struct batch *b, struct tally *t, uint32_t v,
                          uint64_t searches) {
    b->seen[v] |= searches;
    t->fresh |= searches;
    t->vertices++;
    t->arcs += b->forward.end[v] - b->forward.begin[v];
    t->reached += (uint64_t)gg_count_bits(searches);
    put_depth(b, v, searches, b->level + 1);
}

/* ---- a level along the arcs ---- */

/* These searches reach w. Returns true if they are the first in this level. The plain
** load comes first, because most of the bits are set already and an atomic operation
** costs ten times as much. */
static inline bool offer_searches(uint64_t *next, uint32_t w, uint64_t searches,
                                  bool shared) {
    uint64_t there = __atomic_load_n(&next[w], __ATOMIC_RELAXED);
    if (!(searches & ~there))
        return false;
    if (shared)
        there = __atomic_fetch_or(&next[w], searches, __ATOMIC_RELAXED);
    else
        next[w] = there | searches;
    return there == 0;
}

/* Expands one vertex of the frontier. Returns false when the run must end. */
static inline __attribute__((always_inline)) bool
spread_vertex(struct batch *b, uint32_t v, struct gg_claims *finds, uint64_t *looked,
              bool shared) {
    const uint32_t *target = b->forward.target;
    const uint64_t *seen = b->seen;
    uint64_t arc = b->forward.begin[v], stop = b->forward.end[v];
    uint64_t searches = b->visit[v] & b->searching;
    if (!searches)
        return true;
    *looked += stop - arc;
    for (; arc < stop && !gg_leave(b->run, arc); arc++) {
        uint32_t w = target[arc];
        uint64_t coming = searches & ~seen[w];
        if (!coming || !offer_searches(b->next, w, coming, shared))
            continue;
        gg_claim(finds, w, b->found, &b->tail);
    }
    return arc == stop;
}

static inline __attribute__((always_inline)) void spread_some(struct batch *b,
                                                              bool shared) {
    struct gg_claims finds;
    finds.count = 0;
    uint64_t since = 0, i, last;
    bool stop = gg_stopping(b->run);
    while (!stop && gg_take_chunk(&b->taken, b->listed, BFS_GRAB, &i, &last))
        for (; i < last && !stop; i++) {
            uint64_t arcs = 0;
            stop = !spread_vertex(b, b->list[i], &finds, &arcs, shared) ||
                   gg_worked(b->run, &since, arcs + 1);
        }
    gg_hand_claims_over(&finds, b->found, &b->tail);
}

static void spread(void *job, int member, int team) {
    (void)member;
    if (team > 1)
        spread_some(job, true);
    else
        spread_some(job, false);
}

/* The found vertices become the frontier. All words of `next` become zero again. */
static void settle_finds(void *job, int member, int team) {
    struct batch *b = job;
    struct tally tally = {0};
    uint64_t since = 0, i, last;
    (void)member, (void)team;
    while (!gg_worked(b->run, &since, BFS_GRAB) &&
           gg_take_chunk(&b->taken, b->tail, BFS_GRAB, &i, &last))
        for (; i < last; i++) {
            uint32_t v = b->found[i];
            b->visit[v] = b->next[v];
            b->next[v] = 0;
            arrive(b, &tally, v, b->visit[v]);
        }
    add_tally(b, &tally);
}

/* ---- a level against the arcs ---- */

/* Returns the searches of `missing` that have a neighbour of v in their frontier. */
static inline uint64_t gather_vertex(const struct batch *b, uint32_t v, uint64_t missing,
                                     uint64_t *looked) {
    const uint32_t *target = b->reverse.target;
    const uint64_t *visit = b->visit;
    uint64_t arc = b->reverse.begin[v], stop = b->reverse.end[v], searches = 0;
    *looked += stop - arc;
    for (; arc < stop && (missing & ~searches) && !gg_leave(b->run, arc); arc++)
        searches |= visit[target[arc]];
    return searches & missing;
}

static void gather_vertices(void *job, int member, int team) {
    struct batch *b = job;
    struct tally tally = {0};
    uint64_t since = 0, v, last;
    bool stop = gg_stopping(b->run);
    (void)member, (void)team;
    while (!stop && gg_take_chunk(&b->taken, b->forward.n, GATHER_GRAB, &v, &last))
        for (; v < last && !stop; v++) {
            uint64_t missing = b->searching & ~b->seen[v], arcs = 1;
            uint64_t searches =
                missing ? gather_vertex(b, (uint32_t)v, missing, &arcs) : 0;
            b->next[v] = searches;
            if (searches)
                arrive(b, &tally, (uint32_t)v, searches);
            stop = gg_worked(b->run, &since, arcs);
        }
    add_tally(b, &tally);
}

static void swap_words(struct batch *b) {
    uint64_t *old = b->visit;
    b->visit = b->next;
    b->next = old;
}

/* Clears the words of all vertices outside the frontier, because gathering reads every
** word. */
static void begin_gathering(struct batch *b) {
    for (uint64_t i = 0; i < b->listed; i++)
        b->next[b->list[i]] = b->visit[b->list[i]];
    swap_words(b);
}

static void end_gathering(struct batch *b) {
    memset(b->next, 0, (uint64_t)b->forward.n * sizeof *b->next);
    b->listed = 0;
    for (uint32_t v = 0; v < b->forward.n; v++)
        if (b->visit[v])
            b->list[b->listed++] = v;
}

/* ---- levels ---- */

/* Returns the searches whose targets are all reached. */
static uint64_t satisfied_searches(const struct batch *b) {
    const gpugraph_search *search = b->search;
    uint64_t searches = search->target_count > 0 ? b->searching : 0;
    for (uint32_t i = 0; i < search->target_count && searches; i++)
        searches &= b->seen[search->target[i]];
    return searches;
}

static bool at_the_end(struct batch *b) {
    b->searching &= b->sum.fresh;
    b->searching &= ~satisfied_searches(b);
    return b->searching == 0 || b->level >= b->search->max_depth || gg_poll(b->run);
}

static void do_batch_step(struct batch *b, gg_team_body *step, bool alone) {
    b->taken = 0;
    gg_team(alone ? 1 : b->threads, step, b);
}

static void begin_level(struct batch *b) {
    b->sum.fresh = b->sum.vertices = b->sum.arcs = 0;
    b->tail = 0;
}

static bool is_narrow(const struct batch *b) {
    return b->sum.vertices <= BFS_ALONE && b->sum.arcs <= BFS_ALONE_ARCS;
}

static void spread_level(struct batch *b, bool alone) {
    begin_level(b);
    do_batch_step(b, spread, alone);
    if (gg_stopping(b->run))
        return;
    do_batch_step(b, settle_finds, alone);
    uint32_t *old = b->list;
    b->list = b->found;
    b->found = old;
    b->listed = b->tail;
    b->level++;
}

static void gather_level(struct batch *b) {
    begin_level(b);
    do_batch_step(b, gather_vertices, false);
    swap_words(b);
    b->level++;
    b->gathered++;
}

static bool pays_to_gather(const struct batch *b) {
    return b->reverse.begin && b->sum.arcs > b->forward.m / GATHER_ALPHA;
}

/* A batch whose frontiers stay narrow starts no threads. */
static void search_levels(struct batch *b) {
    while (!at_the_end(b)) {
        const bool narrow = is_narrow(b);
        if (!narrow && !b->threads)
            b->threads = gg_threads(b->run, b->forward.m);
        if (narrow || !pays_to_gather(b)) {
            spread_level(b, narrow);
            continue;
        }
        begin_gathering(b);
        do
            gather_level(b);
        while (!at_the_end(b) && pays_to_gather(b));
        end_gathering(b);
    }
}

/* ---- a batch ---- */

/* Resets the depths of one search. This takes about ten milliseconds on a large graph. */
static void clear_search(void *batch, uint64_t which) {
    const struct batch *b = batch;
    const uint64_t n = b->forward.n;
    if (!gg_pause(b->run))
        memset(b->depth[which], 0xff, n * sizeof **b->depth);
}

/* Search i begins at source i. */
static void start_batch(struct batch *b) {
    uint64_t depths = (uint64_t)b->forward.n * b->searches;
    gg_parts(gg_threads(b->run, depths / GG_FILL_ITEMS), b->searches, clear_search, b);
    b->level = UINT32_MAX; /* the level before 0 */
    struct tally tally = {0};
    for (uint32_t i = 0; i < b->searches; i++) {
        const uint32_t v = b->search->source[i];
        const uint64_t bit = (uint64_t)1 << i;
        if (!b->seen[v])
            b->list[b->listed++] = v;
        b->visit[v] |= bit;
        arrive(b, &tally, v, bit);
    }
    add_tally(b, &tally);
    b->level = 0;
    b->searching =
        b->searches == GG_LANES ? ~(uint64_t)0 : ((uint64_t)1 << b->searches) - 1;
}

gpugraph_status gg_bfs_batch(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, uint32_t *const *depth) {
    struct batch b = {.run = run, .search = search, .depth = depth};
    enum csr_kind back = gg_reverse_kind(search->direction);
    b.searches = search->source_count;
    if (gg_rows(graph, gg_forward_kind(search->direction), false, false, run, &b.forward))
        return run->status;
    bool worth =
        b.searches >= LEAST_GATHERED || gg_searches(graph) > GG_BFS_REVERSE_AFTER;
    if ((worth || gg_csr_made(graph, back)) &&
        gg_rows(graph, back, false, false, run, &b.reverse))
        return run->status;
    double started = gg_now_ms();
    uint64_t n = graph->n;
    uint64_t *words = gg_alloc_zero(run, 3 * n, sizeof *words);
    uint32_t *lists = gg_alloc(run, 2 * n, sizeof *lists);
    if (words && lists) {
        b.seen = words;
        b.visit = words + n;
        b.next = words + 2 * n;
        b.list = lists;
        b.found = lists + n;
        start_batch(&b);
        search_levels(&b);
    }
    gg_release(words);
    gg_release(lists);
    return gg_search_phase(run, started, (int64_t)b.sum.reached,
                           "%u source%s at once, %u levels, %u of them gathered",
                           b.searches, b.searches == 1 ? "" : "s", b.level, b.gathered);
}
