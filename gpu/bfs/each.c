/* Breadth-first searches from several sources, each with its own result: the public
** function and the CPU backend.
**
**     sources  ->  one after the other (bfs.c), or up to 64 at once (batch.c)
**     depths   ->  trees, one after the other */
#include "bfs.h"
#include "device/share.h"
#include "tree/tree.h"

enum {
    /* `auto` searches from all sources at once if there are at least LEAST_SOURCES and
    ** the first search has at most MOST_LEVELS levels. With 2 sources the batch is
    ** slower, with 4 equally fast, with 64 five times as fast (R-MAT, 10 levels). */
    LEAST_SOURCES = 8,
    MOST_LEVELS = 32
};

/* Returns a search from at most `most` sources, beginning with number `first`. */
static gpugraph_search some_sources(const gpugraph_search *search, uint32_t first,
                                    uint32_t most) {
    gpugraph_search part = *search;
    uint32_t left = search->source_count - first;
    part.source = search->source + first;
    part.source_count = left < most ? left : most;
    return part;
}

static bool search_one(gpugraph_graph *graph, const gpugraph_search *search, uint32_t i,
                       gpugraph_run *run, uint32_t *const *depth) {
    const gpugraph_search one = some_sources(search, i, 1);
    return !gg_cpu_bfs(graph, &one, run, depth[i], NULL);
}

/* True if frontiers of different searches share vertices at the same level. They do if
** there are few levels. The depths are those of the first source. */
static bool frontiers_meet(const gpugraph_graph *graph, const uint32_t *depth) {
    uint32_t deepest = 0;
    for (uint32_t v = 0; v < graph->n; v++)
        if (depth[v] != GPUGRAPH_NONE && depth[v] > deepest)
            deepest = depth[v];
    return deepest <= MOST_LEVELS;
}

/* Finds all depths. `auto` searches from the first source alone, and from the others at
** once if that pays. */
static void search_each(gpugraph_graph *graph, const gpugraph_search *search,
                        gpugraph_run *run, uint32_t *const *depth) {
    const uint32_t count = search->source_count;
    const gg_method *method = gg_settle_method(run, gg_bfs_methods, NULL);
    /* Searches with a limit stop at different levels. */
    const bool may = search->limit == 0;
    bool at_once = may && method == &gg_bfs_methods[BFS_MULTI_SOURCE];
    uint32_t i = 0;
    gg_count_searches(graph, count - 1);
    if (gg_method_is_auto(run) && may && count >= LEAST_SOURCES && !gg_is_thin(graph) &&
        search_one(graph, search, i++, run, depth)) {
        at_once = frontiers_meet(graph, depth[0]);
        if (at_once)
            run->used_method = gg_bfs_methods[BFS_MULTI_SOURCE].is.name;
    }
    while (i < count && run->status == GPUGRAPH_OK) {
        const gpugraph_search some = some_sources(search, i, GG_LANES);
        if (gg_poll(run)) /* a search of a small graph ends before it polls */
            gg_stopped(run);
        else if (at_once)
            gg_bfs_batch(graph, &some, run, depth + i);
        else
            search_one(graph, search, i, run, depth);
        i += at_once ? GG_LANES : 1;
    }
}

gpugraph_status gg_cpu_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                                gpugraph_run *run, uint32_t *const *depth,
                                void *const *tree_edge) {
    search_each(graph, search, run, depth);
    for (uint32_t i = 0; tree_edge && i < search->source_count && !run->status; i++) {
        const gpugraph_search one = some_sources(search, i, 1);
        gg_depth_tree(graph, &one, run, depth[i], tree_edge[i]);
    }
    return run->status;
}

/* ---- on devices ---- */

struct shared_each {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    uint32_t *const *depth;
    void *const *tree_edge;
};

/* Searches from one source after the other. On a device a batch of up to 16 sources would
** be slower, and a batch of 64 at best a fifth faster. */
static void search_some(void *each, gpugraph_run *run, uint32_t low, uint32_t high) {
    const struct shared_each *e = each;
    bfs_entry *call = GG_CALL_OF(bfs_entry, gg_bfs.side[GPUGRAPH_CUDA]);
    for (uint32_t i = low; i < high && run->status == GPUGRAPH_OK; i++) {
        const gpugraph_search one = some_sources(e->search, i, 1);
        call(e->graph, &one, run, e->depth[i], e->tree_edge ? e->tree_edge[i] : NULL);
        gg_count_searches(e->graph, i > 0);
    }
}

static void each_by(gpugraph_graph *graph, const gpugraph_search *search,
                    gpugraph_run *run, uint32_t *const *depth, void *const *tree_edge) {
    struct shared_each each = {graph, search, depth, tree_edge};
    /* Each portion is one source, so that no device waits long for another. */
    const struct shared_work work = {
        .items = search->source_count, .portion = 1, .part = search_some, .of = &each};
    bool fallback = false;
    gpugraph_backend on =
        gg_choose(graph, &gg_bfs, NULL, search->source_count, run, &fallback);
    if (!on)
        return;
    run->chosen_at_ms = 0; /* the time of many searches says nothing about one */
    if (on == GPUGRAPH_CUDA)
        gg_share_out(run, &work);
    else
        gg_cpu_bfs_each(graph, search, run, depth, tree_edge);
    if (gg_fall_back(run, &gg_bfs, fallback))
        gg_cpu_bfs_each(graph, search, run, depth, tree_edge);
}

/* gg_needs for `count` arrays of n entries. */
static bool needs_rows(gpugraph_run *run, const void *const *row, uint32_t count,
                       uint32_t n, const char *name) {
    if (gg_needs(run, row, count, name))
        for (uint32_t i = 0; i < count && n > 0 && !run->status; i++)
            if (!row[i])
                gg_fail(run, GPUGRAPH_INVALID,
                        "%s[%u] is NULL, and should have %u entries", name, i, n);
    return run->status == GPUGRAPH_OK;
}

gpugraph_status gpugraph_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t *const *depth,
                                  void *const *tree_edge) {
    const void *const *depths = (const void *const *)depth;
    const void *const *trees = (const void *const *)tree_edge;
    gg_enter_graph(graph, run);
    if (!gg_check_search(graph, search, run) &&
        needs_rows(run, depths, search->source_count, graph->n, "depth") &&
        (!trees || needs_rows(run, trees, search->source_count, graph->n, "tree_edge")))
        each_by(graph, search, run, depth, tree_edge);
    return gg_leave_graph(graph, run);
}
