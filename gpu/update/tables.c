/* The slab tables of a graph's edges, which lie beside its copy on a device
** (patch_store.cu).
**
**     gpugraph_make_tables   makes the tables from the copy's edges
**     gpugraph_update        deletes, then inserts, before the rest of the copy changes
**     gpugraph_check_copy    compares the copy and the tables with the edges
**
** If tables cannot be made, cannot take a batch, or fail, the copy does without them. */
#include "update.h"

gpugraph_status gpugraph_make_tables(gpugraph_graph *graph, gpugraph_run *run) {
    gg_enter_graph(graph, run);
    gg_count_for(NULL);
    if (!__atomic_load_n(&graph->derived.tables_settled, __ATOMIC_RELAXED) &&
        __atomic_load_n(&graph->device, __ATOMIC_ACQUIRE) && gg_patches.make)
        gg_patches.make(graph, run);
    return gg_leave_graph(graph, run);
}

gpugraph_status gpugraph_check_copy(gpugraph_graph *graph, gpugraph_run *run) {
    gg_begin(run);
    if (!graph->device || !gg_patches.check || gg_bring_edges(graph, run))
        return run->status;
    return gg_patches.check(graph, run);
}

/* ---- a batch ---- */

bool gg_store_holds(uint64_t vertices, uint64_t edges) {
    return edges < UINT32_MAX - 1 && vertices <= SLAB_MOST_VERTICES;
}

bool gg_store_follows(const update *u) {
    return gg_store_holds(u->graph->n, u->graph->m) &&
           gg_store_holds((uint64_t)u->graph->n + u->fresh, u->edges.after) &&
           !u->changes->before;
}

gpugraph_status gg_store_changes(const update *u, store_changes *c) {
    const size_t size = gg_distance_size(u->distance_type);
    *c = (store_changes){.gone = u->removed_count,
                         .come = u->added_count,
                         .gone_source = u->removed_ends.source,
                         .gone_target = u->removed_ends.target,
                         .come_source = u->added_ends.source,
                         .come_target = u->added_ends.target,
                         .gone_id = u->removed_id,
                         .come_id = u->added->edge_id,
                         .vertices = u->n};
    if (!u->weight)
        return u->run->status;
    c->come_weight = gg_alloc(u->run, c->come, sizeof *c->come_weight);
    for (uint64_t i = 0; c->come_weight && i < c->come; i++)
        c->come_weight[i] = (int64_t)gg_weight_at(u->weight, i, size);
    return u->run->status;
}
