/* A device that opens in the background: by a stub that opens slowly, fails, or never comes back. Who
** begins, who waits and for how long, a thread that is not given, fork(), and the end of a process
** while its device is being opened. */
#define _GNU_SOURCE
#include "device/opening.h"
#include "device/process_end.h"

#include "expect.h"
#include "in_child.h"
#include "share.h"
#include "suite.h"
#include "team.h"
#include "tuning.h"
#include "unwilling_threads.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what it is run in ---- */

/* Before the library's own constructor, which learns how many threads the environment allows: the cases
** here are about those that nobody says. */
__attribute__((constructor(101))) static void say_no_number_of_threads(void) {
    unsetenv("OMP_NUM_THREADS");
}

/* ---- the stub ---- */

enum { SLOW_MS = 30 };

static uint32_t opened;   /* how often */
static uint32_t released; /* 1: one that waits may come back */
static sigset_t blocked;  /* in the opening's thread */

static void pause_ms(double ms) {
    usleep((useconds_t)(ms * 1000));
}

static bool open_slowly(int ordinal, const char **why) {
    (void)why;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
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

static bool is_pulled_down; /* by a handler of exit(): what the steps below stand on */

static void tell(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        abort();
}

/* Notices late that the process ends. */
static bool hold_and_notice(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    if (!gg_hold_end())
        return false;
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
    while (!gg_process_ends())
        pause_ms(1);
    pause_ms(SLOW_MS / 2);
    if (__atomic_load_n(&is_pulled_down, __ATOMIC_ACQUIRE))
        tell("fallen ");
    gg_let_end();
    if (gg_hold_end())
        tell("held again ");
    for (;;)
        pause();
}

static bool hold_for_ever(int ordinal, const char **why) {
    if (!gg_hold_end())
        return false;
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
    return never_come_back(ordinal, why);
}

/* Comes back while handlers of exit() run. */
static bool notice_and_come_back(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
    while (!gg_process_ends())
        pause_ms(1);
    return true;
}

static volatile char *nowhere; /* a page that nobody may read */

static void fault(void) {
    tell("faults ");
    (void)nowhere[0];
    tell("went on ");
}

static void stand(void) {
    tell("stands ");
}

/* A driver whose handlers of exit() fault on what it has half built. */
static bool start_to_fault(int ordinal, const char **why) {
    atexit(stand);
    atexit(fault);
    atexit(fault);
    gg_note_end_first();
    gg_note_end_first();
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
    return never_come_back(ordinal, why);
}

/* A driver's thread that faults on what its handlers have pulled down. */
static bool fault_at_the_end(int ordinal, const char **why) {
    (void)ordinal, (void)why;
    gg_note_end_first();
    __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&is_pulled_down, __ATOMIC_ACQUIRE))
        pause_ms(1);
    fault();
    return true;
}

static const struct opening_steps slow = {open_slowly, SLOW_MS};
static const struct opening_steps failing = {fail_slowly, SLOW_MS};
static const struct opening_steps patient = {open_when_released, SLOW_MS};
static const struct opening_steps endless = {never_come_back, SLOW_MS};
static const struct opening_steps noticing = {hold_and_notice, SLOW_MS};
static const struct opening_steps returning = {notice_and_come_back, SLOW_MS};
static const struct opening_steps holding = {hold_for_ever, SLOW_MS};
static const struct opening_steps faulting = {start_to_fault, SLOW_MS};
static const struct opening_steps faulting_thread = {fault_at_the_end, SLOW_MS};

/* A machine of 16 cores, whatever this one has, while that is asked for. */
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
    struct opening o = {.steps = &slow, .ordinal = 3};
    gpugraph_run run = {0};
    const char *why = NULL;
    gg_begin(&run);
    ck_assert_int_eq(gg_opening_state(&o, &why), OPENING_CLOSED);
    ck_assert_str_eq(why, "");
    ck_assert(gg_opening_left_ms(&o) == SLOW_MS);
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_CLOSED); /* for nothing */
    double began = gg_now_ms();
    ck_assert(gg_opening_begin(&o) && gg_opening_begin(&o));
    ck_assert(gg_now_ms() - began < SLOW_MS);
    ck_assert_int_eq(gg_opening_state(&o, NULL), OPENING_UNDER_WAY);
    ck_assert(gg_opening_left_ms(&o) <= SLOW_MS);
    ck_assert_int_eq(gg_opening_wait(&o, 1, &run), OPENING_UNDER_WAY);
    ck_assert(isinf(gg_opening_left_ms(&o))); /* nobody shall wait in vain again */
    ck_assert_int_eq(gg_opening_wait(&o, -1, &run), OPENING_OPEN);
    ck_assert(gg_now_ms() - began >= SLOW_MS);
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
    struct opening o = {.steps = &failing};
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

/* Two of 16 while it opens, however that ends, and if it does not. */
START_TEST(cores_are_left_to_the_driver) {
    static const struct opening_steps *const steps[] = {&slow, &failing, &endless};
    gpugraph_run run = {0};
    gg_begin(&run);
    has_16_cores = true;
    ck_assert_int_eq(gg_team_limit(0), 16);
    for (int i = 0; i < 3; i++) {
        struct opening o = {.steps = steps[i], .ordinal = 3};
        ck_assert(gg_opening_begin(&o));
        ck_assert_int_eq(gg_team_limit(0), 14);
        ck_assert_int_eq(gg_team_limit(16), 16); /* who says how many, has them */
        if (i < 2)
            gg_opening_wait(&o, -1, &run);
        else
            pause_ms(GG_SHARED_LONGEST * SLOW_MS + 1);
        ck_assert_int_eq(gg_team_limit(0), 16);
    }
    has_16_cores = false;
}
END_TEST

static int interrupt(void *listener) {
    return ++*(int *)listener > 2;
}

START_TEST(a_wait_ends) {
    struct opening o = {.steps = &patient};
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
    struct opening o = {.steps = &slow, .ordinal = 3};
    pthread_t caller[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&caller[i], NULL, begin_and_wait, &o), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(caller[i], NULL);
    ck_assert_uint_eq(opened, 1);
}
END_TEST

START_TEST(without_a_thread_it_stays_closed) {
    struct opening o = {.steps = &slow, .ordinal = 3};
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
    } else { /* nothing has been done, so the child may */
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
    while (threads_alive() > 1) /* the opening's own thread ends by itself */
        pause_ms(1);
}
END_TEST

/* ---- the end of a process ---- */

static bool is_ending; /* this program has been started to end */

/* In the place of a driver's: after those of the library, which have no priority. */
__attribute__((destructor(101))) static void pull_down(void) {
    if (is_ending)
        tell("driver ");
}

/* Registered before the library's, as those of CUDA's runtime are. */
static void host_handler(void) {
    __atomic_store_n(&is_pulled_down, true, __ATOMIC_RELEASE);
    tell("handler ");
    pause_ms(5); /* a thread that comes back does so by now */
}

static const struct {
    const char *how;
    const struct opening_steps *steps;
    bool hold;
} ends[] = {{"done", &slow, false},
            {"endless", &endless, false},
            {"input", &endless, false},
            {"without a thread", &endless, false},
            {"fork", &endless, false},
            {"noticed", &noticing, true},
            {"just open", &slow, false},
            {"come back", &returning, true},
            {"held", &holding, true},
            {"handlers fault", &faulting, true},
            {"thread faults", &faulting_thread, true},
            {"host faults", &faulting, true},
            {"host is sent a fault", &faulting, true},
            {"fork of handlers that fault", &faulting, true},
            {"fork of held", &holding, true},
            {"fork that holds, too", &holding, true}};

static void *read_input(void *unused) {
    (void)unused;
    getchar();
    return NULL;
}

static void send_fault(void) {
    raise(SIGSEGV);
    tell("went on ");
}

static int end_of(const char *how) {
    static struct opening o;
    static char file[64];
    gpugraph_run run = {0};
    gg_begin(&run);
    is_ending = true;
    nowhere = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(how, "host faults") == 0)
        atexit(fault);
    if (strcmp(how, "host is sent a fault") == 0)
        atexit(send_fault);
    atexit(host_handler);
    size_t end = 0;
    while (strcmp(ends[end].how, how) != 0)
        end++;
    o = (struct opening){.steps = ends[end].steps, .ordinal = 3};
    if (!gg_opening_begin(&o))
        return 1;
    while (ends[end].hold && !__atomic_load_n(&opened, __ATOMIC_ACQUIRE))
        pause_ms(1);
    if ((strcmp(how, "done") == 0 || strcmp(how, "just open") == 0) &&
        gg_opening_wait(&o, -1, &run) != OPENING_OPEN)
        return 2;
    if (strcmp(how, "done") == 0)
        pause_ms(20); /* its thread is no longer there */
    const bool forks = strncmp(how, "fork", 4) == 0;
    if (forks && fork() > 0)
        pause(); /* the child takes its place, and kills it */
    if (strcmp(how, "fork that holds, too") == 0 && gg_hold_end())
        gg_let_end();
    if (strcmp(how, "input") == 0) {
        pthread_t reader;
        pthread_create(&reader, NULL, read_input, NULL);
        pause_ms(20);
    }
    snprintf(file, sizeof file, "%.3f ", gg_now_ms());
    printf("%s", file); /* in the stream until the end */
    if (forks)
        kill(getppid(), SIGKILL);
    if (strcmp(how, "without a thread") == 0)
        threads_given = 0;
    exit(7);
}

/* Runs this program until its end: how it ended, what it said, and how long that took. */
static double run_to_the_end(const char *how, int *status, char *said, size_t size) {
    int out[2], input[2];
    double asked_ms = 0;
    ck_assert(pipe(out) == 0 && pipe(input) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        dup2(input[0], STDIN_FILENO);
        close(input[1]);
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
    double ended_ms = gg_now_ms();
    waitpid(child, status, 0);
    close(out[0]);
    close(input[0]);
    close(input[1]);
    const char *number = strpbrk(said, "0123456789");
    if (!number || sscanf(number, "%lf", &asked_ms) != 1)
        return 1e9; /* it has ended before it could write that out */
    return ended_ms - asked_ms;
}

/* handlers: the host's are run. */
static void expect_end(const char *how, int status_wanted, bool handlers,
                       bool destructors, double most) {
    char said[500] = "";
    double least = 1e9;
    for (int i = 0; i < 5 && least >= most; i++) {
        int status;
        double ms = run_to_the_end(how, &status, said, sizeof said);
        least = ms < least ? ms : least;
        ck_assert_int_eq(status, status_wanted);
        ck_assert_msg(!strstr(said, "handler ") == !handlers, "%s", said);
        ck_assert_msg(!strstr(said, "driver ") == !destructors, "%s", said);
        ck_assert_msg(!strstr(said, "fallen ") && !strstr(said, "again "), "%s", said);
    }
    ck_assert_msg(least < most, "%s: %.1f ms at exit", how, least);
}

/* Not in the middle of opening: then handlers and destructors run as they do without us. Who holds the end for ever
** stands on what handlers pull down. */
START_TEST(a_process_ends_at_once) {
    expect_end("done", 7 << 8, true, true, 100);
    expect_end("endless", 7 << 8, true, false, 100);
    expect_end("input", 7 << 8, true, false,
               100); /* whose stream is locked by who waits for it */
    expect_end("without a thread", 7 << 8, true, false,
               100); /* what it has printed is there all the same */
    expect_end("noticed", 7 << 8, true, false, 100);
    expect_end("just open", 7 << 8, true, true, 100);
    expect_end("come back", 7 << 8, true, false, 100);
    expect_end("held", 7 << 8, false, false, 100);
}
END_TEST

START_TEST(a_fork_ends_at_once) {
    expect_end("fork", SIGKILL, true, false, 100);
    expect_end("fork of held", SIGKILL, true, false, GG_OPENING_HELD_MS);
    expect_end("fork that holds, too", SIGKILL, true, false, GG_OPENING_HELD_MS);
}
END_TEST

/* A fault of the driver's handlers or of its thread ends neither the process nor what the host does at its end. A fault
** of the host's does. */
START_TEST(a_process_ends_though_a_driver_faults) {
    static const char *const host[] = {"host faults", "host is sent a fault"};
    char said[500];
    int status;
    for (int i = 0; i < 2; i++) {
        const char *how = i ? "fork of handlers that fault" : "handlers fault";
        run_to_the_end(how, &status, said, sizeof said);
        ck_assert_int_eq(status, i ? SIGKILL : 7 << 8);
        ck_assert_msg(strstr(said, "faults faults stands handler "), "%s", said);
        ck_assert_msg(!strstr(said, "went on ") && !strstr(said, "driver "), "%s", said);
    }
    run_to_the_end("thread faults", &status, said, sizeof said);
    ck_assert_int_eq(status, 7 << 8);
    ck_assert_msg(strstr(said, "handler faults ") && !strstr(said, "went on "), "%s",
                  said);
    for (int i = 0; i < 2; i++) {
        run_to_the_end(host[i], &status, said, sizeof said);
        ck_assert_msg(strstr(said, "faults faults stands handler "), "%s", said);
        ck_assert_msg(!strstr(said, "fallen "), "%s", said);
        ck_assert_int_ne(status, 7 << 8);
        if (SANITIZED_PART == 1)
            ck_assert_int_eq(WTERMSIG(status), SIGSEGV);
    }
}
END_TEST

const struct suite suite = {
    "opening",
    {{"threads", .timeout = 60,
      .cases = {{&opens_once},
                {&fails_with_a_sentence},
                {&a_wait_ends},
                {&one_of_many_begins},
                {&cores_are_left_to_the_driver},
                {&without_a_thread_it_stays_closed},
                {&a_process_ends_at_once},
                {&a_process_ends_though_a_driver_faults}}},
     {"serial", "serial", 60,
      .cases = {{&a_child_does_without}, {&a_fork_ends_at_once}}}},
    .child = end_of,
};
