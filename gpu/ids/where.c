/* Decides whether the host or a device maps ids to vertex numbers. */
#include "ids.h"
#include "device/cost.h"
#include "device/services.h"
#include "device/weigh.h"

/* Nanoseconds per edge to number ids: by one host thread; the least by many threads; by
** the device with both transfers. MAP_DEVICE_MS: the device's constant milliseconds.
** Measured for R-MAT edges with INTEGER ids close together; ids far apart take 3 times as
** long on the host, 1.2 times as long on the device. */
#define MAP_NS        18.0
#define MAP_LEAST_NS  2.3
#define MAP_DEVICE_NS 0.85
#define MAP_DEVICE_MS 0.5
/* Nanoseconds per arc of breadth-first search, the cheapest search: by one host thread;
** by the device. */
#define SEARCH_NS        5
#define SEARCH_DEVICE_NS 0.013

/* `ahead` assumes one breadth-first search, and the making of its rows. */
struct stakes gg_map_stakes(uint64_t edges, int threads) {
    const double count = (double)edges, each = MAP_NS / threads,
                 search = threads < GG_COST_SPEEDUP ? threads : GG_COST_SPEEDUP,
                 rows = threads < GG_COST_ROWS_SPEEDUP ? threads : GG_COST_ROWS_SPEEDUP,
                 search_ns = SEARCH_NS / search + GG_COST_CSR / rows;
    return (struct stakes){
        .cpu = count * (each > MAP_LEAST_NS ? each : MAP_LEAST_NS) * 1e-6,
        .cuda = MAP_DEVICE_MS + count * MAP_DEVICE_NS * 1e-6,
        .ahead = count * (search_ns - SEARCH_DEVICE_NS - GG_COST_DEVICE) * 1e-6};
}

/* After mapping, the host uploads two vertex numbers of 4 bytes per edge. */
bool gg_host_maps_sooner(uint64_t edges, int threads, double left_ms) {
    const struct stakes s = gg_map_stakes(edges, threads);
    const double up = (double)edges * 2 * sizeof(uint32_t) / GG_UPLOAD_MOST;
    return (s.cpu > left_ms ? s.cpu : left_ms) + up < left_ms + s.cuda;
}

/* The search waits until the device is open; the host may map ids in this time. */
static bool host_fills_the_time(const gpugraph_edges *edges, gpugraph_run *run) {
    const struct device_services *devices = gg_devices_asked();
    const uint64_t m = (uint64_t)edges->count;
    const struct opening *opening = devices->opening(run->device);
    return opening && devices->state(run->device, NULL) == OPENING_UNDER_WAY &&
           gg_host_maps_sooner(m, gg_threads(run, m), gg_opening_left_ms(opening));
}

static bool device_is_wanted(const gpugraph_edges *edges, gpugraph_run *run) {
    const uint64_t m = (uint64_t)edges->count;
    if (run->backend != GPUGRAPH_CPU && host_fills_the_time(edges, run))
        return false;
    if (run->backend == GPUGRAPH_AUTO) {
        const struct stakes s = gg_map_stakes(m, gg_threads(run, m));
        return gg_take_course(run, &s).on_device;
    }
    if (run->backend == GPUGRAPH_CUDA &&
        gg_devices_asked()->state(run->device, NULL) == OPENING_UNDER_WAY)
        gg_await_device(run, -1);
    return run->backend == GPUGRAPH_CUDA;
}

bool gg_map_on_device(gpugraph_graph *graph, const gpugraph_edges *edges,
                      gpugraph_run *run) {
    const struct device_services *devices = gg_devices_asked();
    uint64_t entries = 2 * (uint64_t)edges->count + (uint64_t)edges->vertex_count;
    bool able =
        gg_device_mapper && !edges->texts.count && entries > 0 && entries < UINT32_MAX;
    if (!able || (!edges->cells && !device_is_wanted(edges, run)) || gg_stopping(run) ||
        !devices->usable(NULL) || !devices->at(run->device, NULL))
        return false;
    if (devices->open(graph, run))
        return true;
    if (run->status != GPUGRAPH_INTERRUPTED)
        gg_begin(run); /* the search will report the device's failure */
    return false;
}
