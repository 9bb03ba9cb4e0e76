/* The behaviour of `auto` in a process whose device opens slowly, fails, or never
** returns: a stub replaces CUDA, and an algorithm has the costs that the test sets. */
#include "algorithm.h"
#include "backend/model.h"
#include "device/weigh.h"
#include "device/services.h"
#include "expect.h"
#include "graphs.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the stub ---- */

enum { OPENS_MS = 40 };

static bool works = true;
static int begun;

static bool open_slowly(int ordinal, const char **why) {
    (void)ordinal;
    usleep(OPENS_MS * 1000);
    *why = "the stub is out of order";
    return works;
}

static bool never_come_back(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    for (;;)
        pause();
    return false;
}

static const struct opening_steps slow = {open_slowly, OPENS_MS};
static const struct opening_steps endless = {never_come_back, OPENS_MS};
static struct opening stub = {.steps = &slow};

static bool usable(const char **why) {
    enum opening_state state = gg_opening_state(&stub, why);
    return state == OPENING_OPEN || state == OPENING_CLOSED;
}

static bool at(int ordinal, gpugraph_device *device) {
    *device = (gpugraph_device){.free = 1 << 30};
    return ordinal == 0;
}

static enum opening_state state(int ordinal, const char **why) {
    (void)ordinal;
    return gg_opening_state(&stub, why);
}

static bool begin(int ordinal) {
    (void)ordinal;
    begun++;
    return gg_opening_begin(&stub);
}

static struct opening *opening(int ordinal) {
    return ordinal == 0 ? &stub : NULL;
}

static const struct device_services services = {
    .usable = usable, .at = at, .state = state, .begin = begin, .opening = opening};

/* ---- an algorithm ---- */

static double arcs; /* a millionth of them is the CPU's time in ms */
static double steps;

static double arcs_of(const gpugraph_graph *graph) {
    (void)graph;
    return arcs;
}

static double steps_of(const gpugraph_graph *graph) {
    (void)graph;
    return steps;
}

static const gg_method on_cpu[] = {{.is = {"test", "plain", "cpu", ""}}, {.is = {0}}};
static const gg_method on_cuda[] = {{.is = {"test", "plain", "cuda", ""}}, {.is = {0}}};
static const algorithm_side cpu_side = {.methods = on_cpu};
static const algorithm_side cuda_side = {.methods = on_cuda};

static bool always(const gpugraph_graph *graph) {
    (void)graph;
    return true;
}

static const gg_algorithm algorithm = {
    .name = "test",
    .rows = CSR_KINDS,
    .arcs = arcs_of,
    .steps = steps_of,
    .alone = always,
    .cpu_ns = 1,
    .step_us = 1000,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &cuda_side},
};

static gpugraph_graph *graph;
static gpugraph_run run;

/* Runs a search with the predicted times on both sides. Returns where it runs. */
static gpugraph_backend search(double cpu_ms, double cuda_ms) {
    bool fallback;
    gg_begin(&run);
    arcs = cpu_ms * 1e6;
    steps = cuda_ms;
    return gg_choose(graph, &algorithm, NULL, 0, &run, &fallback);
}

static void expect_why(const char *part) {
    ck_assert_msg(strstr(run.why, part) != NULL, "%s", run.why);
}

static int waits;

static void hear(void *listener, const char *name, double ms, int64_t items,
                 const char *detail) {
    (void)listener, (void)ms, (void)items, (void)detail;
    waits += strcmp(name, "context") == 0;
}

static void setup(void) {
    shape path = shape_path(3);
    graph = shape_graph(&path);
    shape_free(&path);
    gg_limits.devices = &services;
    run = (gpugraph_run){.phase = hear};
}

static void teardown(void) {
    gpugraph_free(graph);
}

/* ---- sessions ---- */

START_TEST(small_searches_open_nothing) {
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(search(0.01, 0.1), GPUGRAPH_CPU);
    ck_assert_int_eq(begun, 0);
    ck_assert_int_eq(gg_opening_state(&stub, NULL), OPENING_CLOSED);
    expect_why(
        "auto: 0.01 ms on the CPU; a device would open too late or save too little");
}
END_TEST

/* The lost times of searches add up until a device is worth its cost and the session has
** lasted as long as opening takes; no search waits for it. */
START_TEST(many_searches_open_one) {
    int searches = 0;
    while (begun == 0 && searches < 1000) {
        ck_assert_int_eq(search(2, 0.1), GPUGRAPH_CPU);
        if (searches++ == 0)
            usleep(OPENS_MS * 1000);
    }
    ck_assert_int_eq(searches, 3); /* 1.9 ms each, and a tenth of 40 */
    expect_why("auto: 2 ms on the CPU; a device is being opened");
    gg_opening_wait(&stub, -1, &run);
    ck_assert_int_eq(search(2, 0.1), GPUGRAPH_CUDA);
    expect_why("auto: ");
    expect_why(" ms predicted, 2 ms on the CPU");
    ck_assert_int_eq(search(0.01, 0.1), GPUGRAPH_CPU);
    expect_why("ms on the device");
    ck_assert_int_eq(begun, 1);
    ck_assert_int_eq(waits, 0);
}
END_TEST

/* The first search of a process, which the CPU is predicted to finish before a device
** would be open. */
START_TEST(one_that_ends_first_opens_nothing) {
    ck_assert_int_eq(search(OPENS_MS - 1, 0.1), GPUGRAPH_CPU);
    ck_assert_int_eq(begun, 0);
    expect_why("auto: 39 ms on the CPU; a device would open too late or save too little");
}
END_TEST

START_TEST(a_large_search_waits) {
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_CUDA);
    ck_assert_int_eq(begun, 1);
    ck_assert_int_eq(waits, 1);
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_CUDA);
    ck_assert_int_eq(waits, 1);
}
END_TEST

START_TEST(one_that_fails) {
    const char *why;
    works = false;
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_CPU);
    expect_why("auto: 1e+03 ms on the CPU; no device: the stub is out of order");
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_CPU);
    ck_assert_int_eq(begun, 1);
    ck_assert_int_eq(waits, 1);
    ck_assert(!gpugraph_cuda_usable(&why));
    run.backend = GPUGRAPH_CUDA;
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_AUTO);
    ck_assert_int_eq(run.status, GPUGRAPH_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(run.message, "the stub is out of order"));
}
END_TEST

/* The one search that waits gives up in time, and no other search waits. */
START_TEST(one_that_never_comes_back) {
    stub.steps = &endless;
    double began = gg_now_ms();
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_CPU);
    double waited = gg_now_ms() - began;
    ck_assert_msg(waited >= OPENS_MS && waited < 10 * OPENS_MS, "%.0f ms", waited);
    began = gg_now_ms();
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(search(1000, 1), GPUGRAPH_CPU);
    ck_assert(gg_now_ms() - began < OPENS_MS);
    expect_why("a device is being opened");
    ck_assert_int_eq(waits, 1);
}
END_TEST

static int stop_soon(void *listener) {
    (void)listener;
    return gg_opening_left_ms(&stub) < OPENS_MS; /* it is under way */
}

START_TEST(a_wait_is_interrupted) {
    stub.steps = &endless;
    run.interrupted = stop_soon;
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_AUTO);
    ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
    run.backend = GPUGRAPH_CUDA; /* which waits without limit */
    ck_assert_int_eq(search(1000, 1), GPUGRAPH_AUTO);
    ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
}
END_TEST

/* Measured times correct predictions: a CPU that is four times as fast keeps its
** searches. */
START_TEST(what_was_measured_counts) {
    struct prediction p = {.search_ms = 4};
    ck_assert(gg_opening_begin(&stub));
    gg_opening_wait(&stub, -1, &run);
    ck_assert_int_eq(search(4, 2), GPUGRAPH_CUDA);
    for (int i = 0; i < 5; i++)
        gg_report_time(&algorithm, gg_like(graph, NULL), GPUGRAPH_CPU, &p, 1);
    for (int i = 0; i < 5;
         i++) /* searches on another side, of another kind, or too short */
        gg_report_time(&algorithm, gg_like(graph, NULL) ^ 1, GPUGRAPH_CUDA, &p, 1);
    ck_assert_int_eq(search(4, 2), GPUGRAPH_CPU);
    expect_why("auto: 1 ms predicted, ");
    gg_unlearn();
    ck_assert_int_eq(search(4, 2), GPUGRAPH_CUDA);
}
END_TEST

/* gg_fall_back ends every search, and reports its time. */
START_TEST(searches_are_measured) {
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(search(1, 100), GPUGRAPH_CPU);
        run.chosen_at_ms -= 8;
        ck_assert(!gg_fall_back(&run, &algorithm, false));
    }
    search(1, 100);
    ck_assert_msg(run.search_ms > 7, "%g", run.search_ms);
    for (int i = 0; i < 5; i++) { /* a failed search teaches nothing */
        search(1, 100);
        gg_fail(&run, GPUGRAPH_INVALID, "a test");
        gg_fall_back(&run, &algorithm, false);
    }
    search(1, 100);
    ck_assert_msg(run.search_ms > 7, "%g", run.search_ms);
}
END_TEST

const struct suite suite = {
    "session",
    {{"sessions", .timeout = 60, .setup = setup, .teardown = teardown,
      .cases = {{&small_searches_open_nothing},
                {&many_searches_open_one},
                {&one_that_ends_first_opens_nothing},
                {&a_large_search_waits},
                {&one_that_fails},
                {&one_that_never_comes_back},
                {&a_wait_is_interrupted},
                {&what_was_measured_counts},
                {&searches_are_measured}}}},
};
