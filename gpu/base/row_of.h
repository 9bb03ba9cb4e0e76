/* Which row an arc belongs to, by where rows begin, on a device as on the host. */
#ifndef GPUGRAPH_ROW_OF_H
#define GPUGRAPH_ROW_OF_H

#include "warp.h"

/* The last of `rows` rows that begins at place `at` or before. There is a row, and the first
** one begins at 0. */
WARP_FUNCTION uint64_t row_of(const uint64_t *offset, uint64_t rows, uint64_t at) {
    uint64_t low = 0, high = rows - 1;
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;
        if (offset[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

#endif
