/* Breadth-first search for a list of what it reaches (graph/found.h), in time of what it
** looks at.
**
**     found    vertex   17 | 3  90 | 4  88 ...     level after level
**              depth     0 | 1   1 | 2   2
**              edge      - | 5   0 | 2   9          where trees are wanted
**     the caller's arrays    found, ascending by vertex
**
** A search that turns out to reach more than there is room for, or to look at more arcs
** than that is worth, gives up: arrays by vertex are then quicker. A tree edge is looked
** up by its ends, in rows with edge numbers; they are made for a graph that is searched
** often, as for paths from both ends, and for a search that has not given up. */
#include "bfs.h"
#include "graph/found.h"
#include "graph/reached.h"
#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

struct list {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    gpugraph_run *run;
    csr rows;
    uint32_t begin, end; /* the frontier in found */
    uint32_t pending;    /* targets not reached yet: target[0 .. pending - 1] */
    uint64_t looked, most_arcs, since;
    struct found found;
};

/* ---- levels ---- */

/* False when the search cannot go on. */
static bool expand_listed(struct list *l, uint32_t u, uint32_t depth) {
    struct found *f = &l->found;
    const uint64_t begin = l->rows.begin[u], end = l->rows.end[u];
    l->looked += end - begin;
    f->too_many |= l->looked > l->most_arcs;
    for (uint64_t arc = begin; arc < end && !f->too_many && !gg_leave(l->run, arc);
         arc++) {
        const uint32_t w = l->rows.target[arc];
        if (gg_found_place(f, w) == GPUGRAPH_NONE &&
            gg_found_add(f, w, depth + 1) == GPUGRAPH_NONE)
            return false;
    }
    gg_worked(l->run, &l->since, end - begin + 1);
    return !f->too_many && !gg_stopping(l->run);
}

/* Is there nothing left to look for? Looked at between levels, as in every such search.
** */
static bool list_is_satisfied(struct list *l) {
    const gpugraph_search *search = l->search;
    while (l->pending > 0 &&
           gg_found_place(&l->found, search->target[l->pending - 1]) != GPUGRAPH_NONE)
        l->pending--;
    return (search->target_count > 0 && l->pending == 0) ||
           (search->limit > 0 && l->found.count >= search->limit);
}

static bool start_list(struct list *l) {
    for (uint32_t i = 0; i < l->search->source_count; i++) {
        const uint32_t s = l->search->source[i];
        if (gg_found_place(&l->found, s) == GPUGRAPH_NONE &&
            gg_found_add(&l->found, s, 0) == GPUGRAPH_NONE)
            return false;
    }
    l->end = l->found.count;
    l->pending = l->search->target_count;
    return true;
}

/* Returns how many levels there are. */
static uint32_t find_listed(struct list *l) {
    uint32_t level = 0;
    bool going = start_list(l);
    while (going && l->begin < l->end && level < l->search->max_depth &&
           !list_is_satisfied(l)) {
        while (going && l->begin < l->end)
            going = expand_listed(l, l->found.at[l->begin++].vertex, level);
        l->end = l->found.count;
        level++;
    }
    return level;
}

/* ---- the tree ---- */

/* The smallest number of an edge that may be taken from u to v. */
static uint64_t edge_to(const struct list *l, uint32_t u, uint32_t v) {
    const gpugraph_direction direction = l->search->direction;
    uint64_t there =
        direction == GPUGRAPH_IN ? GPUGRAPH_NO_EDGE : gg_first_edge(l->graph, u, v);
    uint64_t against =
        direction == GPUGRAPH_OUT ? GPUGRAPH_NO_EDGE : gg_first_edge(l->graph, v, u);
    return there < against ? there : against;
}

/* From each vertex that was expanded to those one level on; once for all parallel arcs.
** */
static void grow_tree(struct list *l) {
    struct found *f = &l->found;
    for (uint32_t i = 0; i < l->begin; i++) {
        const struct found_vertex *u = &f->at[i];
        for (uint64_t arc = l->rows.begin[u->vertex];
             arc < l->rows.end[u->vertex] && !gg_leave(l->run, arc); arc++) {
            struct found_vertex *v = &f->at[gg_found_place(f, l->rows.target[arc])];
            if (v->value != u->value + 1 || v->mark == i + 1)
                continue;
            v->mark = i + 1;
            const uint64_t edge = edge_to(l, u->vertex, v->vertex);
            v->edge = edge < v->edge ? edge : v->edge;
        }
    }
}

/* ---- what the caller gets ---- */

static void give_list(struct list *l, uint32_t *vertex, uint32_t *depth,
                      void *tree_edge) {
    gg_found_sort(&l->found);
    for (uint32_t i = 0; i < l->found.count; i++) {
        vertex[i] = l->found.at[i].vertex;
        depth[i] = (uint32_t)l->found.at[i].value;
        if (tree_edge)
            gg_put_edge(tree_edge, l->graph->wide, i, l->found.at[i].edge);
    }
}

/* ---- the public function ---- */

static void list_reached(gpugraph_graph *graph, const gpugraph_search *search,
                         gpugraph_run *run, uint32_t room, uint32_t *vertex,
                         uint32_t *depth, void *tree_edge, uint32_t *count) {
    struct list l;
    memset(&l, 0, offsetof(struct list, found));
    l.graph = graph;
    l.search = search;
    l.run = run;
    if (gg_rows(graph, gg_forward_kind(search->direction), false, false, run, &l.rows))
        return;
    double started = gg_now_ms();
    gg_found_begin(&l.found, run, room);
    l.most_arcs = (uint64_t)room * GG_LIST_ARCS;
    const uint32_t levels = find_listed(&l);
    if (tree_edge && !l.found.too_many && gg_prepare_tree(graph, run, &started))
        grow_tree(&l);
    if (run->status == GPUGRAPH_OK && gg_stopping(run))
        gg_stopped(run);
    if (run->status == GPUGRAPH_OK && !l.found.too_many) {
        give_list(&l, vertex, depth, tree_edge);
        *count = l.found.count;
        gg_settle_on_cpu(graph, run, "top-down");
        char more[60];
        snprintf(more, sizeof more, "%u level%s, a list", levels, levels == 1 ? "" : "s");
        gg_search_phase(run, started, (int64_t)*count, more);
    }
    gg_found_end(&l.found);
}

gpugraph_status gpugraph_bfs_list(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                  uint32_t *depth, void *tree_edge, uint32_t *count) {
    struct reached_list to = {room, vertex, depth, tree_edge, GPUGRAPH_NONE};
    gg_enter_graph(graph, run);
    if (!gg_needs(run, count, 1, "count"))
        return gg_leave_graph(graph, run);
    *count = GPUGRAPH_NONE;
    if (gg_check_search(graph, search, run) || !gg_needs(run, vertex, room, "vertex") ||
        !gg_needs(run, depth, room, "depth"))
        return gg_leave_graph(graph, run);
    const bool bounded = search->max_depth != GPUGRAPH_NONE;
    const bool targets = gg_is_for_targets(search, bounded);
    if (!targets &&
        gg_lists_serve(graph, search, run, "top-down", false, tree_edge != NULL)) {
        list_reached(graph, search, run, room, vertex, depth, tree_edge, count);
    } else {
        gg_list_on_device(graph, &gg_bfs, search, bounded || targets, run, &to);
        *count = to.count;
    }
    return gg_leave_graph(graph, run);
}
