/* realloc and madvise: see big_block.h. */
#include "big_block.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE = 2 << 20, LEAST = 8 << 20 };

/* The advice is for all of the mapping that malloc has made for a large block: of a mapping
** that was advised in part, realloc could not move the pages, and would copy them. */
void *big_realloc(void *block, size_t bytes) {
    char *larger = realloc(block, bytes);
#ifdef MADV_HUGEPAGE
    if (larger && bytes >= LEAST) {
        uintptr_t begin = (uintptr_t)larger / PAGE * PAGE;
        uintptr_t end = ((uintptr_t)larger + malloc_usable_size(larger)) / PAGE * PAGE;
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    }
#endif
    return larger;
}

void big_touch(void *block, size_t bytes, size_t from, size_t to) {
#ifdef MADV_POPULATE_WRITE
    const uintptr_t begin = (uintptr_t)block, last = (begin + bytes) / PAGE * PAGE;
    const uintptr_t first = (begin + from + HUGE - 1) / HUGE * HUGE;
    uintptr_t end = (begin + to + HUGE - 1) / HUGE * HUGE;
    end = end < last ? end : last;
    if (bytes >= LEAST && first < end)
        madvise((void *)first, end - first, MADV_POPULATE_WRITE);
#else
    (void)block, (void)bytes, (void)from, (void)to;
#endif
}
