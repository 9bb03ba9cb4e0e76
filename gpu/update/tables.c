/* The slab tables of a graph's edges, which lie beside its copy on a device
** (patch_store.cu).
**
**     gpugraph_make_tables   requests the tables, and makes them from the copy's edges
**     gpugraph_update        deletes, then inserts, before the rest of the copy changes
**     gpugraph_check_copy    compares the copy and the tables with the edges
**
** If tables cannot be made, cannot take a batch, or fail, the copy does without them. */
#include "update.h"

gpugraph_status gpugraph_make_tables(gpugraph_graph *graph, gpugraph_run *run) {
    gg_enter_graph(graph, run);
    gg_count_for(NULL);
    __atomic_store_n(&graph->derived.tables_kept, true, __ATOMIC_RELAXED);
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
