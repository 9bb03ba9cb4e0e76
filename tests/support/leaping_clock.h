/* A clock that advances by a second at each reading while `leaping`, so that code which
** polls at intervals polls every time. For programs linked with --wrap=clock_gettime; one
** file of each includes it. */
#ifndef TEST_LEAPING_CLOCK_H
#define TEST_LEAPING_CLOCK_H

#include <stdbool.h>
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

static bool leaping;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    static int reads;
    int rc = __real_clock_gettime(clock, now);
    if (__atomic_load_n(&leaping, __ATOMIC_RELAXED))
        now->tv_sec += __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED);
    return rc;
}

#endif
