/* A lock that is held for a few instructions, never during a call that may wait, fail, or
** run foreign code. All zero is free. A child of fork() finds the lock free whatever
** thread of the parent held it; the protected data may then be changed by half, so the
** holder asks gg_this_process() whether the data belongs to this process. */
#ifndef GPUGRAPH_BRIEF_LOCK_H
#define GPUGRAPH_BRIEF_LOCK_H

#include "platform.h"
#include "team.h"

GG_BEGIN_C

typedef struct gg_brief_lock {
    uint32_t holder; /* 0: free; otherwise gg_this_process() of the holder's process */
} gg_brief_lock;

static inline void gg_lock(gg_brief_lock *lock) {
    const uint32_t mine = gg_this_process();
    for (;;) {
        uint32_t seen = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
        if (seen != mine &&
            __atomic_compare_exchange_n(&lock->holder, &seen, mine, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return;
        gg_yield();
    }
}

static inline void gg_unlock(gg_brief_lock *lock) {
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
}

GG_END_C
#endif
