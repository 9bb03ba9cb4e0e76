/* Connected components: the public function, and weak components on the CPU.
**
**     component[v]     0  0  2  1  2     each vertex points to a smaller vertex of its
**                      ^--+     |  |     component, or to itself: a root. Two trees
**                      +--------+  |     become one by a hook from the larger root to
**                            ^-----+     the smaller one. So a root is always the
**                                        smallest vertex of its tree, and at the end the
**                                        name of the component
**
** Only roots are hooked, by compare-and-swap. So the answer does not depend on the order
** of threads.
**
** 1. Link a sample of the edges: one for each vertex, spread over the whole list. If
**    there are few edges, link all of them.
** 2. Point each vertex to its root. The commonest root of some vertices stands for the
**    largest component. A bitmap holds the vertices outside this component.
** 3. Link all other edges, except edges with both ends in the largest component.
** 4. Point each vertex to its root.
**
** If an earlier search has left rows of both directions, and they are not short, the
** sample is the first COMPONENTS_SAMPLE arcs of each row, and step 3 walks only the rows
** of vertices outside: Afforest (Sutton, Ben-Nun, Barak, IPDPS 2018). The list of edges
** needs no rows, but step 3 reads the whole list. Roots are the smallest members after
** Shiloach, Vishkin (J. Algorithms 3, 1982). */
#include "components.h"
#include "graph/graph.h"
#include "ids/ids.h"

enum {
    CHUNK = 1 << 14, /* edges or vertices that a thread takes at a time */
    LISTED = 1024    /* edges that a thread tests before it links those it must link */
};

struct weak {
    struct gg_trees trees; /* in the caller's array */
    const gpugraph_graph *graph;
    uint64_t *outside; /* bit v: not in the largest component */
    uint64_t stride;   /* every stride-th edge belongs to the sample */
    uint32_t largest;  /* its root */
    csr rows;          /* both directions; begin NULL: search by the list of edges */
    uint32_t round;    /* the round of sampling rows */
    int threads;
};

static inline uint32_t tree_parent(const struct gg_trees *t, uint32_t v) {
    return __atomic_load_n(&t->parent[v], __ATOMIC_RELAXED);
}

/* Makes one tree of the trees of the two ends. If another thread has hooked the root
** first, the loop continues from that hook. */
static inline void link_ends(const struct gg_trees *t, uint32_t u, uint32_t v) {
    uint32_t a = tree_parent(t, u), b = tree_parent(t, v);
    while (a != b) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a;
        uint32_t above = tree_parent(t, high);
        if (above == low || (above == high && __atomic_compare_exchange_n(
                                                  &t->parent[high], &above, low, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
            return;
        a = tree_parent(t, above);
        if (a != above) /* shortens the path for later walks; any ancestor is right */
            __atomic_store_n(&t->parent[high], a, __ATOMIC_RELAXED);
        b = low;
    }
}

/* ---- the steps ---- */

void gg_plant_trees(void *trees, uint64_t low, uint64_t high) {
    const struct gg_trees *t = trees;
    for (uint64_t v = low; v < high && !gg_leave(t->run, v); v++)
        t->parent[v] = (uint32_t)v;
}

static void sample(void *weak, uint64_t low, uint64_t high) {
    struct weak *w = weak;
    const gpugraph_edge_list *edges = &w->graph->edges;
    for (uint64_t i = low; i < high && !gg_leave(w->trees.run, i); i++)
        link_ends(&w->trees, edges->source[i * w->stride], edges->target[i * w->stride]);
}

/* Links arc number `round` of each row. */
static void sample_rows(void *weak, uint64_t low, uint64_t high) {
    struct weak *w = weak;
    for (uint64_t v = low; v < high && !gg_leave(w->trees.run, v); v++)
        if (w->rows.begin[v] + w->round < w->rows.end[v])
            link_ends(&w->trees, (uint32_t)v,
                      w->rows.target[w->rows.begin[v] + w->round]);
}

void gg_compress_trees(void *trees, uint64_t low, uint64_t high) {
    const struct gg_trees *t = trees;
    for (uint64_t v = low; v < high && !gg_leave(t->run, v); v++) {
        uint32_t root = tree_parent(t, (uint32_t)v), above;
        while ((above = tree_parent(t, root)) != root)
            root = above;
        __atomic_store_n(&t->parent[v], root, __ATOMIC_RELAXED);
    }
}

/* Fills words low .. high - 1 of the bitmap. */
static void mark_outside(void *weak, uint64_t low, uint64_t high) {
    struct weak *w = weak;
    for (uint64_t word = low; word < high && !gg_leave(w->trees.run, word); word++) {
        const uint64_t first = 64 * word, rest = w->graph->n - first;
        const int count = rest < 64 ? (int)rest : 64;
        uint64_t bits = 0;
        for (int i = 0; i < count; i++)
            bits |= (uint64_t)(w->trees.parent[first + (uint64_t)i] != w->largest) << i;
        w->outside[word] = bits;
    }
}

static inline uint64_t is_outside(const struct weak *w, uint32_t v) {
    return w->outside[v / 64] >> v % 64 & 1;
}

/* Links the edges with an end outside. No processor can predict which edges these are, so
** they are listed without a branch and then linked. */
static void link_rest(void *weak, uint64_t low, uint64_t high) {
    struct weak *w = weak;
    const uint32_t *source = w->graph->edges.source, *target = w->graph->edges.target;
    uint64_t outside[LISTED] = {0};
    for (uint64_t e = low; e < high && !gg_pause(w->trees.run);) {
        const uint64_t end = high - e < LISTED ? high : e + LISTED;
        uint32_t count = 0;
        for (; e < end; e++) {
            outside[count] = e;
            count += (uint32_t)(is_outside(w, source[e]) | is_outside(w, target[e]));
        }
        for (uint32_t i = 0; i < count; i++)
            link_ends(&w->trees, source[outside[i]], target[outside[i]]);
    }
}

static void link_row_ends(void *weak, uint64_t low, uint64_t high) {
    struct weak *w = weak;
    uint64_t work = 0;
    for (uint64_t v = low; v < high; v++, work++) {
        if (work > GG_POLL_ITEMS && gg_pause(w->trees.run))
            return;
        work = work > GG_POLL_ITEMS ? 0 : work;
        const uint64_t end = w->rows.end[v];
        for (uint64_t i = w->rows.begin[v] + COMPONENTS_SAMPLE;
             is_outside(w, (uint32_t)v) && i < end; i++, work++)
            link_ends(&w->trees, (uint32_t)v, w->rows.target[i]);
    }
}

/* The commonest root of some vertices that are spread over all. */
static uint32_t commonest_root(const struct weak *w) {
    uint32_t root[COMPONENTS_VOTES], best = 0, best_votes = 0;
    const uint64_t n = w->graph->n;
    const uint32_t votes = n < COMPONENTS_VOTES ? (uint32_t)n : COMPONENTS_VOTES;
    for (uint32_t i = 0; i < votes; i++)
        root[i] = w->trees.parent[n * i / votes];
    for (uint32_t i = 0; i < votes; i++) {
        uint32_t same = 0;
        for (uint32_t j = i; j < votes; j++)
            same += root[j] == root[i];
        if (same > best_votes) {
            best_votes = same;
            best = root[i];
        }
        if (best_votes > votes / 2)
            break;
    }
    return best;
}

/* ---- weak components ---- */

static bool over_vertices(struct weak *w, gg_span *step) {
    gg_chunks(w->threads, w->graph->n, CHUNK, step, w);
    return !gg_stopping(w->trees.run);
}

/* Returns true if the sample has left edges. */
static bool link_sample(struct weak *w) {
    const uint64_t m = w->graph->m;
    if (!w->rows.begin) {
        const uint64_t mean = m / w->graph->n;
        w->stride = mean < GG_COMPONENTS_ROW ? 1 : mean + 1;
        gg_chunks(w->threads, (m + w->stride - 1) / w->stride, CHUNK, sample, w);
        return w->stride > 1;
    }
    for (w->round = 0; w->round < COMPONENTS_SAMPLE && !gg_stopping(w->trees.run);
         w->round++)
        over_vertices(w, sample_rows);
    return true;
}

static bool link_all(struct weak *w) {
    const uint64_t m = w->graph->m, n = w->graph->n, words = (n + 63) / 64;
    if (!link_sample(w) || !over_vertices(w, gg_compress_trees))
        return !gg_stopping(w->trees.run);
    w->largest = commonest_root(w);
    w->outside = gg_alloc(w->trees.run, words, sizeof *w->outside);
    if (!w->outside)
        return false;
    gg_chunks(w->threads, words, CHUNK / 64, mark_outside, w);
    if (w->rows.begin)
        over_vertices(w, link_row_ends);
    else
        gg_chunks(w->threads, gg_stopping(w->trees.run) ? 0 : m, CHUNK, link_rest, w);
    gg_release(w->outside);
    return !gg_stopping(w->trees.run);
}

static gpugraph_status find_weak(gpugraph_graph *graph, gpugraph_run *run,
                                 uint32_t *component) {
    struct weak w = {.trees = {component, run}, .graph = graph};
    if (graph->m / GG_COMPONENTS_ROW >= graph->n && gg_csr_made(graph, CSR_BOTH) &&
        gg_rows(graph, CSR_BOTH, false, false, run, &w.rows) != GPUGRAPH_OK)
        return run->status;
    double start = gg_now_ms();
    w.threads = gg_threads(run, graph->m + graph->n);
    if (over_vertices(&w, gg_plant_trees) && link_all(&w))
        over_vertices(&w, gg_compress_trees);
    return gg_search_phase(run, start, (int64_t)graph->m, "%d thread(s)%s", w.threads,
                           w.rows.begin ? ", by rows of earlier searches" : "");
}

/* ---- the descriptor ---- */

const gg_algorithm gg_components = {
    .name = "components",
    .rows = CSR_KINDS,
    .arcs = gg_arcs_once,
    /* One thread over 8 M edges of an unsorted R-MAT; rmat24 on a device. */
    .cpu_ns = 14,
    .cuda_ns = 0.03,
    .step_us = 120,
    .side = {[GPUGRAPH_CPU] =
                 GG_ONE_METHOD(components_entry, find_weak, "components", "union-find",
                               "weak: threads hook roots of trees to "
                               "smaller ones, a sample of the edges first"),
             [GPUGRAPH_CUDA] = &gg_components_cuda},
};

/* ---- the public function ---- */

gpugraph_status gpugraph_components(gpugraph_graph *graph, gpugraph_component_kind kind,
                                    gpugraph_run *run, uint32_t *component) {
    const gg_algorithm *a =
        kind == GPUGRAPH_STRONG ? &gg_strong_components : &gg_components;
    gg_enter_graph(graph, run);
    if ((unsigned)kind > GPUGRAPH_STRONG)
        gg_fail(run, GPUGRAPH_INVALID,
                "kind is %d, not one of GPUGRAPH_WEAK and GPUGRAPH_STRONG", (int)kind);
    else if (gg_needs(run, component, graph->n, "component"))
        GG_RUN(components_entry, a, NULL, graph, run, (graph, run, component));
    if (!run->status)
        gg_label_by_id(graph, component);
    return gg_leave_graph(graph, run);
}
