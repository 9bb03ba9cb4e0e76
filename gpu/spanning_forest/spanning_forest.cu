/* Minimum spanning forests on the device. spanning_forest.c has the meaning and the order
** of edges.
**
**     list       u v place       edges between two trees; u and v are the trees' roots
**     live       roots of trees
**     best[v]    of a live root: the first place of an edge that leaves its tree
**     next[v]    the root at the other end of that edge; if two roots choose the same
**                edge, the smaller root stays
**     parent[v]  of a vertex that is not live: the root that it joined
**     chosen     bit e: edge e was best for some root
**
**     sift             keeps the edges up to a pivot (later: with an end outside the
**                      large tree): lists.cu
**     list             keeps the edges whose ends have different roots
**     choose           sets next[v] by best[v]; the edge belongs to the forest
**     shorten          sets next[v] to next[next[v]], in passes, until all point to roots
**     settle           next[v] becomes parent[v]; roots stay live
**     rename           gives the ends of listed edges their new roots, and drops edges
**                      within a tree
**
** The last four are a round (rounds.cu). A round at least halves the number of trees with
** an edge that leaves them. The host checks once in a round whether the list is empty. As
** on the CPU, a few edges for each vertex come first, so that most other edges never
** reach a list.
**
** A place fits one word of 64 bits if weights and edge numbers have 32 bits each:
** `packed`. Otherwise the smallest weight is found first, then the smallest number of its
** edges (settle_ties).
**
** Boruvka (1926). On a device after Vineet, Harish, Patidar, Narayanan (HPG 2009). */
#include "spanning_forest.cuh"
#include "base/limits.h"
#include "base/warp.h"
#include "graph/graph.h"

enum { GROUP = 32 * 32 /* edges whose bits in `chosen` a warp reads */ };

/* ---- which edges come on a list: by a pivot, taken from a sample ---- */

/* The edges for each vertex on the first list, and the share of its space that a later
** list fills. (H100, R-MAT 24: 23.9 ms, and 26.1 with 3 on each list. R-MAT 22: 5.90 ms;
** with 3 on each 6.07; with 1 and then 3, which takes a third list, 6.90.) */
#define FOREST_FIRST 2
#define FOREST_FILL  0.9

static __global__ void forget_best(const __grid_constant__ forest f, int live) {
    const uint32_t count = f.state->live[live];
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        f.best[f.live[live][i]] = NOWHERE;
}

/* One thread for each edge of the sample. The place is NOWHERE if the edge may not be
** listed. */
static __global__ void draw(const __grid_constant__ forest f, uint32_t count,
                            uint64_t salt) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint64_t e = gg_fixed_hash(i + 1 + salt) % f.edges.m;
        const forest_place place = edge_place(f, e), none = {NOWHERE, NOWHERE};
        const bool apart = f.parent[f.edges.source[e]] != f.parent[f.edges.target[e]];
        f.sample[i] = apart && (f.first || gg_comes_before(f.low, place)) ? place : none;
    }
}

/* Reduces the range to about a half. A range of one edge stays. */
static void halve_range(struct forest *f) {
    const struct forest_place low = f->first ? forest_place{0, 0} : f->low;
    struct forest_place *high = &f->high;
    if (high->edge > f->edges.m)
        high->edge = f->edges.m;
    if (high->weight - low.weight > 1)
        *high = {low.weight + (high->weight - low.weight) / 2, f->edges.m};
    else if (high->weight > low.weight && low.edge < f->edges.m)
        *high = {low.weight, f->edges.m};
    else if (high->weight > low.weight)
        high->edge /= 2;
    else
        high->edge = low.edge + (high->edge - low.edge) / 2;
}

/* The share of all edges that the next list should have. The first list has a few edges
** for each vertex. A later list uses most of its space, usually for all remaining edges,
** because each list costs a look at all edges. The rest is slack for the sample. */
static double share_to_list(const struct forest *f) {
    const double m = (double)f->edges.m;
    if (gg_first_share(f->edges.n, f->edges.m) >= 1)
        return 1;
    return f->first ? FOREST_FIRST * (double)f->edges.n / m
                    : FOREST_FILL * (double)f->room / m;
}

/* Sets f->high by the places of the sample whose edges may be listed. */
static void choose_high(struct forest_course *c) {
    struct forest *f = c->f;
    struct forest_place place[GG_FOREST_SAMPLE];
    const double share = share_to_list(f);
    const uint32_t count = gg_limits.forest.sample;
    uint32_t found = 0;
    f->high = {NOWHERE, NOWHERE};
    if (share >= 1 ||
        !GG_LAUNCH(c->job, draw, grid(c, count), *f, count, c->lists * 4096ull) ||
        !gg_download(c->job, place, f->sample, count * sizeof *place))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (place[i].edge != NOWHERE)
            place[found++] = place[i];
    const uint32_t number = (uint32_t)(share * count);
    if (number < found)
        f->high = gg_place_at(place, found, number);
}

/* Puts edges on list 0: the next ones in order, up to f->high, whose ends have different
** roots. All vertices point to their roots. If a list does not fit, it is made again with
** fewer edges. Returns false when the run must end. */
static bool make_next_list(struct forest_course *c) {
    struct forest *f = c->f;
    choose_high(c);
    while (gg_going(c->job) && gg_list_in_range(c) && c->state.listed[0] > f->room) {
        halve_range(f);
        GG_LAUNCH(c->job, forget_best, grid(c, c->state.live[c->live]), *f, c->live);
    }
    return gg_going(c->job);
}

/* ---- the answer ---- */

/* Sets next[root] to the smallest vertex of its tree. Before, all bits of next[] are set.
** The vertices of a warp ascend. */
static __global__ void find_smallest(const __grid_constant__ forest f) {
    const uint64_t whole = gg_whole_warps(f.edges.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const uint32_t root = v < f.edges.n ? f.parent[v] : 0;
        const uint32_t leader = __shfl_sync(ALL_LANES, root, 0);
        const bool wanted = v < f.edges.n && (gg_lane() == 0 || root != leader);
        if (wanted && gg_peek(&f.next[root]) > (uint32_t)v)
            atomicMin(&f.next[root], (uint32_t)v);
    }
}

static __global__ void name_components(const __grid_constant__ forest f,
                                       uint32_t *component) {
    for (uint64_t v = gg_thread(); v < f.edges.n; v += gg_threads_of_grid())
        component[v] = f.next[f.parent[v]];
}

static __device__ __forceinline__ uint32_t chosen_word(const forest &f, uint64_t group) {
    const uint64_t at = group * GG_WARP + gg_lane();
    return at < (f.edges.m + 31) / 32 ? f.chosen[at] : 0;
}

/* One warp for each group. */
static __global__ void count_chosen(const __grid_constant__ forest f) {
    for (uint64_t group = gg_thread() / GG_WARP; group < f.groups;
         group += gg_threads_of_grid() / GG_WARP) {
        const uint32_t count =
            __reduce_add_sync(ALL_LANES, (unsigned)__popc(chosen_word(f, group)));
        if (gg_lane() == 0)
            f.count[group] = count;
    }
    if (gg_thread() == 0)
        f.count[f.groups] = 0;
}

template <typename number>
static __global__ void write_chosen(const __grid_constant__ forest f, number *edge) {
    for (uint64_t group = gg_thread() / GG_WARP; group < f.groups;
         group += gg_threads_of_grid() / GG_WARP) {
        uint32_t bits = chosen_word(f, group), total;
        uint64_t at = f.offset[group] + warp_sum_before((uint32_t)__popc(bits), &total);
        for (; bits; bits &= bits - 1)
            edge[at++] =
                (number)(group * GROUP + gg_lane() * 32 + (uint32_t)(__ffs(bits) - 1));
    }
}

/* ---- the driver ---- */

static bool grow_forest(struct forest_course *c) {
    struct forest *f = c->f;
    const struct forest_state none = {};
    gg_upload(c->job, f->state, &none, sizeof none);
    gg_fill(c->job, f->chosen, 0, (f->edges.m + 31) / 32 * sizeof *f->chosen);
    gg_begin_trees(c);
    for (f->first = true;; f->first = false) {
        if (!make_next_list(c) || !gg_join_trees(c))
            return false;
        if (f->high.weight == NOWHERE)
            return gg_going(c->job);
        f->low = f->high;
        gg_gather_trees(c);
    }
}

static void carve_forest(struct workspace *space, struct forest *f) {
    const uint64_t n = f->edges.n, m = f->edges.m;
    for (int i = 0; i < 2; i++) {
        f->list[i].u = gg_carve<uint32_t>(space, f->room);
        f->list[i].v = gg_carve<uint32_t>(space, f->room);
        f->list[i].key = gg_carve<word>(space, f->room);
        f->list[i].edge = f->packed ? NULL : gg_carve<word>(space, f->room);
        f->live[i] = gg_carve<uint32_t>(space, n);
    }
    f->state = gg_carve<struct forest_state>(space, 1);
    f->sample = gg_carve<struct forest_place>(space, GG_FOREST_SAMPLE);
    f->parent = gg_carve<uint32_t>(space, n);
    f->next = gg_carve<uint32_t>(space, n);
    f->best = gg_carve<word>(space, n);
    f->best_edge = f->packed ? NULL : gg_carve<word>(space, n);
    f->chosen = gg_carve<uint32_t>(space, (m + 31) / 32);
    f->large = gg_carve<uint32_t>(space, n / 32 + 1);
    f->count = gg_carve<uint32_t>(space, f->groups + 1);
    f->offset = gg_carve<uint64_t>(space, f->groups + 1);
    f->scan = gg_carve<unsigned char>(space, f->scan_bytes);
}

/* A list has a third more space than its planned edges, because the sample is inexact. */
static struct forest planned(const gpugraph_graph *graph, bool weighted) {
    struct forest f = forest();
    const double share = gg_first_share(graph->n, graph->m);
    f.edges.n = graph->n;
    f.edges.m = graph->m;
    f.wide = graph->wide;
    f.kind = !weighted                                 ? NO_WEIGHT
             : graph->distance_type == GPUGRAPH_UINT32 ? NARROW_WEIGHT
             : graph->distance_type == GPUGRAPH_UINT64 ? WHOLE_WEIGHT
                                                       : REAL_WEIGHT;
    f.packed = !weighted || (f.kind == NARROW_WEIGHT && !graph->wide);
    f.room = share >= 1 ? graph->m : (uint64_t)(share * (double)graph->m * 4 / 3) + 1;
    f.groups = graph->m / GROUP + 1;
    f.scan_bytes = gg_offsets_scratch((uint32_t)f.groups);
    return f;
}

/* Writes the numbers of the chosen edges, ascending, to `best`, and components to
** live[0]. */
static uint64_t write_answer(struct forest_course *c) {
    const struct forest *f = c->f;
    const unsigned by_group = grid(c, f->groups * GG_WARP),
                   by_vertex = grid(c, f->edges.n);
    uint64_t count = 0;
    GG_LAUNCH(c->job, count_chosen, by_group, *f);
    gg_offsets(c->job, f->count, f->offset, (uint32_t)f->groups, f->scan, f->scan_bytes);
    if (f->wide)
        GG_LAUNCH(c->job, write_chosen<uint64_t>, by_group, *f, (uint64_t *)f->best);
    else
        GG_LAUNCH(c->job, write_chosen<uint32_t>, by_group, *f, (uint32_t *)f->best);
    gg_fill(c->job, f->next, 0xff, f->edges.n * (uint64_t)sizeof *f->next);
    GG_LAUNCH(c->job, find_smallest, by_vertex, *f);
    GG_LAUNCH(c->job, name_components, by_vertex, *f, f->live[0]);
    gg_fetch(c->job, &count, f->offset + f->groups, sizeof count);
    return count;
}

static void find_forest(struct cuda_job *job, bool weighted, void *edge, uint32_t *count,
                        uint32_t *component) {
    struct forest f = planned(job->graph, weighted);
    struct forest_course course = {};
    if (!gg_device_edges(job, weighted, &f.edges))
        return;
    double started = gg_now_ms();
    if (!gg_take_arrays(job, [&](workspace *s) { carve_forest(s, &f); }))
        return;
    course.job = job;
    course.f = &f;
    if (!grow_forest(&course))
        return;
    const uint64_t chosen = write_answer(&course);
    if (!gg_going(job))
        return;
    gg_search_phase(job->run, started, (int64_t)f.edges.m,
                    "%u rounds, %u list(s) of edges", course.rounds, course.lists);
    *count = (uint32_t)chosen;
    started = gg_now_ms();
    if (gg_download(job, edge, f.best, chosen * gg_edge_size(f.wide)) &&
        gg_download(job, component, f.live[0], f.edges.n * (uint64_t)sizeof *component))
        gg_phase(job->run, "download", started, *count,
                 "edges of the forest, components");
}

/* Device bytes that a run needs, by weight if there are weights. */
static int64_t bytes_spanning_forest(const gpugraph_graph *graph, bool) {
    const bool weighted = gg_has_weights(graph);
    struct workspace space = {NULL, 0};
    struct forest f = planned(graph, weighted);
    carve_forest(&space, &f);
    return gg_device_graph_lacks(graph, CSR_KINDS, weighted) + (int64_t)space.used;
}

GG_CUDA_SIDE(
    gg_spanning_forest_cuda, forest_entry, find_forest, bytes_spanning_forest,
    "spanning_forest", "boruvka",
    "every tree takes the first edge that leaves it, round by round, light edges "
    "first")
