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
** zero, or weights lost to rounding). A breadth-first search over such level edges counts
** the steps to these vertices. Another pass takes the edges that lead one step farther:
**
**     nearer --edge--> settled --0--> 1 step --0--> 2 steps      fewest steps first, then
**                             \\---0--> 1 step                    the smallest edge */
#include "tree.h"
#include "base/words.h"

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

/* The edges that a pass takes: tight edges by distance of one type, by depth or by
** parent, or level edges that lead one step farther. */
enum rule {
    BY_UINT32 = GPUGRAPH_UINT32,
    BY_UINT64 = GPUGRAPH_UINT64,
    BY_REAL = GPUGRAPH_REAL,
    BY_DEPTH,
    BY_PARENT,
    BY_STEP
};

/* A pass tests each edge, along and against it as the direction of the search demands. */
struct pass {
    enum rule rule;
    gpugraph_graph *graph;
    gpugraph_direction direction;
    gpugraph_run *run;
    const void *value;  /* distances, depths or parents */
    const void *weight; /* by edge; of distances */
    void *tree_edge;
    uint32_t *steps;  /* of distances, by vertex: 0: settled; NONE: open */
    uint64_t without; /* reached vertices without a tree edge, once counted */
};

static struct pass pass_by(enum rule rule, gpugraph_graph *graph,
                           gpugraph_direction direction, gpugraph_run *run,
                           const void *value, void *tree_edge) {
    return (struct pass){.rule = rule,
                         .graph = graph,
                         .direction = direction,
                         .run = run,
                         .value = value,
                         .tree_edge = tree_edge};
}

static bool has_edge(const struct pass *p, uint32_t v) {
    return gg_edge_at(p->tree_edge, p->graph->wide, v) != GPUGRAPH_NO_EDGE;
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

/* True if u and v are at the same distance, and entry i of the weights adds nothing. */
static bool is_level(const struct pass *p, const void *weight, uint64_t i, uint32_t u,
                     uint32_t v) {
    const gpugraph_distance_type type = p->graph->distance_type;
    const uint64_t from = gg_word_at(type, p->value, u);
    return from == gg_word_at(type, p->value, v) && from != GG_INFINITE &&
           gg_word_sum(type, from, gg_word_weight(type, weight, i)) == from;
}

/* True if the number of v is one more than that of u. A 0 follows no number, not even
** NONE + 1. */
static inline bool is_one_more(const uint32_t *number, uint32_t u, uint32_t v) {
    return number[v] != 0 && number[u] + 1 == number[v];
}

static inline __attribute__((always_inline)) bool
fits_rule(const struct pass *p, enum rule rule, uint64_t e, uint32_t u, uint32_t v) {
    switch (rule) {
    case BY_DEPTH:
        return is_one_more(p->value, u, v);
    case BY_PARENT:
        return ((const uint32_t *)p->value)[v] == u && u != v;
    case BY_STEP:
        return is_one_more(p->steps, u, v) && is_level(p, p->weight, e, u, v);
    default:
        return is_nearer(p, (gpugraph_distance_type)rule, e, u, v);
    }
}

/* `rule` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void
take_edges(const struct pass *p, uint64_t low, uint64_t high, enum rule rule) {
    const uint32_t *source = p->graph->edges.source, *target = p->graph->edges.target;
    const gpugraph_direction direction = p->direction;
    const bool wide = p->graph->wide;
    void *tree_edge = p->tree_edge;
    for (uint64_t e = low; e < high; e++) {
        uint32_t u = source[e], v = target[e];
        if (direction != GPUGRAPH_IN && fits_rule(p, rule, e, u, v))
            offer_tree(tree_edge, wide, v, e);
        if (direction != GPUGRAPH_OUT && fits_rule(p, rule, e, v, u))
            offer_tree(tree_edge, wide, u, e);
    }
}

static void pass_over_some(void *pass, uint64_t low, uint64_t high) {
    const struct pass *p = pass;
    if (gg_pause(p->run))
        return;
    switch (p->rule) {
    case BY_UINT32:
        take_edges(p, low, high, BY_UINT32);
        break;
    case BY_UINT64:
        take_edges(p, low, high, BY_UINT64);
        break;
    case BY_REAL:
        take_edges(p, low, high, BY_REAL);
        break;
    case BY_DEPTH:
        take_edges(p, low, high, BY_DEPTH);
        break;
    case BY_PARENT:
        take_edges(p, low, high, BY_PARENT);
        break;
    default:
        take_edges(p, low, high, BY_STEP);
    }
}

static void clear_edges(void *pass, uint64_t low, uint64_t high) {
    const struct pass *p = pass;
    for (uint64_t v = low; v < high && !gg_leave(p->run, v); v++)
        gg_put_edge(p->tree_edge, p->graph->wide, v, GPUGRAPH_NO_EDGE);
}

/* Fills p->tree_edge by one pass. */
static void pass_over(struct pass *p) {
    const int threads = gg_threads(p->run, p->graph->m);
    if (gg_bring_edges(p->graph, p->run))
        return;
    p->weight = p->graph->weight;
    gg_slices(threads, p->graph->n, clear_edges, p);
    gg_chunks(threads, p->graph->m, GG_POLL_ITEMS, pass_over_some, p);
}

static gpugraph_status pass_ended(const struct pass *p, double started) {
    if (gg_stopping(p->run))
        return gg_stopped(p->run);
    gg_phase(p->run, "parents", started, (int64_t)p->graph->m, "one pass over the edges");
    return GPUGRAPH_OK;
}

static gpugraph_status make_tree(struct pass p) {
    const double started = gg_now_ms();
    pass_over(&p);
    return pass_ended(&p, started);
}

gpugraph_status gg_depth_tree(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run, const uint32_t *depth, void *tree_edge) {
    return make_tree(pass_by(BY_DEPTH, graph, search->direction, run, depth, tree_edge));
}

gpugraph_status gg_parent_edges(gpugraph_graph *graph, gpugraph_direction direction,
                                gpugraph_run *run, const uint32_t *parent,
                                void *tree_edge) {
    return make_tree(pass_by(BY_PARENT, graph, direction, run, parent, tree_edge));
}

/* ---- distances: the vertices that only level edges reach ---- */

static bool is_reached_of_tree(const struct pass *p, uint32_t v) {
    return gg_word_at(p->graph->distance_type, p->value, v) != GG_INFINITE;
}

/* Marks settled vertices. Returns the number of reached vertices that are open. */
static uint32_t count_open_of_tree(const struct pass *p, const gpugraph_search *search) {
    const uint32_t n = p->graph->n;
    uint32_t open = 0;
    for (uint32_t v = 0; v < n && !gg_leave(p->run, v); v++)
        p->steps[v] = has_edge(p, v) ? 0 : GPUGRAPH_NONE;
    for (uint32_t i = 0; i < search->source_count && !gg_leave(p->run, i); i++)
        p->steps[search->source[i]] = 0;
    for (uint32_t v = 0; v < n && !gg_leave(p->run, v); v++)
        open += p->steps[v] != 0 && is_reached_of_tree(p, v);
    return gg_stopping(p->run) ? 0 : open;
}

/* Finds the steps of open vertices, by a breadth-first search along level arcs. */
static void find_steps(const struct pass *p, const csr *rows, uint32_t *queue) {
    uint64_t tail = 0, since = 0;
    for (uint32_t v = 0; v < rows->n && !gg_leave(p->run, v); v++)
        if (p->steps[v] == 0 && is_reached_of_tree(p, v))
            queue[tail++] = v;
    for (uint64_t head = 0; head < tail; head++) {
        const uint32_t u = queue[head];
        const uint64_t begin = rows->begin[u], end = rows->end[u];
        if (gg_worked(p->run, &since, end - begin + 1))
            return;
        for (uint64_t arc = begin; arc < end && !gg_leave(p->run, arc); arc++) {
            const uint32_t v = rows->target[arc];
            if (p->steps[v] != GPUGRAPH_NONE || !is_level(p, rows->weight, arc, u, v))
                continue;
            p->steps[v] = p->steps[u] + 1;
            queue[tail++] = v;
        }
    }
}

static void count_some_without_edge(void *pass, uint64_t low, uint64_t high) {
    struct pass *p = pass;
    uint64_t count = 0;
    for (uint64_t v = low; v < high && !gg_leave(p->run, v); v++)
        count += !has_edge(p, (uint32_t)v) && is_reached_of_tree(p, (uint32_t)v);
    __atomic_fetch_add(&p->without, count, __ATOMIC_RELAXED);
}

/* Gives tree edges to vertices that only level edges reach, by one more pass. */
static void settle_ties(struct pass *p, const gpugraph_search *search) {
    const uint32_t n = p->graph->n;
    uint32_t *queue = NULL;
    csr rows;
    p->steps = gg_alloc(p->run, n, sizeof *p->steps);
    if (p->steps && count_open_of_tree(p, search) > 0 &&
        !gg_rows(p->graph, gg_forward_kind(p->direction), true, false, p->run, &rows) &&
        (queue = gg_alloc(p->run, n, sizeof *queue))) {
        find_steps(p, &rows, queue);
        p->rule = BY_STEP;
        gg_chunks(gg_threads(p->run, p->graph->m), p->graph->m, GG_POLL_ITEMS,
                  pass_over_some, p);
    }
    gg_release(p->steps);
    gg_release(queue);
}

gpugraph_status gg_distance_tree(gpugraph_graph *graph, const gpugraph_search *search,
                                 gpugraph_run *run, const void *distance,
                                 void *tree_edge) {
    const double started = gg_now_ms();
    struct pass p = pass_by((enum rule)graph->distance_type, graph, search->direction,
                            run, distance, tree_edge);
    pass_over(&p);
    if (!gg_stopping(run))
        gg_slices(gg_threads(run, graph->n), graph->n, count_some_without_edge, &p);
    /* Usually one source is the only vertex without an edge. */
    if (!gg_stopping(run) && p.without > 1)
        settle_ties(&p, search);
    return pass_ended(&p, started);
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
