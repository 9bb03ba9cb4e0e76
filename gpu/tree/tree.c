/* Makes the tree of a finished search: the edge that led to each vertex.
**
**     depth or distance by vertex  +  edges by number  ->  tree_edge by vertex
**
** An edge u -> v is tight if the value of v is that of u plus the edge. All searches
** leave the tree to one pass over the edges, in which the smallest tight edge from a
** strictly nearer vertex wins. So the tree does not depend on the order in which a search
** visits vertices.
**
** For some vertices all tight edges come from vertices at the same distance (weights of
** zero, or weights lost to rounding). A breadth-first search over such level edges
** reaches these vertices, in steps from the vertices that have their edge already:
**
**     nearer --edge--> settled --0--> 1 step --0--> 2 steps      fewest steps first, then
**                             \\---0--> 1 step                    the smallest edge */
#include "tree.h"
#include "base/words.h"

#include <string.h>

/* Lowers *place to an edge number. NO_EDGE is the largest number. */
static inline void keep_smaller(uint32_t *place, uint32_t edge) {
    uint32_t old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (edge < old && !__atomic_compare_exchange_n(place, &old, edge, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static inline void keep_smaller_wide(uint64_t *place, uint64_t edge) {
    uint64_t old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (edge < old && !__atomic_compare_exchange_n(place, &old, edge, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static inline void offer_tree(void *tree_edge, bool wide, uint32_t v, uint64_t e) {
    if (wide)
        keep_smaller_wide((uint64_t *)tree_edge + v, e);
    else
        keep_smaller((uint32_t *)tree_edge + v, (uint32_t)e);
}

/* ---- a pass over the edges ---- */

/* A pass, which tests each edge in both senses. */
struct pass {
    const gpugraph_edge_list *edges;
    gpugraph_distance_type type;
    const void *value;  /* distances, depths or parents */
    const void *weight; /* by edge; of distances */
    void *tree_edge;
    bool wide;
    gpugraph_direction direction;
    gpugraph_run *run;
    uint64_t without; /* reached vertices without a tree edge, once counted */
};

static bool has_edge(const struct pass *p, uint32_t v) {
    return gg_edge_at(p->tree_edge, p->wide, v) != GPUGRAPH_NO_EDGE;
}

/* True if the depth of v is one more than that of u. A source's 0 follows no depth, not
** even NONE + 1. */
static inline bool depth_follows(const struct pass *p, uint64_t e, uint32_t u,
                                 uint32_t v) {
    const uint32_t *depth = p->value;
    (void)e;
    return depth[v] != 0 && depth[u] + 1 == depth[v];
}

static inline bool is_parent(const struct pass *p, uint64_t e, uint32_t u, uint32_t v) {
    const uint32_t *parent = p->value;
    (void)e;
    return parent[v] == u && u != v;
}

/* True if the edge makes up the distance of v, from a nearer vertex. `type` is a constant
** where this is inlined. */
static inline bool is_nearer(const struct pass *p, gpugraph_distance_type type,
                             uint64_t e, uint32_t u, uint32_t v) {
    const uint64_t from = gg_word_at(type, p->value, u),
                   to = gg_word_at(type, p->value, v);
    if (from >= to || to == GG_INFINITE)
        return false;
    const uint64_t weight = gg_word_weight(type, p->weight, e);
    if (type == GPUGRAPH_REAL)
        return gg_word_real(from) + gg_word_real(weight) == gg_word_real(to);
    return to - from == weight;
}

static inline bool nearer32(const struct pass *p, uint64_t e, uint32_t u, uint32_t v) {
    return is_nearer(p, GPUGRAPH_UINT32, e, u, v);
}

static inline bool nearer64(const struct pass *p, uint64_t e, uint32_t u, uint32_t v) {
    return is_nearer(p, GPUGRAPH_UINT64, e, u, v);
}

static inline bool nearer_real(const struct pass *p, uint64_t e, uint32_t u, uint32_t v) {
    return is_nearer(p, GPUGRAPH_REAL, e, u, v);
}

typedef bool follows(const struct pass *p, uint64_t e, uint32_t u, uint32_t v);

/* `test` and `wide` are constants where this is inlined. */
static inline __attribute__((always_inline)) void
pass_over_some(const struct pass *p, uint64_t low, uint64_t high, follows *test,
               bool wide) {
    const uint32_t *source = p->edges->source, *target = p->edges->target;
    const gpugraph_direction direction = p->direction;
    void *tree_edge = p->tree_edge;
    if (gg_pause(p->run))
        return;
    for (uint64_t e = low; e < high; e++) {
        uint32_t u = source[e], v = target[e];
        if (direction != GPUGRAPH_IN && test(p, e, u, v))
            offer_tree(tree_edge, wide, v, e);
        if (direction != GPUGRAPH_OUT && test(p, e, v, u))
            offer_tree(tree_edge, wide, u, e);
    }
}

static inline __attribute__((always_inline)) void
pass_by(const struct pass *p, uint64_t low, uint64_t high, follows *test) {
    if (p->wide)
        pass_over_some(p, low, high, test, true);
    else
        pass_over_some(p, low, high, test, false);
}

static void by_depth(void *pass, uint64_t low, uint64_t high) {
    pass_by(pass, low, high, depth_follows);
}

static void by_parent(void *pass, uint64_t low, uint64_t high) {
    pass_by(pass, low, high, is_parent);
}

static void by_distance32(void *pass, uint64_t low, uint64_t high) {
    pass_by(pass, low, high, nearer32);
}

static void by_distance64(void *pass, uint64_t low, uint64_t high) {
    pass_by(pass, low, high, nearer64);
}

static void by_real_distance(void *pass, uint64_t low, uint64_t high) {
    pass_by(pass, low, high, nearer_real);
}

static void clear_edges(void *pass, uint64_t low, uint64_t high) {
    const struct pass *p = pass;
    for (uint64_t v = low; v < high && !gg_leave(p->run, v); v++)
        gg_put_edge(p->tree_edge, p->wide, v, GPUGRAPH_NO_EDGE);
}

/* Fills p->tree_edge by one pass. False: the run must end. */
static bool pass_over(struct pass *p, gpugraph_graph *graph, gg_span *by) {
    if (gg_bring_edges(graph, p->run))
        return false;
    const int threads = gg_threads(p->run, graph->m);
    p->edges = &graph->edges;
    p->wide = graph->wide;
    gg_slices(threads, graph->n, clear_edges, p);
    gg_chunks(threads, graph->m, GG_POLL_ITEMS, by, p);
    return !gg_stopping(p->run);
}

static gpugraph_status pass_ended(const gpugraph_graph *graph, gpugraph_run *run,
                                  double started) {
    if (gg_stopping(run))
        return gg_stopped(run);
    gg_phase(run, "parents", started, (int64_t)graph->m, "one pass over the edges");
    return GPUGRAPH_OK;
}

static gpugraph_status make_tree(gpugraph_graph *graph, gpugraph_direction direction,
                                 gpugraph_run *run, const uint32_t *value,
                                 void *tree_edge, gg_span *by) {
    const double started = gg_now_ms();
    struct pass p = {
        .value = value, .tree_edge = tree_edge, .direction = direction, .run = run};
    pass_over(&p, graph, by);
    return run->status ? run->status : pass_ended(graph, run, started);
}

gpugraph_status gg_depth_tree(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run, const uint32_t *depth, void *tree_edge) {
    return make_tree(graph, search->direction, run, depth, tree_edge, by_depth);
}

gpugraph_status gg_parent_edges(gpugraph_graph *graph, gpugraph_direction direction,
                                gpugraph_run *run, const uint32_t *parent,
                                void *tree_edge) {
    return make_tree(graph, direction, run, parent, tree_edge, by_parent);
}

/* ---- distances: the vertices that only level edges reach ---- */

static bool is_reached_of_tree(const struct pass *p, uint32_t v) {
    return gg_word_at(p->type, p->value, v) != GG_INFINITE;
}

static bool is_level(const struct pass *p, uint64_t e, uint32_t u, uint32_t v) {
    const uint64_t from = gg_word_at(p->type, p->value, u);
    return from == gg_word_at(p->type, p->value, v) && from != GG_INFINITE &&
           gg_word_sum(p->type, from, gg_word_weight(p->type, p->weight, e)) == from;
}

/* The level edges that lead to open vertices, by the vertex where they begin:
** edge[first[u]] .. edge[first[u + 1] - 1]. */
struct level_edges {
    uint64_t *first; /* n + 2 */
    void *edge;
    uint32_t *steps; /* by vertex: 0: settled; NONE: open; otherwise the steps to it */
    uint32_t *queue; /* n */
};

/* Counts or places a level edge in the sense from u to v. One pass counts, the next one
** places. */
static void note_level_edge(const struct pass *p, struct level_edges *l, uint64_t e,
                            uint32_t u, uint32_t v, bool place) {
    if (l->steps[v] == 0 || u == v || !is_level(p, e, u, v))
        return;
    if (place)
        gg_put_edge(l->edge, p->wide, l->first[u + 1]++, e);
    else
        l->first[u + 2]++;
}

static void note_level_edges(const struct pass *p, const gpugraph_graph *graph,
                             gpugraph_direction direction, struct level_edges *l,
                             bool place, gpugraph_run *run) {
    for (uint64_t e = 0; e < graph->m && !gg_leave(run, e); e++) {
        uint32_t u = graph->source[e], v = graph->target[e];
        if (direction != GPUGRAPH_IN)
            note_level_edge(p, l, e, u, v, place);
        if (direction != GPUGRAPH_OUT)
            note_level_edge(p, l, e, v, u, place);
    }
}

/* Settled vertices are level 0. The tree edge of an open vertex is the smallest edge from
** the first level that has one. */
static void search_level_edges(const struct pass *p, const gpugraph_graph *graph,
                               struct level_edges *l, gpugraph_run *run) {
    uint32_t tail = 0;
    uint64_t since = 0;
    for (uint32_t v = 0; v < graph->n && !gg_leave(run, v); v++) {
        if (l->steps[v] == 0 && l->first[v] < l->first[v + 1])
            l->queue[tail++] = v;
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t u = l->queue[head], step = l->steps[u] + 1;
        if (gg_worked(run, &since, l->first[u + 1] - l->first[u] + 1))
            return;
        for (uint64_t i = l->first[u]; i < l->first[u + 1] && !gg_leave(run, i); i++) {
            uint64_t e = gg_edge_at(l->edge, p->wide, i);
            uint32_t v = gpugraph_other_end(graph, e, u);
            if (l->steps[v] == GPUGRAPH_NONE) {
                l->steps[v] = step;
                l->queue[tail++] = v;
            }
            if (l->steps[v] == step && e < gg_edge_at(p->tree_edge, p->wide, v))
                gg_put_edge(p->tree_edge, p->wide, v, e);
        }
    }
}

static void settle_open(const struct pass *p, const gpugraph_graph *graph,
                        gpugraph_direction direction, struct level_edges *l,
                        gpugraph_run *run) {
    note_level_edges(p, graph, direction, l, false, run);
    for (uint32_t v = 0; v < graph->n && !gg_leave(run, v); v++)
        l->first[v + 2] += l->first[v + 1];
    if (gg_stopping(run))
        return;
    l->edge = gg_alloc(run, l->first[graph->n + 1], gg_edge_size(p->wide));
    if (!l->edge || gg_stopping(run))
        return;
    note_level_edges(p, graph, direction, l, true, run);
    if (!gg_stopping(run))
        search_level_edges(p, graph, l, run);
}

/* Marks settled vertices. Returns the number of reached vertices that are open. */
static uint32_t count_open_of_tree(const struct pass *p, const gpugraph_graph *graph,
                                   const gpugraph_search *search, uint32_t *steps) {
    for (uint32_t v = 0; v < graph->n && !gg_leave(p->run, v); v++)
        steps[v] = has_edge(p, v) ? 0 : GPUGRAPH_NONE;
    for (uint32_t i = 0; i < search->source_count && !gg_leave(p->run, i); i++)
        steps[search->source[i]] = 0;
    uint32_t open = 0;
    for (uint32_t v = 0; v < graph->n && !gg_leave(p->run, v); v++)
        open += steps[v] != 0 && is_reached_of_tree(p, v);
    return gg_stopping(p->run) ? 0 : open;
}

static void count_some_without_edge(void *pass, uint64_t low, uint64_t high) {
    struct pass *p = pass;
    uint64_t count = 0;
    for (uint64_t v = low; v < high && !gg_leave(p->run, v); v++)
        count += !has_edge(p, (uint32_t)v) && is_reached_of_tree(p, (uint32_t)v);
    __atomic_fetch_add(&p->without, count, __ATOMIC_RELAXED);
}

/* The number of reached vertices without a tree edge, sources included. */
static uint64_t count_without_edge(struct pass *p, const gpugraph_graph *graph,
                                   gpugraph_run *run) {
    gg_slices(gg_threads(run, graph->n), graph->n, count_some_without_edge, p);
    return p->without;
}

/* Gives tree edges to vertices that only level edges reach. */
static gpugraph_status settle_ties(const struct pass *p, const gpugraph_graph *graph,
                                   const gpugraph_search *search, gpugraph_run *run) {
    struct level_edges l = {0};
    l.steps = gg_alloc(run, graph->n, sizeof *l.steps);
    if (l.steps && count_open_of_tree(p, graph, search, l.steps) > 0) {
        l.first = gg_alloc_zero(run, (uint64_t)graph->n + 2, sizeof *l.first);
        l.queue = gg_alloc(run, graph->n, sizeof *l.queue);
        if (l.first && l.queue)
            settle_open(p, graph, search->direction, &l, run);
    }
    gg_release(l.steps);
    gg_release(l.first);
    gg_release(l.queue);
    gg_release(l.edge);
    return run->status;
}

gpugraph_status gg_distance_tree(gpugraph_graph *graph, const gpugraph_search *search,
                                 gpugraph_run *run, const void *distance,
                                 void *tree_edge) {
    static gg_span *const by[] = {[GPUGRAPH_UINT32] = by_distance32,
                                  [GPUGRAPH_UINT64] = by_distance64,
                                  [GPUGRAPH_REAL] = by_real_distance};
    const double started = gg_now_ms();
    struct pass p = {.type = graph->distance_type,
                     .value = distance,
                     .tree_edge = tree_edge,
                     .direction = search->direction,
                     .run = run};
    if (gg_bring_edges(graph, run))
        return run->status;
    p.weight = graph->weight;
    if (!pass_over(&p, graph, by[p.type]))
        return gg_stopped(run);
    /* Usually one source is the only vertex without an edge. */
    if (count_without_edge(&p, graph, run) > 1 && settle_ties(&p, graph, search, run))
        return run->status;
    return pass_ended(graph, run, started);
}

/* ---- one edge ---- */

uint64_t gg_tight_edge(const gpugraph_graph *graph, gpugraph_direction direction,
                       gpugraph_distance_type type, const void *weight, uint32_t u,
                       uint32_t v, uint64_t from, uint64_t to) {
    static const bool senses[][2] = {[GPUGRAPH_OUT] = {true, false},
                                     [GPUGRAPH_IN] = {false, true},
                                     [GPUGRAPH_BOTH] = {true, true}};
    uint64_t best = GPUGRAPH_NO_EDGE;
    for (int back = 0; back < 2; back++) {
        uint64_t count = 0, e;
        const void *edge = NULL;
        if (senses[direction][back])
            edge = gg_edges_between(graph, back ? v : u, back ? u : v, &count);
        for (uint64_t i = 0; i < count && (e = gg_edge_at(edge, graph->wide, i)) < best;
             i++)
            if (gg_word_sum(type, from, gg_word_weight(type, weight, e)) == to)
                best = e;
    }
    return best;
}

/* ---- roots ---- */

uint32_t gpugraph_other_end(const gpugraph_graph *graph, uint64_t e, uint32_t v) {
    if (gg_has_gaps(graph)) {
        const gpugraph_edge edge = gpugraph_edge_of(graph, e);
        return edge.source == v ? edge.target : edge.source;
    }
    return graph->source[e] == v ? graph->target[e] : graph->source[e];
}

/* Walks up from v to the first vertex whose root is known, and returns that root. If
** `tell` is not NONE, it becomes the root of all vertices on the way. NONE: the run must
** end. */
static uint32_t walk_up(const gpugraph_graph *graph, const void *tree_edge,
                        uint32_t *root, uint32_t v, uint32_t tell, uint64_t *steps,
                        gpugraph_run *run) {
    while (root[v] == GPUGRAPH_NONE) {
        if (++*steps % GG_POLL_ITEMS == 0 && gg_poll(run))
            return GPUGRAPH_NONE;
        uint32_t up = gpugraph_other_end(graph, gg_edge_at(tree_edge, graph->wide, v), v);
        root[v] = tell;
        v = up;
    }
    return root[v];
}

/* Walks up each chain twice, to find its root and to store it for the vertices of the
** chain. No vertex is part of more than one chain. */
gpugraph_status gpugraph_roots(gpugraph_graph *graph, const gpugraph_search *search,
                               gpugraph_run *run, const void *tree_edge, uint32_t *root) {
    gg_begin(run);
    if (gg_check_search(graph, search, run) ||
        !gg_needs(run, tree_edge, graph->n, "tree_edge") ||
        !gg_needs(run, root, graph->n, "root") || gg_bring_edges(graph, run))
        return run->status;
    double started = gg_now_ms();
    uint64_t steps = 0;
    for (uint32_t v = 0; v < graph->n && !gg_leave(run, v); v++)
        root[v] = GPUGRAPH_NONE;
    for (uint32_t i = 0; i < search->source_count && !gg_leave(run, i); i++)
        root[search->source[i]] = search->source[i];
    for (uint32_t v = 0; v < graph->n && !gg_leave(run, v); v++) {
        if (gg_edge_at(tree_edge, graph->wide, v) == GPUGRAPH_NO_EDGE)
            continue;
        uint32_t found = walk_up(graph, tree_edge, root, v, GPUGRAPH_NONE, &steps, run);
        walk_up(graph, tree_edge, root, v, found, &steps, run);
    }
    if (gg_stopping(run))
        return gg_stopped(run);
    gg_phase(run, "roots", started, graph->n, "%s", "chains of the tree");
    return GPUGRAPH_OK;
}
