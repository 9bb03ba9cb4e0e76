/* A mutex and a condition: see mutex.h. */
#include "mutex.h"

enum { FREE, HELD, WAITED_FOR };

/* A thread that has slept cannot know whether others sleep too, so it takes the mutex
** as WAITED_FOR. */
bool gg_mutex_lock_for(gg_mutex *mutex, double ms) {
    uint32_t seen = FREE;
    if (__atomic_compare_exchange_n(&mutex->state, &seen, HELD, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        return true;
    const double until = ms < 0 ? 0 : gg_now_ms() + ms;
    while (__atomic_exchange_n(&mutex->state, WAITED_FOR, __ATOMIC_ACQUIRE) != FREE) {
        const double left = ms < 0 ? -1 : until - gg_now_ms();
        if (ms >= 0 && left <= 0)
            return false;
        gg_sleep_on(&mutex->state, WAITED_FOR, left);
    }
    return true;
}

void gg_mutex_unlock(gg_mutex *mutex) {
    if (__atomic_exchange_n(&mutex->state, FREE, __ATOMIC_RELEASE) == WAITED_FOR)
        gg_wake_one(&mutex->state);
}

void gg_condition_wait(gg_condition *condition, gg_mutex *mutex) {
    const uint32_t seen = __atomic_load_n(&condition->woken, __ATOMIC_RELAXED);
    gg_mutex_unlock(mutex);
    gg_sleep_on(&condition->woken, seen, -1);
    gg_mutex_lock(mutex);
}

void gg_condition_wake(gg_condition *condition) {
    __atomic_fetch_add(&condition->woken, 1, __ATOMIC_RELAXED);
    gg_wake_all(&condition->woken);
}
