/* The choice of host or device for ids during the opening of a device, a stub. */
/* ctest: serial */
#include "device/services.h"
#include "device/weigh.h"
#include "ids/ids.h"
#include "suite.h"

#include <math.h>

enum { MILLION = 1000000 };

/* The longer opening takes, the sooner the host maps ids. */
START_TEST(as_long_as_opening_takes) {
    for (int threads = 1; threads <= 64; threads *= 4)
        for (uint64_t m = 1000; m <= 1000 * (uint64_t)MILLION; m *= 10) {
            const double host = gg_map_stakes(m, threads).cpu;
            bool sooner = gg_host_maps_sooner(m, threads, 0);
            for (double left = 0; left < 2 * host + 10; left += host / 16 + 1) {
                const bool now = gg_host_maps_sooner(m, threads, left);
                ck_assert_msg(now || !sooner, "%llu edges, %d threads: %g ms are less",
                              (unsigned long long)m, threads, left);
                sooner = now;
            }
            ck_assert(sooner);
        }
    ck_assert(!gg_host_maps_sooner(60 * MILLION, 16, 0));
    ck_assert(!gg_host_maps_sooner(60 * MILLION, 1, 250));
    ck_assert(gg_host_maps_sooner(60 * MILLION, 16, 190));
    ck_assert(!gg_host_maps_sooner(60 * MILLION, 16, INFINITY));
}
END_TEST

/* ---- the stub ---- */

static struct opening_steps steps;
static struct opening stub = {.steps = &steps};

static bool usable(const char **why) {
    (void)why;
    return true;
}

static bool at(int ordinal, gpugraph_device *device) {
    (void)device;
    return ordinal == 0;
}

static enum opening_state state(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    return OPENING_UNDER_WAY;
}

static struct opening *opening(int ordinal) {
    (void)ordinal;
    return &stub;
}

static bool open_it(gpugraph_graph *graph, gpugraph_run *run) {
    (void)graph, (void)run;
    return true;
}

static const struct device_services services = {
    .usable = usable, .at = at, .state = state, .opening = opening, .open = open_it};

static int waited;

static int stop_waiting(void *unused) {
    (void)unused;
    return ++waited > 3;
}

/* The mapping does not wait for a device that the call names: the search will. */
START_TEST(nobody_waits) {
    gpugraph_graph graph = {0};
    gpugraph_edges edges = {.count = 4 * MILLION};
    gpugraph_run run = {.backend = GPUGRAPH_CUDA, .interrupted = stop_waiting};
    steps.usual_ms = 1e5;
    stub.began_ms = gg_now_ms();
    stub.state = OPENING_UNDER_WAY;
    stub.process = gg_this_process();
    gg_limits.devices = &services;
    gg_begin(&run);
    ck_assert(!gg_map_on_device(&graph, &edges, &run));
    gg_limits.devices = &gg_devices;
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    ck_assert(!gg_stopping(&run));
}
END_TEST

const struct suite suite = {
    "where",
    {{"all", .cases = {{&as_long_as_opening_takes}, {&nobody_waits}}}},
};
