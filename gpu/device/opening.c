/* Opens a device in the background (opening.h). */
#include "opening.h"
#include "team.h"
#include "turn.h"

#include <math.h>
#include <stdlib.h>

enum {
    /* A multiple of the usual opening time after which a driver counts as hung: the
    ** library uses its cores again. */
    SHARED_LONGEST = 3,
    /* A multiple of the usual opening time that exit() and fork() wait: ten seconds. With
    ** twelve processes at once an opening took 2.9 s. */
    OPENING_LONGEST = 40
};

/* ---- the end of the process, and fork() ---- */

static struct {
    uint32_t registered, ending;             /* 1: true */
    struct opening *opening[GG_MAX_DEVICES]; /* every opening that has begun */
} begun;

bool gg_process_ends(void) {
    return __atomic_load_n(&begun.ending, __ATOMIC_ACQUIRE);
}

/* Waits until the thread of the opening has ended, since the driver also works while a
** thread ends. */
static void await_thread(struct opening *o) {
    const double until = gg_now_ms() + OPENING_LONGEST * o->steps->usual_ms;
    const double moment_ms = 0.02;
    double left;
    while (__atomic_load_n(&o->state, __ATOMIC_ACQUIRE) == OPENING_UNDER_WAY &&
           (left = until - gg_now_ms()) > 0)
        gg_sleep_on(&o->state, OPENING_UNDER_WAY, left);
    const uint32_t thread = __atomic_load_n(&o->thread, __ATOMIC_ACQUIRE);
    while (thread != 0 && gg_thread_runs(thread) && gg_now_ms() < until)
        gg_sleep(moment_ms);
}

/* The thread that opens a device may fork, because the driver starts helper programs. It
** does not wait for itself. */
static void await_threads(void) {
    for (uint32_t i = 0; i < GG_MAX_DEVICES; i++) {
        struct opening *o = __atomic_load_n(&begun.opening[i], __ATOMIC_ACQUIRE);
        if (o && __atomic_load_n(&o->process, __ATOMIC_ACQUIRE) == gg_this_process() &&
            __atomic_load_n(&o->thread, __ATOMIC_ACQUIRE) != gg_system_thread())
            await_thread(o);
    }
}

static void end_process(void) {
    __atomic_store_n(&begun.ending, 1, __ATOMIC_RELEASE);
    await_threads();
}

void gg_await_openings_at_exit(void) {
    atexit(end_process);
}

/* Lists an opening, unless it is listed. */
static void list_opening(struct opening *o) {
    if (!__atomic_exchange_n(&begun.registered, 1, __ATOMIC_ACQ_REL)) {
        gg_await_openings_at_exit();
        gg_around_fork(await_threads, NULL, NULL);
    }
    for (uint32_t i = 0; i < GG_MAX_DEVICES; i++) {
        struct opening *there = NULL;
        if (__atomic_compare_exchange_n(&begun.opening[i], &there, o, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED) ||
            there == o)
            return;
    }
}

/* ---- the thread ---- */

static void settle_opening(struct opening *o, uint32_t state) {
    __atomic_store_n(&o->state, state, __ATOMIC_RELEASE);
    gg_wake_all(&o->state);
}

static void *open_it(void *opening) {
    struct opening *o = opening;
    const char *why = "";
    __atomic_store_n(&o->thread, gg_system_thread(), __ATOMIC_RELEASE);
    bool opened = o->steps->open(o->ordinal, &why);
    o->why = why;
    gg_share_cores(0);
    settle_opening(o, opened ? OPENING_OPEN : OPENING_FAILED);
    return NULL;
}

enum opening_state gg_opening_state(const struct opening *o, const char **why) {
    uint32_t state = __atomic_load_n(&o->state, __ATOMIC_ACQUIRE);
    uint32_t begun_in = __atomic_load_n(&o->process, __ATOMIC_ACQUIRE);
    const char *reason = state == OPENING_FAILED ? o->why : "";
    if (state != OPENING_FAILED && begun_in != 0 && begun_in != gg_this_process()) {
        state = OPENING_FAILED;
        reason = "this process is a fork of one that had begun to open a device, which "
                 "does not survive fork()";
    }
    if (why)
        *why = reason;
    return (enum opening_state)state;
}

static bool start_opening(struct opening *o) {
    o->began_ms = gg_now_ms();
    if (o->began_ms < o->again_ms)
        return false;
    list_opening(o);
    __atomic_store_n(&o->state, OPENING_UNDER_WAY, __ATOMIC_RELEASE);
    gg_share_cores(o->began_ms + SHARED_LONGEST * o->steps->usual_ms);
    if (gg_start_thread(open_it, o, 0))
        return true;
    gg_share_cores(0);
    o->again_ms = o->began_ms + GG_THREAD_RETRY_MS;
    settle_opening(o, OPENING_CLOSED);
    return false;
}

bool gg_opening_begin(struct opening *o) {
    uint32_t none = 0;
    enum opening_state state = gg_opening_state(o, NULL);
    if (state != OPENING_CLOSED || gg_process_ends())
        return state == OPENING_UNDER_WAY || state == OPENING_OPEN;
    if (!__atomic_compare_exchange_n(&o->process, &none, gg_this_process(), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return true; /* another thread is beginning the opening */
    bool begun = start_opening(o);
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
        gg_sleep_on(&o->state, OPENING_UNDER_WAY, left < GG_POLL_MS ? left : GG_POLL_MS);
    }
    return state;
}
