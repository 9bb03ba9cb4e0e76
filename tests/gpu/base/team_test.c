/* The pool of threads. A team of any size processes each item of a loop once. For any
** number of callers the pool has as many threads as the largest team needs, and none if
** the system provides none. A child of fork() has a new pool. */
/* ctest: wrap=pthread_create */
#define _GNU_SOURCE
#include "base/run.h"
#include "team.h"

#include "expect.h"
#include "in_child.h"
#include "suite.h"
#include "unwilling_threads.h"
#include "workers.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TEAM = 6 };

/* ---- loops ---- */

struct items {
    uint32_t done[1000];
};

static void one_part(void *items, uint64_t i) {
    __atomic_fetch_add(&((struct items *)items)->done[i], 1, __ATOMIC_RELAXED);
}

static void one_range(void *items, uint64_t low, uint64_t high) {
    for (uint64_t i = low; i < high; i++)
        one_part(items, i);
}

static void expect_each_once(const struct items *items, uint64_t count) {
    for (uint64_t i = 0; i < 1000; i++)
        expect_equal(items->done[i], i < count);
}

static void loop_over(int threads, uint64_t count) {
    for (int loop = 0; loop < 4; loop++) {
        struct items items = {{0}};
        if (loop == 0)
            gg_parts(threads, count, one_part, &items);
        else if (loop == 1)
            gg_slices(threads, count, one_range, &items);
        else
            gg_chunks(threads, count, loop == 2 ? 1 : 64, one_range, &items);
        expect_each_once(&items, count);
    }
}

static void loop_over_all(void) {
    static const uint64_t counts[] = {0, 1, 2, 5, 63, 64, 65, 999, 1000};
    for (int threads = 1; threads <= TEAM; threads++)
        for (int i = 0; i < 9; i++)
            loop_over(threads, counts[i]);
    loop_over(10 * GG_MOST_THREADS, 1000);
}

START_TEST(loops_do_each_item_once) {
    loop_over_all();
}
END_TEST

/* ---- teams ---- */

struct gathering {
    int wanted, team, here; /* members that have come */
    uint32_t came[GG_MOST_THREADS];
};

/* Waits until the wanted number of threads has come. A busy machine takes some time. */
static void gather(void *job, int member, int team) {
    struct gathering *g = job;
    double until = gg_now_ms() + 30000;
    __atomic_fetch_add(&g->came[member], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&g->team, team, __ATOMIC_RELAXED);
    __atomic_fetch_add(&g->here, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&g->here, __ATOMIC_RELAXED) < g->wanted && gg_now_ms() < until)
        usleep(100);
}

static int team_of(int threads, int wanted) {
    struct gathering g = {.wanted = wanted};
    gg_team(threads, gather, &g);
    for (int i = 0; i < GG_MOST_THREADS; i++)
        expect(g.came[i] == (i < g.here), "member %d of %d came %u times", i, g.here,
               g.came[i]);
    expect(g.here <= g.team && g.team <= threads, "%d of %d came, %d were asked for",
           g.here, g.team, threads);
    return g.here;
}

/* Threads that belong neither to the caller nor to the pool: a sanitizer has one after
** the first pthread_create. */
static int other_threads(void) {
    team_of(2, 2);
    return threads_alive() - 2;
}

START_TEST(all_members_come) {
    int others = other_threads();
    for (int threads = 1; threads <= TEAM; threads++)
        ck_assert_int_eq(team_of(threads, threads), threads);
    ck_assert_int_eq(threads_alive(), others + TEAM); /* the caller is one */
    ck_assert_int_eq(team_of(2, 2), 2);
    ck_assert_int_eq(threads_alive(), others + TEAM);
}
END_TEST

struct nest {
    int depth;
    uint32_t leaves;
};

static void nested(void *job, uint64_t i) {
    struct nest *outer = job;
    (void)i;
    if (outer->depth == 0) {
        __atomic_fetch_add(&outer->leaves, 1, __ATOMIC_RELAXED);
        return;
    }
    struct nest inner = {outer->depth - 1, 0};
    gg_parts(TEAM, 5, nested, &inner);
    __atomic_fetch_add(&outer->leaves, inner.leaves, __ATOMIC_RELAXED);
}

START_TEST(teams_within_teams) {
    struct nest outermost = {4, 0};
    int others = other_threads();
    nested(&outermost, 0);
    ck_assert_uint_eq(outermost.leaves, 5 * 5 * 5 * 5);
    ck_assert_int_le(threads_alive(), others + TEAM);
}
END_TEST

/* ---- many callers ---- */

enum { CALLERS = 30, MOST = 16 };

/* The first thread counts when all have called and are still running. */
struct callers {
    pthread_barrier_t called, counted;
    int threads;
};

static void call_often(void *callers, uint32_t number) {
    struct callers *c = callers;
    for (int i = 0; i < 300; i++)
        loop_over(2 + (int)(number + (uint32_t)i) % (MOST - 1), 1 + (uint64_t)i);
    pthread_barrier_wait(&c->called);
    if (number == 0)
        c->threads = threads_alive();
    pthread_barrier_wait(&c->counted);
}

START_TEST(callers_share_the_workers) {
    struct callers callers;
    int others = other_threads();
    pthread_barrier_init(&callers.called, NULL, CALLERS);
    pthread_barrier_init(&callers.counted, NULL, CALLERS);
    run_workers(CALLERS, call_often, &callers, NULL, 0);
    ck_assert_int_le(callers.threads, others + CALLERS + MOST);
    pthread_barrier_destroy(&callers.called);
    pthread_barrier_destroy(&callers.counted);
}
END_TEST

/* ---- threads that cannot be made ---- */

/* For each n, pthread_create works n times and then fails. */
START_TEST(works_with_the_threads_there_are) {
    threads_given = _i;
    loop_over_all();
    int all = _i + 1 < TEAM ? _i + 1 : TEAM;
    ck_assert_int_eq(team_of(TEAM, all), all);
    ck_assert_int_le(threads_alive(), _i + 1);
}
END_TEST

START_TEST(does_not_ask_again_at_once) {
    threads_given = 0;
    loop_over_all();
    ck_assert_int_eq(threads_asked_for, 1);
    usleep((useconds_t)(GG_THREAD_RETRY_MS * 1100));
    threads_given = -1;
    ck_assert_int_eq(team_of(TEAM, TEAM), TEAM);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* it needs address space */
/* No address space for stacks, and no memory. */
START_TEST(works_without_address_space) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = 4096;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    loop_over_all();
    limit.rlim_cur = limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    ck_assert_int_eq(threads_alive(), 1);
}
END_TEST
#endif

/* ---- fork ---- */

static uint32_t forks_before;

static void work_and_fork(int generation) {
    ck_assert_uint_eq(gg_this_process(), forks_before + (uint32_t)generation);
    loop_over(TEAM, 1000);
    ck_assert_int_eq(team_of(TEAM, TEAM), TEAM);
    ck_assert_int_eq(threads_alive(), TEAM);
    if (generation < 3)
        in_child(work_and_fork, generation + 1);
}

START_TEST(a_child_has_a_pool_of_its_own) {
    forks_before = gg_this_process();
    work_and_fork(0);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* its allocator may be locked at a fork */
static void only_work(int unused) {
    (void)unused;
    loop_over(TEAM, 1000);
    ck_assert_int_eq(team_of(TEAM, TEAM), TEAM);
}

static void fork_often(void *done, uint32_t number) {
    for (int i = 0; number == 0 && i < 100; i++)
        in_child(only_work, 0);
    if (number == 0)
        __atomic_store_n((bool *)done, true, __ATOMIC_RELAXED);
    for (int i = 0; !__atomic_load_n((bool *)done, __ATOMIC_RELAXED); i++)
        loop_over(2 + i % 100, 1000); /* sometimes one more thread is created */
}

START_TEST(fork_while_others_work) {
    bool done = false;
    run_workers(4, fork_often, &done, NULL, 0);
}
END_TEST
#endif

/* ---- failures, interrupts, signals ---- */

struct failures {
    gpugraph_run run;
    uint32_t others; /* received another failure than the first */
};

static void fail_at(void *failures, uint64_t i) {
    struct failures *f = failures;
    uint64_t told = gg_fail(&f->run, i % 2 ? GPUGRAPH_RANGE : GPUGRAPH_INVALID,
                            "%s failed", i % 2 ? "an odd one" : "an even one");
    if (told != (uint64_t)__atomic_load_n(&f->run.status, __ATOMIC_RELAXED))
        __atomic_fetch_add(&f->others, 1, __ATOMIC_RELAXED);
}

/* A thread that fails at the same time receives the first failure, after its sentence is
** complete. */
START_TEST(the_first_failure_counts) {
    for (int i = 0; i < 2000; i++) {
        struct failures f = {.others = 0};
        gg_begin(&f.run);
        gg_parts(TEAM, 2 * TEAM, fail_at, &f);
        ck_assert_uint_eq(f.others, 0);
        ck_assert(gg_stopping(&f.run));
        ck_assert_str_eq(f.run.message, f.run.status == GPUGRAPH_RANGE
                                            ? "an odd one failed"
                                            : "an even one failed");
    }
}
END_TEST

struct listener {
    pthread_t caller;
    uint32_t asked, elsewhere;
};

static int hear(void *listener) {
    struct listener *l = listener;
    l->asked++;
    l->elsewhere += !pthread_equal(l->caller, pthread_self());
    return l->asked >= 3;
}

static void pause_within(void *run, uint64_t i) {
    (void)i;
    while (!gg_pause(run))
        ;
}

static void pause_in_nested(void *run, uint64_t i) {
    (void)i;
    gg_parts(3, 3, pause_within, run);
}

/* In nested loops many threads pause; only the thread of the call polls the host. */
START_TEST(the_calling_thread_alone_asks) {
    struct listener listener = {pthread_self(), 0, 0};
    gpugraph_run run = {.interrupted = hear, .listener = &listener};
    gg_begin(&run);
    gg_parts(TEAM, TEAM, pause_in_nested, &run);
    ck_assert(gg_stopping(&run));
    ck_assert_uint_eq(listener.asked, 3);
    ck_assert_uint_eq(listener.elsewhere, 0);
}
END_TEST

static void look_at_signals(void *open, int member, int team) {
    struct gathering all = {.wanted = 1};
    sigset_t blocked;
    (void)team;
    gather(&all, 0, 1);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    for (int s = 1; member > 0 && s < 32; s++)
        if (!sigismember(&blocked, s))
            __atomic_fetch_or((uint32_t *)open, 1u << s, __ATOMIC_RELAXED);
    usleep(2000); /* so that others come */
}

START_TEST(signals_are_the_hosts) {
    const uint32_t own = 1u << SIGSEGV | 1u << SIGBUS | 1u << SIGFPE | 1u << SIGILL |
                         1u << SIGTRAP | 1u << SIGABRT | 1u << SIGSYS | 1u << SIGKILL |
                         1u << SIGSTOP;
    uint32_t open = 0;
    sigset_t before, after;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    for (int i = 0; i < 100; i++)
        gg_team(TEAM, look_at_signals, &open);
    ck_assert_uint_eq(open, own);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int s = 1; s < 32; s++)
        ck_assert_int_eq(sigismember(&before, s), sigismember(&after, s));
}
END_TEST

START_TEST(how_many_are_asked_for) {
    int all = gg_team_limit(0);
    ck_assert_int_ge(all, 1);
    ck_assert_int_eq(gg_team_limit(-3), all);
    ck_assert_int_eq(gg_team_limit(7), 7);
    ck_assert_int_eq(gg_team_limit(1 << 30), GG_MOST_THREADS);
}
END_TEST

const struct suite suite = {
    "team",
    {{"threads", .timeout = 100,
      .cases = {{&loops_do_each_item_once},
                {&all_members_come},
                {&teams_within_teams},
                {&callers_share_the_workers},
                {&the_first_failure_counts},
                {&the_calling_thread_alone_asks},
                {&signals_are_the_hosts},
                {&how_many_are_asked_for}}},
     /* The thread sanitizer does not support fork() of a process with threads, and needs
     ** threads and much address space itself. */
     {"forks", "serial forks", 100,
      .cases = {{&works_with_the_threads_there_are, TEAM + 1},
                {&does_not_ask_again_at_once},
#ifndef __SANITIZE_ADDRESS__
                {&works_without_address_space},
                {&fork_while_others_work},
#endif
                {&a_child_has_a_pool_of_its_own}}}},
};
