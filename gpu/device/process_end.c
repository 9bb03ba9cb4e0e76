/* The end of a process while threads of the library open devices: see process_end.h.
**
** exit() runs, in this order: handlers of atexit() and on_exit(), the last one registered first;
** then destructors of libraries, in the order in which they were loaded; then it writes out what
** streams hold, and leaves.
**
**     on_exit         await_thread    of a thread that has opened, and that is about to be gone
**     on_exit         look_after      the first one: nothing new is begun; the status is remembered; who holds the
**                                     end is waited for, and if that takes too long the process leaves here. While
**                                     a thread is inside, the handlers behind this one are looked after
**     (the driver's own, which it registers as it is loaded and started)
**     on_exit         note_exit       the same, where the driver has not started yet
**     (handlers that were registered earlier run as always: the host's, and those of CUDA's
**     runtime, which is linked in: they take away what its calls stand on)
**     destructor      leave_first     a thread is inside the driver, which was loaded later: streams
**                                     are written out, and the process leaves with that status
**     (the driver's destructors, which would find its thread at work, do not run)
**
** A handler of the driver's may fall over what its thread has half built at that moment: it has one that does so within some
** milliseconds of an opening. exit() has taken it off its list by then, so the others are run without
** it. The same for its thread, which may fall over what they have pulled down, and then stays where it is.
**
** The same holds for a child of fork() that has inherited a driver which was half open: its
** locks may be held by a thread that is not there. */
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

/* A thread that opens a device, and whose it is. */
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

enum looking { NOT_YET, AT_HANDLERS, AT_OPENERS };

static struct {
    uint32_t looking;        /* enum looking: who is looked after */
    pid_t thread;            /* that runs the handlers */
    sigjmp_buf next;         /* there, to run those that are left */
    struct sigaction before; /* the host's */
} fault;

/* Whoever is not looked after falls as if nothing had been. */
static void on_fault(int signal, siginfo_t *info, void *context) {
    const uint32_t looking = __atomic_load_n(&fault.looking, __ATOMIC_ACQUIRE);
    (void)context;
    if (looking == AT_HANDLERS && fault.thread == this_thread())
        siglongjmp(fault.next, 1);
    if (this_opener())
        gg_stay();
    sigaction(signal, &fault.before, NULL);
    if (info->si_code <= 0)
        raise(signal); /* it was sent, and does not come again by itself */
}

/* The handlers that are left, from inside the one that calls this: exit() of the GNU C library goes on where it was. */
__attribute__((noreturn)) static void run_handlers(void) {
    struct sigaction act = {.sa_sigaction = on_fault,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&act.sa_mask);
    fault.thread = this_thread();
    if (sigsetjmp(fault.next, 1) == 0) {
        __atomic_store_n(&fault.looking, AT_HANDLERS, __ATOMIC_RELEASE);
        sigaction(SIGSEGV, &act, &fault.before);
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
        leave(); /* what that thread stands on is pulled down by the handlers behind this one */
}

static void look_after(int status, void *unused) {
    (void)unused;
    begin_end(status);
    if (is_anybody_inside() && fault.looking == NOT_YET)
        run_handlers();
}

/* The driver's handlers are done. */
static void note_exit(int status, void *unused) {
    (void)unused;
    begin_end(status);
    if (fault.looking == AT_HANDLERS)
        __atomic_store_n(&fault.looking, AT_OPENERS, __ATOMIC_RELEASE);
}

void gg_note_end_first(void) {
    on_exit(look_after, NULL);
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
