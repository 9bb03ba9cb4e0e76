/* One mutex for each device. */
#define _GNU_SOURCE
#include "turn.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex[GG_MAX_DEVICES] = {[0 ... GG_MAX_DEVICES - 1] =
                                                    PTHREAD_MUTEX_INITIALIZER};
static __thread uint32_t turns; /* of this thread: a bit for each device */

static uint32_t bit(int ordinal) {
    return (uint32_t)1 << ordinal;
}

static struct timespec soon(void) {
    enum { STEP = 5000000, SECOND = 1000000000 }; /* nanoseconds */
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += STEP;
    if (until.tv_nsec >= SECOND) {
        until.tv_nsec -= SECOND;
        until.tv_sec++;
    }
    return until;
}

bool gg_turn_take(gpugraph_run *run, int ordinal) {
    if (turns >= bit(ordinal)) {
        gg_fail(run, GPUGRAPH_DEVICE_FAILED,
                "the CUDA device is in use by this very thread, which an interrupt "
                "handler or a progress handler must not search with");
        return false;
    }
    for (;;) {
        const struct timespec until = soon();
        const int error = pthread_mutex_timedlock(&mutex[ordinal], &until);
        if (error == 0)
            break;
        if (error != ETIMEDOUT) {
            gg_fail(run, GPUGRAPH_DEVICE_FAILED,
                    "CUDA device %d cannot be waited for (error %d of "
                    "pthread_mutex_timedlock)",
                    ordinal, error);
            return false;
        }
        if (gg_poll(run)) {
            gg_stopped(run);
            return false;
        }
    }
    turns |= bit(ordinal);
    return true;
}

bool gg_turn_wait(int ordinal) {
    if (turns & bit(ordinal))
        return false;
    pthread_mutex_lock(&mutex[ordinal]);
    turns |= bit(ordinal);
    return true;
}

void gg_turn_end(int ordinal) {
    turns &= ~bit(ordinal);
    pthread_mutex_unlock(&mutex[ordinal]);
}

int gg_turn_of_thread(void) {
    int last = -1;
    for (int ordinal = 0; ordinal < GG_MAX_DEVICES; ordinal++)
        if (turns & bit(ordinal))
            last = ordinal;
    return last;
}
