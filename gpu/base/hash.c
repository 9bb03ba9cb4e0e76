/* The seed of placing hashes. */
#define _GNU_SOURCE
#include "hash.h"

#include <stdbool.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Not 0. Without getrandom() the seed comes from the time and from an address, which the kernel draws. */
static uint64_t draw_seed(void) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        seed = gg_fixed_hash((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec) ^
               gg_fixed_hash((uint64_t)(uintptr_t)&seed ^ (uint64_t)getpid() << 48);
    }
    return seed ? seed : 1;
}

struct gg_placing gg_placing(void) {
    static uint64_t of_process;
    uint64_t seed = __atomic_load_n(&of_process, __ATOMIC_RELAXED);
    if (seed == 0) {
        const uint64_t drawn = draw_seed();
        if (__atomic_compare_exchange_n(&of_process, &seed, drawn, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            seed = drawn;
    }
    return (struct gg_placing){seed, gg_fixed_hash(~seed) | 1};
}
