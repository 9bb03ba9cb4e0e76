/* One mutex for each device. */
#include "turn.h"
#include "mutex.h"

static gg_mutex mutex[GG_MAX_DEVICES];
static __thread uint32_t turns; /* turns of this thread: a bit for each device */

static uint32_t bit(int ordinal) {
    return (uint32_t)1 << ordinal;
}

enum { POLL_MS = 5 }; /* milliseconds between two polls for an interrupt */

bool gg_turn_take(gpugraph_run *run, int ordinal) {
    if (turns >= bit(ordinal)) {
        gg_fail(run, GPUGRAPH_DEVICE_FAILED,
                "this thread already uses the CUDA device; an interrupt handler or a "
                "progress handler must not start a search");
        return false;
    }
    while (!gg_mutex_lock_for(&mutex[ordinal], POLL_MS))
        if (gg_poll(run)) {
            gg_stopped(run);
            return false;
        }
    turns |= bit(ordinal);
    return true;
}

bool gg_turn_wait(int ordinal) {
    if (turns & bit(ordinal))
        return false;
    gg_mutex_lock(&mutex[ordinal]);
    turns |= bit(ordinal);
    return true;
}

void gg_turn_end(int ordinal) {
    turns &= ~bit(ordinal);
    gg_mutex_unlock(&mutex[ordinal]);
}

int gg_turn_of_thread(void) {
    return turns ? 31 - __builtin_clz(turns) : -1;
}
