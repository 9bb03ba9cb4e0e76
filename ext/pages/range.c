/* Removes rows outside a range of rowids. The first and the last leaf of a range may have
** some.
**
**     rows of leaves    | . . | x x x x x x x x | . |
**                         front    count */
#include "format.h"

#include <stdlib.h>
#include <string.h>

/* The first row whose rowid is at least `least`. Without rowids, row i has rowid i +
** 1. */
static int64_t first_from(const page_columns *c, int64_t least) {
    int64_t low = 0, high = c->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if ((c->rowid ? c->rowid[middle] : middle + 1) < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Moves an array of entries of `size` bytes. */
static void cut_array(void *array, size_t size, int64_t front, int64_t count) {
    if (array && front > 0)
        memmove(array, (const char *)array + (size_t)front * size, (size_t)count * size);
}

static void cut_bits(uint8_t *bits, int64_t front, int64_t count) {
    for (int64_t i = 0; bits && front > 0 && i < count; i++) {
        const int64_t from = i + front;
        const unsigned bit = bits[from / 8] >> from % 8 & 1u;
        bits[i / 8] = (uint8_t)((bits[i / 8] & ~(1u << i % 8)) | bit << i % 8);
    }
}

static void cut_halves(page_columns *c, int64_t front, int64_t count) {
    int64_t kept = 0;
    for (int64_t i = 0; i < c->halves; i++) {
        const int64_t row = (c->half[i] >> 2) - front;
        if (row >= 0 && row < count)
            c->half[kept++] = row << 2 | (c->half[i] & 3);
    }
    c->halves = kept;
}

/* Rows need rowids if they no longer begin with row 1. */
static bool number_rows(page_columns *c) {
    c->rowid = malloc((size_t)(c->count + 1) * sizeof *c->rowid);
    for (int64_t i = 0; c->rowid && i < c->count; i++)
        c->rowid[i] = i + 1;
    return c->rowid != NULL;
}

enum page_reason page_cut(page_columns *c, const int64_t range[2]) {
    const int64_t front = first_from(c, range[0]);
    const int64_t end = range[1] == INT64_MAX ? c->count : first_from(c, range[1] + 1);
    const int64_t count = end > front ? end - front : 0;
    if (front > 0 && !c->rowid && !number_rows(c))
        return PAGE_NO_MEMORY;
    for (int k = 0; k < PAGE_ARRAYS; k++) {
        size_t size;
        void *array = *page_array(c, k, &size);
        cut_array(array, size, front, count);
    }
    for (int k = 0; k < 2; k++)
        cut_bits(c->text[k], front, count);
    cut_halves(c, front, count);
    c->count = count;
    return PAGE_FINE;
}
