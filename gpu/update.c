/* A graph brought up to date by a batch of changes. */
#include "backend.h"

/* Are the changes what gpugraph.h asks for? */
static gpugraph_status check_ids(const gpugraph_graph *graph,
                                 const gpugraph_changes *changes, gpugraph_run *run) {
    if (graph->has_more_vertices)
        return gg_fail(
            run, GPUGRAPH_INVALID,
            "a graph made with vertices beyond the ends of its edges cannot be "
            "updated");
    for (int64_t i = 0; i < changes->removed_count; i++) {
        int64_t id = changes->removed[i];
        uint32_t e = gpugraph_find_edge(graph, id);
        if (i > 0 && changes->removed[i - 1] >= id)
            return gg_fail(run, GPUGRAPH_INVALID,
                           "the ids of removed edges are not ascending at %lld",
                           (long long)id);
        if (e == GPUGRAPH_NONE)
            return gg_fail(run, GPUGRAPH_INVALID,
                           "edge %lld is to be removed, and the graph has no such edge",
                           (long long)id);
        if (graph->edge_id && e + (uint64_t)1 < graph->m && graph->edge_id[e + 1] == id)
            return gg_fail(run, GPUGRAPH_INVALID,
                           "edge %lld is to be removed, and the graph has several",
                           (long long)id);
    }
    const gpugraph_edges *added = changes->added;
    for (int64_t i = 0, r = 0; added && i < added->count; i++) {
        int64_t id = added->edge_id[i];
        if (i > 0 && added->edge_id[i - 1] >= id)
            return gg_fail(run, GPUGRAPH_INVALID,
                           "the ids of added edges are not ascending at %lld",
                           (long long)id);
        while (r < changes->removed_count && changes->removed[r] < id)
            r++;
        bool goes = r < changes->removed_count && changes->removed[r] == id;
        if (!goes && gpugraph_find_edge(graph, id) != GPUGRAPH_NONE)
            return gg_fail(run, GPUGRAPH_INVALID,
                           "edge %lld is to be added, and the graph has it already",
                           (long long)id);
    }
    return run->status;
}

/* The type of weights afterwards. */
static gpugraph_status settle_type(const gpugraph_graph *graph,
                                   const gpugraph_changes *changes, gpugraph_run *run,
                                   gpugraph_weight_type *type) {
    const gpugraph_edges *added = changes->added;
    *type = graph->edges.weight_type;
    if (!added || added->count == 0 || *type == added->weight_type)
        return run->status;
    if ((int64_t)graph->m == changes->removed_count)
        *type = added->weight_type;
    else if (!*type || !added->weight_type)
        return gg_fail(run, GPUGRAPH_INVALID, "the graph's edges have %s, added ones %s",
                       *type ? "weights" : "no weights", *type ? "none" : "have");
    else
        *type = GPUGRAPH_REAL_WEIGHTS;
    return run->status;
}

/* Makes of the new graph what was made of the old one. */
static void remake(const gpugraph_graph *old, gpugraph_graph *new, gpugraph_run *run) {
    csr view;
    for (int kind = 0; kind < CSR_KINDS && !gg_stopping(run); kind++)
        if (old->csr[kind].made)
            gg_csr(new, (enum csr_kind)kind, old->csr[kind].weight != NULL,
                   old->csr[kind].sorted, run, &view);
    if (old->edge_rows.made && !gg_stopping(run))
        gg_edge_rows(new, run);
}

gpugraph_status gpugraph_update(gpugraph_graph *graph, const gpugraph_changes *changes,
                                gpugraph_run *run) {
    gpugraph_weight_type type;
    gpugraph_graph *new;
    double start = gg_now_ms();
    gg_begin(run);
    if (check_ids(graph, changes, run) || settle_type(graph, changes, run, &type) ||
        gg_rebuild(graph, changes, type, run, &new))
        return run->status;
    remake(graph, new, run);
    if (run->status) {
        gpugraph_free(new);
        return run->status;
    }
    gpugraph_release_device(graph);
    gpugraph_graph swap = *graph;
    *graph = *new;
    *new = swap;
    graph->searches = swap.searches;
    gpugraph_free(new);
    gg_phase(run, "update", start, graph->m, "%s", "");
    return run->status;
}
