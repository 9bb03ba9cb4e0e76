/* Arrays in ascending order: targets of a row, rows of arcs, keys. */
#ifndef GPUGRAPH_IN_ORDER_CUH
#define GPUGRAPH_IN_ORDER_CUH

#include <stdint.h>

/* The first place from low on, and before high, of a key that is at least `least`: by halves. */
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
