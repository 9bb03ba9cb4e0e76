/* The end of a process while threads of the library open devices: see process_end.h.
**
** exit() runs, in this order: handlers of atexit() and on_exit(), the last one registered first;
** then destructors of libraries, in the order in which they were loaded; then it writes out what
** streams hold, and leaves.
**
**     on_exit         await_thread    a thread that has opened a device is about to end: it is waited for
**     on_exit         guard_handlers  nothing new is begun; the status is remembered; threads that hold the end are
**                                     waited for, and if they take too long the process leaves here. While a
**                                     thread is inside the driver, the handlers behind this one run guarded
**     (the driver's own, which it registers as it is loaded and started)
**     on_exit         note_exit       the guard ends. Where the driver has not started yet, this is the first handler, and
**                                     does what guard_handlers does without a guard
**     (handlers that were registered earlier run as always: the host's, and those of CUDA's
**     runtime, which is linked in: they take away what its calls stand on)
**     destructor      leave_first     a thread is inside the driver, which was loaded later: streams
**                                     are written out, and the process leaves with that status
**     (the driver's destructors, which would find its thread at work, do not run)
**
** The driver has a handler that may fault on what its thread has half built. exit() has taken a handler off its list
** before it calls it, so a guarded one that faults is left, and the next one is called. A thread that opens may fault on
** what handlers have pulled down: it is stopped where it is.
**
** A child of fork() inherits the handlers, and a driver that is half open. Its end goes through the same steps: locks of
** that driver may be held by a thread that the child does not have. */
#define _GNU_SOURCE
#include "process_end.h"
#include "base/run.h"
#include "base/thread.h"
#include "team.h"
#include "tuning.h"
#include "turn.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A thread that opens a device, and its process. */
struct opener {
    pid_t thread;
    uint32_t process; /* 0: not noted yet */
};

static struct {
    uint32_t registered, ending; /* 1: so it is */
    uint32_t inside;             /* threads that open */
    uint64_t held; /* whose << 32 | how many of them hold the end; slept on */
    int status;
    uint32_t openers;
    struct opener opener[GG_MAX_DEVICES];
} process;

bool gg_process_ends(void) {
    return __atomic_load_n(&process.ending, __ATOMIC_SEQ_CST);
}

/* ---- who holds it ---- */

/* Holders of this process alone: a child of fork() has none of its parent's threads, which would let go. */
static uint64_t ours(uint64_t held) {
    return held >> 32 == gg_this_process() ? held : (uint64_t)gg_this_process() << 32;
}

/* Its low half, where a futex can be. */
static uint32_t *count_of(uint64_t *held) {
    const int low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    return (uint32_t *)held + low;
}

static uint32_t held_here(void) {
    return (uint32_t)ours(__atomic_load_n(&process.held, __ATOMIC_SEQ_CST));
}

bool gg_hold_end(void) {
    uint64_t held = __atomic_load_n(&process.held, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&process.held, &held, ours(held) + 1, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    if (!gg_process_ends())
        return true;
    gg_let_end();
    return false;
}

void gg_let_end(void) {
    __atomic_sub_fetch(&process.held, 1, __ATOMIC_SEQ_CST);
    gg_wake_all(count_of(&process.held));
}

/* ---- what streams hold ---- */

/* The thread that writes streams out. */
enum writing { NOT_BEGUN, WRITING, WRITTEN };

static void set_writing(uint32_t *writing, enum writing to) {
    __atomic_store_n(writing, to, __ATOMIC_RELEASE);
    gg_wake_all(writing);
}

static void *write_out(void *writing) {
    set_writing(writing, WRITING);
    fflush(NULL);
    set_writing(writing, WRITTEN);
    return NULL;
}

static void wait_while(uint32_t *writing, enum writing is, double ms) {
    const double until = gg_now_ms() + ms;
    while (__atomic_load_n(writing, __ATOMIC_ACQUIRE) == is && gg_now_ms() < until)
        gg_sleep_on(writing, is, until - gg_now_ms());
}

/* By this thread, which waits for nobody's turn; a stream that another one has locked is left. */
static void write_out_at_once(FILE *stream) {
    if (ftrylockfile(stream) != 0)
        return;
    fflush(stream);
    funlockfile(stream);
}

/* A stream is locked while a thread of the host's waits for input from it; streams are written out in
** the order of their opening, the latest first, so only standard input stands behind that. */
static void write_streams_out(void) {
    static uint32_t writing;
    write_out_at_once(stdout);
    write_out_at_once(stderr);
    if (!gg_start_thread(write_out, &writing, 0))
        return;
    wait_while(&writing, NOT_BEGUN, GG_OPENING_BUSY_MS);
    wait_while(&writing, WRITING, GG_OPENING_FLUSH_MS);
}

/* ---- threads that open ---- */

static pid_t this_thread(void) {
    return (pid_t)syscall(SYS_gettid);
}

/* This thread's entry, or NULL. */
static struct opener *this_opener(void) {
    for (int i = 0; i < GG_MAX_DEVICES; i++) {
        struct opener *of = &process.opener[i];
        if (__atomic_load_n(&of->process, __ATOMIC_ACQUIRE) == gg_this_process() &&
            of->thread == this_thread())
            return of;
    }
    return NULL;
}

/* Each device is opened once. */
void gg_note_opener(void) {
    const uint32_t i = __atomic_fetch_add(&process.openers, 1, __ATOMIC_RELAXED);
    if (i >= GG_MAX_DEVICES)
        return;
    process.opener[i].thread = this_thread();
    __atomic_store_n(&process.opener[i].process, gg_this_process(), __ATOMIC_RELEASE);
}

/* As a thread ends, the driver takes back what it has kept for it, out of what its own handlers and destructors pull
** down. It registers these as it is loaded and started: before this one, so they run behind it. */
static void await_thread(int status, void *thread) {
    const struct opener *of = thread;
    const struct timespec moment = {0, 20000};
    const double until = gg_now_ms() + GG_OPENING_HELD_MS;
    (void)status;
    if (of->process != gg_this_process() || of->thread == this_thread())
        return;
    while (syscall(SYS_tgkill, getpid(), of->thread, 0) == 0 && gg_now_ms() < until)
        nanosleep(&moment, NULL);
}

bool gg_be_awaited(void) {
    struct opener *of = this_opener();
    if (gg_process_ends())
        return false;
    if (of)
        on_exit(await_thread, of);
    return true;
}

void gg_stay(void) {
    for (;;)
        pause();
}

static bool is_anybody_inside(void) {
    return __atomic_load_n(&process.inside, __ATOMIC_ACQUIRE) > 0;
}

void gg_come_outside(void) {
    __atomic_sub_fetch(&process.inside, 1, __ATOMIC_RELEASE);
}

/* ---- faults ---- */

enum guarding { NOT_BEGUN_YET, HANDLERS, OPENERS_ALONE };

static struct {
    uint32_t guarding;       /* enum guarding */
    pid_t thread;            /* the one that has called exit() */
    sigjmp_buf next;         /* in that thread: calls the next handler */
    struct sigaction before; /* the host's action for SIGSEGV */
} guard;

/* A fault that is not guarded against goes to the host's action. */
static void on_fault(int signal, siginfo_t *info, void *context) {
    const uint32_t guarding = __atomic_load_n(&guard.guarding, __ATOMIC_ACQUIRE);
    (void)context;
    if (guarding == HANDLERS && guard.thread == this_thread())
        siglongjmp(guard.next, 1);
    if (this_opener())
        gg_stay();
    sigaction(signal, &guard.before, NULL);
    if (info->si_code <= 0)
        raise(signal); /* a signal that was sent does not come again by itself */
}

/* Called by a handler: exit() of the GNU C library goes on with the handlers that are left. */
__attribute__((noreturn)) static void run_guarded(void) {
    struct sigaction act = {.sa_sigaction = on_fault,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&act.sa_mask);
    guard.thread = this_thread();
    if (sigsetjmp(guard.next, 1) == 0) {
        __atomic_store_n(&guard.guarding, HANDLERS, __ATOMIC_RELEASE);
        sigaction(SIGSEGV, &act, &guard.before);
    }
    exit(process.status);
}

/* ---- handlers of exit() ---- */

static void leave(void) {
    write_streams_out();
    _exit(process.status);
}

static void begin_end(int status) {
    const double until = gg_now_ms() + GG_OPENING_HELD_MS;
    uint32_t held;
    process.status = status;
    __atomic_store_n(&process.ending, 1, __ATOMIC_SEQ_CST);
    while ((held = held_here()) != 0 && gg_now_ms() < until)
        gg_sleep_on(count_of(&process.held), held, until - gg_now_ms());
    if (held != 0)
        leave(); /* the handlers behind this one pull down what the thread that holds the end uses */
}

static void guard_handlers(int status, void *unused) {
    (void)unused;
    begin_end(status);
    if (is_anybody_inside() && guard.guarding == NOT_BEGUN_YET)
        run_guarded();
}

/* The handlers behind this one are the host's. */
static void note_exit(int status, void *unused) {
    (void)unused;
    begin_end(status);
    if (guard.guarding == HANDLERS)
        __atomic_store_n(&guard.guarding, OPENERS_ALONE, __ATOMIC_RELEASE);
}

void gg_note_end_first(void) {
    on_exit(guard_handlers, NULL);
}

/* Once for a process and its children. */
static bool register_exit(void) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    if (__atomic_load_n(&process.registered, __ATOMIC_ACQUIRE))
        return true;
    if (pthread_mutex_trylock(&once) != 0)
        return false; /* another caller is at it, or was when this process forked off */
    if (!process.registered && on_exit(note_exit, NULL) == 0)
        __atomic_store_n(&process.registered, 1, __ATOMIC_RELEASE);
    bool registered = process.registered;
    pthread_mutex_unlock(&once);
    return registered;
}

bool gg_go_inside(void) {
    if (!register_exit())
        return false;
    __atomic_add_fetch(&process.inside, 1, __ATOMIC_RELEASE);
    return true;
}

__attribute__((destructor)) static void leave_first(void) {
    if (gg_process_ends() && is_anybody_inside())
        leave();
}
