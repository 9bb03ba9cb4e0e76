/* Minimum spanning forests: the public function and the CPU backend.
**
**     edges       by number:  a-b 7   b-c 2   a-c 2   c-d 5      the order is by weight,
**     list        in order:   b-c     a-c     c-d     a-b        then by edge number
**     parent[v]   trees of the vertices that are connected so far; a root is the smallest
**                 vertex
**     chosen      bit e: edge e connected two trees; the forest, by edge number
**
** Kruskal's method takes the edges in order. An edge that connects two trees belongs to
** the forest. Most edges of a graph with many edges are never sorted. The edges up to a
** pivot come first, a few for each vertex. Another edge is listed only if its ends are
** then in different trees. The pivot is a place in the order of all edges, so ties do not
** matter. It comes from a random sample, which affects the work but never the answer.
** Without weights the order is that of the list of edges.
**
** Threads list, sort and look up roots. One thread connects.
**
** Kruskal (Proc. AMS 7, 1956). Filters after Osipov, Sanders, Singler (filter-Kruskal,
** ALENEX 2009). */
#include "spanning_forest.h"
#include "base/limits.h"
#include "base/words.h"
#include "components/components.h"
#include "graph/graph.h"

/* Edges for each vertex that come first, in graphs with at least twice as many edges. One
** thread takes 17 ns for an edge of an R-MAT, 60 for an edge of a road network. A device
** takes 0.064 and 0.15. */
enum { FOREST_LIGHT = 3 };

enum {
    CHUNK = 1 << 14, /* vertices that a thread takes at a time */
    PARTS = 8 /* slices of the edges for each thread, because slices differ in work */
};

struct forest {
    struct gg_trees trees;
    const gpugraph_graph *graph;
    gpugraph_run *run;
    bool weighted;
    int threads, parts;
    uint64_t *chosen, found;
    /* The edges to be listed: not within a tree, and up to the pivot or behind it. */
    struct forest_place pivot;
    bool behind;
    uint64_t *listed; /* bit e */
    uint64_t *begin;  /* [parts + 1]: the position of each slice's edges in the list */
    uint64_t count;   /* length of the list */
    uint64_t *key;    /* weights; NULL: no weights */
    void *edge;
};

/* ---- places ---- */

static inline struct forest_place edge_place(const struct forest *f, uint64_t e) {
    const gpugraph_graph *graph = f->graph;
    return (struct forest_place){
        f->weighted ? gg_word_weight(graph->distance_type, graph->weight, e) : 0, e};
}

/* Hoare's selection. */
struct forest_place gg_place_at(struct forest_place *place, uint32_t count,
                                uint32_t before) {
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        const struct forest_place middle = place[low + (high - low) / 2];
        uint32_t i = low, j = high;
        for (;;) {
            while (gg_comes_before(place[i], middle))
                i++;
            while (gg_comes_before(middle, place[j]))
                j--;
            if (i >= j)
                break;
            const struct forest_place swapped = place[i];
            place[i++] = place[j];
            place[j--] = swapped;
        }
        if (before <= j)
            high = j;
        else
            low = j + 1;
    }
    return place[before];
}

double gg_first_share(uint64_t n, uint64_t m) {
    const uint64_t first = FOREST_LIGHT * n;
    return m < gg_limits.forest.few || m / 2 <= first ? 1 : (double)first / (double)m;
}

static void choose_pivot(struct forest *f) {
    const uint64_t m = f->graph->m;
    const double share = gg_first_share(f->graph->n, m);
    const uint32_t count = gg_limits.forest.sample;
    struct forest_place sample[GG_FOREST_SAMPLE];
    f->pivot = (struct forest_place){UINT64_MAX, UINT64_MAX};
    if (share >= 1 || count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        sample[i] = edge_place(f, gg_fixed_hash(i + 1) % m);
    f->pivot = gg_place_at(sample, count, (uint32_t)(share * count));
}

/* ---- trees ---- */

static void connect_listed(struct forest *f) {
    const uint32_t *source = f->graph->edges.source, *target = f->graph->edges.target;
    for (uint64_t i = 0; i < f->count && !gg_leave(f->run, i); i++) {
        const uint64_t e = gg_edge_at(f->edge, f->graph->wide, i);
        const uint32_t a = gg_tree_root(f->trees.parent, source[e]),
                       b = gg_tree_root(f->trees.parent, target[e]);
        if (a == b)
            continue;
        f->trees.parent[a > b ? a : b] = a > b ? b : a;
        f->chosen[e / 64] |= (uint64_t)1 << e % 64;
        f->found++;
    }
}

/* ---- lists ---- */

/* Behind the pivot each vertex points to its root. A processor cannot predict the answer,
** so the function has no branch. */
static inline uint64_t is_edge_listed(const struct forest *f, uint64_t e) {
    const uint32_t u = f->trees.parent[f->graph->edges.source[e]],
                   v = f->trees.parent[f->graph->edges.target[e]];
    return (uint64_t)(gg_comes_before(f->pivot, edge_place(f, e)) == f->behind) &
           (u != v);
}

static uint64_t begin_of_part(const struct forest *f, uint64_t part) {
    return gg_slice(f->graph->m / 64 + 1, (int)part, f->parts);
}

static void mark_part(void *forest, uint64_t part) {
    struct forest *f = forest;
    const uint64_t end = begin_of_part(f, part + 1), m = f->graph->m;
    uint64_t count = 0;
    for (uint64_t i = begin_of_part(f, part); i < end && !gg_leave(f->run, 64 * i); i++) {
        const uint64_t first = 64 * i, edges = m - first < 64 ? m - first : 64;
        uint64_t bits = 0;
        for (uint64_t e = 0; e < edges; e++)
            bits |= is_edge_listed(f, first + e) << e;
        f->listed[i] = bits;
        count += (uint64_t)gg_count_bits(bits);
    }
    f->begin[part + 1] = count;
}

static void list_slice_edges(void *forest, uint64_t part) {
    struct forest *f = forest;
    const uint64_t end = begin_of_part(f, part + 1);
    uint64_t at = f->begin[part];
    for (uint64_t i = begin_of_part(f, part); i < end && !gg_leave(f->run, 64 * i); i++)
        for (uint64_t bits = f->listed[i]; bits; bits &= bits - 1, at++) {
            const uint64_t e = 64 * i + (uint64_t)__builtin_ctzll(bits);
            if (f->key)
                f->key[at] = edge_place(f, e).weight;
            gg_put_edge(f->edge, f->graph->wide, at, e);
        }
}

/* The sort is stable, and edges were listed by number. So edges of equal weight stay in
** that order. */
static void sort_list(struct forest *f) {
    uint64_t *key = gg_alloc(f->run, f->count, sizeof *key);
    void *edge = gg_alloc(f->run, f->count, gg_edge_size(f->graph->wide));
    if (key && edge)
        gg_sort_pairs(f->run, f->graph->wide, f->count, f->key, f->edge, key, edge);
    gg_release(key);
    gg_release(edge);
}

static void make_edge_list(struct forest *f) {
    f->begin[0] = 0;
    gg_parts(f->threads, (uint64_t)f->parts, mark_part, f);
    if (gg_stopping(f->run))
        return;
    for (int i = 0; i < f->parts; i++)
        f->begin[i + 1] += f->begin[i];
    f->count = f->begin[f->parts];
    f->edge = gg_alloc(f->run, f->count, gg_edge_size(f->graph->wide));
    if (f->weighted && f->edge)
        f->key = gg_alloc(f->run, f->count, sizeof *f->key);
    if (gg_stopping(f->run))
        return;
    gg_parts(f->threads, (uint64_t)f->parts, list_slice_edges, f);
    if (f->weighted && !gg_stopping(f->run))
        sort_list(f);
}

/* Takes the edges up to the pivot, or behind it, into the forest. */
static void take_in(struct forest *f, bool behind) {
    f->behind = behind;
    f->key = NULL;
    f->edge = NULL;
    make_edge_list(f);
    if (!gg_stopping(f->run))
        connect_listed(f);
    gg_release(f->key);
    gg_release(f->edge);
    if (!gg_stopping(f->run))
        gg_chunks(f->threads, f->graph->n, CHUNK, gg_compress_trees, f);
}

/* ---- the driver ---- */

static void grow_forest(struct forest *f) {
    gg_chunks(f->threads, f->graph->n, CHUNK, gg_plant_trees, f);
    choose_pivot(f);
    take_in(f, false);
    if (f->pivot.edge != UINT64_MAX && !gg_stopping(f->run))
        take_in(f, true);
}

static void list_chosen(const struct forest *f, void *edge) {
    uint64_t at = 0;
    for (uint64_t word = 0; at < f->found && !gg_leave(f->run, word); word++)
        for (uint64_t bits = f->chosen[word]; bits; bits &= bits - 1)
            gg_put_edge(edge, f->graph->wide, at++,
                        64 * word + (uint64_t)__builtin_ctzll(bits));
}

static gpugraph_status find_forest_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                          bool weighted, void *edge, uint32_t *count,
                                          uint32_t *component) {
    struct forest f = {
        .trees = {component, run}, .graph = graph, .run = run, .weighted = weighted};
    const double start = gg_now_ms();
    f.threads = gg_threads(run, graph->m + graph->n);
    f.parts = f.threads > 1 ? f.threads * PARTS : 1;
    f.chosen = gg_alloc_zero(run, graph->m / 64 + 1, sizeof *f.chosen);
    f.listed = gg_alloc(run, graph->m / 64 + 1, sizeof *f.listed);
    f.begin = gg_alloc(run, (uint64_t)f.parts + 1, sizeof *f.begin);
    if (!gg_stopping(run))
        grow_forest(&f);
    if (!gg_stopping(run))
        list_chosen(&f, edge);
    gg_release(f.chosen);
    gg_release(f.listed);
    gg_release(f.begin);
    *count = gg_stopping(run) ? 0 : (uint32_t)f.found;
    return gg_search_phase(run, start, (int64_t)graph->m, "%d thread(s)", f.threads);
}

/* ---- the descriptor ---- */

const gg_algorithm gg_spanning_forest = {
    .name = "spanning_forest",
    .rows = CSR_KINDS,
    .arcs = gg_arcs_once,
    /* Between the times of an R-MAT and a road network. */
    .cpu_ns = 30,
    .cuda_ns = 0.06,
    .step_us = 960,
    .side = {[GPUGRAPH_CPU] = GG_ONE_METHOD(
                 forest_entry, find_forest_on_cpu, "spanning_forest", "filter-kruskal",
                 "edges in order of weight; heavy edges only if they "
                 "connect two trees"),
             [GPUGRAPH_CUDA] = &gg_spanning_forest_cuda},
};

/* ---- the public function ---- */

gpugraph_status gpugraph_spanning_forest(gpugraph_graph *graph, bool weighted,
                                         gpugraph_run *run, void *edge, uint32_t *count,
                                         uint32_t *component) {
    uint32_t *own = NULL;
    gg_enter_graph(graph, run);
    gg_needs(run, edge, graph->n, "edge");
    if (gg_needs(run, count, 1, "count"))
        *count = 0;
    if (weighted && !gg_has_weights(graph))
        gg_fail(run, GPUGRAPH_INVALID,
                "a forest by weight needs weights, and the graph was made without");
    if (!run->status && !component)
        component = own = gg_alloc(run, graph->n, sizeof *own);
    if (!run->status)
        GG_RUN(forest_entry, &gg_spanning_forest, NULL, graph, run,
               (graph, run, weighted, edge, count, component));
    gg_release(own);
    return gg_leave_graph(graph, run);
}
