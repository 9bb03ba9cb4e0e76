/* Assertions with a condition and a message, or with two numbers. */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <stdint.h>

#include "assertions.h"

#define expect(condition, ...)                                                           \
    do {                                                                                 \
        if (!(condition))                                                                \
            ck_abort_msg(__VA_ARGS__);                                                   \
    } while (0)

static inline void expect_equal_at(uint64_t have, uint64_t want, int line) {
    if (have != want)
        ck_abort_msg("line %d: have %llu, want %llu", line, (unsigned long long)have,
                     (unsigned long long)want);
}
#define expect_equal(have, want)                                                         \
    expect_equal_at((uint64_t)(have), (uint64_t)(want), __LINE__)

#endif
