/* Lists the vertices that a search reaches (sssp/found.h), in time proportional to the
** vertices and arcs that it visits. By weight this is Dijkstra's algorithm with a heap.
** By depth the list itself is the queue.
**
**     found    vertex    17  3  90  4 ...    in the order in which they are found
**              value     0   2  2   5 ...    the distance; tentative where not final
**              mark      S   F  F   - ...    S: a source; F: final
**     heap     (distance, place)             an entry each time that a distance falls
**     the caller's arrays                    final vertices, ascending
**
** Distances of every type are words (base/words.h). The search gives up if arrays are
** quicker, if a sum leaves the range, or if a tree needs edges that tie at one distance
** (tree/tree.c). It looks up tree edges by their ends, in rows with edge numbers. These
** rows are made for a graph that is searched often, once a search has not given up.
**
** A caller asks for a list before it makes arrays with an entry for each vertex:
**
**     if the CPU would search       it lists, in time proportional to its visits
**     if the device would search    it fills arrays, and sends a list
**     otherwise                     the caller makes arrays */
#include "sssp.h"
#include "backend/devices.h"
#include "backend/model.h"
#include "base/limits.h"
#include "base/words.h"
#include "device/services.h"
#include "found.h"
#include "graph/copy.h"
#include "graph/graph.h"
#include "tree/tree.h"

/* Arrays are quicker if the search visits more than LIST_ARCS arcs for each vertex that
** the list has room for. An arc costs some 5 nanoseconds through a hash, and a vertex of
** the whole graph some 2 to reset and to scan. */
enum { LIST_ARCS = 8 };

/* After a search whose list is too long, this number of searches makes no list. A search
** whose list is too long runs twice. Reading its result, at least a 64th of the vertices,
** usually costs more. */
enum { LISTS_SKIPPED = 7 };

/* A source is final, too. From OFFERED on: the vertex is final, and the vertex at place
** mark - OFFERED has offered it a tree edge. */
enum mark { TENTATIVE, FINAL, SOURCE, OFFERED };

struct list {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    gpugraph_run *run;
    struct reached_list *to; /* what the caller gets */
    csr rows;
    bool by_depth; /* every arc counts 1 */
    gpugraph_distance_type type;
    uint64_t bound; /* the largest distance to be listed */
    uint32_t final,
        pending;       /* pending: targets that are not final: target[0 .. pending - 1] */
    gg_heap heap;      /* by weight: places */
    uint32_t expanded; /* by depth: the place where the queue begins, */
    uint32_t level_end; /* and the place where the next level begins */
    uint64_t looked, most_arcs, since;
    bool within_range; /* the bound is the caller's: a sum out of range is beyond it */
    bool given_up;
    struct found found;
};

static inline uint64_t sum_behind(const struct list *l, uint64_t from, uint64_t arc) {
    return gg_word_sum(l->type, from, gg_word_weight(l->type, l->rows.weight, arc));
}

/* ---- the search ---- */

/* Queues a place. False: there is no memory. */
static bool queue_place(struct list *l, uint32_t place, uint64_t value) {
    if (!l->by_depth)
        return gg_heap_put(l->run, &l->heap, place, value);
    l->found.at[place].mark = FINAL;
    l->final++;
    return true;
}

/* False: the search cannot continue. */
static bool relax_listed(struct list *l, uint32_t v, uint64_t value) {
    struct found *f = &l->found;
    uint32_t place = gg_found_place(f, v);
    if (place == GPUGRAPH_NONE) {
        place = gg_found_add(f, v, value);
        return place != GPUGRAPH_NONE && queue_place(l, place, value);
    }
    if (f->at[place].value <= value)
        return true;
    f->at[place].value = value;
    return queue_place(l, place, value);
}

static bool expand_listed(struct list *l, uint32_t u, uint64_t value) {
    const uint64_t begin = l->rows.begin[u], end = l->rows.end[u];
    l->looked += end - begin;
    l->given_up |= l->looked > l->most_arcs;
    for (uint64_t arc = begin; arc < end && !l->given_up && !gg_leave(l->run, arc);
         arc++) {
        const uint64_t to = sum_behind(l, value, arc);
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
        if (place == GPUGRAPH_NONE || !queue_place(l, place, 0))
            return false;
        f->at[place].mark = SOURCE;
    }
    return true;
}

/* By depth a search ends between levels, as a search with arrays does. */
static bool take_from_queue(struct list *l, uint32_t *place) {
    const struct found *f = &l->found;
    if (l->expanded == l->level_end) {
        l->level_end = f->count;
        if (is_list_done(l))
            return false;
    }
    *place = l->expanded;
    if (l->expanded == f->count || f->at[l->expanded].value >= l->bound)
        return false;
    l->expanded++;
    return true;
}

static bool take_from_heap(struct list *l, uint32_t *place) {
    while (l->heap.count > 0 && !is_list_done(l)) {
        const gg_waiting next = gg_heap_take(&l->heap);
        struct found_vertex *at = &l->found.at[next.vertex];
        if (next.word != at->value || at->mark == FINAL)
            continue;
        at->mark = at->mark == SOURCE ? SOURCE : FINAL;
        l->final++;
        *place = next.vertex;
        return true;
    }
    return false;
}

static void find_listed(struct list *l) {
    uint32_t place;
    bool going = start_list(l);
    while (going && (l->by_depth ? take_from_queue : take_from_heap)(l, &place)) {
        const struct found_vertex at = l->found.at[place];
        going = expand_listed(l, at.vertex, at.value) && !l->given_up;
    }
}

/* ---- the tree ---- */

/* Gives every final vertex an edge from a nearer one, along arcs that make up its
** distance. After such an arc it skips the arcs parallel to it. */
static void grow_tree(struct list *l) {
    struct found *f = &l->found;
    const uint32_t expanded = l->by_depth ? l->expanded : f->count;
    const void *weight = l->by_depth ? NULL : l->graph->weight;
    for (uint32_t i = 0; i < expanded; i++) {
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
                sum_behind(l, u->value, arc) != v->value)
                continue;
            const uint64_t e =
                gg_tight_edge(l->graph, l->search->direction, l->type, weight, u->vertex,
                              v->vertex, u->value, v->value);
            v->edge = e < v->edge ? e : v->edge;
            v->mark = OFFERED + i;
        }
    }
    for (uint32_t i = 0; i < f->count; i++)
        l->given_up |= f->at[i].mark == FINAL && f->at[i].edge == GPUGRAPH_NO_EDGE;
}

/* ---- on the CPU ---- */

static void write_list(struct list *l) {
    const struct reached_list *to = l->to;
    uint32_t count = 0;
    gg_found_sort(&l->found);
    for (uint32_t i = 0; i < l->found.count; i++) {
        const struct found_vertex *at = &l->found.at[i];
        if (at->mark == TENTATIVE)
            continue;
        to->vertex[count] = at->vertex;
        gg_put_word(l->type, to->value, count, at->value);
        if (to->tree_edge)
            gg_put_edge(to->tree_edge, l->graph->wide, count, at->edge);
        count++;
    }
    l->to->count = count;
}

/* Makes the rows in which tree edges are looked up. This is a separate phase, so *started
** advances by its time. False: the run must end. */
static bool make_tree_rows(const struct list *l, double *started) {
    const double begun = gg_now_ms();
    if (gg_stopping(l->run) || gg_bring_edges(l->graph, l->run) ||
        gg_edge_rows(l->graph, l->run))
        return false;
    *started += gg_now_ms() - begun;
    return true;
}

static const char *list_method(const struct list *l) {
    return l->by_depth ? "top-down" : "dijkstra";
}

/* Reports a list of the CPU. `auto` has not compared predictions, because these take
** longer than the search. */
static void report_cpu_list(const struct list *l, double started) {
    gpugraph_run *run = l->run;
    run->searched = l->graph;
    gg_use_one_device(run, false);
    run->used_backend = gg_backend_name[GPUGRAPH_CPU];
    run->used_method = list_method(l);
    run->chosen_at_ms = 0;
    run->why[0] = 0;
    gg_count_searches(l->graph, 1);
    gg_search_phase(run, started, (int64_t)(l->by_depth ? l->to->count : l->looked),
                    "a list");
}

static void list_on_cpu(struct list *l) {
    if (gg_rows(l->graph, gg_forward_kind(l->search->direction), !l->by_depth, false,
                l->run, &l->rows))
        return;
    if (l->by_depth)
        l->rows.weight = NULL; /* rows made for an earlier search may have weights */
    double started = gg_now_ms();
    gg_found_begin(&l->found, l->run, l->to->room);
    find_listed(l);
    l->given_up |= l->found.too_many;
    if (l->to->tree_edge && !l->given_up && make_tree_rows(l, &started))
        grow_tree(l);
    if (gg_stopping(l->run)) {
        gg_stopped(l->run);
    } else if (!l->given_up) {
        write_list(l);
        report_cpu_list(l, started);
    }
    gg_found_end(&l->found);
    gg_release(l->heap.item);
}

/* ---- CPU or device ---- */

/* `auto` may take a device for the first search, but not once the host has rows. A list
** with a tree needs rows with edge numbers, which must exist or be worth making. */
static bool is_list_for_cpu(const struct list *l) {
    const gpugraph_graph *graph = l->graph;
    const gpugraph_run *run = l->run;
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(l->search->direction);
    if (!gg_method_is_auto(run) && strcmp(run->method, list_method(l)) != 0)
        return false;
    if (gg_is_device_resident(graph) ||
        (l->to->tree_edge && !gg_edge_rows_made(graph) &&
         gg_searches(graph) <= gg_limits.path_prepare_after))
        return false;
    return run->backend == GPUGRAPH_CPU ||
           (run->backend == GPUGRAPH_AUTO &&
            (l->by_depth ? gg_csr_made(graph, kind) : gg_csr_weighted(graph, kind)));
}

static bool is_list_for_device(const struct list *l, const gg_algorithm *a) {
    gpugraph_graph *graph = l->graph;
    const gpugraph_run *run = l->run;
    if (run->backend == GPUGRAPH_CPU || graph->n < gg_limits.reached_least)
        return false;
    const uint32_t skip = __atomic_load_n(&graph->known.lists_to_skip, __ATOMIC_RELAXED);
    if (skip > 0) {
        __atomic_store_n(&graph->known.lists_to_skip, skip - 1, __ATOMIC_RELAXED);
        return false;
    }
    if (run->backend == GPUGRAPH_CUDA)
        return gg_devices_asked()->usable(NULL);
    const struct stakes s = gg_predict_stakes(graph, a, l->search, run);
    return gg_devices_asked()->state(run->device, NULL) == OPENING_OPEN &&
           gg_copy_is_there(graph, run) && s.cuda < s.cpu;
}

/* The search of a list that is too long is repeated with arrays. */
static void ask_device_for_list(const struct list *l, const gg_algorithm *a) {
    gpugraph_run *run = l->run;
    bool fallback;
    const gpugraph_backend on = gg_choose(l->graph, a, l->search, 0, run, &fallback);
    if (!on || !a->side[on]->list || run->used_devices > 1 ||
        gg_find_method(a->several, run->used_method))
        return;
    a->side[on]->list(l->graph, l->search, run, l->to);
    if (run->status == GPUGRAPH_OK && l->to->count == GPUGRAPH_NONE) {
        __atomic_store_n(&l->graph->known.lists_to_skip, LISTS_SKIPPED, __ATOMIC_RELAXED);
        /* The time measured so far is not that of a whole search. */
        run->chosen_at_ms = 0;
    }
    gg_fall_back(run, a, fallback);
}

static void list_reached(struct list *l, const gg_algorithm *a) {
    const gpugraph_search *search = l->search;
    const struct sssp_bound bound = gg_sssp_bound(search, l->type);
    const bool bounded =
        l->by_depth ? search->max_depth != GPUGRAPH_NONE : search->bounded;
    const bool targets = gg_is_for_targets(search, bounded);
    l->bound = l->by_depth ? search->max_depth : bound.most;
    l->within_range = !l->by_depth && bound.tight;
    l->pending = search->target_count;
    l->most_arcs = (uint64_t)l->to->room * LIST_ARCS;
    if (!targets && (l->by_depth || !bound.none) && is_list_for_cpu(l))
        list_on_cpu(l);
    else if ((bounded || targets || search->limit > 0) && is_list_for_device(l, a))
        ask_device_for_list(l, a);
}

gpugraph_status gg_list_reached(gpugraph_graph *graph, const gpugraph_search *search,
                                bool by_depth, gpugraph_run *run, const gg_algorithm *a,
                                struct reached_list to, uint32_t *count) {
    struct list l;
    to.count = GPUGRAPH_NONE;
    gg_enter_graph(graph, run);
    if (!gg_needs(run, count, 1, "count"))
        return gg_leave_graph(graph, run);
    memset(&l, 0, offsetof(struct list, found));
    l.graph = graph;
    l.search = search;
    l.run = run;
    l.to = &to;
    l.by_depth = by_depth;
    l.type = by_depth ? GPUGRAPH_UINT32 : graph->distance_type;
    if (!(by_depth ? gg_check_search : gg_check_sssp)(graph, search, run) &&
        gg_needs(run, to.vertex, to.room, "vertex") &&
        gg_needs(run, to.value, to.room, by_depth ? "depth" : "distance"))
        list_reached(&l, a);
    *count = to.count;
    return gg_leave_graph(graph, run);
}

gpugraph_status gpugraph_sssp_list(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                   void *distance, void *tree_edge, uint32_t *count) {
    return gg_list_reached(graph, search, false, run, &gg_sssp,
                           (struct reached_list){room, vertex, distance, tree_edge, 0},
                           count);
}
