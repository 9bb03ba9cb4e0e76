/* What the host's side asks of a device's copy of a graph. */
#include "copy.h"
#include "graph.h"
#include "ids/ids.h"

void gpugraph_release_device(gpugraph_graph *graph) {
    gpugraph_run run = {.device = 0};
    if (!graph->device)
        return;
    gg_begin(&run);
    gg_bring_edges(graph, &run);
    gg_copies.release(graph);
}

void gg_rows_back(gpugraph_graph *graph) {
    struct csr_slot *slot = &graph->csr[CSR_SIMPLE];
    if (slot->lent && graph->device)
        gg_copies.rows_back(graph);
    slot->lent = false;
}

int64_t gg_bytes_on_device(const gpugraph_graph *graph, const gpugraph_run *run,
                           int64_t (*bytes)(const gpugraph_graph *graph, bool frugal),
                           bool frugal) {
    if (!bytes || !graph->device)
        return bytes ? bytes(graph, frugal) : 0;
    const int before = gg_copies.look_at(run->device);
    const int64_t needed = bytes(graph, frugal);
    gg_copies.look_at(before);
    return needed;
}

int64_t gg_held_on_device(const gpugraph_graph *graph, const gpugraph_run *run) {
    return graph->device ? gg_copies.held_on(graph, run->device) : 0;
}

bool gg_copy_is_there(const gpugraph_graph *graph, const gpugraph_run *run) {
    return graph->device && gg_copies.has_copy(graph, run->device);
}

void gpugraph_memory(const gpugraph_graph *graph, int64_t *host_bytes,
                     int64_t *device_bytes) {
    *host_bytes = __atomic_load_n(&graph->host_bytes, __ATOMIC_RELAXED) +
                  gg_csr_bytes(graph) + (int64_t)gg_text_index_bytes(graph);
    *device_bytes = graph->device ? gg_copies.held(graph) : 0;
}
