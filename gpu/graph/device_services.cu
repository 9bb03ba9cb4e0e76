/* The device's copy of a graph, as the host's side asks for it. */
#include "copy.h"
#include "device/devices.cuh"
#include "device/parts.cuh"
#include "graph.cuh"

static int64_t held(const gpugraph_graph *graph) {
    return gg_device_part_bytes(graph, PART_GROUNDS);
}

static void free_copy(gpugraph_graph *graph) {
    gg_device_graph_free(graph, false);
}

static void release(gpugraph_graph *graph) {
    if (!graph->device)
        return;
    if (gg_forked())
        gg_device_graph_free(graph, true);
    else
        gg_with_device_of(graph, free_copy);
}

/* A child of fork frees and changes pages of its own. */
static void rows_back(gpugraph_graph *graph) {
    if (!gg_forked())
        gg_with_device_of(graph, gg_drop_pinned);
}

extern "C" const struct copy_services gg_copies = {
    .held = held,
    .release = release,
    .rows_back = rows_back,
};
