/* Random numbers, equal for equal seeds. */
#ifndef TEST_LUCK_H
#define TEST_LUCK_H

#include <stdint.h>

/* the seed, then the state of the generator, of each thread */
static __thread uint64_t luck;

static inline uint32_t draw(uint32_t below) {
    luck = luck * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((luck >> 33) % below);
}

#endif
