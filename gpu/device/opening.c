/* Opening a device in the background, and the end of the process meanwhile.
**
** exit() runs, in this order: handlers of atexit() and on_exit(), the last one registered first;
** then destructors of libraries, in the order in which they were loaded; then it writes out what
** streams hold, and leaves.
**
**     on_exit         await_thread    of a thread that has opened, and that is about to be gone
**     on_exit         note_exit       nothing new is begun; the status is remembered; who holds the
**                                     end is waited for, and if that takes too long the process leaves here
**     (the driver's own, which it registers as it starts)
**     on_exit         note_exit       the same, where the driver has not started yet
**     (handlers that were registered earlier run as always: the host's, and those of CUDA's
**     runtime, which is linked in: they take away what its calls stand on)
**     destructor      leave_first     a thread is inside the driver, which was loaded later: streams
**                                     are written out, and the process leaves with that status
**     (the driver's destructors, which would find its thread at work, do not run)
**
** The same holds for a child of fork() that has inherited a driver which was half open: its
** locks may be held by a thread that is not there. */
#define _GNU_SOURCE
#include "opening.h"
#include "base/thread.h"
#include "turn.h"

#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A thread that has opened a device, and whose it is. */
struct opener {
    pthread_t thread;
    uint32_t process;
};

static struct {
    uint32_t registered, ending; /* 1: so it is */
    uint32_t inside;             /* threads that open */
    uint64_t held; /* whose << 32 | how many of them hold the end; slept on */
    int status;
    uint32_t openers;
    struct opener opener[GG_MAX_DEVICES];
} process;

/* ---- the end of the process ---- */

static void sleep_on(uint32_t *word, uint32_t value, double ms) {
    const long ns = (long)(ms * 1e6);
    const struct timespec limit = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

static void wake_all(uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Who begins is whoever puts its process there. */
static uint32_t this_process(void) {
    return 1 + gg_forks();
}

/* Holders of this process alone: a child of fork() has none of its parent's threads, which would let go. */
static uint64_t ours(uint64_t held) {
    return held >> 32 == this_process() ? held : (uint64_t)this_process() << 32;
}

/* Its low half, where a futex can be. */
static uint32_t *count_of(uint64_t *held) {
    const int low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    return (uint32_t *)held + low;
}

static uint32_t held_here(void) {
    return (uint32_t)ours(__atomic_load_n(&process.held, __ATOMIC_SEQ_CST));
}

bool gg_process_ends(void) {
    return __atomic_load_n(&process.ending, __ATOMIC_SEQ_CST);
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
    wake_all(count_of(&process.held));
}

/* The thread that writes streams out. */
enum writing { NOT_BEGUN, WRITING, WRITTEN };

static void set_writing(uint32_t *writing, enum writing to) {
    __atomic_store_n(writing, to, __ATOMIC_RELEASE);
    wake_all(writing);
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
        sleep_on(writing, is, until - gg_now_ms());
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

static void leave(void) {
    write_streams_out();
    _exit(process.status);
}

static void note_exit(int status, void *unused) {
    const double until = gg_now_ms() + GG_OPENING_HELD_MS;
    uint32_t held;
    (void)unused;
    process.status = status;
    __atomic_store_n(&process.ending, 1, __ATOMIC_SEQ_CST);
    while ((held = held_here()) != 0 && gg_now_ms() < until)
        sleep_on(count_of(&process.held), held, until - gg_now_ms());
    if (held != 0)
        leave(); /* what that thread stands on is pulled down by the handlers behind this one */
}

__attribute__((destructor)) static void leave_first(void) {
    if (!gg_process_ends() || !__atomic_load_n(&process.inside, __ATOMIC_ACQUIRE))
        return;
    leave();
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

void gg_note_end_first(void) {
    on_exit(note_exit, NULL);
}

/* ---- the thread ---- */

static void settle(struct opening *o, uint32_t state) {
    __atomic_store_n(&o->state, state, __ATOMIC_RELEASE);
    wake_all(&o->state);
}

/* As a thread ends, the driver takes back what it has kept for it, out of what its own handlers and destructors pull
** down. It registers these as it is loaded and started: before this one, so they run behind it. */
static void await_thread(int status, void *thread) {
    const struct opener *of = thread;
    struct timespec until;
    (void)status;
    if (of->process != this_process() || pthread_equal(of->thread, pthread_self()))
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(GG_OPENING_HELD_MS * 1e6);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_timedjoin_np(of->thread, NULL, &until);
}

/* By this thread, which has opened: each device is opened once. */
static void note_thread(void) {
    const uint32_t i = __atomic_fetch_add(&process.openers, 1, __ATOMIC_RELAXED);
    if (i >= GG_MAX_DEVICES)
        return;
    process.opener[i] = (struct opener){pthread_self(), this_process()};
    on_exit(await_thread, &process.opener[i]);
}

/* What a thread's own end needs is being pulled down: the process leaves with it inside. */
__attribute__((noreturn)) static void stay(void) {
    for (;;)
        pause();
}

static void *open_it(void *opening) {
    struct opening *o = opening;
    const char *why = "";
    bool opened = o->steps->open(o->ordinal, &why);
    o->why = why;
    gg_share_cores(0);
    const bool ends = gg_process_ends();
    if (!ends)
        note_thread();
    settle(o, opened ? OPENING_OPEN : OPENING_FAILED);
    if (ends)
        stay();
    __atomic_sub_fetch(&process.inside, 1, __ATOMIC_RELEASE);
    return NULL;
}

enum opening_state gg_opening_state(const struct opening *o, const char **why) {
    uint32_t state = __atomic_load_n(&o->state, __ATOMIC_ACQUIRE);
    uint32_t begun_in = __atomic_load_n(&o->process, __ATOMIC_ACQUIRE);
    const char *reason = state == OPENING_FAILED ? o->why : "";
    if (state != OPENING_FAILED && begun_in != 0 && begun_in != this_process()) {
        state = OPENING_FAILED;
        reason = "this process is a fork of one that had begun to open a device, which "
                 "does not survive fork()";
    }
    if (why)
        *why = reason;
    return (enum opening_state)state;
}

static bool start(struct opening *o) {
    o->began_ms = gg_now_ms();
    if (o->began_ms < o->again_ms || !register_exit())
        return false;
    __atomic_add_fetch(&process.inside, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&o->state, OPENING_UNDER_WAY, __ATOMIC_RELEASE);
    gg_share_cores(o->began_ms + GG_SHARED_LONGEST * o->steps->usual_ms);
    if (gg_start_joinable(open_it, o))
        return true;
    gg_share_cores(0);
    o->again_ms = o->began_ms + GG_THREAD_RETRY_MS;
    __atomic_sub_fetch(&process.inside, 1, __ATOMIC_RELEASE);
    settle(o, OPENING_CLOSED);
    return false;
}

bool gg_opening_begin(struct opening *o) {
    uint32_t nobody = 0;
    enum opening_state state = gg_opening_state(o, NULL);
    if (state != OPENING_CLOSED || gg_process_ends())
        return state == OPENING_UNDER_WAY || state == OPENING_OPEN;
    if (!__atomic_compare_exchange_n(&o->process, &nobody, this_process(), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return true; /* another thread does at this moment */
    bool begun = start(o);
    if (!begun)
        __atomic_store_n(&o->process, 0, __ATOMIC_RELEASE);
    return begun;
}

/* ---- waiting ---- */

double gg_opening_left_ms(const struct opening *o) {
    enum opening_state state = gg_opening_state(o, NULL);
    if (state == OPENING_OPEN)
        return 0;
    if (__atomic_load_n(&o->given_up, __ATOMIC_RELAXED))
        return INFINITY;
    return state == OPENING_UNDER_WAY
               ? gg_left_ms(o->steps->usual_ms, gg_now_ms() - o->began_ms)
               : o->steps->usual_ms;
}

enum opening_state gg_opening_wait(struct opening *o, double ms, gpugraph_run *run) {
    const double until = gg_now_ms() + ms;
    enum opening_state state;
    while ((state = gg_opening_state(o, NULL)) == OPENING_UNDER_WAY) {
        double left = ms < 0 ? GG_POLL_MS : until - gg_now_ms();
        if (gg_poll(run))
            break;
        if (left <= 0) {
            __atomic_store_n(&o->given_up, 1, __ATOMIC_RELAXED);
            break;
        }
        sleep_on(&o->state, OPENING_UNDER_WAY, left < GG_POLL_MS ? left : GG_POLL_MS);
    }
    return state;
}
