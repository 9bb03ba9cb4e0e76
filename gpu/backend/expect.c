/* A graph is about to be read. */
#include "device/cost.h"
#include "device/services.h"
#include "device/weigh.h"
#include "ids/ids.h"

/* What is predicted to be saved is no rent yet: reading may fail, or be given up. */
static bool is_worth_it(uint64_t edges, const gpugraph_run *run) {
    const int threads = gg_threads(run, edges);
    const double session = gg_session_ms(), map = gg_map_host_ms(edges, threads),
                 ahead = gg_first_search_gain_ms(edges, threads);
    return run->backend == GPUGRAPH_CUDA ||
           gg_opening_pays(
               gg_rent_ms(&gg_rent_paid), map - gg_map_device_ms(edges) + ahead,
               map + ahead > session ? map + ahead : session, GG_CUDA_START_MS);
}

bool gpugraph_expect(uint64_t edges, const gpugraph_run *run) {
    const struct device_services *devices = gg_devices_asked();
    if (run->backend == GPUGRAPH_CPU ||
        devices->state(run->device, NULL) != OPENING_CLOSED)
        return false;
    return !is_worth_it(edges, run) || !devices->begin(run->device);
}
