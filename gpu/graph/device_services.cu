/* Functions on device copies of a graph that host code calls (copy.h). */
#include "copy.h"
#include "device/devices.cuh"
#include "device/parts.cuh"
#include "device_copy.cuh"
#include "graph.h"

/* Selects the device for this thread (device/parts.cuh) and returns value(). */
template <typename function>
static auto on_device(int device, function value) -> decltype(value()) {
    const int before = gg_look_at_device(device);
    const auto found = value();
    gg_look_at_device(before);
    return found;
}

static int64_t held_on(const gpugraph_graph *graph, int device) {
    return on_device(device, [&] { return gg_device_part_bytes(graph, PART_GROUNDS); });
}

static bool has_copy(const gpugraph_graph *graph, int device) {
    return on_device(device, [&] { return gg_has_device_ends(graph); });
}

/* True if the device reads rows whose targets are in host memory. */
static bool has_pinned(const gpugraph_graph *graph, int device) {
    return on_device(device, [&] { return gg_has_pinned(graph); });
}

static void free_copy(gpugraph_graph *graph) {
    gg_device_graph_free(graph, false);
}

static void release(gpugraph_graph *graph) {
    if (!gg_forked())
        gg_with_devices_of(graph, free_copy);
    else
        while (graph->device)
            gg_device_graph_free(graph, true);
}

static int first_with(const gpugraph_graph *graph,
                      bool (*has)(const gpugraph_graph *, int)) {
    const struct device_graph *list = graph->device;
    while (list && !has(graph, list->ordinal))
        list = list->next;
    return list ? list->ordinal : GG_NOWHERE;
}

/* Returns the device whose copy stays. If edges are device-resident, it is the device
** that holds them. If there is no copy, it is a device that reads rows in host memory,
** which a change of weights does not affect. */
static int kept_device(const gpugraph_graph *graph, int device) {
    if (!gg_is_device_resident(graph) && has_copy(graph, device))
        return device;
    const int copied = first_with(graph, has_copy);
    return copied != GG_NOWHERE ? copied : first_with(graph, has_pinned);
}

static void keep_one(gpugraph_graph *graph, int device) {
    const int kept = kept_device(graph, device);
    for (int ordinal = 0; ordinal < GG_MAX_DEVICES && !gg_forked(); ordinal++)
        if (gg_device_list(graph, ordinal) &&
            (ordinal != kept ||
             (held_on(graph, ordinal) == 0 && !has_pinned(graph, ordinal))))
            gg_with_device(graph, ordinal, free_copy);
}

/* In a child of fork() no device reads the host's rows. */
static void rows_back(gpugraph_graph *graph) {
    if (!gg_forked())
        gg_with_devices_of(graph, gg_drop_pinned);
}

static bool count_degrees(gpugraph_graph *graph, gpugraph_run *run, uint32_t *degree) {
    gpugraph_run own = *run;
    own.device = first_with(graph, has_copy);
    if (own.device == GG_NOWHERE || gg_forked())
        return false;
    gg_in_job(graph, &own, [&](struct cuda_job *job) { gg_device_degrees(job, degree); });
    if (own.status == GPUGRAPH_INTERRUPTED)
        gg_stopped(run);
    return own.status == GPUGRAPH_OK;
}

static bool are_on(const gpugraph_graph *graph, int device) {
    return graph->device && graph->device->ordinal == device;
}

static bool reaches(const gpugraph_graph *graph) {
    return graph->device && !gg_forked() && gg_usable(NULL);
}

/* Downloads from the device that holds the edges, which need not be the run's. */
static void download(gpugraph_graph *graph, gpugraph_run *run) {
    const int device = run->device;
    run->device = graph->device->ordinal;
    gg_in_job(graph, run, [](struct cuda_job *job) { gg_job_download_edges(job); });
    run->device = device;
}

extern "C" const struct copy_services gg_copies = {
    .list_parts = gg_list_parts,
    .held_on = held_on,
    .has_copy = has_copy,
    .look_at = gg_look_at_device,
    .release = release,
    .keep_one = keep_one,
    .rows_back = rows_back,
    .count_degrees = count_degrees,
    .are_on = are_on,
    .reaches = reaches,
    .download = download,
    .take_weights = gg_take_device_weights,
};
