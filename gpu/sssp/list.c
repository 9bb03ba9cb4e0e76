/* Shortest paths for a list of what they reach (graph/found.h), in time of what is looked at:
** Dijkstra's algorithm with a heap.
**
**     found    vertex    17  3  90  4 ...      as they are found; value: the distance, tentative until it is
**              mark       S  F   F  - ...      taken from the heap (F); S: a source
**     heap     (distance, place)               an entry for each time that a distance fell
**     the caller's arrays    found that are final, ascending by vertex
**
** Distances of every type are words (base/words.h). The
** search gives up where arrays are quicker; where a sum leaves the range, about which there are
** rules; and where a tree would have to go on from ties at one distance (tree/tree.c). */
#include "sssp.h"
#include "base/words.h"
#include "graph/found.h"
#include "graph/reached.h"
#include "graph/graph.h"

#include <stdio.h>

/* A source is final, too. From OFFERED on: final, and the vertex at place mark - OFFERED has offered it a tree edge. */
enum mark { TENTATIVE, FINAL, SOURCE, OFFERED };

struct list {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    gpugraph_run *run;
    csr rows;
    gpugraph_distance_type type;
    uint64_t bound; /* the largest distance that counts */
    uint32_t final,
        pending;  /* pending: targets not final yet, target[0 .. pending - 1] */
    gg_heap heap; /* of places */
    uint64_t looked, most_arcs, since;
    bool within_range; /* a sum that leaves the range is beyond the bound, too */
    bool given_up;
    struct found found;
};

/* ---- distances ---- */

/* Behind an arc, or an edge, whose weight stands there. */
static inline uint64_t behind(const struct list *l, uint64_t from, const void *weight,
                              uint64_t i) {
    return gg_word_sum(l->type, from, gg_word_weight(l->type, weight, i));
}

static void set_list_bound(struct list *l, const gpugraph_search *search) {
    l->bound = l->type == GPUGRAPH_REAL ? gg_real_word(DBL_MAX) : INT64_MAX;
    if (!search->bounded)
        return;
    const uint64_t bound = l->type == GPUGRAPH_REAL
                               ? gg_real_word(search->max_real_distance + 0.0)
                               : search->max_distance;
    l->within_range = bound <= l->bound;
    l->bound = bound < l->bound ? bound : l->bound;
}

/* ---- the search ---- */

/* False when the search cannot go on. */
static bool relax_listed(struct list *l, uint32_t v, uint64_t value) {
    struct found *f = &l->found;
    uint32_t place = gg_found_place(f, v);
    if (place == GPUGRAPH_NONE) {
        place = gg_found_add(f, v, value);
        return place != GPUGRAPH_NONE && gg_heap_put(l->run, &l->heap, place, value);
    }
    if (f->at[place].value <= value)
        return true;
    f->at[place].value = value;
    return gg_heap_put(l->run, &l->heap, place, value);
}

static bool expand_listed(struct list *l, uint32_t u, uint64_t value) {
    const uint64_t begin = l->rows.begin[u], end = l->rows.end[u];
    l->looked += end - begin;
    l->given_up |= l->looked > l->most_arcs;
    for (uint64_t arc = begin; arc < end && !l->given_up && !gg_leave(l->run, arc);
         arc++) {
        const uint64_t to = behind(l, value, l->rows.weight, arc);
        l->given_up |= to == GG_INFINITE && !l->within_range;
        if (to <= l->bound && !relax_listed(l, l->rows.target[arc], to))
            return false;
    }
    gg_worked(l->run, &l->since, end - begin + 1);
    return !gg_stopping(l->run);
}

static bool is_final(const struct list *l, uint32_t v) {
    const uint32_t place = gg_found_place(&l->found, v);
    return place != GPUGRAPH_NONE && l->found.at[place].mark != TENTATIVE;
}

static bool is_list_done(struct list *l) {
    const gpugraph_search *search = l->search;
    while (l->pending > 0 && is_final(l, search->target[l->pending - 1]))
        l->pending--;
    return (search->target_count > 0 && l->pending == 0) ||
           (search->limit > 0 && l->final >= search->limit);
}

static bool start_list(struct list *l) {
    struct found *f = &l->found;
    for (uint32_t i = 0; i < l->search->source_count; i++) {
        const uint32_t s = l->search->source[i];
        if (gg_found_place(f, s) != GPUGRAPH_NONE)
            continue;
        const uint32_t place = gg_found_add(f, s, 0);
        if (place == GPUGRAPH_NONE || !gg_heap_put(l->run, &l->heap, place, 0))
            return false;
        f->at[place].mark = SOURCE;
    }
    return true;
}

static void find_listed(struct list *l) {
    struct found *f = &l->found;
    bool going = start_list(l);
    while (going && l->heap.count > 0 && !is_list_done(l)) {
        const gg_waiting next = gg_heap_take(&l->heap);
        struct found_vertex *at = &f->at[next.vertex];
        if (next.word != at->value || at->mark == FINAL)
            continue;
        at->mark = at->mark == SOURCE ? SOURCE : FINAL;
        l->final++;
        going = expand_listed(l, at->vertex, next.word) && !l->given_up;
    }
}

/* ---- the tree ---- */

/* The first of the edges between the two, in this sense of theirs, that leads from one distance to the
** other. */
static uint64_t tight(const struct list *l, uint32_t a, uint32_t b, uint64_t from,
                      uint64_t to) {
    const gpugraph_graph *graph = l->graph;
    const gpugraph_edge_list *edges = &graph->edges;
    const void *weight = l->type == GPUGRAPH_UINT32   ? (const void *)edges->weight32
                         : l->type == GPUGRAPH_UINT64 ? (const void *)edges->weight64
                                                      : edges->weight_real;
    uint64_t count;
    const void *edge = gg_edges_between(graph, a, b, &count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t e = gg_edge_at(edge, graph->wide, i);
        if (behind(l, from, weight, e) == to)
            return e;
    }
    return GPUGRAPH_NO_EDGE;
}

static void offer_tree_edge(struct list *l, const struct found_vertex *u,
                            struct found_vertex *v) {
    const gpugraph_direction direction = l->search->direction;
    if (direction != GPUGRAPH_IN) {
        const uint64_t e = tight(l, u->vertex, v->vertex, u->value, v->value);
        v->edge = e < v->edge ? e : v->edge;
    }
    if (direction != GPUGRAPH_OUT) {
        const uint64_t e = tight(l, v->vertex, u->vertex, u->value, v->value);
        v->edge = e < v->edge ? e : v->edge;
    }
}

/* An edge for each from a nearer one, by those arcs that lead to its very distance; once for all parallel ones. */
static void grow_tree(struct list *l) {
    struct found *f = &l->found;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct found_vertex *u = &f->at[i];
        if (u->mark == TENTATIVE)
            continue;
        for (uint64_t arc = l->rows.begin[u->vertex];
             arc < l->rows.end[u->vertex] && !gg_leave(l->run, arc); arc++) {
            const uint32_t place = gg_found_place(f, l->rows.target[arc]);
            if (place == GPUGRAPH_NONE)
                continue;
            struct found_vertex *v = &f->at[place];
            if (v->mark == TENTATIVE || v->mark == OFFERED + i || v->value <= u->value ||
                behind(l, u->value, l->rows.weight, arc) != v->value)
                continue;
            offer_tree_edge(l, u, v);
            v->mark = OFFERED + i;
        }
    }
    for (uint32_t i = 0; i < f->count; i++)
        l->given_up |= f->at[i].mark == FINAL && f->at[i].edge == GPUGRAPH_NO_EDGE;
}

/* ---- what the caller gets ---- */

static uint32_t give_list(struct list *l, uint32_t *vertex, void *distance,
                          void *tree_edge) {
    uint32_t count = 0;
    gg_found_sort(&l->found);
    for (uint32_t i = 0; i < l->found.count; i++) {
        const struct found_vertex *at = &l->found.at[i];
        if (at->mark == TENTATIVE)
            continue;
        vertex[count] = at->vertex;
        gg_put_word(l->type, distance, count, at->value);
        if (tree_edge)
            gg_put_edge(tree_edge, l->graph->wide, count, at->edge);
        count++;
    }
    return count;
}

/* ---- the public function ---- */

static bool serves(gpugraph_graph *graph, const gpugraph_search *search,
                   const gpugraph_run *run, bool tree) {
    const bool negative = graph->distance_type == GPUGRAPH_REAL && search->bounded &&
                          search->max_real_distance < 0; /* words do not ascend there */
    return !negative && gg_lists_serve(graph, search, run, "dijkstra", true, tree);
}

static void begin_list(struct list *l, gpugraph_graph *graph,
                       const gpugraph_search *search, gpugraph_run *run, uint32_t room) {
    memset(l, 0, offsetof(struct list, found));
    l->graph = graph;
    l->search = search;
    l->run = run;
    l->type = graph->distance_type;
    set_list_bound(l, search);
    l->pending = search->target_count;
    l->most_arcs = (uint64_t)room * GG_LIST_ARCS;
    gg_found_begin(&l->found, run, room);
}

static void list_nearest(gpugraph_graph *graph, const gpugraph_search *search,
                         gpugraph_run *run, uint32_t room, uint32_t *vertex,
                         void *distance, void *tree_edge, uint32_t *count) {
    struct list l;
    begin_list(&l, graph, search, run, room);
    if (gg_rows(graph, gg_forward_kind(search->direction), true, false, run, &l.rows))
        return;
    double started = gg_now_ms();
    find_listed(&l);
    l.given_up |= l.found.too_many;
    if (tree_edge && !l.given_up && gg_prepare_tree(graph, run, &started))
        grow_tree(&l);
    if (run->status == GPUGRAPH_OK && gg_stopping(run))
        gg_stopped(run);
    if (run->status == GPUGRAPH_OK && !l.given_up) {
        *count = give_list(&l, vertex, distance, tree_edge);
        gg_settle_on_cpu(graph, run, "dijkstra");
        gg_search_phase(run, started, (int64_t)l.looked, "a list");
    }
    gg_found_end(&l.found);
    gg_release(l.heap.item);
}

gpugraph_status gpugraph_sssp_list(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                   void *distance, void *tree_edge, uint32_t *count) {
    struct reached_list to = {room, vertex, distance, tree_edge, GPUGRAPH_NONE};
    gg_enter_graph(graph, run);
    if (!gg_needs(run, count, 1, "count"))
        return gg_leave_graph(graph, run);
    *count = GPUGRAPH_NONE;
    if (gg_check_sssp(graph, search, run) || !gg_needs(run, vertex, room, "vertex") ||
        !gg_needs(run, distance, room, "distance"))
        return gg_leave_graph(graph, run);
    const bool targets = gg_is_for_targets(search, search->bounded);
    if (!targets && serves(graph, search, run, tree_edge != NULL)) {
        list_nearest(graph, search, run, room, vertex, distance, tree_edge, count);
    } else {
        gg_list_on_device(graph, &gg_sssp, search, search->bounded || targets, run, &to);
        *count = to.count;
    }
    return gg_leave_graph(graph, run);
}
