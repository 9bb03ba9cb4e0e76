/* Device-resident edges: a device decoded the pages of their table or numbered their ids.
** Most searches never need the edges on the host. Weights that the host has read stay on
** the host.
**
**     pages -> device: source, target, weight -> rows -> searches, trees
**                            |
**                            | first use on the host: a search on the CPU,
**                            | a parent, a path, a change
**                            v
**     host: source, target, weight */
#include "graph.h"
#include "copy.h"

gpugraph_status gg_download_edges(gpugraph_graph *graph, gpugraph_run *run) {
    if (!gg_is_device_resident(graph) || gg_stopping(run))
        return run->status;
    if (gpugraph_is_lost(graph)) {
        gg_fail(run, GPUGRAPH_DEVICE_FAILED,
                "the edges were on a CUDA device that this process can no longer use; "
                "repeat the query to read the table again");
    } else {
        gpugraph_run *counted = gg_count_for(NULL); /* the graph keeps the edges */
        gg_copies_asked()->download(graph, run);
        gg_count_for(counted);
    }
    return run->status;
}

gpugraph_status gg_bring_edges(gpugraph_graph *graph, gpugraph_run *run) {
    if (!gg_stopping(run) && gg_has_gaps(graph))
        gg_close_gaps(graph, gg_threads(run, graph->m));
    return gg_download_edges(graph, run);
}

gpugraph_status gpugraph_bring_edges(gpugraph_graph *graph, gpugraph_run *run) {
    gg_enter_graph(graph, run);
    gg_download_edges(graph, run);
    return gg_leave_graph(graph, run);
}

bool gpugraph_is_lost(const gpugraph_graph *graph) {
    return gg_is_device_resident(graph) && !gg_copies_asked()->reaches(graph);
}

void gg_publish_edges(gpugraph_graph *graph, uint32_t *source, uint32_t *target,
                      void *weight) {
    gg_lock(&graph->gate.lock);
    const bool first = graph->device_resident;
    if (first) {
        graph->edges.source = graph->source = source;
        graph->edges.target = graph->target = target;
        if (weight) {
            graph->weight = weight;
            gg_point_weights(graph);
        }
        const uint64_t size = weight ? gg_distance_size(graph->distance_type) : 0;
        __atomic_fetch_add(&graph->host_bytes,
                           (int64_t)(graph->m * (2 * sizeof *source + size)),
                           __ATOMIC_RELAXED);
        __atomic_store_n(&graph->device_resident, false, __ATOMIC_RELEASE);
    }
    gg_unlock(&graph->gate.lock);
    if (first)
        return;
    gg_release(source);
    gg_release(target);
    gg_release(weight);
}
