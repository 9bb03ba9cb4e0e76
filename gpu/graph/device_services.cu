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

static bool are_on(const gpugraph_graph *graph, int device) {
    return graph->device && graph->device->ordinal == device;
}

static bool reaches(const gpugraph_graph *graph) {
    return graph->device && !gg_forked() && gg_usable(NULL);
}

/* From the device where they are, which need not be the run's. */
static void bring(gpugraph_graph *graph, gpugraph_run *run) {
    struct cuda_job job;
    const int device = run->device;
    run->device = graph->device->ordinal;
    if (gg_job_open(&job, graph, run)) {
        gg_edges_home(&job);
        gg_job_close(&job);
    }
    run->device = device;
}

extern "C" const struct copy_services gg_copies = {
    .held = held,
    .release = release,
    .rows_back = rows_back,
    .are_on = are_on,
    .reaches = reaches,
    .bring = bring,
    .take_weights = gg_take_device_weights,
};
