#include "blocks.h"

#include <stdbool.h>

static __thread uint64_t gap, longest;
static __thread bool counting;

/* The compiler puts a call at the start of each basic block. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    if (counting && ++gap == MOST_BLOCKS + 1)
        blocks_too_many();
}

__attribute__((noinline)) void blocks_too_many(void) {
    __asm__ volatile("");
}

void blocks_begin(void) {
    counting = true;
    gap = longest = 0;
}

void blocks_end_gap(void) {
    longest = gap > longest ? gap : longest;
    gap = 0;
}

uint64_t blocks_end(void) {
    blocks_end_gap();
    counting = false;
    return longest;
}
