/* A device that opens in the background, with a stub that is slow, fails, or never
** returns: which call begins the opening, which calls wait and for how long, a thread
** that the system refuses, fork(), and the end of a process during the opening. exit()
** reads openings, so all of them here are static. */
/* ctest: wrap=pthread_create */
#define _GNU_SOURCE
#include "device/opening.h"

#include "expect.h"
#include "in_child.h"
#include "share.h"
#include "suite.h"
#include "team.h"
#include "unwilling_threads.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the environment of the test ---- */

/* Runs before the library's constructor, which reads the number of threads from the
** environment: these cases need it unset. */
__attribute__((constructor(101))) static void say_no_number_of_threads(void) {
    unsetenv("OMP_NUM_THREADS");
}

/* ---- the stub ---- */

enum { SLOW_MS = 30 };

static uint32_t opened;   /* how often */
static uint32_t released; /* 1: a stub that waits may return */
static sigset_t blocked;  /* in the opening's thread */

static void pause_ms(double ms) {
    usleep((useconds_t)(ms * 1000));
}

static bool open_slowly(int ordinal, const char **why) {
    (void)why;
    pause_ms(SLOW_MS);
    __atomic_fetch_add(&opened, 1, __ATOMIC_RELAXED);
    return ordinal == 3;
}

static bool fail_slowly(int ordinal, const char **why) {
    (void)ordinal;
    pause_ms(SLOW_MS);
    *why = "the stub is out of order";
    return false;
}

static bool open_when_released(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    __atomic_fetch_add(&opened, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE))
        pause_ms(1);
    return true;
}

static bool never_come_back(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    for (;;)
        pause();
    return false;
}

static void tell(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        abort();
}

/* A driver registers handlers for exit(), and runs code at the end of each thread that
** has called the driver. */
static void driver_handler(void) {
    tell("driver's handler ");
}

static void leave_driver(void *unused) {
    (void)unused;
    pause_ms(SLOW_MS);
    tell("thread left ");
}

static bool start_driver(int ordinal, const char **why) {
    static pthread_key_t key;
    (void)ordinal, (void)why;
    atexit(driver_handler);
    gg_await_openings_at_exit();
    pthread_key_create(&key, leave_driver);
    pthread_setspecific(key, &key);
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
    pause_ms(SLOW_MS);
    tell("opened ");
    return true;
}

/* Returns early once the process ends. */
static bool notice_the_end(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
    while (!gg_process_ends())
        pause_ms(1);
    tell("noticed ");
    return false;
}

/* A driver may start a helper program. If that fork() waited for the opening, it would
** wait forever. */
static bool fork_a_helper(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return waitpid(child, &status, 0) == child && status == 0;
}

static const struct opening_steps slow = {open_slowly, SLOW_MS};
static const struct opening_steps failing = {fail_slowly, SLOW_MS};
static const struct opening_steps patient = {open_when_released, SLOW_MS};
static const struct opening_steps endless = {never_come_back, SLOW_MS};
static const struct opening_steps starting = {start_driver, SLOW_MS};
static const struct opening_steps noticing = {notice_the_end, SLOW_MS};
static const struct opening_steps forking = {fork_a_helper, 1e9};

/* If set, sched_getaffinity reports 16 cores. */
static bool has_16_cores;

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
    memset(set, 0, size);
    if (!has_16_cores)
        return syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
    for (int i = 0; i < 16; i++)
        CPU_SET(i, set);
    return 0;
}

/* ---- the states ---- */

START_TEST(opens_once) {
    static struct opening o = {.steps = &patient};
    gpugraph_run run = {0};
    const char *why = NULL;
    gg_begin(&run);
    ck_assert_int_eq(gg_opening_state(&o, &why), OPENING_CLOSED);
    ck_assert_str_eq(why, "");
    ck_assert(gg_opening_left_ms(&o) == SLOW_MS);
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_CLOSED); /* for nothing */
    ck_assert(gg_opening_begin(&o) && gg_opening_begin(&o));         /* without waiting */
    ck_assert_int_eq(gg_opening_state(&o, NULL), OPENING_UNDER_WAY);
    ck_assert(gg_opening_left_ms(&o) <= SLOW_MS);
    ck_assert_int_eq(gg_opening_wait(&o, 1, &run), OPENING_UNDER_WAY);
    ck_assert(isinf(gg_opening_left_ms(&o))); /* no caller waits for it again */
    __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_OPEN);
    ck_assert(gg_opening_begin(&o) && gg_opening_left_ms(&o) == 0);
    ck_assert_uint_eq(opened, 1);
    for (int s = 1; s < 32; s++)
        if (s != SIGKILL && s != SIGSTOP)
            ck_assert_int_eq(sigismember(&blocked, s),
                             s != SIGSEGV && s != SIGBUS && s != SIGFPE && s != SIGILL &&
                                 s != SIGTRAP && s != SIGABRT && s != SIGSYS);
}
END_TEST

START_TEST(fails_with_a_sentence) {
    static struct opening o = {.steps = &failing};
    gpugraph_run run = {0};
    const char *why = NULL;
    gg_begin(&run);
    ck_assert(gg_opening_begin(&o));
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_FAILED);
    ck_assert_int_eq(gg_opening_state(&o, &why), OPENING_FAILED);
    ck_assert_str_eq(why, "the stub is out of order");
    ck_assert(!gg_opening_begin(&o)); /* and is not tried again */
}
END_TEST

/* Two cores of 16 are left out during the opening, whether it ends well, fails, or never
** ends. */
START_TEST(cores_are_left_to_the_driver) {
    static const struct opening_steps *const steps[] = {&slow, &failing, &endless};
    gpugraph_run run = {0};
    gg_begin(&run);
    has_16_cores = true;
    ck_assert_int_eq(gg_team_limit(0), 16);
    for (int i = 0; i < 3; i++) {
        static struct opening o[3];
        o[i] = (struct opening){.steps = steps[i], .ordinal = 3};
        ck_assert(gg_opening_begin(&o[i]));
        ck_assert_int_eq(gg_team_limit(0), 14);
        ck_assert_int_eq(gg_team_limit(16),
                         16); /* a caller that names a number gets it */
        if (i < 2)
            gg_opening_wait(&o[i], -1, &run);
        else
            pause_ms(3 * SLOW_MS + 1);
        ck_assert_int_eq(gg_team_limit(0), 16);
    }
    has_16_cores = false;
}
END_TEST

static int interrupt(void *listener) {
    return ++*(int *)listener > 2;
}

START_TEST(a_wait_ends) {
    static struct opening o = {.steps = &patient};
    int asked = 0;
    gpugraph_run run = {.interrupted = interrupt, .listener = &asked};
    gg_begin(&run);
    ck_assert(gg_opening_begin(&o));
    double began = gg_now_ms();
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_UNDER_WAY);
    ck_assert(gg_stopping(&run) && gg_now_ms() - began < 500);
    while (gg_now_ms() - began < 3 * SLOW_MS)
        pause_ms(5);
    ck_assert(gg_opening_left_ms(&o) >= 2 * SLOW_MS); /* so late it is */
    ck_assert(gg_left_ms(350, 100) == 250 && gg_left_ms(350, 350) == 35 &&
              gg_left_ms(350, 400) == 85);
    __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
    gg_begin(&run);
    run.interrupted = NULL;
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_OPEN);
}
END_TEST

/* ---- many callers ---- */

static void *begin_and_wait(void *opening) {
    gpugraph_run run = {0};
    gg_begin(&run);
    while (gg_opening_state(opening, NULL) == OPENING_CLOSED)
        ck_assert(gg_opening_begin(opening));
    ck_assert_int_eq(gg_opening_wait(opening, -1, &run), OPENING_OPEN);
    return NULL;
}

START_TEST(one_of_many_begins) {
    enum { CALLERS = 8 };
    static struct opening o = {.steps = &slow, .ordinal = 3};
    pthread_t caller[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&caller[i], NULL, begin_and_wait, &o), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(caller[i], NULL);
    ck_assert_uint_eq(opened, 1);
}
END_TEST

START_TEST(without_a_thread_it_stays_closed) {
    static struct opening o = {.steps = &slow, .ordinal = 3};
    gpugraph_run run = {0};
    gg_begin(&run);
    threads_given = 0;
    for (int i = 0; i < 3; i++)
        ck_assert(!gg_opening_begin(&o));
    ck_assert_int_eq(threads_asked_for, 1); /* not again at once */
    ck_assert_int_eq(gg_opening_state(&o, NULL), OPENING_CLOSED);
    threads_given = -1;
    pause_ms(GG_THREAD_RETRY_MS + 10);
    ck_assert(gg_opening_begin(&o));
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_OPEN);
}
END_TEST

/* ---- fork ---- */

static struct opening inherited;

static void look_at_what_was_begun(int begun) {
    const char *why = "";
    gpugraph_run run = {0};
    gg_begin(&run);
    ck_assert_int_eq(gg_opening_wait(&inherited, -1, &run),
                     begun ? OPENING_FAILED : OPENING_CLOSED);
    if (begun) {
        ck_assert_int_eq(gg_opening_state(&inherited, &why), OPENING_FAILED);
        ck_assert_ptr_nonnull(strstr(why, "fork"));
        ck_assert(!gg_opening_begin(&inherited));
    } else { /* no opening has begun, so the child may begin one */
        ck_assert(gg_opening_begin(&inherited));
        ck_assert_int_eq(gg_opening_wait(&inherited, -1, &run), OPENING_OPEN);
    }
}

START_TEST(a_child_does_without) {
    gpugraph_run run = {0};
    gg_begin(&run);
    inherited = (struct opening){.steps = &slow, .ordinal = 3};
    in_child(look_at_what_was_begun, false);
    ck_assert(gg_opening_begin(&inherited));
    in_child(look_at_what_was_begun, true); /* while it is under way */
    ck_assert_int_eq(gg_opening_wait(&inherited, -1, &run), OPENING_OPEN);
    in_child(look_at_what_was_begun, true);
    while (threads_alive() > 1) /* the opening's thread ends by itself */
        pause_ms(1);
}
END_TEST

START_TEST(a_driver_may_fork) {
    static struct opening o = {.steps = &forking};
    gpugraph_run run = {0};
    gg_begin(&run);
    ck_assert(gg_opening_begin(&o));
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_OPEN);
}
END_TEST

/* ---- the end of a process ---- */

static bool is_ending; /* this program was started to end here */

/* Replaces a driver's destructor: runs after those of the library, which have no
** priority. */
__attribute__((destructor(101))) static void pull_down(void) {
    if (is_ending)
        tell("destructor ");
}

static void host_handler(void) {
    tell("handler ");
}

static struct opening another;

static void begin_another(void) {
    another = (struct opening){.steps = &slow, .ordinal = 3};
    tell(gg_opening_begin(&another) ? "begun " : "not begun ");
}

/* The lines that it prints at its end, in this order. */
static const struct end {
    const char *how;
    const struct opening_steps *steps;
    const char *said;
} ends[] = {
    {"open", &slow, "handler destructor "},
    {"starting", &starting, "opened thread left driver's handler handler destructor "},
    {"just open", &starting, "opened thread left driver's handler handler destructor "},
    {"noticing", &noticing, "noticed handler destructor "},
    {"endless", &endless, "handler destructor "},
    {"late", &slow, "not begun handler destructor "},
    {"in a child", &starting, "opened thread left driver's handler handler destructor "},
};

static int end_of(const char *how) {
    static struct opening o;
    gpugraph_run run = {0};
    const struct end *end = ends;
    gg_begin(&run);
    is_ending = true;
    while (strcmp(end->how, how) != 0)
        end++;
    atexit(host_handler);
    if (strcmp(how, "late") == 0)
        atexit(begin_another);
    o = (struct opening){.steps = end->steps, .ordinal = 3};
    if (!gg_opening_begin(&o))
        return 1;
    while (end->steps->open == start_driver &&
           !__atomic_load_n(&opened, __ATOMIC_ACQUIRE))
        pause_ms(1);
    if ((strcmp(how, "open") == 0 || strcmp(how, "just open") == 0) &&
        gg_opening_wait(&o, -1, &run) != OPENING_OPEN)
        return 2;
    if (strcmp(how, "in a child") == 0 && fork() > 0)
        _exit(wait(NULL) > 0 ? 7 : 3); /* the child ends instead */
    printf("printed ");
    exit(7);
}

/* Runs this program until its end. Returns its status and its output. */
static int run_to_the_end(const char *how, char *said, size_t size) {
    int out[2], status = -1;
    ck_assert(pipe(out) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        setenv("TSAN_OPTIONS", "atexit_sleep_ms=0", 1); /* it would wait a second */
        execl("/proc/self/exe", "opening_test", "--child", how, (char *)NULL);
        _exit(99);
    }
    close(out[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(out[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = 0;
    waitpid(child, &status, 0);
    close(out[0]);
    return status;
}

/* The opening's thread ends first; then all handlers and destructors run. C libraries
** flush streams before or after the destructors. If a driver hangs, exit() stops waiting
** before the time limit of the case. */
START_TEST(exit_waits_for_the_device) {
    static const char printed[] = "printed ";
    char said[500];
    const int status = run_to_the_end(ends[_i].how, said, sizeof said);
    char *stream = strstr(said, printed);
    expect(stream != NULL, "%s: no stream in '%s'", ends[_i].how, said);
    memmove(stream, stream + strlen(printed), strlen(stream + strlen(printed)) + 1);
    expect(strcmp(said, ends[_i].said) == 0, "%s: '%s'", ends[_i].how, said);
    expect(status == 7 << 8, "%s: status %x", ends[_i].how, (unsigned)status);
}
END_TEST

enum { ENDS = sizeof ends / sizeof *ends };

const struct suite suite = {
    "opening",
    {{"threads", .timeout = 60,
      .cases = {{&opens_once},
                {&fails_with_a_sentence},
                {&a_wait_ends},
                {&one_of_many_begins},
                {&cores_are_left_to_the_driver},
                {&without_a_thread_it_stays_closed},
                {&a_driver_may_fork},
                {&exit_waits_for_the_device, ENDS}}},
     {"serial", "serial", 60, .cases = {{&a_child_does_without}}}},
    .child = end_of,
};
