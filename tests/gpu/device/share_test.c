/* Searches that devices share, without a device: each is done once by any member; others
** do what a failed device leaves, if they may; errors and interrupts end all; a thread
** that the system refuses is not needed. */
/* ctest: wrap=pthread_create */
#include "device/services.h"
#include "device/share.h"
#include "expect.h"
#include "suite.h"
#include "unwilling_threads.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 500, DEVICES = 4 };

struct job {
    uint32_t times[ITEMS]; /* each entry has one writer at a time, so no atomics */
    uint32_t of_device[GG_MAX_DEVICES];
    int failing; /* this device fails at its second portion */
    gpugraph_status status;
    bool slow;
    uint32_t portions[GG_MAX_DEVICES];
};

static void do_items(void *of, gpugraph_run *run, uint32_t low, uint32_t high) {
    struct job *job = of;
    const int device = run->device;
    ck_assert_int_eq(run->used_devices, 1);
    ck_assert_uint_eq(run->device_set, 1u << device);
    if (++job->portions[device] == 2 && device == job->failing) {
        gg_fail(run, job->status, "device %d is out of order; mend it", device);
        return;
    }
    if (job->slow)
        usleep(1000);
    for (uint32_t i = low; i < high; i++)
        job->times[i]++;
    job->of_device[device] += high - low;
}

static char told[400];

static void hear(void *listener, const char *name, double ms, int64_t items,
                 const char *detail) {
    (void)listener, (void)ms;
    if (strcmp(name, "devices") != 0)
        return;
    ck_assert_int_eq(items, ITEMS);
    snprintf(told, sizeof told, "%s", detail);
}

static gpugraph_run run_on(uint32_t set) {
    gpugraph_run run = {.backend = GPUGRAPH_CUDA, .device = 1, .phase = hear};
    told[0] = 0;
    gg_begin(&run);
    run.used_devices = __builtin_popcount(set);
    run.device_set = set;
    return run;
}

static void share(struct job *job, gpugraph_run *run, uint32_t portion) {
    const struct shared_work work = {
        .items = ITEMS, .portion = portion, .part = do_items, .of = job};
    gg_share_out(run, &work);
}

static void each_once(const struct job *job) {
    for (uint32_t i = 0; i < ITEMS; i++)
        ck_assert_uint_eq(job->times[i], 1);
}

/* ---- all goes well ---- */

START_TEST(each_is_done_once) {
    static const uint32_t portions[] = {1, 7, 64, ITEMS / DEVICES, ITEMS, 2 * ITEMS};
    for (int i = 0; i < 6; i++) {
        struct job job = {.failing = -1};
        gpugraph_run run = run_on(15);
        share(&job, &run, portions[i]);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        each_once(&job);
        ck_assert_int_eq(run.used_devices, DEVICES);
        ck_assert_uint_eq(run.device_set, 15);
        ck_assert_ptr_nonnull(strstr(told, " on device 1, "));
    }
}
END_TEST

START_TEST(all_take_their_share) {
    struct job job = {.failing = -1, .slow = true};
    gpugraph_run run = run_on(6);
    share(&job, &run, 1);
    each_once(&job);
    ck_assert_uint_eq(job.of_device[1] + job.of_device[2], ITEMS);
    ck_assert_uint_gt(job.of_device[1], ITEMS / 10);
    ck_assert_uint_gt(job.of_device[2], ITEMS / 10);
}
END_TEST

START_TEST(one_alone) {
    struct job job = {.failing = -1};
    gpugraph_run run = run_on(2);
    share(&job, &run, 3);
    each_once(&job);
    ck_assert_uint_eq(job.of_device[1], ITEMS);
    ck_assert_int_eq(run.used_devices, 1);
    ck_assert_str_eq(told, "");
}
END_TEST

START_TEST(without_threads) {
    struct job job = {.failing = -1};
    gpugraph_run run = run_on(15);
    threads_asked_for = 0;
    threads_given = 0;
    share(&job, &run, 3);
    threads_given = -1;
    each_once(&job);
    ck_assert_uint_eq(job.of_device[1], ITEMS);
    ck_assert_int_eq(run.used_devices, 1);
    ck_assert_uint_eq(run.device_set, 2);
}
END_TEST

/* ---- a device that fails ---- */

START_TEST(others_do_what_is_left) {
    static const gpugraph_status of_a_device[] = {
        GPUGRAPH_DEVICE_MEMORY, GPUGRAPH_DEVICE_FAILED, GPUGRAPH_NO_DEVICE};
    for (int i = 0; i < 3; i++) {
        struct job job = {.failing = 2, .status = of_a_device[i], .slow = true};
        gpugraph_run run = run_on(15);
        share(&job, &run, 5);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        each_once(&job);
        ck_assert_uint_eq(job.of_device[2], 5);
        ck_assert_int_eq(run.used_devices, DEVICES - 1);
        ck_assert_uint_eq(run.device_set, 11);
        ck_assert_ptr_nonnull(
            strstr(told, "5 on device 2, which gave up: device 2 is out of order"));
        ck_assert_ptr_null(strstr(told, "mend it"));
    }
}
END_TEST

static void ends_with(struct job job, bool all, gpugraph_status status) {
    gpugraph_run run = run_on(15);
    job.slow = true;
    run.all_devices = all;
    share(&job, &run, 1);
    ck_assert_int_eq(run.status, status);
    ck_assert_ptr_nonnull(strstr(run.message, "is out of order; mend it"));
    ck_assert_str_eq(told, "");
}

START_TEST(errors_end_all) {
    const struct job full = {.failing = 2, .status = GPUGRAPH_DEVICE_MEMORY};
    const struct job range = {.failing = 3, .status = GPUGRAPH_RANGE};
    const struct job own = {.failing = 1, .status = GPUGRAPH_DEVICE_MEMORY};
    ends_with(full, true, GPUGRAPH_DEVICE_MEMORY); /* each was asked for */
    ends_with(range, false, GPUGRAPH_RANGE);
    ends_with(
        own, false,
        GPUGRAPH_DEVICE_MEMORY); /* the run's own device: as without other devices */
}
END_TEST

/* ---- interrupts ---- */

static int stop_at_once(void *asked) {
    ++*(int *)asked;
    return 1;
}

static void wait_for_stop(void *of, gpugraph_run *run, uint32_t low, uint32_t high) {
    (void)of, (void)low, (void)high;
    while (!gg_poll(run))
        usleep(100);
    gg_stopped(run);
}

START_TEST(an_interrupt_ends_all) {
    int asked = 0;
    gpugraph_run run = run_on(15);
    const struct shared_work work = {.items = ITEMS, .portion = 1, .part = wait_for_stop};
    run.interrupted = stop_at_once;
    run.listener = &asked;
    run.phase = NULL;
    const double began = gg_now_ms();
    gg_share_out(&run, &work);
    ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
    ck_assert_int_ge(asked, 1);
    ck_assert(gg_now_ms() - began < 5000);
}
END_TEST

const struct suite suite = {
    "share",
    {{"share", .timeout = 60,
      .cases = {{&each_is_done_once},
                {&all_take_their_share},
                {&one_alone},
                {&without_threads},
                {&others_do_what_is_left},
                {&errors_end_all},
                {&an_interrupt_ends_all}}}},
};
