/* Random statements; the including file defines the source of random numbers. */
#ifndef TEST_RANDOM_SQL_H
#define TEST_RANDOM_SQL_H

#include <stdint.h>

/* A random number less than `below`, which the test defines. */
uint32_t pick(uint32_t below);

#define ONE_OF(...)                                                                      \
    ((const char *const[]){                                                              \
        __VA_ARGS__})[pick(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]

/* SplitMix64: the next 32 bits. */
static inline uint32_t split_mix(uint64_t *state) {
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) >> 32);
}

/* The conflict clauses of INSERT and UPDATE; REPLACE as often as all others together. */
static inline const char *conflict(void) {
    return pick(2) ? ""
                   : ONE_OF("OR REPLACE", "OR IGNORE", "OR FAIL", "OR ROLLBACK",
                            "OR REPLACE");
}

#endif
