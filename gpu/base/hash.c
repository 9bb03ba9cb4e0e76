/* The seed of placing hashes. */
#include "hash.h"
#include "platform.h"

#include <stdbool.h>

/* Not 0. Without random bytes the seed comes from an address, which the kernel draws, and
** from the time. */
static uint64_t draw_seed(void) {
    uint64_t seed = 0;
    if (!gg_random_bytes(&seed, sizeof seed))
        seed =
            gg_fixed_hash((uint64_t)(uintptr_t)&seed ^ (uint64_t)gg_process_id() << 48) ^
            gg_fixed_hash((uint64_t)(gg_now_ms() * 1e6));
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
