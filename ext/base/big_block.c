/* realloc and huge pages: see room.h. */
#include "room.h"
#include "platform.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { PAGE = 4096, HUGE = GG_HUGE_PAGE, LEAST = 8 << 20 };

/* Advises the whole mapping that malloc has made for a large block: realloc cannot move
** the pages of a mapping that was advised in part, and would copy them. */
static void *advise(void *block, size_t bytes) {
    if (block && bytes >= LEAST) {
        const size_t before = (uintptr_t)block % PAGE;
        gg_advise_pages((char *)block - before, before + gg_block_bytes(block), true);
    }
    return block;
}

void *big_realloc(void *block, size_t bytes) {
    return advise(realloc(block, bytes), bytes);
}

void *big_zero(size_t bytes) {
    return advise(calloc(bytes, 1), bytes);
}

/* Touches a byte of each page; MADV_POPULATE_WRITE is no faster and not available
** everywhere. Another thread may be writing there already, so a 0 replaces nothing but a
** 0. */
__attribute__((no_sanitize("thread"))) void big_touch(void *block, size_t bytes,
                                                      size_t from, size_t to) {
    const uintptr_t begin = (uintptr_t)block, last = (begin + bytes) / PAGE * PAGE;
    const uintptr_t first = (begin + from + HUGE - 1) / HUGE * HUGE;
    uintptr_t end = (begin + to + HUGE - 1) / HUGE * HUGE;
    end = end < last ? end : last;
    for (uintptr_t at = first; bytes >= LEAST && at < end; at += HUGE) {
        unsigned char untouched = 0;
        __atomic_compare_exchange_n((unsigned char *)at, &untouched, 0, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}
