/* The shortest paths without a repeated vertex, in order: the public function, its
** checks, and the list of deviations.
**
**     path 1       o--o--o--o--o     every path but the first leaves an earlier path at
**     deviation       \__.           some vertex, by an edge that no known path with
**                                    the same beginning takes there
**
** The paths that are not known yet are divided into deviations. A deviation is a
** beginning and the edges that must not come next. It waits in a heap under a lower bound
** of its paths. When it comes first, spur.c searches for its best path, and the deviation
** waits under that path's distance. When it comes first again, that path is the next one,
** and the other paths of the deviation are divided into new deviations.
**
** After Yen, "Finding the K Shortest Loopless Paths in a Network" (Management Science 17,
** 1971), and Lawler (Management Science 18, 1972). One search from the target gives the
** distances to it, which make the bounds. */
#include "bfs/bfs.h"
#include "path/path.h"
#include "paths.h"
#include "sssp/sssp.h"
#include "graph/graph.h"

typedef struct known { /* a known path */
    edge_list edge;
    uint32_t *vertex; /* edge.count + 1 */
    uint64_t *distance;
} known;

typedef struct deviation {
    uint64_t least; /* lower bound of its paths; found: distance of its best path */
    /* not found: none of its paths precedes the beginning followed by this edge */
    uint64_t edge;
    uint32_t of; /* path whose beginning it has; GPUGRAPH_NONE: none */
    uint32_t at; /* vertex of that path at which it leaves */
    edge_list banned;
    edge_list best; /* found: its best path */
    bool found;
} deviation;

typedef struct yen {
    spur_search s;
    uint32_t source;
    known *path;
    uint64_t paths, path_room;
    deviation **heap;
    uint64_t count, room;
    uint64_t spurs;
} yen;

/* ---- the order of deviations ---- */

static uint64_t path_edges_of(const deviation *d) {
    return d->found ? d->best.count : d->at + (uint64_t)1;
}

static uint64_t edge_of(const yen *y, const deviation *d, uint64_t i) {
    if (d->found)
        return d->best.item[i];
    return i < d->at ? y->path[d->of].edge.item[i] : d->edge;
}

/* True if `a` may have a path that precedes those of `b`. */
static bool comes_first(yen *y, const deviation *a, const deviation *b) {
    if (a->least != b->least)
        return a->least < b->least;
    const uint64_t x = path_edges_of(a), z = path_edges_of(b);
    for (uint64_t i = 0; i < x && i < z && gg_spur_goes_on(&y->s, 1); i++)
        if (edge_of(y, a, i) != edge_of(y, b, i))
            return edge_of(y, a, i) < edge_of(y, b, i);
    return a->found == b->found ? x < z : !a->found;
}

static bool put_deviation(yen *y, deviation *d) {
    if (!gg_make_room(y->s.run, (void **)&y->heap, y->count, &y->room, sizeof *y->heap))
        return false;
    uint64_t at = y->count++;
    while (at > 0 && comes_first(y, d, y->heap[(at - 1) / 2])) {
        y->heap[at] = y->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    y->heap[at] = d;
    return true;
}

static deviation *take_deviation(yen *y) {
    deviation *first = y->heap[0], *last = y->heap[--y->count];
    uint64_t at = 0, below = 1;
    while (below < y->count) {
        below +=
            below + 1 < y->count && comes_first(y, y->heap[below + 1], y->heap[below]);
        if (!comes_first(y, y->heap[below], last))
            break;
        y->heap[at] = y->heap[below];
        at = below;
        below = 2 * at + 1;
    }
    y->heap[at] = last;
    return first;
}

static void free_deviation(deviation *d) {
    if (!d)
        return;
    gg_release(d->banned.item);
    gg_release(d->best.item);
    gg_release(d);
}

/* ---- deviations ---- */

/* Adds a deviation, which takes over the banned edges, unless it surely has no path. */
static bool add_deviation(yen *y, uint32_t of, uint32_t at, uint32_t v, uint64_t from,
                          edge_list *banned) {
    spur_search *s = &y->s;
    deviation *d = gg_alloc_zero(s->run, 1, sizeof *d);
    if (!d) {
        gg_release(banned->item);
        return false;
    }
    *d = (deviation){.least = GG_INFINITE,
                     .edge = GPUGRAPH_NO_EDGE,
                     .of = of,
                     .at = at,
                     .banned = *banned};
    bool go = gg_edges_out(s, v);
    for (uint64_t i = 0; go && i < s->out.count; i++) {
        const gg_waiting edge = s->out.item[i];
        go = gg_spur_goes_on(s, 1 + banned->count);
        if (gg_is_blocked(s, edge.vertex) || gg_has_edge(banned, edge.word))
            continue;
        const uint64_t least =
            gg_at_least(s, edge.vertex, gg_past_edge(s, from, edge.word));
        if (least == GG_INFINITE)
            continue;
        /* With bounds of REAL sums it is not known which edge the best path takes. */
        const bool ties = s->type == GPUGRAPH_REAL || least == d->least;
        if (ties ? edge.word < d->edge : least < d->least)
            d->edge = edge.word;
        d->least = least < d->least ? least : d->least;
    }
    if (go && d->least != GG_INFINITE && put_deviation(y, d))
        return true;
    go = go && d->least == GG_INFINITE;
    free_deviation(d);
    return go;
}

static void block_beginning(yen *y, const deviation *d, bool block) {
    if (d->of == GPUGRAPH_NONE) {
        (block ? gg_block : gg_unblock)(&y->s, y->source);
        return;
    }
    for (uint32_t i = 0; i <= d->at; i++)
        (block ? gg_block : gg_unblock)(&y->s, y->path[d->of].vertex[i]);
}

/* Finds the best path of a deviation that came first. The deviation waits again if it has
** one. */
static bool find_best(yen *y, deviation *d) {
    spur_search *s = &y->s;
    const known *of = d->of == GPUGRAPH_NONE ? NULL : &y->path[d->of];
    bool go = true;
    y->spurs++;
    for (uint32_t i = 0; i < d->at && go; i++)
        go = gg_add_edge(s->run, &d->best, of->edge.item[i]) && gg_spur_goes_on(s, 1);
    block_beginning(y, d, true);
    go = go && gg_spur(s, of ? of->vertex[d->at] : y->source,
                       of ? of->distance[d->at] : 0, &d->banned, &d->least, &d->best);
    block_beginning(y, d, false);
    d->found = true;
    if (go && d->least != GG_INFINITE)
        return put_deviation(y, d) || (free_deviation(d), false);
    free_deviation(d);
    return go;
}

/* ---- paths ---- */

static known *add_path(yen *y, deviation *d) {
    spur_search *s = &y->s;
    if (!gg_make_room(s->run, (void **)&y->path, y->paths, &y->path_room,
                      sizeof *y->path))
        return NULL;
    known *p = &y->path[y->paths++];
    *p = (known){.edge = d->best};
    d->best = (edge_list){.count = 0};
    p->vertex = gg_alloc(s->run, p->edge.count + 1, sizeof *p->vertex);
    p->distance = gg_alloc(s->run, p->edge.count + 1, sizeof *p->distance);
    if (!p->vertex || !p->distance)
        return NULL;
    p->vertex[0] = y->source;
    p->distance[0] = 0;
    for (uint64_t i = 0; i < p->edge.count && gg_spur_goes_on(s, 1); i++) {
        const uint64_t e = p->edge.item[i];
        p->vertex[i + 1] = gpugraph_other_end(s->graph, e, p->vertex[i]);
        p->distance[i + 1] = gg_past_edge(s, p->distance[i], e);
    }
    return p;
}

/* Divides the other paths of a deviation into new deviations, by the vertex where they
** leave its best path. */
static bool deviate(yen *y, deviation *d, const known *p) {
    const uint32_t of = (uint32_t)(y->paths - 1);
    spur_search *s = &y->s;
    bool go = true;
    uint64_t blocked = 0;
    for (uint32_t i = 0; i < p->edge.count && go; i++, blocked++) {
        gg_block(s, p->vertex[i]);
        if (i < d->at)
            continue;
        edge_list banned = {.count = 0};
        if (i == d->at) {
            banned = d->banned;
            d->banned = (edge_list){.count = 0};
        }
        if (!gg_add_edge(s->run, &banned, p->edge.item[i])) {
            gg_release(banned.item);
            go = false;
        } else {
            go = add_deviation(y, of, i, p->vertex[i], p->distance[i], &banned);
        }
    }
    for (uint64_t i = 0; i < blocked; i++)
        gg_unblock(s, p->vertex[i]);
    return go;
}

static bool tell_paths(yen *y, const known *p, gpugraph_take_path *take_path,
                       void *context) {
    if (p->distance[p->edge.count] == GG_BEYOND) {
        gg_fail(y->s.run, GPUGRAPH_RANGE,
                "the distance of path %llu is over the range; use smaller weights or a "
                "smaller k",
                (unsigned long long)y->paths);
        return false;
    }
    if (take_path(context, p->edge.item, p->edge.count) == 0)
        return true;
    gg_fail(y->s.run, GPUGRAPH_INVALID, "the caller takes no more paths");
    return false;
}

static bool next_paths(yen *y, uint32_t k, gpugraph_take_path *take_path, void *context) {
    while (y->count > 0 && y->paths < k && !gg_stopping(y->s.run)) {
        deviation *d = take_deviation(y);
        if (!d->found) {
            if (!find_best(y, d))
                return false;
            continue;
        }
        const known *p = add_path(y, d);
        bool go = p && !gg_stopping(y->s.run) && tell_paths(y, p, take_path, context) &&
                  (y->paths == k || deviate(y, d, p));
        free_deviation(d);
        if (!go)
            return false;
    }
    return !gg_stopping(y->s.run);
}

static void free_yen(yen *y) {
    for (uint64_t i = 0; i < y->count; i++)
        free_deviation(y->heap[i]);
    for (uint64_t i = 0; i < y->paths; i++) {
        gg_release(y->path[i].edge.item);
        gg_release(y->path[i].vertex);
        gg_release(y->path[i].distance);
    }
    gg_release(y->heap);
    gg_release(y->path);
    gg_spur_end(&y->s);
}

/* ---- distances to the target ---- */

/* Finds the distance from each vertex to the target, by a search of the backend `on` from
** the target, against the direction. */
static void measure_rest(gpugraph_backend on, gpugraph_graph *graph,
                         const gpugraph_search *against, bool weighted, gpugraph_run *run,
                         void *distance) {
    const gg_algorithm *a = weighted ? &gg_sssp : &gg_bfs;
    const char *used = run->used_method, *asked = run->method;
    run->method = NULL; /* the search chooses its method */
    run->used_method = gg_find_method(a->side[on], NULL)->is.name;
    if (weighted)
        GG_CALL_OF(sssp_entry, a->side[on])(graph, against, run, distance, NULL);
    else
        GG_CALL_OF(bfs_entry, a->side[on])(graph, against, run, distance, NULL);
    run->method = asked;
    run->used_method = used;
}

/* If all distances are in range, the search visits the whole graph: a vertex that it has
** not reached has no path to the target. Otherwise the search ends at the source: a
** vertex that it has not reached is at least as far as the farthest one that it has
** reached. */
static void settle_rest(spur_search *s, bool whole) {
    s->rest = whole ? GG_INFINITE : 0;
    for (uint32_t v = 0; !whole && v < s->graph->n && !gg_leave(s->run, v); v++) {
        uint64_t left = gg_word_at(s->type, s->left, v);
        s->rest = left != GG_INFINITE && left > s->rest ? left : s->rest;
    }
    s->slack = 1 - ldexp((double)s->graph->n + 8, -51);
}

/* ---- driver ---- */

static bool rows_for(spur_search *s) {
    return !gg_rows(s->graph, gg_forward_kind(s->direction), s->weighted, false, s->run,
                    &s->rows) &&
           (s->direction == GPUGRAPH_OUT ||
            !gg_rows(s->graph, CSR_IN, false, true, s->run, &s->transpose)) &&
           !gg_edge_rows(s->graph, s->run);
}

static void find_paths(yen *y, gpugraph_backend on, const gpugraph_search *search,
                       uint32_t k, gpugraph_take_path *take_path, void *context) {
    spur_search *s = &y->s;
    edge_list none = {.count = 0};
    const bool whole = s->type == GPUGRAPH_UINT32;
    const gpugraph_search against = {.source = search->target,
                                     .source_count = 1,
                                     .target = search->source,
                                     .target_count = whole ? 0 : 1,
                                     .direction = gg_opposite(search->direction),
                                     .max_depth = GPUGRAPH_NONE};
    void *left = gg_alloc(s->run, s->graph->n, gg_distance_size(s->type));
    s->left = left;
    if (left)
        measure_rest(on, s->graph, &against, s->weighted, s->run, left);
    double started = gg_now_ms();
    if (s->run->status == GPUGRAPH_OK &&
        gg_word_at(s->type, left, y->source) != GG_INFINITE && rows_for(s) &&
        gg_spur_begin(s)) {
        if (!s->weighted)
            s->rows.weight = NULL;
        settle_rest(s, whole);
        gg_block(s, y->source);
        bool go = add_deviation(y, GPUGRAPH_NONE, 0, y->source, 0, &none);
        gg_unblock(s, y->source);
        if (!(go && next_paths(y, k, take_path, context)) && !s->run->status)
            gg_stopped(s->run);
    }
    if (s->run->status == GPUGRAPH_OK) {
        gg_search_phase(s->run, started, (int64_t)y->paths,
                        "%llu paths, %llu spurs, %llu vertices settled",
                        (unsigned long long)y->paths, (unsigned long long)y->spurs,
                        (unsigned long long)s->settled);
    }
    free_yen(y);
    gg_release(left);
}

/* ---- the descriptor ---- */

static const gg_method methods[] = {
    {.is = {"paths", "deviations", "cpu",
            "a search from the target, then one for each deviation that comes first"}},
    {.is = {0}},
};

static const algorithm_side cpu_side = {.methods = methods};

const gg_algorithm gg_paths = {
    .name = "paths",
    .rows = CSR_OUT,
    .arcs = gg_arcs_once,
    .steps = gg_sssp_rounds,
    .cpu_ns = 15, /* figures of the search from the target */
    .cuda_ns = 0.04,
    .step_us = 2,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_paths_cuda},
};

/* ---- the public function ---- */

static void find_paths_checked(gpugraph_graph *graph, const gpugraph_search *search,
                               bool weighted, uint32_t k, gpugraph_run *run,
                               gpugraph_take_path *take_path, void *context) {
    if (gg_check_path(graph, search, weighted, run))
        return;
    if (k > 0 && !take_path) {
        gg_fail(run, GPUGRAPH_INVALID, "take_path is NULL");
        return;
    }
    bool fallback = false;
    gpugraph_backend on = gg_choose(graph, &gg_paths, search, 0, run, &fallback);
    if (!on || k == 0)
        return;
    if (search->source[0] == search->target[0]) {
        if (take_path(context, NULL, 0) != 0)
            gg_fail(run, GPUGRAPH_INVALID, "the caller takes no more paths");
        return;
    }
    yen y = {.source = search->source[0]};
    y.s = (spur_search){.graph = graph,
                        .run = run,
                        .direction = search->direction,
                        .weighted = weighted,
                        .type = weighted ? graph->distance_type : GPUGRAPH_UINT32,
                        .target = search->target[0]};
    const yen fresh = y;
    find_paths(&y, on, search, k, take_path, context);
    if (gg_fall_back(run, &gg_paths, fallback)) {
        y = fresh;
        find_paths(&y, GPUGRAPH_CPU, search, k, take_path, context);
    }
}

gpugraph_status gpugraph_paths(gpugraph_graph *graph, const gpugraph_search *search,
                               bool weighted, uint32_t k, gpugraph_run *run,
                               gpugraph_take_path *take_path, void *context) {
    gg_enter_graph(graph, run);
    find_paths_checked(graph, search, weighted, k, run, take_path, context);
    return gg_leave_graph(graph, run);
}
