/* Where ids become numbers: on the host, or on a device that is there already. */
#include "ids.h"
#include "device/services.h"
#include "device/weigh.h"
#include "backend.h"
#include "tuning.h"

double gg_map_host_ms(uint64_t edges, int threads) {
    double ns = GG_COST_MAP / threads;
    return (double)edges * (ns > GG_COST_MAP_LEAST ? ns : GG_COST_MAP_LEAST) * 1e-6;
}

double gg_map_device_ms(uint64_t edges) {
    return GG_COST_MAP_DEVICE_MS + (double)edges * GG_COST_MAP_DEVICE * 1e-6;
}

/* A graph is made to be searched: by a search that costs least, with the rows that it needs. */
double gg_first_search_gain_ms(uint64_t edges, int threads) {
    double search = threads < GG_COST_SPEEDUP ? threads : GG_COST_SPEEDUP;
    double rows = threads < GG_COST_ROWS_SPEEDUP ? threads : GG_COST_ROWS_SPEEDUP;
    double ns = GG_BFS_CPU_NS / search + GG_COST_CSR / rows;
    return (double)edges * (ns - GG_BFS_CUDA_NS - GG_COST_DEVICE) * 1e-6;
}

static bool device_is_wanted(const gpugraph_edges *edges, gpugraph_run *run) {
    const uint64_t m = (uint64_t)edges->count;
    if (run->backend == GPUGRAPH_AUTO) {
        const int threads = gg_threads(run, m);
        const struct stakes s = {.cpu = gg_map_host_ms(m, threads),
                                 .cuda = gg_map_device_ms(m),
                                 .ahead = gg_first_search_gain_ms(m, threads)};
        return gg_take_course(run, &s).on_device;
    }
    if (run->backend == GPUGRAPH_CUDA &&
        gg_devices_asked->state(run->device, NULL) == OPENING_UNDER_WAY)
        gg_await_device(run, -1);
    return run->backend == GPUGRAPH_CUDA;
}

bool gg_map_on_device(gpugraph_graph *graph, const gpugraph_edges *edges,
                      gpugraph_run *run) {
    const struct device_services *devices = gg_devices_asked;
    uint64_t entries = 2 * (uint64_t)edges->count + (uint64_t)edges->vertex_count;
    bool able =
        gg_device_mapper && !edges->texts.count && entries > 0 && entries < UINT32_MAX;
    if (!able || (!edges->cells && !device_is_wanted(edges, run)) || gg_stopping(run) ||
        !devices->usable(NULL) || !devices->at(run->device, NULL))
        return false;
    if (devices->open(graph, run))
        return true;
    if (run->status != GPUGRAPH_INTERRUPTED)
        gg_begin(run); /* whoever asked for the device will hear of it from the search */
    return false;
}
