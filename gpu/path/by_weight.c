/* One shortest path by weight, searched for from both ends: method "bidirectional".
**
**     source  o settled, nearest first )   ...   ( nearest first, settled o  target
**              0 ............... first |         | first ............... 0
**                                      bound: no longer way is a shortest one
**
** Two searches by Dijkstra's algorithm take turns until the nearest vertices that wait in
** them are together farther apart than the best way seen. A vertex on a shortest way is then
** settled by one of them. The search from the source goes on alone, over those vertices that
** the other one has settled and that lie on a way within the bound: so it finds the distances
** of all of them, as the whole search would. The path is the chain of tree edges of that
** search: at each vertex, from the target on, the smallest edge number counts among those from
** a nearer vertex that make up its distance.
**
** REAL distances are sums in the order of travel, which those from the target are not. They
** only say what may be left out, and the bound is wider than all their rounding.
**
** Left to the search from the source: a vertex whose edges all tie at its own distance, sums
** that leave the range, and max_distance. */
#include "algorithm.h"
#include "path.h"
#include "tree/tree.h"
#include "base/words.h"

#include <stdio.h>

struct front {
    csr rows;
    uint64_t *distance; /* where `touched` says so; final once less than `first` */
    uint64_t *touched;  /* bit v */
    gg_heap waiting;    /* with stale entries */
    uint64_t first;     /* the least that waits: GG_INFINITE when nothing does */
    uint64_t settled;
};

struct both_ends {
    gpugraph_run *run;
    const gpugraph_graph *graph;
    gpugraph_direction direction;
    gpugraph_distance_type type;
    struct front from, to; /* the source, the target */
    uint64_t best, bound;  /* the best way seen; with room for rounding */
    uint64_t since;        /* gg_worked */
    bool over;             /* a sum left the range */
};

enum outcome { FOUND, NOT_FOUND, LEFT_OPEN, STOPPED };

/* ---- distances ---- */

static inline uint64_t distance_in(const struct front *f, uint32_t v) {
    return f->touched[v >> 6] >> (v & 63) & 1 ? f->distance[v] : GG_INFINITE;
}

static void look_first(struct front *f) {
    f->first = f->waiting.count ? f->waiting.item[0].word : GG_INFINITE;
}

static bool put_on_front(struct both_ends *s, struct front *f, uint32_t v,
                         uint64_t distance) {
    f->touched[v >> 6] |= (uint64_t)1 << (v & 63);
    f->distance[v] = distance;
    const bool done = gg_heap_put(s->run, &f->waiting, v, distance);
    look_first(f);
    return done;
}

/* ---- the searches ---- */

/* Taking a vertex from a heap moves about that many others. */
enum { HEAP_ITEMS = 32 };

static bool may_go_on(struct both_ends *s, uint64_t arcs) {
    return !gg_worked(s->run, &s->since, arcs);
}

static void note_way(struct both_ends *s, uint64_t length) {
    if (length >= s->best)
        return;
    s->best = s->bound = length;
    if (s->type == GPUGRAPH_REAL)
        s->bound = gg_real_word(gg_word_real(length) * GG_PATH_ROUNDING + DBL_MIN);
}

/* Settles the vertex that is nearest, by relaxing its arcs; but no way is followed that is
** sure to be longer than the bound: what the other front has not settled is no nearer to
** its end than its first. False when the run must end. */
static bool settle_next(struct both_ends *s, struct front *f, const struct front *other) {
    const gg_waiting next = gg_heap_take(&f->waiting);
    const uint32_t u = next.vertex;
    look_first(f);
    if (next.word != f->distance[u]) /* stale */
        return may_go_on(s, HEAP_ITEMS);
    f->settled++;
    uint64_t arc = f->rows.begin[u], end = f->rows.end[u];
    if (!may_go_on(s, end - arc + HEAP_ITEMS))
        return false;
    for (; arc < end && !gg_leave(s->run, arc); arc++) {
        uint32_t v = f->rows.target[arc];
        uint64_t sum =
            gg_word_sum(s->type, next.word, gg_word_weight(s->type, f->rows.weight, arc));
        s->over = s->over || sum == GG_INFINITE;
        if (sum >= distance_in(f, v))
            continue;
        uint64_t rest = distance_in(other, v);
        note_way(s, gg_word_sum(s->type, sum, rest));
        rest = rest < other->first ? rest : other->first;
        uint64_t way = gg_word_sum(s->type, sum, rest);
        if ((s->best == GG_INFINITE || way <= s->bound) && !put_on_front(s, f, v, sum))
            return false;
    }
    return !gg_stopping(s->run);
}

/* Could a way that neither has seen be within the bound? */
static bool may_be_shorter(const struct both_ends *s) {
    if (s->from.first == GG_INFINITE || s->to.first == GG_INFINITE)
        return false;
    return s->best == GG_INFINITE ||
           gg_word_sum(s->type, s->from.first, s->to.first) < s->bound;
}

static bool search_both(struct both_ends *s) {
    while (may_be_shorter(s)) {
        bool forward = s->from.waiting.count <= s->to.waiting.count;
        if (!settle_next(s, forward ? &s->from : &s->to, forward ? &s->to : &s->from))
            return false;
    }
    while (s->best != GG_INFINITE && s->from.first <= s->bound)
        if (!settle_next(s, &s->from, &s->to))
            return false;
    return true;
}

/* ---- the way back ---- */

/* The smallest number of an edge of that weight from u to v that is less than `best`, by the
** rows of edge numbers. */
static uint64_t lighter_edge(const struct both_ends *s, uint32_t u, uint32_t v,
                             uint64_t weight, uint64_t best) {
    static const int senses[][2] = {
        [GPUGRAPH_OUT] = {1, 0}, [GPUGRAPH_IN] = {0, 1}, [GPUGRAPH_BOTH] = {1, 1}};
    const gpugraph_graph *graph = s->graph;
    for (int turned = 0; turned < 2; turned++) {
        uint64_t count = 0, e;
        const void *edge = NULL;
        if (senses[s->direction][turned])
            edge = gg_edges_between(graph, turned ? v : u, turned ? u : v, &count);
        for (uint64_t i = 0; i < count && (e = gg_edge_at(edge, graph->wide, i)) < best;
             i++)
            if (gg_word_weight(s->type, graph->weight, e) == weight)
                best = e;
    }
    return best;
}

/* NO_EDGE: all edges tie. */
static uint64_t tree_edge(const struct both_ends *s, uint32_t v) {
    const csr *rows = &s->to.rows;
    uint64_t distance = s->from.distance[v];
    uint64_t best = GPUGRAPH_NO_EDGE;
    for (uint64_t arc = rows->begin[v]; arc < rows->end[v] && !gg_leave(s->run, arc);
         arc++) {
        uint32_t u = rows->target[arc];
        uint64_t before = distance_in(&s->from, u);
        uint64_t weight = gg_word_weight(s->type, rows->weight, arc);
        if (before < distance && gg_word_sum(s->type, before, weight) == distance)
            best = lighter_edge(s, u, v, weight, best);
    }
    return best;
}

static enum outcome walk_back_by_weight(struct both_ends *s, uint32_t source,
                                        uint32_t target, void *edge, uint32_t *count) {
    uint32_t steps = 0;
    for (uint32_t v = target; v != source; steps++) {
        uint64_t arcs = s->to.rows.end[v] - s->to.rows.begin[v];
        if (!may_go_on(s, arcs + 1))
            return STOPPED;
        uint64_t e = tree_edge(s, v);
        if (gg_stopping(s->run))
            return STOPPED;
        if (e == GPUGRAPH_NO_EDGE)
            return LEFT_OPEN;
        gg_put_edge(edge, s->graph->wide, steps, e);
        v = gpugraph_other_end(s->graph, e, v);
    }
    gg_reverse_edges(s->graph, edge, steps);
    *count = steps;
    return FOUND;
}

/* ---- driver ---- */

static bool prepare_front(struct both_ends *s, struct front *f, uint32_t end) {
    uint32_t n = s->graph->n;
    f->first = GG_INFINITE;
    f->touched = gg_alloc_zero(s->run, (uint64_t)n / 64 + 1, sizeof *f->touched);
    f->distance = gg_alloc(s->run, n, sizeof *f->distance);
    return f->touched && f->distance && put_on_front(s, f, end, 0);
}

static void free_front(struct front *f) {
    gg_release(f->touched);
    gg_release(f->distance);
    gg_release(f->waiting.item);
}

static enum outcome search_and_walk(struct both_ends *s, const gpugraph_search *search,
                                    void *edge, uint32_t *count) {
    uint32_t source = search->source[0], target = search->target[0];
    if (source == target) {
        *count = 0;
        return FOUND;
    }
    if (search->bounded)
        return LEFT_OPEN;
    if (!prepare_front(s, &s->from, source) || !prepare_front(s, &s->to, target) ||
        !search_both(s))
        return STOPPED;
    if (s->best == GG_INFINITE)
        return s->over ? LEFT_OPEN : NOT_FOUND;
    return walk_back_by_weight(s, source, target, edge, count);
}

gpugraph_status gg_weighted_path_from_both_ends(gpugraph_graph *graph,
                                                const gpugraph_search *search,
                                                gpugraph_run *run, void *edge,
                                                uint32_t *count) {
    struct both_ends s = {.run = run,
                          .graph = graph,
                          .direction = search->direction,
                          .type = graph->distance_type,
                          .best = GG_INFINITE,
                          .bound = GG_INFINITE};
    *count = GPUGRAPH_NONE;
    if (gg_rows(graph, gg_forward_kind(search->direction), true, false, run,
                &s.from.rows) ||
        gg_rows(graph, gg_reverse_kind(search->direction), true, false, run,
                &s.to.rows) ||
        gg_edge_rows(graph, run) || gg_bring_edges(graph, run))
        return run->status;
    double started = gg_now_ms();
    enum outcome outcome = search_and_walk(&s, search, edge, count);
    free_front(&s.from);
    free_front(&s.to);
    if (run->status)
        return run->status;
    if (outcome == STOPPED)
        return gg_stopped(run);
    gg_know(&graph->known.ways_tie, outcome == LEFT_OPEN && s.best != GG_INFINITE);
    if (outcome == LEFT_OPEN)
        return gg_path_by_sssp(graph, search, run, edge, count);
    char more[100];
    snprintf(more, sizeof more,
             "%llu vertices settled from the source, %llu from the target",
             (unsigned long long)s.from.settled, (unsigned long long)s.to.settled);
    gg_search_phase(run, started, (int64_t)(s.from.settled + s.to.settled), more);
    return GPUGRAPH_OK;
}
