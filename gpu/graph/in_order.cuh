/* Arrays in ascending order: targets of a row, keys. */
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

#endif
