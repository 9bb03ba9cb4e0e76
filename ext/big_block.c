/* realloc and madvise: see big_block.h. */
#include "big_block.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE = 2 << 20, LEAST = 4 * HUGE };

void *big_realloc(void *block, size_t bytes) {
    char *larger = realloc(block, bytes);
#ifdef MADV_HUGEPAGE
    if (larger && bytes >= LEAST) {
        size_t skip = HUGE - (uintptr_t)larger % HUGE;
        madvise(larger + skip, (bytes - skip) / HUGE * HUGE, MADV_HUGEPAGE);
    }
#endif
    return larger;
}
