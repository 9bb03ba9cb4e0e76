/* Shortest paths for a list of what they reach (graph/found.h), in time of what is looked at:
** Dijkstra's algorithm with a heap.
**
**     found    vertex    17  3  90  4 ...      as they are found; value: the distance, tentative until it is
**              mark       S  F   F  - ...      taken from the heap (F); S: a source
**     heap     (distance, place)               an entry for each time that a distance fell
**     the caller's arrays    found that are final, ascending by vertex
**
** REAL distances are taken by their bits, which ascend with them, so that one code serves all types. The
** search gives up where arrays are quicker; where a sum leaves the range, about which there are
** rules; and where a tree would have to go on from ties at one distance (tree/tree.c). */
#include "sssp.h"
#include "graph/found.h"
#include "tuning.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* A source is final, too. From OFFERED on: final, and the vertex at place mark - OFFERED has offered it a tree edge. */
enum mark { TENTATIVE, FINAL, SOURCE, OFFERED };
enum { HEAP_FIRST = 128 };

struct waiting {
    uint64_t value;
    uint32_t place;
};

struct list {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    gpugraph_run *run;
    csr rows;
    gpugraph_distance_type type;
    uint64_t bound; /* the largest distance that counts; of REAL ones the bits */
    uint32_t final,
        pending; /* pending: targets not final yet, target[0 .. pending - 1] */
    uint64_t waits, heap_room; /* of the heap */
    struct waiting *heap;
    uint64_t looked, most_arcs, poll_at;
    bool within_range; /* a sum that leaves the range is beyond the bound, too */
    bool given_up;
    struct found found;
    struct waiting first_heap[HEAP_FIRST];
};

/* ---- distances ---- */

static inline double real_of(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline uint64_t bits_of(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* The distance behind an arc, or an edge, whose weight stands there. *over: it is out of range. */
static inline uint64_t sum(const struct list *l, uint64_t from, const void *weight,
                           uint64_t i, bool *over) {
    uint64_t to;
    double real;
    switch (l->type) {
    case GPUGRAPH_UINT32:
        return from + ((const uint32_t *)weight)[i];
    case GPUGRAPH_UINT64:
        to = from + (uint64_t)((const int64_t *)weight)[i];
        *over |= to > INT64_MAX;
        return to;
    default:
        real = real_of(from) + ((const double *)weight)[i];
        *over |= !(real <= DBL_MAX);
        return bits_of(real);
    }
}

static void set_bound(struct list *l, const gpugraph_search *search) {
    l->bound = l->type == GPUGRAPH_REAL ? bits_of(DBL_MAX) : INT64_MAX;
    if (!search->bounded)
        return;
    const uint64_t bound = l->type == GPUGRAPH_REAL
                               ? bits_of(search->max_real_distance + 0.0)
                               : search->max_distance;
    l->within_range = bound <= l->bound;
    l->bound = bound < l->bound ? bound : l->bound;
}

/* ---- the heap ---- */

static bool push(struct list *l, uint64_t value, uint32_t place) {
    if (l->waits == l->heap_room) {
        struct waiting *heap = gg_alloc(l->run, 4 * l->heap_room, sizeof *heap);
        if (!heap)
            return false;
        memcpy(heap, l->heap, l->waits * sizeof *heap);
        if (l->heap != l->first_heap)
            gg_release(l->heap);
        l->heap = heap;
        l->heap_room *= 4;
    }
    uint64_t hole = l->waits++;
    for (; hole > 0 && l->heap[(hole - 1) / 2].value > value; hole = (hole - 1) / 2)
        l->heap[hole] = l->heap[(hole - 1) / 2];
    l->heap[hole] = (struct waiting){value, place};
    return true;
}

static struct waiting pop(struct list *l) {
    const struct waiting top = l->heap[0], last = l->heap[--l->waits];
    uint64_t hole = 0;
    for (uint64_t child = 1; child < l->waits; child = 2 * hole + 1) {
        child += child + 1 < l->waits && l->heap[child + 1].value < l->heap[child].value;
        if (l->heap[child].value >= last.value)
            break;
        l->heap[hole] = l->heap[child];
        hole = child;
    }
    l->heap[hole] = last;
    return top;
}

/* ---- the search ---- */

/* False when the search cannot go on. */
static bool relax(struct list *l, uint32_t v, uint64_t value) {
    struct found *f = &l->found;
    uint32_t place = gg_found_place(f, v);
    if (place == GPUGRAPH_NONE) {
        place = gg_found_add(f, v, value);
        return place != GPUGRAPH_NONE && push(l, value, place);
    }
    if (f->at[place].value <= value)
        return true;
    f->at[place].value = value;
    return push(l, value, place);
}

static bool expand(struct list *l, uint32_t u, uint64_t value) {
    const uint64_t begin = l->rows.begin[u], end = l->rows.end[u];
    l->looked += end - begin;
    l->given_up |= l->looked > l->most_arcs;
    for (uint64_t arc = begin; arc < end && !l->given_up && !gg_leave(l->run, arc);
         arc++) {
        bool over = false;
        const uint64_t to = sum(l, value, l->rows.weight, arc, &over);
        l->given_up |= over && !l->within_range;
        if (!over && to <= l->bound && !relax(l, l->rows.target[arc], to))
            return false;
    }
    if (l->looked >= l->poll_at) {
        l->poll_at = l->looked + GG_POLL_ITEMS;
        gg_poll(l->run);
    }
    return !gg_stopping(l->run);
}

static bool is_final(const struct list *l, uint32_t v) {
    const uint32_t place = gg_found_place(&l->found, v);
    return place != GPUGRAPH_NONE && l->found.at[place].mark != TENTATIVE;
}

static bool satisfied(struct list *l) {
    const gpugraph_search *search = l->search;
    while (l->pending > 0 && is_final(l, search->target[l->pending - 1]))
        l->pending--;
    return (search->target_count > 0 && l->pending == 0) ||
           (search->limit > 0 && l->final >= search->limit);
}

static bool start(struct list *l) {
    struct found *f = &l->found;
    for (uint32_t i = 0; i < l->search->source_count; i++) {
        const uint32_t s = l->search->source[i];
        if (gg_found_place(f, s) != GPUGRAPH_NONE)
            continue;
        const uint32_t place = gg_found_add(f, s, 0);
        if (place == GPUGRAPH_NONE || !push(l, 0, place))
            return false;
        f->at[place].mark = SOURCE;
    }
    return true;
}

static void find(struct list *l) {
    struct found *f = &l->found;
    bool going = start(l);
    while (going && l->waits > 0 && !satisfied(l)) {
        const struct waiting next = pop(l);
        struct found_vertex *at = &f->at[next.place];
        if (next.value != at->value || at->mark == FINAL)
            continue;
        at->mark = at->mark == SOURCE ? SOURCE : FINAL;
        l->final++;
        going = expand(l, at->vertex, next.value) && !l->given_up;
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
    bool over = false;
    const void *edge = gg_edges_between(graph, a, b, &count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t e = gg_edge_at(edge, graph->wide, i);
        if (sum(l, from, weight, e, &over) == to)
            return e;
    }
    return GPUGRAPH_NO_EDGE;
}

static void offer(struct list *l, const struct found_vertex *u, struct found_vertex *v) {
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
    bool over = false;
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
                sum(l, u->value, l->rows.weight, arc, &over) != v->value)
                continue;
            offer(l, u, v);
            v->mark = OFFERED + i;
        }
    }
    for (uint32_t i = 0; i < f->count; i++)
        l->given_up |= f->at[i].mark == FINAL && f->at[i].edge == GPUGRAPH_NO_EDGE;
}

/* ---- what the caller gets ---- */

static void put(void *distance, gpugraph_distance_type type, uint32_t i, uint64_t value) {
    if (type == GPUGRAPH_UINT32)
        ((uint32_t *)distance)[i] = (uint32_t)value;
    else
        memcpy((char *)distance + (size_t)i * sizeof value, &value, sizeof value);
}

static uint32_t give(struct list *l, uint32_t *vertex, void *distance, void *tree_edge) {
    uint32_t count = 0;
    gg_found_sort(&l->found);
    for (uint32_t i = 0; i < l->found.count; i++) {
        const struct found_vertex *at = &l->found.at[i];
        if (at->mark == TENTATIVE)
            continue;
        vertex[count] = at->vertex;
        put(distance, l->type, count, at->value);
        if (tree_edge)
            gg_put_edge(tree_edge, l->graph->wide, count, at->edge);
        count++;
    }
    return count;
}

/* ---- the public function ---- */

/* As in bfs/list.c. */
static bool serves(gpugraph_graph *graph, const gpugraph_search *search,
                   const gpugraph_run *run, bool tree) {
    if (run->backend != GPUGRAPH_CPU && run->backend != GPUGRAPH_AUTO)
        return false;
    if (!gg_method_is_auto(run) && strcmp(run->method, "dijkstra") != 0)
        return false;
    if (graph->distance_type == GPUGRAPH_REAL && search->bounded &&
        search->max_real_distance < 0)
        return false; /* bits do not ascend below 0 */
    return !gg_is_away(graph) && (!tree || gg_trees_by_ends(graph)) &&
           (run->backend == GPUGRAPH_CPU ||
            gg_csr_weighted(graph, gg_forward_kind(search->direction)));
}

static void begin(struct list *l, gpugraph_graph *graph, const gpugraph_search *search,
                  gpugraph_run *run, uint32_t room) {
    memset(l, 0, offsetof(struct list, found));
    l->graph = graph;
    l->search = search;
    l->run = run;
    l->type = graph->distance_type;
    set_bound(l, search);
    l->pending = search->target_count;
    l->heap = l->first_heap;
    l->heap_room = HEAP_FIRST;
    l->most_arcs = (uint64_t)room * GG_LIST_ARCS;
    l->poll_at = GG_POLL_ITEMS;
    gg_found_begin(&l->found, run, room);
}

static void list(gpugraph_graph *graph, const gpugraph_search *search, gpugraph_run *run,
                 uint32_t room, uint32_t *vertex, void *distance, void *tree_edge,
                 uint32_t *count) {
    struct list l;
    begin(&l, graph, search, run, room);
    if (gg_rows(graph, gg_forward_kind(search->direction), true, false, run, &l.rows))
        return;
    double started = gg_now_ms();
    find(&l);
    l.given_up |= l.found.too_many;
    if (tree_edge && !l.given_up && gg_prepare_tree(graph, run, &started))
        grow_tree(&l);
    if (run->status == GPUGRAPH_OK && gg_stopping(run))
        gg_stopped(run);
    if (run->status == GPUGRAPH_OK && !l.given_up) {
        *count = give(&l, vertex, distance, tree_edge);
        gg_settle_on_cpu(graph, run, "dijkstra");
        gg_search_phase(run, started, (int64_t)l.looked, "a list");
    }
    gg_found_end(&l.found);
    if (l.heap != l.first_heap)
        gg_release(l.heap);
}

gpugraph_status gpugraph_sssp_list(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                   void *distance, void *tree_edge, uint32_t *count) {
    *count = GPUGRAPH_NONE;
    gg_enter_graph(graph, run);
    if (!gg_check_sssp(graph, search, run) &&
        serves(graph, search, run, tree_edge != NULL))
        list(graph, search, run, room, vertex, distance, tree_edge, count);
    return gg_leave_graph(graph, run);
}
