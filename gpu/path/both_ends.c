/* One shortest path, searched for from both ends: method "bidirectional".
**
**     source  o settled, nearest first )   ...   ( nearest first, settled o  target
**              0 ............... first |         | first ............... 0
**                                      bound: no longer path is a shortest one
**
** By weight two searches by Dijkstra's algorithm take turns. They end when the sum of
** their least waiting distances reaches the bound. A vertex on a shortest path is then
** settled by one of them. By depth the front whose newest level has fewer arcs grows by a
** level, until a level of one front has an arc to a level of the other.
**
** The search from the source then continues alone, over the vertices that the other
** search has settled and that lie on a path within the bound. It finds the distances of
** all these vertices, as the whole search would. The path is the chain of tree edges of
** that search. The tree edge of a vertex is the edge with the smallest number, among
** those from a nearer vertex that give the vertex its distance.
**
** REAL distances are sums in the order of travel. Distances from the target are sums in
** another order. So they only decide which vertices may be left out, and the bound has
** room for all their rounding.
**
** The search from the source finds the path instead if all edges of a vertex tie at its
** own distance, if a sum leaves the range, and if max_distance is given.
**
** A search touches the vertices of two fronts, not the graph: a bitmap tells which
** distances are set. The transpose and the rows of edge numbers are made once. */
#include "base/limits.h"
#include "path.h"
#include "tree/tree.h"
#include "base/words.h"

struct vertex_list {
    uint32_t *vertex;
    uint64_t count, room;
};

struct front {
    csr rows;
    uint64_t *distance; /* where `touched` says so; final once less than `first` */
    uint64_t *touched;  /* bit v: v has a distance */
    gg_heap waiting;    /* may have stale entries */
    uint64_t first;     /* least distance that waits; GG_INFINITE: none */
    uint64_t settled;
    /* by depth */
    struct vertex_list ball; /* level by level */
    uint64_t begin;          /* start of the newest level, whose depth is `first` */
    uint64_t arcs;           /* arcs that leave the newest level */
};

struct both_ends {
    gpugraph_run *run;
    const gpugraph_graph *graph;
    gpugraph_direction direction;
    gpugraph_distance_type type;
    const void *weight;         /* by edge; NULL by depth */
    struct front from, to;      /* the source, the target */
    struct vertex_list between; /* by depth: from where the fronts meet to the target */
    uint64_t best, bound; /* length of the best path seen; best + room for rounding */
    uint64_t since;       /* work since the last poll (gg_worked) */
    bool over;            /* a sum left the range */
};

/* ---- distances ---- */

static inline bool is_touched(const struct front *f, uint32_t v) {
    return f->touched[v >> 6] >> (v & 63) & 1;
}

static inline uint64_t distance_in(const struct front *f, uint32_t v) {
    return is_touched(f, v) ? f->distance[v] : GG_INFINITE;
}

static void look_first(struct front *f) {
    f->first = f->waiting.count ? f->waiting.item[0].word : GG_INFINITE;
}

static inline void set_distance(struct front *f, uint32_t v, uint64_t distance) {
    f->touched[v >> 6] |= (uint64_t)1 << (v & 63);
    f->distance[v] = distance;
}

static bool put_on_front(struct both_ends *s, struct front *f, uint32_t v,
                         uint64_t distance) {
    set_distance(f, v, distance);
    const bool done = gg_heap_put(s->run, &f->waiting, v, distance);
    look_first(f);
    return done;
}

/* ---- by weight ---- */

/* A vertex that leaves a heap moves about this many others. */
enum { HEAP_ITEMS = 32 };

static void note_path(struct both_ends *s, uint64_t length) {
    if (length >= s->best)
        return;
    s->best = s->bound = length;
    if (s->type == GPUGRAPH_REAL)
        s->bound = gg_real_word(gg_word_real(length) * GG_PATH_ROUNDING + DBL_MIN);
}

/* `way` is a distance from one end to a vertex, `rest` the distance of that vertex in the
** other front. True if every path through the vertex is longer than the bound. If the
** other front has not settled the vertex, it is no nearer to the other end than
** `first`. */
static bool is_too_long(const struct both_ends *s, uint64_t way, uint64_t rest,
                        const struct front *other) {
    return s->best != GG_INFINITE &&
           gg_word_sum(s->type, way, rest < other->first ? rest : other->first) >
               s->bound;
}

/* Settles the nearest vertex by relaxing its arcs. False: the run must end. */
static bool settle_next(struct both_ends *s, struct front *f, const struct front *other) {
    const gg_waiting next = gg_heap_take(&f->waiting);
    const uint32_t u = next.vertex;
    look_first(f);
    if (next.word != f->distance[u] || /* stale */
        is_too_long(s, next.word, distance_in(other, u), other))
        return !gg_worked(s->run, &s->since, HEAP_ITEMS);
    f->settled++;
    uint64_t arc = f->rows.begin[u], end = f->rows.end[u];
    if (gg_worked(s->run, &s->since, end - arc + HEAP_ITEMS))
        return false;
    for (; arc < end && !gg_leave(s->run, arc); arc++) {
        uint32_t v = f->rows.target[arc];
        uint64_t sum =
            gg_word_sum(s->type, next.word, gg_word_weight(s->type, f->rows.weight, arc));
        s->over = s->over || sum == GG_INFINITE;
        if (sum >= distance_in(f, v))
            continue;
        const uint64_t rest = distance_in(other, v);
        note_path(s, gg_word_sum(s->type, sum, rest));
        if (!is_too_long(s, sum, rest, other) && !put_on_front(s, f, v, sum))
            return false;
    }
    return !gg_stopping(s->run);
}

/* True if a path that neither front has seen may be within the bound. */
static bool may_be_shorter(const struct both_ends *s) {
    if (s->from.first == GG_INFINITE || s->to.first == GG_INFINITE)
        return false;
    return s->best == GG_INFINITE ||
           gg_word_sum(s->type, s->from.first, s->to.first) < s->bound;
}

static bool search_by_weight(struct both_ends *s) {
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

/* ---- by depth ---- */

static bool add_vertex(struct both_ends *s, struct front *f, struct vertex_list *list,
                       uint32_t v, uint64_t depth) {
    if (!gg_make_room(s->run, (void **)&list->vertex, list->count, &list->room,
                      sizeof *list->vertex))
        return false;
    set_distance(f, v, depth);
    list->vertex[list->count++] = v;
    return true;
}

/* Follows the arcs of a vertex of the newest level. If an arc leads to the newest level
** of the other front, the fronts meet at its end in the target's front. */
static bool grow_from(struct both_ends *s, struct front *f, uint32_t v) {
    struct front *from = &s->from;
    const struct front *other = f == from ? &s->to : from;
    for (uint64_t arc = f->rows.begin[v]; arc < f->rows.end[v] && !gg_leave(s->run, arc);
         arc++) {
        uint32_t w = f->rows.target[arc];
        if (is_touched(f, w))
            continue;
        if (is_touched(other, w)) {
            const uint32_t meets = f == from ? w : v;
            if (!add_vertex(s, from, &s->between, meets, from->first + 1))
                return false;
            if (f != from)
                return true;
        } else if (s->between.count == 0) {
            f->arcs += f->rows.end[w] - f->rows.begin[w];
            if (!add_vertex(s, f, &f->ball, w, f->first + 1))
                return false;
        }
    }
    return true;
}

/* Grows the front by a level, or finds all vertices where the fronts meet. */
static bool grow_level(struct both_ends *s, struct front *f) {
    const uint64_t end = f->ball.count;
    f->arcs = 0;
    for (uint64_t i = f->begin; i < end; i++) {
        uint32_t v = f->ball.vertex[i];
        if (gg_worked(s->run, &s->since, f->rows.end[v] - f->rows.begin[v] + 1) ||
            !grow_from(s, f, v))
            return false;
    }
    f->settled = end;
    if (s->between.count > 0)
        return true;
    f->begin = end;
    f->first++;
    return true;
}

/* Finds the distances from the source to all vertices on shortest paths between the place
** where the fronts meet and the target, one step nearer to the target at a time. */
static bool settle_between(struct both_ends *s) {
    struct front *from = &s->from;
    for (uint64_t i = 0; i < s->between.count; i++) {
        const uint32_t u = s->between.vertex[i];
        const uint64_t depth = from->distance[u], rest = s->to.distance[u];
        uint64_t arc = from->rows.begin[u], end = from->rows.end[u];
        if (gg_worked(s->run, &s->since, end - arc + 1))
            return false;
        for (; arc < end && !gg_leave(s->run, arc); arc++) {
            const uint32_t v = from->rows.target[arc];
            if (!is_touched(from, v) && distance_in(&s->to, v) < rest &&
                !add_vertex(s, from, &s->between, v, depth + 1))
                return false;
        }
    }
    return true;
}

/* Ends when the fronts meet, when one of them is empty, or when the path is too long. */
static bool search_by_depth(struct both_ends *s, uint32_t max_depth) {
    struct front *from = &s->from, *to = &s->to;
    while (s->between.count == 0 && from->begin < from->ball.count &&
           to->begin < to->ball.count && from->first + to->first < max_depth)
        if (!grow_level(s, from->arcs <= to->arcs ? from : to))
            return false;
    if (s->between.count > 0)
        s->best = from->first + 1 + to->first;
    return settle_between(s) && !gg_stopping(s->run);
}

/* ---- the path ---- */

/* The tree edge of v; NO_EDGE: all edges tie. */
static uint64_t tree_edge(const struct both_ends *s, uint32_t v) {
    const csr *rows = &s->to.rows;
    uint64_t distance = s->from.distance[v];
    uint64_t best = GPUGRAPH_NO_EDGE;
    for (uint64_t arc = rows->begin[v]; arc < rows->end[v] && !gg_leave(s->run, arc);
         arc++) {
        uint32_t u = rows->target[arc];
        uint64_t before = distance_in(&s->from, u);
        uint64_t weight = gg_word_weight(s->type, rows->weight, arc);
        if (before >= distance || gg_word_sum(s->type, before, weight) != distance)
            continue;
        const uint64_t e = gg_tight_edge(s->graph, s->direction, s->type, s->weight, u, v,
                                         before, distance);
        best = e < best ? e : best;
    }
    return best;
}

/* False: all edges of a vertex tie, or the run must end. */
static bool walk_back(struct both_ends *s, const struct path_task *t) {
    uint32_t steps = 0;
    for (uint32_t v = t->search->target[0]; v != t->search->source[0]; steps++) {
        uint64_t arcs = s->to.rows.end[v] - s->to.rows.begin[v];
        if (gg_worked(s->run, &s->since, arcs + 1))
            return false;
        uint64_t e = tree_edge(s, v);
        if (e == GPUGRAPH_NO_EDGE || gg_stopping(s->run))
            return false;
        gg_put_edge(t->edge, s->graph->wide, steps, e);
        v = gpugraph_other_end(s->graph, e, v);
    }
    gg_reverse_edges(s->graph, t->edge, steps);
    *t->count = steps;
    return true;
}

/* ---- driver ---- */

static bool prepare_front(struct both_ends *s, struct front *f, uint32_t end) {
    uint32_t n = s->graph->n;
    f->first = s->weight ? GG_INFINITE : 0;
    f->touched = gg_alloc_zero(s->run, (uint64_t)n / 64 + 1, sizeof *f->touched);
    f->distance = gg_alloc(s->run, n, sizeof *f->distance);
    return f->touched && f->distance &&
           (s->weight ? put_on_front(s, f, end, 0) : add_vertex(s, f, &f->ball, end, 0));
}

static void free_front(struct front *f) {
    gg_release(f->touched);
    gg_release(f->distance);
    gg_release(f->waiting.item);
    gg_release(f->ball.vertex);
}

/* False: the search from the source has to find the path, or the run must end. */
static bool search_and_walk(struct both_ends *s, const struct path_task *t) {
    const uint32_t source = t->search->source[0], target = t->search->target[0];
    if (source == target) {
        *t->count = 0;
        return true;
    }
    if ((s->weight && t->search->bounded) || !prepare_front(s, &s->from, source) ||
        !prepare_front(s, &s->to, target) ||
        !(s->weight ? search_by_weight(s) : search_by_depth(s, t->search->max_depth)))
        return false;
    return s->best == GG_INFINITE ? !s->over : walk_back(s, t);
}

bool gg_path_prepared(const void *task) {
    const struct path_task *t = task;
    const gpugraph_graph *graph = t->graph;
    const bool made = gg_edge_rows_made(graph) &&
                      gg_csr_made(graph, gg_reverse_kind(t->search->direction));
    const bool left_open =
        t->weighted && (gg_knows(&graph->known.ways_tie) || t->search->bounded);
    /* On roads a search by weight settles many vertices, so the rows pay late. */
    const bool pays = !t->weighted || !gg_is_thin(graph);
    return !left_open &&
           (made || (pays && gg_searches(graph) > gg_limits.path_prepare_after));
}

static gpugraph_status bring_front_rows(const struct path_task *t, enum csr_kind kind,
                                        csr *rows) {
    gg_rows(t->graph, kind, t->weighted, false, t->run, rows);
    if (!t->weighted)
        rows->weight = NULL;
    return t->run->status;
}

gpugraph_status gg_path_from_both_ends(const struct path_task *t) {
    gpugraph_graph *graph = t->graph;
    gpugraph_run *run = t->run;
    const gpugraph_direction direction = t->search->direction;
    struct both_ends s = {.run = run,
                          .graph = graph,
                          .direction = direction,
                          .type = gg_path_type(graph, t->weighted),
                          .best = GG_INFINITE,
                          .bound = GG_INFINITE};
    if (bring_front_rows(t, gg_forward_kind(direction), &s.from.rows) ||
        bring_front_rows(t, gg_reverse_kind(direction), &s.to.rows) ||
        gg_edge_rows(graph, run) || gg_bring_edges(graph, run))
        return run->status;
    s.weight = t->weighted ? graph->weight : NULL;
    double started = gg_now_ms();
    const bool done = search_and_walk(&s, t);
    free_front(&s.from);
    free_front(&s.to);
    gg_release(s.between.vertex);
    if (gg_stopping(run))
        return gg_stopped(run);
    if (t->weighted)
        gg_know(&graph->known.ways_tie, !done && s.best != GG_INFINITE);
    if (!done)
        return gg_path_by_search(t);
    return gg_search_phase(run, started, (int64_t)(s.from.settled + s.to.settled),
                           "%llu vertices settled from the source, %llu from the target",
                           (unsigned long long)s.from.settled,
                           (unsigned long long)s.to.settled);
}
