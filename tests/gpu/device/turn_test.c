/* Turns on devices, without a device: one thread at a time on each device, threads on
** different devices beside each other, no circle of threads that wait for several, and an
** interrupt ends a wait. */
#include "device/turn.h"
#include "suite.h"
#include "workers.h"

enum { WORKERS = 8, TURNS = 200, DEVICES = 3 };

static gpugraph_run fresh(void) {
    gpugraph_run run = {0};
    gg_begin(&run);
    return run;
}

/* ---- one at a time on each ---- */

struct places { /* no atomics: the thread sanitizer checks these */
    uint64_t visits[DEVICES];
    uint32_t inside[DEVICES];
};

static void visit(struct places *p, int device) {
    ck_assert_uint_eq(p->inside[device]++, 0);
    p->visits[device]++;
    p->inside[device]--;
}

/* Every third visit takes two devices at once. */
static void come_often(void *memory, uint32_t number) {
    struct places *p = memory;
    for (uint32_t i = 0; i < TURNS; i++) {
        const int first = (int)((number + i) % DEVICES), second = first + 1;
        const bool two = i % 3 == 0 && second < DEVICES;
        gpugraph_run run = fresh();
        ck_assert(gg_turn_take(&run, first));
        ck_assert(!two || gg_turn_take(&run, second));
        ck_assert_int_eq(gg_turn_of_thread(), two ? second : first);
        visit(p, first);
        if (two)
            visit(p, second);
        if (two)
            gg_turn_end(second);
        gg_turn_end(first);
        ck_assert_int_lt(gg_turn_of_thread(), 0);
    }
}

START_TEST(one_at_a_time) {
    struct places p = {0};
    uint64_t visits = 0;
    run_workers(WORKERS, come_often, &p, NULL, 0);
    for (int device = 0; device < DEVICES; device++)
        visits += p.visits[device];
    ck_assert_uint_gt(visits, WORKERS * TURNS);
}
END_TEST

/* ---- beside each other ---- */

struct meeting {
    pthread_barrier_t both; /* a barrier that no thread passes alone */
};

static void meet(void *memory, uint32_t number) {
    struct meeting *m = memory;
    gpugraph_run run = fresh();
    ck_assert(gg_turn_take(&run, (int)number));
    pthread_barrier_wait(&m->both);
    gg_turn_end((int)number);
}

START_TEST(devices_are_independent) {
    struct meeting m;
    pthread_barrier_init(&m.both, NULL, DEVICES);
    run_workers(DEVICES, meet, &m, NULL, 0);
    pthread_barrier_destroy(&m.both);
}
END_TEST

/* ---- refusals ---- */

static void refused(int had, int asked) {
    gpugraph_run run = fresh();
    ck_assert(gg_turn_take(&run, had));
    ck_assert(!gg_turn_take(&run, asked));
    ck_assert_int_eq(run.status, GPUGRAPH_DEVICE_FAILED);
    ck_assert_ptr_nonnull(
        strstr(run.message, "this thread already uses the CUDA device"));
    ck_assert_int_eq(gg_turn_of_thread(), had);
    gg_turn_end(had);
    run = fresh();
    ck_assert(gg_turn_take(&run, asked));
    gg_turn_end(asked);
}

START_TEST(a_thread_never_waits_for_itself) {
    refused(0, 0);
    refused(2, 2);
    refused(2, 1);
    refused(GG_MAX_DEVICES - 1, 0);
}
END_TEST

START_TEST(a_step_within_a_turn) {
    gpugraph_run run = fresh();
    ck_assert(gg_turn_take(&run, 1));
    ck_assert(!gg_turn_wait(1));
    ck_assert(gg_turn_wait(2));
    gg_turn_end(2);
    ck_assert_int_eq(gg_turn_of_thread(), 1);
    gg_turn_end(1);
    ck_assert(gg_turn_wait(1));
    gg_turn_end(1);
}
END_TEST

/* ---- interrupts ---- */

static int stop_at_third(void *listener) {
    return ++*(int *)listener >= 3;
}

static void wait_in_vain(void *memory, uint32_t number) {
    (void)number;
    int asked = 0;
    gpugraph_run run = {.interrupted = stop_at_third, .listener = &asked};
    gg_begin(&run);
    *(bool *)memory = gg_turn_take(&run, 0);
    ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
    ck_assert_int_eq(gg_turn_of_thread(), -1);
}

START_TEST(an_interrupt_ends_a_wait) {
    bool took = true;
    gpugraph_run run = fresh();
    ck_assert(gg_turn_take(&run, 0));
    run_workers(1, wait_in_vain, &took, NULL, 0);
    ck_assert(!took);
    gg_turn_end(0);
}
END_TEST

const struct suite suite = {
    "turn",
    {{"turn", .timeout = 60,
      .cases = {{&one_at_a_time},
                {&devices_are_independent},
                {&a_thread_never_waits_for_itself},
                {&a_step_within_a_turn},
                {&an_interrupt_ends_a_wait}}}},
};
