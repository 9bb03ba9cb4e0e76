/* Finds the row of an arc from the offsets of rows, on a device and on the host. */
#ifndef GPUGRAPH_ROW_OF_H
#define GPUGRAPH_ROW_OF_H

#include "warp.h"

/* Returns the last of `rows` rows that begins at or before entry `at`. There is at least
** one row, and the first one begins at 0. */
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
