/* Numbers by chance, the same ones for the same seed. */
#ifndef TEST_LUCK_H
#define TEST_LUCK_H

#include <stdint.h>

static __thread uint64_t luck; /* the seed, and what has become of it: each thread's */

static inline uint32_t draw(uint32_t below) {
    luck = luck * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((luck >> 33) % below);
}

#endif
