/* The number of devices that search together: a stub of four devices replaces CUDA, and
** an algorithm has the costs and needs that the test sets. */
/* ctest: serial */
#include "backend/devices.h"
#include "backend/model.h"
#include "device/services.h"
#include "expect.h"
#include "graph/copy.h"
#include "graphs.h"
#include "suite.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- the stub ---- */

enum { DEVICES = 4, ROOM = 1000, WHOLE = 800 };

static enum opening_state states[DEVICES];
static int64_t room[DEVICES];
static int there, begun[DEVICES];

static bool usable(const char **why) {
    if (why)
        *why = "";
    return true;
}

static bool at(int ordinal, gpugraph_device *device) {
    if (ordinal < 0 || ordinal >= there)
        return false;
    if (device)
        *device = (gpugraph_device){.free = room[ordinal], .memory = ROOM};
    return true;
}

static enum opening_state state(int ordinal, const char **why) {
    if (why)
        *why = "";
    return ordinal < there ? states[ordinal] : OPENING_FAILED;
}

static bool begin(int ordinal) {
    begun[ordinal]++;
    states[ordinal] = OPENING_UNDER_WAY;
    return true;
}

static struct opening *opening(int ordinal) {
    (void)ordinal;
    return NULL;
}

static const struct device_services services = {
    .usable = usable, .at = at, .state = state, .begin = begin, .opening = opening};

/* ---- an algorithm ---- */

static double arcs, several_ns; /* a device takes arcs * 1 ns */
/* bytes of the usual method, and of the method that needs least */
static int64_t whole, spare;

static double arcs_of(const gpugraph_graph *of) {
    (void)of;
    return arcs;
}

static double no_steps(const gpugraph_graph *of) {
    (void)of;
    return 0;
}

static int64_t bytes(const gpugraph_graph *of, bool frugal) {
    (void)of;
    return frugal ? spare : whole;
}

static int64_t several_bytes(const gpugraph_graph *of, int parts) {
    (void)of;
    return whole / parts;
}

static const gg_method on_cpu[] = {{.is = {"test", "plain", "cpu", ""}}, {.is = {0}}};
static bool several_ready(const gpugraph_graph *of, int parts) {
    (void)of, (void)parts;
    return false;
}

static const gg_method on_cuda[] = {{.is = {"test", "plain", "cuda", ""}}, {.is = {0}}};
static const gg_method on_several[] = {{.is = {"test", "several", "cuda", ""}},
                                       {.is = {0}}};
static const algorithm_side cpu_side = {.methods = on_cpu};
static const algorithm_side cuda_side = {.methods = on_cuda, .bytes = bytes};
static const algorithm_side several_side = {.methods = on_several,
                                            .several_bytes = several_bytes,
                                            .several_ready = several_ready};

static gg_algorithm algorithm = {
    .name = "test",
    .rows = CSR_KINDS,
    .arcs = arcs_of,
    .steps = no_steps,
    .cpu_ns = 1000,
    .cuda_ns = 1,
    .several_step_us = 1,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &cuda_side},
};

static gpugraph_graph *graph;
static gpugraph_run run;

static void setup(void) {
    shape path = shape_path(3);
    graph = shape_graph(&path);
    shape_free(&path);
    gg_limits.devices = &services;
    gg_unlearn();
    there = DEVICES;
    for (int i = 0; i < DEVICES; i++) {
        states[i] = OPENING_OPEN;
        room[i] = ROOM;
        begun[i] = 0;
    }
    arcs = 1e9;
    several_ns = 1;
    whole = spare = WHOLE;
    algorithm.several = &several_side;
    run = (gpugraph_run){.backend = GPUGRAPH_CUDA, .device_count = GPUGRAPH_ALL_DEVICES};
}

static void teardown(void) {
    gpugraph_free(graph);
}

static gpugraph_backend choose(void) {
    bool fallback;
    gg_begin(&run);
    algorithm.several_ns = several_ns;
    return gg_choose(graph, &algorithm, NULL, 0, &run, &fallback);
}

static gpugraph_backend choose_shared(uint32_t searches) {
    bool fallback;
    gg_begin(&run);
    return gg_choose(graph, &algorithm, NULL, searches, &run, &fallback);
}

/* Expects exactly these devices. */
static void expect_devices(uint32_t set) {
    int ordinal[GG_MAX_DEVICES];
    uint32_t used = 0;
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    ck_assert_int_eq(run.used_devices, __builtin_popcount(set));
    ck_assert_int_eq(gg_used_devices(&run, ordinal), run.used_devices);
    for (int i = 0; i < run.used_devices; i++) {
        ck_assert(i == 0 || ordinal[i - 1] < ordinal[i]);
        used |= 1u << ordinal[i];
    }
    ck_assert_uint_eq(used, set);
}

static void expect_one(void) {
    expect_devices(1u << run.device);
    ck_assert_str_eq(run.used_method, "plain");
}

/* ---- as many as pay ---- */

START_TEST(all_where_they_pay) {
    choose();
    expect_devices(15);
    ck_assert_str_eq(run.used_method, "several");
}
END_TEST

START_TEST(one_where_they_do_not) {
    const double limit = 4 / GG_SEVERAL_GAIN;
    several_ns = limit * 1.01;
    choose();
    expect_one();
    several_ns = limit * 0.99;
    choose();
    expect_devices(15);
    several_ns = 0; /* the time is unknown */
    choose();
    expect_one();
}
END_TEST

START_TEST(one_alone_by_default) {
    run.device_count = 0;
    run.device = 2;
    choose();
    expect_one();
}
END_TEST

START_TEST(those_that_are_listed) {
    const int some[] = {1, 3};
    run.devices = some;
    run.device_count = 2;
    run.device = 3;
    choose();
    expect_devices(10);
}
END_TEST

START_TEST(a_method_of_one_device) {
    run.method = "plain";
    choose();
    expect_one();
    run.method = "several";
    choose();
    expect_devices(15);
}
END_TEST

START_TEST(an_algorithm_of_one_device) {
    algorithm.several = NULL;
    choose();
    expect_one();
    run.all_devices = true;
    choose();
    expect_one();
}
END_TEST

START_TEST(auto_takes_them_too) {
    run.backend = GPUGRAPH_AUTO;
    ck_assert_int_eq(choose(), GPUGRAPH_CUDA);
    expect_devices(15);
    ck_assert_ptr_nonnull(strstr(run.why, "on one device"));
    run.backend = GPUGRAPH_CPU;
    ck_assert_int_eq(choose(), GPUGRAPH_CPU);
    expect_devices(0);
}
END_TEST

/* Partitions cost more than a copy, and one search does not save half of the
** difference. */
START_TEST(parts_are_rented) {
    int searches = 0;
    there = 2;
    algorithm.cuda_ns = 0.06;
    several_ns = 0.08;
    do {
        choose();
        searches++;
    } while (run.used_devices == 1 && searches < 100);
    algorithm.cuda_ns = 1;
    /* one device: 60 ms and 110 for a copy; two: 40 ms, some more on the bus, and 150 */
    ck_assert_int_eq(searches, 2);
    expect_devices(3);
}
END_TEST

/* Several devices that take longer than predicted are given up for one. */
START_TEST(times_are_learned) {
    for (int i = 0; i < 5; i++) {
        choose();
        if (run.used_devices == 1)
            break;
        ck_assert_int_eq(run.chosen, GG_SEVERAL);
        ck_assert(run.chosen_at_ms > 0);
        run.chosen_at_ms = gg_now_ms() - 8 * (run.search_ms + run.stays_ms);
        run.stays_ms = 0;
        ck_assert(!gg_fall_back(&run, &algorithm, false));
    }
    expect_one();
}
END_TEST

/* ---- memory ---- */

START_TEST(several_for_their_memory) {
    several_ns = 0;
    whole = spare = 5 * ROOM / 2; /* three have it together */
    choose();
    expect_devices(7);
    ck_assert_str_eq(run.used_method, "several");
    run.backend = GPUGRAPH_AUTO;
    ck_assert_int_eq(choose(), GPUGRAPH_CUDA);
    expect_devices(7);
}
END_TEST

/* memory_limit applies to each device. */
START_TEST(several_for_the_limit) {
    several_ns = 0;
    run.memory_limit = WHOLE * 10 / 17;
    choose();
    expect_devices(3);
}
END_TEST

START_TEST(several_before_a_method_that_needs_less) {
    several_ns = 0;
    whole = 3 * ROOM / 2;
    spare = 1;
    choose();
    expect_devices(3);
    there = 1;
    choose();
    expect_one();
}
END_TEST

START_TEST(not_enough_on_all) {
    whole = spare = 5 * ROOM;
    ck_assert_int_eq(choose(), GPUGRAPH_AUTO);
    ck_assert_int_eq(run.status, GPUGRAPH_DEVICE_MEMORY);
    ck_assert_ptr_nonnull(strstr(run.message, "5000 bytes are needed and 1000 are free"));
    run.backend = GPUGRAPH_AUTO;
    ck_assert_int_eq(choose(), GPUGRAPH_CPU);
    expect_devices(0);
}
END_TEST

/* All devices are faster together, but one of them is full, so fewer devices search. */
START_TEST(fewer_where_one_is_full) {
    room[3] = 1;
    choose();
    expect_devices(7);
    room[1] = 1;
    choose();
    expect_one();
}
END_TEST

/* ---- every one ---- */

START_TEST(every_one_of_a_list) {
    const int some[] = {0, 2};
    several_ns = 0;
    run.devices = some;
    run.device_count = 2;
    run.all_devices = true;
    choose();
    expect_devices(5);
    room[2] = 1;
    choose();
    ck_assert_int_eq(run.status, GPUGRAPH_DEVICE_MEMORY);
    ck_assert_ptr_nonnull(strstr(run.message, "on each of several devices"));
    there = 2;
    choose();
    ck_assert_int_eq(run.status, GPUGRAPH_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(run.message, "CUDA device 2 does not exist"));
}
END_TEST

START_TEST(one_that_has_failed) {
    states[2] = OPENING_FAILED;
    choose();
    expect_devices(11);
    run.all_devices = true;
    choose();
    ck_assert_int_eq(run.status, GPUGRAPH_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(run.message, "CUDA device 2: "));
}
END_TEST

START_TEST(every_one_there_is) {
    several_ns = 0;
    run.all_devices = true;
    choose();
    expect_devices(15);
    there = 1;
    choose();
    expect_one();
}
END_TEST

START_TEST(lists_that_are_wrong) {
    static const int lists[][2] = {{1, 0}, {1, 1}, {-1, 0}, {0, GG_MAX_DEVICES}};
    run.device_count = 2;
    for (int i = 0; i < 4; i++) {
        run.devices = lists[i];
        choose();
        ck_assert_int_eq(run.status, GPUGRAPH_INVALID);
    }
    const int others[] = {1, 2};
    run.devices = others;
    choose();
    ck_assert_int_eq(run.status, GPUGRAPH_INVALID);
    ck_assert_str_eq(run.message, "device 0 is not one of the 2 devices given");
}
END_TEST

/* ---- devices that are not open ---- */

/* Searches use the open devices until the lost time is worth the opening; no search
** waits. */
START_TEST(others_open_when_they_are_missed) {
    int searches = 0;
    states[1] = states[2] = states[3] = OPENING_CLOSED;
    arcs = 2e7; /* 20 ms on one, 5 on four */
    while (!begun[1] && searches < 100) {
        choose();
        expect_one();
        if (searches++ == 0) /* lets the session last as long as opening takes */
            usleep((useconds_t)(GG_CUDA_START_MS * 1000));
    }
    const double price = GG_CUDA_START_MS * GG_OPENING_SHARE;
    ck_assert_int_eq(searches, (int)ceil(price / 15)); /* each loses 15 ms */
    ck_assert_int_eq(begun[1], 1);
    ck_assert_int_eq(begun[2], 1);
    ck_assert_int_eq(begun[3], 1);
    states[1] = OPENING_OPEN;
    choose();
    expect_devices(3);
    states[2] = states[3] = OPENING_OPEN;
    choose();
    expect_devices(15);
    ck_assert_int_eq(begun[1], 1);
}
END_TEST

START_TEST(small_searches_open_nothing) {
    states[1] = states[2] = states[3] = OPENING_CLOSED;
    several_ns = 4;
    for (int i = 0; i < 100; i++)
        choose();
    expect_one();
    ck_assert_int_eq(begun[1] + begun[2] + begun[3], 0);
}
END_TEST

/* ---- many searches ---- */

START_TEST(searches_are_shared) {
    several_ns = 0; /* each search is on one device */
    algorithm.several = NULL;
    choose_shared(64);
    expect_devices(15);
    ck_assert_str_eq(run.used_method, "plain");
    choose_shared(2);
    expect_devices(3);
    choose_shared(1);
    expect_one();
    run.method = "plain";
    choose_shared(64);
    expect_devices(15);
    run.method = NULL;
    run.all_devices = true;
    choose_shared(3);
    expect_devices(7);
}
END_TEST

/* Copies cost more than they save. */
START_TEST(few_searches_are_not) {
    algorithm.several = NULL;
    arcs = 1e-6;
    choose_shared(2);
    expect_one();
}
END_TEST

/* ---- estimates ---- */

/* An estimate has the devices that the search would use, open or not. */
START_TEST(an_estimate_as_it_runs) {
    static const char *const together[] = {"bfs", "sssp", "mis", "pagerank"},
                             *const alone[] = {"dfs",        "cores",
                                               "components", "strong_components",
                                               "triangles",  "matrix"};
    gpugraph_estimate estimate[2];
    run.all_devices = true;
    for (int open = 0; open < 2; open++) {
        for (int i = 0; i < DEVICES; i++)
            states[i] = open ? OPENING_OPEN : OPENING_CLOSED;
        for (int i = 0; i < 4; i++) {
            if (gpugraph_estimates(together[i], NULL, graph, NULL, &run, estimate) < 2)
                continue; /* a build without CUDA */
            ck_assert_int_eq(estimate[1].devices, DEVICES);
            ck_assert_str_eq(estimate[1].method, "several");
        }
        for (int i = 0; i < 6; i++)
            if (gpugraph_estimates(alone[i], NULL, graph, NULL, &run, estimate) == 2) {
                ck_assert_int_eq(estimate[1].devices, 1);
                ck_assert_str_ne(estimate[1].method, "several");
            }
    }
}
END_TEST

/* Devices share the rows of a matrix, and take proportionally less time. */
START_TEST(an_estimate_of_a_matrix) {
    const gpugraph_search few = {.source_count = 3, .target_count = 100},
                          many = {.source_count = 400, .target_count = 400};
    gpugraph_estimate one[2], estimate[2];
    gpugraph_run on_one = run;
    on_one.device_count = 0;
    run.all_devices = true;
    if (gpugraph_estimates("matrix", &few, graph, NULL, &run, estimate) < 2)
        return;
    ck_assert_int_eq(estimate[1].devices, 3);
    gpugraph_estimates("matrix", &many, graph, NULL, &run, estimate);
    gpugraph_estimates("matrix", &many, graph, NULL, &on_one, one);
    ck_assert_int_eq(estimate[1].devices, DEVICES);
    ck_assert_int_eq(one[1].devices, 1);
    ck_assert_str_eq(estimate[1].method, one[1].method);
    ck_assert(estimate[1].ms < one[1].ms / 2);
}
END_TEST

/* ---- a form for several that fails ---- */

START_TEST(one_goes_on) {
    choose();
    expect_devices(15);
    gg_fail(&run, GPUGRAPH_DEVICE_MEMORY, "device 2 is full; buy another");
    ck_assert(gg_go_on_alone(&run, &algorithm));
    expect_one();
    ck_assert_str_eq(run.why, "not on several devices: device 2 is full");
    gg_fail(&run, GPUGRAPH_DEVICE_MEMORY, "this one, too");
    ck_assert(!gg_go_on_alone(&run, &algorithm));
    choose();
    gg_fail(&run, GPUGRAPH_INTERRUPTED, "interrupted");
    ck_assert(!gg_go_on_alone(&run, &algorithm));
    run.all_devices = true;
    choose();
    gg_fail(&run, GPUGRAPH_DEVICE_FAILED, "device 2 is broken");
    ck_assert(!gg_go_on_alone(&run, &algorithm));
    ck_assert_str_eq(run.message, "device 2 is broken");
}
END_TEST

const struct suite suite = {
    "devices",
    {{"devices", .setup = setup, .teardown = teardown,
      .cases =
          {{&others_open_when_they_are_missed}, /* before other searches lack devices */
           {&all_where_they_pay},
           {&one_where_they_do_not},
           {&one_alone_by_default},
           {&those_that_are_listed},
           {&a_method_of_one_device},
           {&an_algorithm_of_one_device},
           {&auto_takes_them_too},
           {&parts_are_rented},
           {&times_are_learned},
           {&several_for_their_memory},
           {&several_for_the_limit},
           {&several_before_a_method_that_needs_less},
           {&not_enough_on_all},
           {&fewer_where_one_is_full},
           {&every_one_of_a_list},
           {&one_that_has_failed},
           {&every_one_there_is},
           {&lists_that_are_wrong},
           {&small_searches_open_nothing},
           {&searches_are_shared},
           {&few_searches_are_not},
           {&one_goes_on}}},
     {"estimates", .setup = setup, .teardown = teardown,
      .cases = {{&an_estimate_as_it_runs}, {&an_estimate_of_a_matrix}}}},
};
