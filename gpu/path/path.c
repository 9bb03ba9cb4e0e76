/* One shortest path: the public function and its CPU backend.
**
**     search, ended at the target  ->  tree edges  ->  target ... source  ->  reversed
**
** The path is the chain of tree edges that the whole search gives, with the same rule for
** ties. A search from both ends finds it, too (both_ends.c), but needs rows with edge
** numbers and the transpose. So the first paths of a graph are found by the search from
** the source. */
#include "base/words.h"
#include "bfs/bfs.h"
#include "path.h"
#include "sssp/sssp.h"

void gg_reverse_edges(const gpugraph_graph *graph, void *edge, uint32_t count) {
    const bool wide = graph->wide;
    for (uint32_t i = 0, j = count; i + 1 < j; i++) {
        uint64_t last = gg_edge_at(edge, wide, --j);
        gg_put_edge(edge, wide, j, gg_edge_at(edge, wide, i));
        gg_put_edge(edge, wide, i, last);
    }
}

void gg_walk_path(const struct path_task *t, const void *tree_edge) {
    const bool wide = t->graph->wide;
    uint32_t steps = 0, v = t->search->target[0];
    uint64_t e;
    while ((e = gg_edge_at(tree_edge, wide, v)) != GPUGRAPH_NO_EDGE) {
        gg_put_edge(t->edge, wide, steps++, e);
        v = gpugraph_other_end(t->graph, e, v);
        if (gg_leave(t->run, steps)) {
            gg_stopped(t->run);
            return;
        }
    }
    gg_reverse_edges(t->graph, t->edge, steps);
    *t->count = steps;
}

gpugraph_status gg_path_by_search(const struct path_task *t) {
    gpugraph_graph *graph = t->graph;
    gpugraph_run *run = t->run;
    const gpugraph_distance_type type = gg_path_type(graph, t->weighted);
    void *value = gg_alloc(run, graph->n, gg_distance_size(type));
    void *tree = gg_alloc(run, graph->n, gg_edge_size(graph->wide));
    if (value && tree && t->weighted)
        gg_cpu_sssp(graph, t->search, run, value, tree);
    else if (value && tree)
        gg_cpu_bfs(graph, t->search, run, value, tree);
    if (run->status == GPUGRAPH_OK &&
        gg_word_at(type, value, t->search->target[0]) != GG_INFINITE)
        gg_walk_path(t, tree);
    gg_release(value);
    gg_release(tree);
    return run->status;
}

/* Paths have the methods of the search, too. */
static const gg_method methods[] = {
    {.is = {"path", "bidirectional", "cpu",
            "from both ends; makes the transpose and rows of edge numbers"},
     .may = gg_path_prepared},
    {.is = {0}},
};

static gpugraph_status find_path_on_cpu(const struct path_task *t) {
    return gg_settle_method(t->run, methods, t) ? gg_path_from_both_ends(t)
                                                : gg_path_by_search(t);
}

/* The algorithm whose method the run asks for: the search, or the path itself. */
static const gg_algorithm *whose_method(bool weighted, const gpugraph_run *run) {
    const gg_algorithm *search = weighted ? &gg_sssp : &gg_bfs;
    return gg_method_is_auto(run) || gg_has_method(search, run->method) ? search
                                                                        : &gg_path;
}

/* ---- the descriptor ---- */

static const algorithm_side cpu_side = {.methods = methods,
                                        .call = GG_CALLS(path_entry, find_path_on_cpu)};

const gg_algorithm gg_path = {
    .name = "path",
    .brings_edges = true,
    .rows = CSR_OUT,
    .arcs = gg_arcs_once,
    .more_methods = ", and those of bfs by depth or of sssp by weight",
    .cpu_ns = 15, /* the costs are not measured separately from those of the search */
    .cuda_ns = 0.04,
    .step_us = 40,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_path_cuda},
};

/* ---- the public function ---- */

gpugraph_status gg_check_path(const gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run) {
    if (weighted && graph->edges.weight_type == GPUGRAPH_UNWEIGHTED)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a path by weight needs weights, but the graph has none");
    if (!gg_check_search(graph, search, run) &&
        (search->source_count != 1 || search->target_count != 1))
        gg_fail(run, GPUGRAPH_INVALID,
                "a path has one source and one target, and there are %u and %u",
                search->source_count, search->target_count);
    return run->status;
}

static void find_path_checked(const struct path_task *t) {
    gpugraph_run *run = t->run;
    const gg_algorithm *whose = whose_method(t->weighted, run);
    if (!gg_needs(run, t->count, 1, "count"))
        return;
    *t->count = GPUGRAPH_NONE;
    if (gg_check_path(t->graph, t->search, t->weighted, run) ||
        !gg_needs(run, t->edge, t->graph->n, "edge"))
        return;
    bool fallback = false;
    gpugraph_backend on = gg_choose(t->graph, whose, t->search, 0, run, &fallback);
    if (!on)
        return;
    GG_CALL_OF(path_entry, gg_path.side[on])(t);
    if (gg_fall_back(run, whose, fallback))
        find_path_on_cpu(t);
}

gpugraph_status gpugraph_path(gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run, void *edge,
                              uint32_t *count) {
    gg_enter_graph(graph, run);
    find_path_checked(&(struct path_task){graph, search, weighted, run, edge, count});
    return gg_leave_graph(graph, run);
}
