/* A mutex and a condition on words of the platform (platform.h), for waits that may
** take long. For a few instructions there is brief_lock.h. All zero is free, and needs
** neither a start nor an end; a child of fork() sets it to zero.
**
**     mutex.state        FREE --> HELD --> WAITED_FOR
**     condition.woken    counts the calls that wake
**
** Unlocking a mutex that is WAITED_FOR wakes one thread. A thread that waits for a
** condition sleeps while the count is what the thread saw under the mutex. */
#ifndef GPUGRAPH_MUTEX_H
#define GPUGRAPH_MUTEX_H

#include "platform.h"

GG_BEGIN_C

typedef struct gg_mutex {
    uint32_t state;
} gg_mutex;

/* Takes the mutex. `ms`: the longest wait in milliseconds, about; negative: no limit.
** Returns false if another thread still holds the mutex. */
bool gg_mutex_lock_for(gg_mutex *mutex, double ms);
static inline void gg_mutex_lock(gg_mutex *mutex) {
    gg_mutex_lock_for(mutex, -1);
}
void gg_mutex_unlock(gg_mutex *mutex);

typedef struct gg_condition {
    uint32_t woken;
} gg_condition;

/* Releases the mutex, sleeps until the condition is woken, and takes the mutex again. May
** return early without a reason. */
void gg_condition_wait(gg_condition *condition, gg_mutex *mutex);
/* Wakes all threads that wait. */
void gg_condition_wake(gg_condition *condition);

GG_END_C
#endif
