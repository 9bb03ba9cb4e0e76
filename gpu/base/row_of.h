/* Rows in arrays of arcs, for a device and for the host: the row of an arc, and the
** entries of a row with slack. */
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

/* Returns the number of entries for a row of `arcs` arcs, with slack. */
WARP_FUNCTION uint64_t gg_row_capacity(uint64_t arcs) {
    const uint64_t entries = arcs + arcs / 2 + 2;
    return entries < UINT32_MAX ? entries : arcs;
}

#endif
