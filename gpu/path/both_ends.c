/* One shortest path by depth, searched for from both ends: method "bidirectional".
**
**     source  o)  )  )  )  |  (  (  (  (o  target
**             0  1  2  3   |  3  2  1  0         the ball whose frontier has fewer arcs grows
**                          they meet: the distance is known
**
**     mark[v]    d + 1         v is d steps behind the source
**                BACK | b + 1  v is b steps before the target, and nothing else is known
**
** The path is the one by the rule of gpugraph.h, the chain of tree edges of the whole search:
** at each vertex, from the target on, the smallest edge number counts among those from a
** vertex one step nearer to the source. So these must all be known. Behind the source's ball
** they are all on shortest paths: from where the balls meet, marks of the target's ball that
** can be reached one step nearer to the target at a time become distances from the source.
**
** A search touches the vertices of two balls, not the graph: a bitmap says of which vertices
** the mark counts, and edge numbers come from rows that are searched by halves. Those rows,
** and the transpose, are made once for a graph and pay after some searches. */
#include "algorithm.h"
#include "base/limits.h"
#include "path.h"

#include <stdio.h>

#define BACK 0x80000000u

struct ball {
    csr rows;
    uint32_t *vertex;      /* all in the ball; the newest level from `begin` on */
    uint64_t begin, count; /* in vertex */
    uint64_t room;
    uint64_t arcs; /* arcs that leave the newest level */
    uint32_t depth;
    uint32_t side; /* 0 or BACK */
};

struct both_ends {
    gpugraph_run *run;
    uint64_t *touched; /* bit v: mark[v] counts */
    uint32_t *mark;
    struct ball ball[2]; /* around the source, around the target */
    struct ball between; /* vertices on shortest paths, behind the source's ball */
    uint64_t since;      /* gg_worked */
};

static bool is_touched(const struct both_ends *s, uint32_t v) {
    return s->touched[v >> 6] >> (v & 63) & 1;
}

static bool make_ball_room(struct both_ends *s, struct ball *b) {
    void *block = b->vertex;
    bool made = gg_make_room(s->run, &block, b->count, &b->room, sizeof *b->vertex);
    b->vertex = block;
    return made;
}

/* False when the run must end. */
static bool add_to_ball(struct both_ends *s, struct ball *b, uint32_t v, uint32_t mark) {
    if (!make_ball_room(s, b))
        return false;
    s->touched[v >> 6] |= (uint64_t)1 << (v & 63);
    s->mark[v] = mark;
    b->arcs += b->rows.end[v] - b->rows.begin[v];
    b->vertex[b->count++] = v;
    return true;
}

static bool may_go_on(struct both_ends *s, uint64_t arcs) {
    return !gg_worked(s->run, &s->since, arcs);
}

/* ---- growing ---- */

/* One vertex of the newest level. Where an arc leads to the newest level of the other ball
** they meet: the end of the arc that lies in the target's ball is `between`. It gets a mark
** of its own, which is not that of the source's newest level. */
static bool grow_from(struct both_ends *s, struct ball *b, uint32_t v) {
    const struct ball *from = &s->ball[0], *to = &s->ball[1];
    const uint32_t other = b == from ? BACK | (to->depth + 1) : from->depth + 1;
    for (uint64_t arc = b->rows.begin[v]; arc < b->rows.end[v] && !gg_leave(s->run, arc);
         arc++) {
        uint32_t w = b->rows.target[arc];
        if (!is_touched(s, w)) {
            if (s->between.count == 0 && !add_to_ball(s, b, w, b->side | (b->depth + 2)))
                return false;
        } else if (s->mark[w] == other) {
            if (!add_to_ball(s, &s->between, b == from ? w : v, from->depth + 2))
                return false;
            if (b == to)
                return true;
        }
    }
    return true;
}

/* Grows the ball by a level, or finds all of `between` that lies next to the other one. */
static bool grow_ball(struct both_ends *s, struct ball *b) {
    uint64_t end = b->count;
    b->arcs = 0;
    for (uint64_t i = b->begin; i < end; i++) {
        uint32_t v = b->vertex[i];
        if (!may_go_on(s, b->rows.end[v] - b->rows.begin[v] + 1) || !grow_from(s, b, v))
            return false;
    }
    if (s->between.count > 0)
        return true;
    b->begin = end;
    b->depth++;
    return true;
}

/* Until the balls meet, or one of them is all that there is, or the path is too long. */
static bool meet_balls(struct both_ends *s, uint32_t max_depth) {
    struct ball *from = &s->ball[0], *to = &s->ball[1];
    while (s->between.count == 0 && from->begin < from->count && to->begin < to->count &&
           from->depth + to->depth < max_depth)
        if (!grow_ball(s, from->arcs <= to->arcs ? from : to))
            return false;
    return true;
}

/* From where they have met to the target. */
static bool mark_between(struct both_ends *s) {
    struct ball *b = &s->between;
    uint32_t distance = s->ball[0].depth + 1;
    for (uint32_t left = s->ball[1].depth; left > 0; left--, distance++) {
        uint64_t end = b->count;
        for (uint64_t i = b->begin; i < end; i++) {
            uint32_t v = b->vertex[i];
            uint64_t arc = b->rows.begin[v], stop = b->rows.end[v];
            if (!may_go_on(s, stop - arc + 1))
                return false;
            for (; arc < stop && !gg_leave(s->run, arc); arc++) {
                uint32_t w = b->rows.target[arc];
                if (is_touched(s, w) && s->mark[w] == (BACK | left) &&
                    !add_to_ball(s, b, w, distance + 2))
                    return false;
            }
        }
        b->begin = end;
    }
    return true;
}

/* ---- the way back ---- */

/* The smallest number of an edge that may be taken from u to v. */
static uint64_t edge_to(const gpugraph_graph *graph, gpugraph_direction direction,
                        uint32_t u, uint32_t v) {
    uint64_t there =
        direction == GPUGRAPH_IN ? GPUGRAPH_NO_EDGE : gg_first_edge(graph, u, v);
    uint64_t turned =
        direction == GPUGRAPH_OUT ? GPUGRAPH_NO_EDGE : gg_first_edge(graph, v, u);
    return there < turned ? there : turned;
}

static bool walk_back_by_depth(struct both_ends *s, const gpugraph_graph *graph,
                               const gpugraph_search *search, void *edge,
                               uint32_t *count) {
    const csr *rows = &s->ball[1].rows;
    uint32_t v = search->target[0], steps = s->mark[v] - 1;
    for (uint32_t k = steps; k > 0; k--) {
        uint64_t best = GPUGRAPH_NO_EDGE;
        if (!may_go_on(s, rows->end[v] - rows->begin[v] + 1))
            return false;
        for (uint64_t arc = rows->begin[v]; arc < rows->end[v] && !gg_leave(s->run, arc);
             arc++) {
            uint32_t u = rows->target[arc];
            if (!is_touched(s, u) || s->mark[u] != k)
                continue;
            uint64_t e = edge_to(graph, search->direction, u, v);
            best = e < best ? e : best;
        }
        if (gg_stopping(s->run))
            return false;
        gg_put_edge(edge, graph->wide, k - 1, best);
        v = gpugraph_other_end(graph, best, v);
    }
    *count = steps;
    return true;
}

/* ---- driver ---- */

static bool prepare_balls(struct both_ends *s, gpugraph_graph *graph,
                          gpugraph_direction direction) {
    csr *rows = &s->ball[0].rows;
    if (gg_rows(graph, gg_forward_kind(direction), false, false, s->run, rows) ||
        gg_rows(graph, gg_reverse_kind(direction), false, false, s->run,
                &s->ball[1].rows) ||
        gg_edge_rows(graph, s->run))
        return false;
    s->between.rows = *rows;
    s->ball[1].side = BACK;
    s->touched = gg_alloc_zero(s->run, (uint64_t)graph->n / 64 + 1, sizeof *s->touched);
    s->mark = gg_alloc(s->run, graph->n, sizeof *s->mark);
    return s->touched && s->mark;
}

static bool search_both(struct both_ends *s, gpugraph_graph *graph,
                        const gpugraph_search *search, void *edge, uint32_t *count) {
    uint32_t source = search->source[0], target = search->target[0];
    if (source == target) {
        *count = 0;
        return true;
    }
    return add_to_ball(s, &s->ball[0], source, 1) &&
           add_to_ball(s, &s->ball[1], target, BACK | 1) &&
           meet_balls(s, search->max_depth) &&
           (s->between.count == 0 ||
            (mark_between(s) && walk_back_by_depth(s, graph, search, edge, count)));
}

bool gg_path_prepared(const gpugraph_graph *graph, const gpugraph_search *search,
                      bool weighted) {
    enum csr_kind turned = gg_reverse_kind(search->direction);
    bool made = gg_edge_rows_made(graph) && gg_csr_made(graph, turned);
    bool left_open =
        weighted ? gg_knows(&graph->known.ways_tie) || search->bounded : graph->n >= BACK;
    /* Balls by weight are large on roads: what they save does not pay for the rows soon. */
    bool pays = !weighted || !gg_is_thin(graph);
    bool due = pays && gg_searches(graph) > gg_limits.path_prepare_after;
    return !left_open && (made || due);
}

gpugraph_status gg_path_from_both_ends(gpugraph_graph *graph,
                                       const gpugraph_search *search, gpugraph_run *run,
                                       void *edge, uint32_t *count) {
    struct both_ends s = {.run = run};
    *count = GPUGRAPH_NONE;
    if (graph->n >= BACK)
        return gg_fail(
            run, GPUGRAPH_TOO_LARGE,
            "method 'bidirectional' takes graphs of less than %u vertices, and "
            "this one has %u",
            BACK, graph->n);
    if (prepare_balls(&s, graph, search->direction)) {
        double started = gg_now_ms();
        if (search_both(&s, graph, search, edge, count)) {
            char more[80];
            snprintf(more, sizeof more, "%u levels from the source, %u from the target",
                     s.ball[0].depth, s.ball[1].depth);
            gg_search_phase(run, started, (int64_t)(s.ball[0].count + s.ball[1].count),
                            more);
        }
    }
    gg_release(s.touched);
    gg_release(s.mark);
    gg_release(s.ball[0].vertex);
    gg_release(s.ball[1].vertex);
    gg_release(s.between.vertex);
    if (run->status)
        return run->status;
    return gg_stopping(run) ? gg_stopped(run) : GPUGRAPH_OK;
}
