/* Breadth-first searches from several sources, each by itself: the public function and
** the CPU backend.
**
**     sources  ->  one after the other (bfs.c), or up to 64 at once (batch.c)
**     depths   ->  trees, of many searches together (each_tree.c) */
#include "bfs.h"
#include "device/share.h"
#include "tree/tree.h"

enum {
    /* Sources from which `auto` searches from all at once, and levels up to which it
    ** does: with 2 sources that is slower, with 4 as fast, with 64 five times as fast
    ** (R-MAT, 10 levels). */
    LEAST_SOURCES = 8,
    MOST_LEVELS = 32,
    LEAST_TREES = 4 /* that are made together: a few cost one pass each */
};

void gg_bfs_keep_bytes(gpugraph_graph *graph, const gpugraph_run *run,
                       const uint32_t *depth, uint8_t *bytes) {
    gg_know(&graph->known.long_ways, !gg_narrow_to_bytes(run, bytes, depth, graph->n));
}

/* A part of the sources: at most GG_LANES from number `first` on. */
static gpugraph_search some_sources(const gpugraph_search *search, uint32_t first,
                                    uint32_t most) {
    gpugraph_search part = *search;
    uint32_t left = search->source_count - first;
    part.source = search->source + first;
    part.source_count = left < most ? left : most;
    return part;
}

/* One search of several. Rows of bytes are made from `spare`, a row that all of them use.
** */
static bool search_one(gpugraph_graph *graph, const gpugraph_search *search, uint32_t i,
                       gpugraph_run *run, const struct bfs_results *rows,
                       uint32_t *spare) {
    const gpugraph_search one = some_sources(search, i, 1);
    if (gg_cpu_bfs(graph, &one, run, spare ? spare : rows->depth[i], NULL))
        return false;
    if (spare)
        gg_bfs_keep_bytes(graph, run, spare, rows->bytes[i]);
    return true;
}

static bool search_batch(gpugraph_graph *graph, const gpugraph_search *search, uint32_t i,
                         gpugraph_run *run, const struct bfs_results *rows) {
    const gpugraph_search part = some_sources(search, i, GG_LANES);
    const struct bfs_results some = {.depth = rows->depth ? rows->depth + i : NULL,
                                     .bytes = rows->bytes ? rows->bytes + i : NULL};
    return !gg_bfs_batch(graph, &part, run, &some);
}

/* Do frontiers of different searches meet? The search from the first source, which is
** made anyway, tells how many levels there are. */
static bool frontiers_meet(const gpugraph_graph *graph, const uint32_t *depth) {
    uint32_t deepest = 0;
    for (uint32_t v = 0; v < graph->n; v++)
        if (depth[v] != GPUGRAPH_NONE && depth[v] > deepest)
            deepest = depth[v];
    return deepest <= MOST_LEVELS;
}

static bool is_multi_source(gpugraph_run *run) {
    return gg_settle_method(run, gg_bfs_methods, NULL) ==
           &gg_bfs_methods[BFS_MULTI_SOURCE];
}

/* Makes the searches, by `auto` all but the first at once where that pays, until a byte
** has no room for a depth. */
static void search_all(gpugraph_graph *graph, const gpugraph_search *search,
                       gpugraph_run *run, const struct bfs_results *rows,
                       uint32_t *spare) {
    const uint32_t count = search->source_count;
    bool at_once = is_multi_source(run);
    uint32_t i = 0;
    if (gg_method_is_auto(run) && count >= LEAST_SOURCES && !gg_is_thin(graph) &&
        search_one(graph, search, i++, run, rows, spare)) {
        at_once = frontiers_meet(graph, spare ? spare : rows->depth[0]);
        if (at_once)
            run->used_method = gg_bfs_methods[BFS_MULTI_SOURCE].is.name;
    }
    while (i < count && run->status == GPUGRAPH_OK &&
           !gg_bfs_too_long(graph, search, rows)) {
        if (gg_poll(run)) /* a search of a small graph ends before it asks */
            gg_stopped(run);
        else if (at_once)
            search_batch(graph, search, i, run, rows);
        else
            search_one(graph, search, i, run, rows, spare);
        i += at_once ? GG_LANES : 1;
    }
}

static void search_each(gpugraph_graph *graph, const gpugraph_search *search,
                        gpugraph_run *run, const struct bfs_results *rows) {
    uint32_t *spare = NULL;
    const bool needed = rows->bytes && !is_multi_source(run);
    if (needed && !(spare = gg_alloc(run, graph->n, sizeof *spare)))
        return;
    gg_count_searches(graph, search->source_count - 1);
    search_all(graph, search, run, rows, spare);
    gg_release(spare);
}

/* A few trees are made one by one, which takes less memory. */
static void grow_each(gpugraph_graph *graph, const gpugraph_search *search,
                      gpugraph_run *run, uint32_t *const *depth, void *const *tree_edge) {
    uint32_t i = 0, count = search->source_count;
    while (i < count && run->status == GPUGRAPH_OK) {
        gpugraph_search part =
            some_sources(search, i, count < LEAST_TREES ? 1 : GG_LANES);
        if (part.source_count == 1)
            gg_depth_tree(graph, &part, run, depth[i], tree_edge[i]);
        else
            gg_depth_trees(graph, part.direction, run, part.source_count, depth + i,
                           tree_edge + i);
        i += part.source_count;
    }
}

gpugraph_status gg_cpu_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                                gpugraph_run *run, const struct bfs_results *rows) {
    search_each(graph, search, run, rows);
    if (rows->tree_edge)
        grow_each(graph, search, run, rows->depth, rows->tree_edge);
    return run->status;
}

/* ---- on devices ---- */

struct shared_each {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    const struct bfs_results *rows;
    bfs_each_entry *each;
};

static void search_some(void *each, gpugraph_run *run, struct share_member *member) {
    const struct shared_each *e = each;
    e->each(e->graph, e->search, run, e->rows, member);
}

/* One by one, so that none waits long for another. */
static void share_each(struct shared_each *e, gpugraph_run *run) {
    const struct shared_work work = {
        .items = e->search->source_count, .portion = 1, .all = search_some, .of = e};
    gg_share_out(run, &work);
}

static void each_by(gpugraph_graph *graph, const gpugraph_search *search,
                    gpugraph_run *run, const struct bfs_results *rows) {
    bool fallback = false;
    gpugraph_backend on =
        gg_choose_shared(graph, &gg_bfs, NULL, search->source_count, run, &fallback);
    if (!on)
        return;
    run->chosen_at_ms = 0; /* what many take says nothing of one */
    bfs_each_entry *each = (bfs_each_entry *)gg_bfs.side[on]->each;
    if (each)
        share_each(&(struct shared_each){graph, search, rows, each}, run);
    else
        gg_cpu_bfs_each(graph, search, run, rows);
    if (gg_fall_back(run, &gg_bfs, fallback))
        gg_cpu_bfs_each(graph, search, run, rows);
}

/* A search for bytes ends with the first level that they have no room for. */
static void each_checked(gpugraph_graph *graph, const gpugraph_search *search,
                         gpugraph_run *run, const struct bfs_results *rows) {
    const void *const *depth =
        rows->bytes ? (const void *const *)rows->bytes : (const void *const *)rows->depth;
    if (gg_check_search(graph, search, run) ||
        !gg_needs_rows(run, depth, search->source_count, graph->n, "depth") ||
        (rows->tree_edge && !gg_needs_rows(run, (const void *const *)rows->tree_edge,
                                           search->source_count, graph->n, "tree_edge")))
        return;
    gpugraph_search bounded = *search;
    if (rows->bytes && gg_bfs_may_be_long(search))
        bounded.max_depth = BFS_NO_BYTE;
    if (!gg_bfs_too_long(graph, search, rows))
        each_by(graph, &bounded, run, rows);
}

gpugraph_status gpugraph_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t *const *depth,
                                  void *const *tree_edge) {
    const struct bfs_results rows = {.depth = depth, .tree_edge = tree_edge};
    gg_enter_graph(graph, run);
    each_checked(graph, search, run, &rows);
    return gg_leave_graph(graph, run);
}

gpugraph_status gpugraph_bfs_each_bytes(gpugraph_graph *graph,
                                        const gpugraph_search *search, gpugraph_run *run,
                                        uint8_t *const *depth, bool *fits) {
    const struct bfs_results rows = {.bytes = depth};
    gg_enter_graph(graph, run);
    if (!gg_needs(run, fits, 1, "fits"))
        return gg_leave_graph(graph, run);
    each_checked(graph, search, run, &rows);
    *fits = run->status == GPUGRAPH_OK && !gg_bfs_too_long(graph, search, &rows);
    return gg_leave_graph(graph, run);
}
