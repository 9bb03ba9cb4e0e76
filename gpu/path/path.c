/* One shortest path: the public function and its CPU backend.
**
**     search, ended at the target  ->  tree edges  ->  target ... source  ->  reversed
**
** The path is the chain of tree edges that the whole search gives, ties included. It can be
** found from both ends, too (both_ends.c, by_weight.c): that takes rows with edge
** numbers and the transpose, so a graph's first paths are found by the search. */
#include "backend.h"

#include <string.h>

void gg_turn_round(const gpugraph_graph *graph, void *edge, uint32_t count) {
    const bool wide = graph->wide;
    for (uint32_t i = 0, j = count; i + 1 < j; i++) {
        uint64_t last = gg_edge_at(edge, wide, --j);
        gg_put_edge(edge, wide, j, gg_edge_at(edge, wide, i));
        gg_put_edge(edge, wide, i, last);
    }
}

void gg_walk_path(const gpugraph_graph *graph, const void *tree_edge, uint32_t v,
                  gpugraph_run *run, void *edge, uint32_t *count) {
    const bool wide = graph->wide;
    uint32_t steps = 0;
    uint64_t e;
    *count = GPUGRAPH_NONE;
    while ((e = gg_edge_at(tree_edge, wide, v)) != GPUGRAPH_NO_EDGE) {
        gg_put_edge(edge, wide, steps++, e);
        v = gpugraph_other_end(graph, e, v);
        if (steps % GG_POLL_ITEMS == 0 && gg_poll(run)) {
            gg_stopped(run);
            return;
        }
    }
    gg_turn_round(graph, edge, steps);
    *count = steps;
}

static bool is_reached(gpugraph_distance_type type, const void *distance, uint32_t v) {
    switch (type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)distance)[v] != UINT32_MAX;
    case GPUGRAPH_UINT64:
        return ((const uint64_t *)distance)[v] != UINT64_MAX;
    default:
        return ((const double *)distance)[v] <= __DBL_MAX__;
    }
}

/* By a search, by weight or by depth. */
static gpugraph_status path_by_search(gpugraph_graph *graph,
                                      const gpugraph_search *search, bool weighted,
                                      gpugraph_run *run, void *edge, uint32_t *count) {
    gpugraph_distance_type type = weighted ? graph->distance_type : GPUGRAPH_UINT32;
    void *value = gg_alloc(run, graph->n, gg_distance_size(type));
    void *tree = gg_alloc(run, graph->n, gg_edge_size(graph->wide));
    uint32_t target = search->target[0];
    *count = GPUGRAPH_NONE;
    if (value && tree && weighted)
        gg_cpu_sssp(graph, search, run, value, tree);
    else if (value && tree)
        gg_cpu_bfs(graph, search, run, value, tree);
    if (run->status == GPUGRAPH_OK && is_reached(type, value, target))
        gg_walk_path(graph, tree, target, run, edge, count);
    gg_release(value);
    gg_release(tree);
    return run->status;
}

gpugraph_status gg_path_by_sssp(gpugraph_graph *graph, const gpugraph_search *search,
                                gpugraph_run *run, void *edge, uint32_t *count) {
    return path_by_search(graph, search, true, run, edge, count);
}

gpugraph_status gg_cpu_path(gpugraph_graph *graph, const gpugraph_search *search,
                            bool weighted, gpugraph_run *run, void *edge,
                            uint32_t *count) {
    bool given = run->method && strcmp(run->method, "auto") != 0;
    if (!given && gg_path_prepared(graph, search, weighted))
        run->used_method = "bidirectional";
    if (gg_method_is(run, "bidirectional"))
        return weighted ? gg_weighted_path_from_both_ends(graph, search, run, edge, count)
                        : gg_path_from_both_ends(graph, search, run, edge, count);
    return path_by_search(graph, search, weighted, run, edge, count);
}

/* Whose method the run asks for: the search's, or one that only paths have. */
static const char *whose_method(const char *search, const gpugraph_run *run) {
    const gpugraph_method *m;
    if (!run->method || strcmp(run->method, "auto") == 0)
        return search;
    for (int i = 0; (m = gpugraph_method_at(i)) != NULL; i++)
        if (strcmp(m->function, search) == 0 && strcmp(m->name, run->method) == 0)
            return search;
    return "path";
}

gpugraph_status gpugraph_path(gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run, void *edge,
                              uint32_t *count) {
    const char *function = whose_method(weighted ? "sssp" : "bfs", run);
    gg_begin(run);
    *count = GPUGRAPH_NONE;
    if (weighted && graph->edges.weight_type == GPUGRAPH_UNWEIGHTED)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a path by weight needs weights, and the graph was made without");
    if (gg_check_search(graph, search, run))
        return run->status;
    if (search->source_count != 1 || search->target_count != 1)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a path has one source and one target, and there are %u and %u",
                       search->source_count, search->target_count);
    bool fallback = false;
    const backend *on = gg_choose(graph, function, run, &fallback);
    if (!on)
        return run->status;
    on->path(graph, search, weighted, run, edge, count);
    if (gg_fall_back(run, function, fallback))
        gg_cpu_path(graph, search, weighted, run, edge, count);
    return run->status;
}
