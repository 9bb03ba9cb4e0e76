/* Where ids become numbers: on the host, or on a device that is there already. */
#include "ids.h"
#include "device/services.h"
#include "backend.h"
#include "tuning.h"

static bool device_maps_faster(const gpugraph_edges *edges, const gpugraph_run *run) {
    double m = (double)edges->count;
    double host_ns = GG_COST_MAP / gg_threads(run, (uint64_t)edges->count);
    if (host_ns < GG_COST_MAP_LEAST)
        host_ns = GG_COST_MAP_LEAST;
    return GG_COST_MAP_DEVICE_MS + m * GG_COST_MAP_DEVICE * 1e-6 < m * host_ns * 1e-6;
}

bool gg_map_on_device(gpugraph_graph *graph, const gpugraph_edges *edges,
                      gpugraph_run *run) {
    uint64_t entries = 2 * (uint64_t)edges->count + (uint64_t)edges->vertex_count;
    bool able =
        gg_device_mapper && !edges->texts.count && entries > 0 && entries < UINT32_MAX;
    bool wanted = run->backend == GPUGRAPH_CUDA ||
                  (run->backend == GPUGRAPH_AUTO && able && gg_devices.is_open() &&
                   device_maps_faster(edges, run));
    if (!able || !wanted || !gg_devices.usable(NULL) || !gg_devices.at(run->device, NULL))
        return false;
    if (gg_devices.open(graph, run))
        return true;
    if (run->status != GPUGRAPH_INTERRUPTED)
        gg_begin(run); /* whoever asked for the device will hear of it from the search */
    return false;
}
