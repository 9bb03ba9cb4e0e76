/* Arrays in ascending order: targets of a row, rows of arcs, keys. */
#ifndef GPUGRAPH_IN_ORDER_CUH
#define GPUGRAPH_IN_ORDER_CUH

#include <stdint.h>

/* Bits of a key that is at most `largest`; at least 1. */
static inline int gg_key_bits(uint32_t largest) {
    return largest == 0 ? 1 : 32 - __builtin_clz(largest);
}

/* The first position in low .. high - 1 whose key is at least `least`; if none, high. */
template <typename type>
static __device__ __forceinline__ uint64_t gg_first_at_least(const type *key,
                                                             uint64_t low, uint64_t high,
                                                             type least) {
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (key[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the row of an arc: the last position before `high` whose key is at most `most`.
** The first key must be at most `most`. */
static __device__ __forceinline__ uint32_t gg_last_at_most(const uint64_t *key,
                                                           uint32_t high, uint64_t most) {
    uint32_t low = 0;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (key[middle] <= most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
