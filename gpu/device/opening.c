/* Opening a device in the background: see opening.h. */
#include "opening.h"
#include "base/thread.h"
#include "process_end.h"
#include "team.h"
#include "tuning.h"

#include <math.h>

/* ---- the thread ---- */

static void settle(struct opening *o, uint32_t state) {
    __atomic_store_n(&o->state, state, __ATOMIC_RELEASE);
    gg_wake_all(&o->state);
}

static void *open_it(void *opening) {
    struct opening *o = opening;
    const char *why = "";
    gg_note_opener();
    bool opened = o->steps->open(o->ordinal, &why);
    o->why = why;
    gg_share_cores(0);
    const bool awaited = gg_be_awaited();
    settle(o, opened ? OPENING_OPEN : OPENING_FAILED);
    if (!awaited)
        gg_stay();
    gg_come_outside();
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

static bool start(struct opening *o) {
    o->began_ms = gg_now_ms();
    if (o->began_ms < o->again_ms || !gg_go_inside())
        return false;
    __atomic_store_n(&o->state, OPENING_UNDER_WAY, __ATOMIC_RELEASE);
    gg_share_cores(o->began_ms + GG_SHARED_LONGEST * o->steps->usual_ms);
    if (gg_start_thread(open_it, o, 0))
        return true;
    gg_share_cores(0);
    o->again_ms = o->began_ms + GG_THREAD_RETRY_MS;
    gg_come_outside();
    settle(o, OPENING_CLOSED);
    return false;
}

bool gg_opening_begin(struct opening *o) {
    uint32_t nobody = 0;
    enum opening_state state = gg_opening_state(o, NULL);
    if (state != OPENING_CLOSED || gg_process_ends())
        return state == OPENING_UNDER_WAY || state == OPENING_OPEN;
    if (!__atomic_compare_exchange_n(&o->process, &nobody, gg_this_process(), false,
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
        gg_sleep_on(&o->state, OPENING_UNDER_WAY, left < GG_POLL_MS ? left : GG_POLL_MS);
    }
    return state;
}
