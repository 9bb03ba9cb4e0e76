/* Depth-first search: the public function, and the search by one thread, which makes the
** lexicographic tree if rows are sorted. workers.c has the search by many threads,
** stack.h the stack and its frames. A serial search that numbers in postorder keeps a
** frame until its vertex is finished. The search writes depth and parent as one word, in
** a block of huge pages, and separates them at the end. Vertices come in an order that no
** cache can predict, so each further array would cost a vertex one more cache miss.
**
**     in    rows of one direction, a source or GPUGRAPH_NONE (a forest over all vertices)
**     out   depth, parent; from these tree_edge (tree/tree.c), preorder and postorder.
**           The serial search counts both orders; else tree/number.c computes them */
#include "dfs.h"
#include "stack.h"
#include "tree/tree.h"

#include <math.h>
#include <stdio.h>

/* Sets all n entries to GPUGRAPH_NONE. Returns false when the run must end. entry may be
** NULL. */
static bool fill_none(gpugraph_run *run, uint32_t *entry, uint32_t n) {
    for (uint64_t at = 0; entry && at < n; at += 1 << 20) {
        uint64_t count = n - at < 1 << 20 ? n - at : 1 << 20;
        memset(entry + at, 0xff, count * sizeof *entry);
        if (gg_poll(run))
            return false;
    }
    return true;
}

/* ---- one thread ---- */

struct serial {
    const csr *g;
    gpugraph_run *run;
    gpugraph_dfs_tree tree;
    uint64_t *visited, *word; /* word: parent << 32 | depth, of visited vertices */
    struct stack stack;
    uint32_t preorder, postorder; /* vertices entered, finished */
    int64_t until_poll;           /* arcs and vertices */
};

static inline bool serial_enter(struct serial *s, uint32_t v, uint32_t parent,
                                uint32_t depth) {
    s->visited[v / 64] |= 1ull << v % 64;
    s->word[v] = (uint64_t)parent << 32 | depth;
    if (s->tree.preorder)
        s->tree.preorder[v] = s->preorder;
    s->preorder++;
    return stack_push(&s->stack, s->g, v, s->run);
}

/* Returns the next unvisited target of the newest frame, or GPUGRAPH_NONE after its last
** arc or DFS_LOOK arcs. */
static inline uint32_t serial_next(struct serial *s, struct frame *f) {
    const uint32_t *arc = s->g->target + f->next;
    uint32_t count = f->left < DFS_LOOK ? f->left : DFS_LOOK;
    uint32_t i = 0, found = GPUGRAPH_NONE;
    while (i < count && found == GPUGRAPH_NONE) {
        uint32_t v = arc[i++];
        if (!(s->visited[v / 64] >> v % 64 & 1))
            found = v;
    }
    f->next += i;
    f->left -= i;
    s->until_poll -= i + 1;
    return found;
}

/* Searches the tree of one root. The stack knows the row that the search will return to,
** so the row is fetched ahead. */
static bool serial_tree(struct serial *s, uint32_t root) {
    const bool finish = s->tree.postorder != NULL;
    struct stack *stack = &s->stack;
    if (!serial_enter(s, root, GPUGRAPH_NONE, 0))
        return false;
    while (stack->top > 0) {
        struct frame *f = &stack->frame[stack->top - 1];
        uint32_t parent = f->vertex, v = serial_next(s, f);
        if (s->until_poll < 0) {
            s->until_poll = GG_POLL_ITEMS;
            if (gg_poll(s->run))
                return false;
        }
        if (f->left == 0 && (v == GPUGRAPH_NONE || !finish)) {
            if (finish)
                s->tree.postorder[parent] = s->postorder++;
            stack->top--;
            if (stack->top > 1)
                __builtin_prefetch(s->g->target + stack->frame[stack->top - 2].next);
        }
        if (v != GPUGRAPH_NONE &&
            !serial_enter(s, v, parent, (uint32_t)s->word[parent] + 1))
            return false;
    }
    return true;
}

/* Separates the words into depths and parents. */
static void take_apart(void *serial, uint64_t low, uint64_t high) {
    const struct serial *s = serial;
    const gpugraph_dfs_tree *tree = &s->tree;
    for (uint64_t v = low; v < high && !gg_leave(s->run, v); v++) {
        bool there = s->visited[v / 64] >> v % 64 & 1;
        uint64_t word = there ? s->word[v] : UINT64_MAX;
        tree->depth[v] = (uint32_t)word;
        if (tree->parent)
            tree->parent[v] = (uint32_t)(word >> 32);
    }
}

/* The stack has space for all vertices from the start, so nothing is copied. Unused space
** is never touched. */
static gpugraph_status search_serial(const csr *g, uint32_t source, gpugraph_run *run,
                                     const gpugraph_dfs_tree *tree, uint64_t *reached) {
    struct serial s = {.g = g, .run = run, .tree = *tree};
    s.visited = gg_alloc_zero(run, visited_words(g->n), sizeof *s.visited);
    s.word = gg_alloc(run, g->n, sizeof *s.word);
    bool go = s.visited && s.word && stack_open(&s.stack, g->n, run) &&
              fill_none(run, tree->preorder, g->n) &&
              fill_none(run, tree->postorder, g->n);
    uint32_t root = source == GPUGRAPH_NONE ? 0 : source;
    uint32_t end = source == GPUGRAPH_NONE ? g->n : source + 1;
    for (; go && root < end; root++) {
        s.until_poll--;
        if (!(s.visited[root / 64] >> root % 64 & 1))
            go = serial_tree(&s, root);
    }
    if (go)
        gg_slices(gg_threads(run, g->n), g->n, take_apart, &s);
    gg_release(s.stack.frame);
    gg_release(s.word);
    gg_release(s.visited);
    *reached = s.preorder;
    return go && !gg_stopping(run) ? GPUGRAPH_OK : gg_stopped(run);
}

/* ---- the CPU backend ---- */

typedef struct dfs_task {
    gpugraph_run *run;
    csr g;
    struct dfs_call *call;
    uint64_t reached;
    char more[100]; /* for the phase "search" */
} dfs_task;

static int dfs_threads(const dfs_task *t) {
    const bool any = gg_method_is_auto(t->run);
    return gg_threads(t->run, any ? t->g.m + t->g.n : UINT64_MAX);
}

static bool run_serial(void *task) {
    dfs_task *t = task;
    t->call->numbered = true;
    snprintf(t->more, sizeof t->more, "%s tree, one thread",
             t->call->ordered ? "lexicographic" : "unordered");
    return !search_serial(&t->g, t->call->source, t->run, &t->call->tree, &t->reached);
}

static bool may_steal(const void *task) {
    const dfs_task *t = task;
    return !t->call->ordered && dfs_threads(t) > 1;
}

static bool run_stealing(void *task) {
    dfs_task *t = task;
    const int workers = dfs_threads(t);
    uint64_t shared;
    if (workers == 1)
        return run_serial(t);
    if (!fill_none(t->run, t->call->tree.depth, t->g.n) ||
        !fill_none(t->run, t->call->tree.parent, t->g.n)) {
        gg_stopped(t->run);
        return false;
    }
    if (gg_dfs_workers(&t->g, t->call->source, t->run, &t->call->tree, workers,
                       &t->reached, &shared))
        return false;
    snprintf(t->more, sizeof t->more, "%d workers, %llu times work was shared", workers,
             (unsigned long long)shared);
    return true;
}

enum { SERIAL = 1 };
static const gg_method methods[] = {
    {.is = {"dfs", "work-stealing", "cpu",
            "unordered; threads search depth-first and steal branches"},
     .may = may_steal,
     .run = run_stealing},
    {.is = {"dfs", "serial", "cpu", "one thread, neighbours in order of id"},
     .may = gg_may_always,
     .run = run_serial},
    {.is = {0}},
};

static void search_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                          struct dfs_call *call) {
    dfs_task t = {.run = run, .call = call};
    if (gg_rows(graph, (enum csr_kind)call->direction, false, call->ordered, run, &t.g))
        return;
    const double start = gg_now_ms();
    if (gg_settle_method(run, methods, &t)->run(&t))
        gg_search_phase(run, start, (int64_t)t.reached, "%s", t.more);
}

gpugraph_status gg_cpu_dfs(gpugraph_graph *graph, gpugraph_run *run,
                           struct dfs_call *call) {
    struct dfs_call with_parents = *call;
    gpugraph_dfs_tree *tree = &with_parents.tree;
    const bool lacks = tree->tree_edge && !tree->parent;
    if (lacks)
        tree->parent = gg_alloc(run, graph->n, sizeof *tree->parent);
    if (!lacks || tree->parent)
        search_on_cpu(graph, run, &with_parents);
    call->numbered = with_parents.numbered;
    if (!run->status && tree->tree_edge)
        gg_parent_edges(graph, call->direction, run, tree->parent, tree->tree_edge);
    if (lacks)
        gg_release(tree->parent);
    return run->status;
}

/* ---- predictions ---- */

enum {
    VERTEX_ARCS = 7, /* arcs that cost as much as a vertex */
    /* A graph with fewer edges for each vertex may be one path or a few paths. Its
    ** predicted steps are one for CHAIN_STEPS vertices, and one CPU thread does all the
    ** work. */
    CHAIN_DEGREE = 2,
    CHAIN_STEPS = 16,
    /* Roads and meshes have fewer edges for each vertex than PATH_DEGREE. They have
    ** PATH_STEPS predicted steps for each row of a square grid. */
    PATH_DEGREE = 8,
    PATH_STEPS = 2
};

static double dfs_arcs(const gpugraph_graph *graph) {
    return (double)graph->m + (double)graph->n * VERTEX_ARCS;
}

/* True if the graph may be one path or a few paths, or if a search has found that. */
static bool chains(const gpugraph_graph *graph) {
    return gg_knows(&graph->known.thin) ||
           (double)graph->m < (double)graph->n * CHAIN_DEGREE;
}

static bool always(const gpugraph_graph *graph) {
    (void)graph;
    return true;
}

/* The result of an earlier search counts for more than the prediction from degrees. */
static double dfs_steps(const gpugraph_graph *graph) {
    double n = graph->n, m = graph->m;
    if (gg_knows(&graph->known.thin))
        return GG_FEW_LEVELS + n;
    if (chains(graph))
        return GG_FEW_LEVELS + n / CHAIN_STEPS;
    if (m < n * PATH_DEGREE)
        return GG_FEW_LEVELS + sqrt(n) * PATH_STEPS;
    return GG_FEW_LEVELS;
}

/* ---- the descriptor ---- */

static const algorithm_side cpu_side = {.methods = methods,
                                        .call = GG_CALLS(dfs_entry, gg_cpu_dfs)};

const gg_algorithm gg_dfs = {
    .name = "dfs",
    .brings_edges = true,
    .rows = CSR_OUT,
    .arcs = dfs_arcs,
    .steps = dfs_steps,
    .alone = chains,
    .cpu_ns = 8.5, /* for an arc: R-MATs of scale 16 and 20, a grid, beside an H200 */
    .cuda_ns = 0.02,
    .step_us = GG_DFS_STEP_US,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_dfs_cuda},
};

/* ---- the descriptor of the ordered tree, for estimates ---- */

static const algorithm_side ordered_side = {.methods = methods + SERIAL};

const gg_algorithm gg_dfs_ordered = {
    .name = "dfs",
    .rows = CSR_OUT,
    .arcs = dfs_arcs,
    .alone = always,
    .cpu_ns = 4, /* for an arc */
    .side = {[GPUGRAPH_CPU] = &ordered_side},
};

/* ---- the public function ---- */

static gpugraph_status check_dfs(const gpugraph_graph *graph, uint32_t source,
                                 bool ordered, gpugraph_direction direction,
                                 gpugraph_run *run, const gpugraph_dfs_tree *tree) {
    if (source != GPUGRAPH_NONE && source >= graph->n)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "the source is vertex number %u, but the graph has %u vertices, "
                       "numbered from 0",
                       source, graph->n);
    if (!gg_check_direction(run, direction) || !gg_needs(run, tree, 1, "tree") ||
        !gg_needs(run, tree->depth, graph->n, "tree.depth"))
        return run->status;
    if (ordered && !gg_method_is_auto(run) && strcmp(run->method, "serial") != 0)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "an ordered depth-first tree has the method 'serial' (or 'auto'), "
                       "not '%s'",
                       run->method);
    return GPUGRAPH_OK;
}

/* An ordered tree always uses the method "serial". */
static void run_dfs(gpugraph_graph *graph, gpugraph_run *run, struct dfs_call *call) {
    const char *method = run->method;
    run->method = call->ordered ? "serial" : method;
    GG_RUN(dfs_entry, &gg_dfs, NULL, graph, run, (graph, run, call));
    run->method = method;
}

gpugraph_status gpugraph_dfs(gpugraph_graph *graph, uint32_t source, bool ordered,
                             gpugraph_direction direction, gpugraph_run *run,
                             const gpugraph_dfs_tree *tree) {
    gg_enter_graph(graph, run);
    if (check_dfs(graph, source, ordered, direction, run, tree))
        return gg_leave_graph(graph, run);
    struct dfs_call call = {source, ordered, direction, *tree, false};
    const bool numbers = tree->preorder || tree->postorder;
    if (numbers && !tree->parent)
        call.tree.parent = gg_alloc(run, graph->n, sizeof *call.tree.parent);
    if (!run->status)
        run_dfs(graph, run, &call);
    if (!run->status && numbers && !call.numbered)
        gg_number_tree(graph, run, call.tree.parent, tree->depth, tree->preorder,
                       tree->postorder);
    if (call.tree.parent != tree->parent)
        gg_release(call.tree.parent);
    return gg_leave_graph(graph, run);
}
