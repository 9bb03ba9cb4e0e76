/* Counts work between two polls, without a clock and without help from measured code.
**
** The library is compiled a second time with -fsanitize-coverage=trace-pc
** (gpugraph_counted in tests/CMakeLists.txt), which calls a function at the start of each
** basic block. A turn of a loop enters at least two blocks with all that it calls, so
** MOST_BLOCKS bounds the items that a loop handles without a poll by 2^20.
**
** memset, memcpy and calloc are not counted: they move some 10 GB/s. */
#ifndef TEST_BLOCKS_H
#define TEST_BLOCKS_H

#include <stdint.h>

enum { MOST_BLOCKS = 1 << 22 };

/* Counts blocks of the calling thread until blocks_end, which returns the number of
** blocks in the longest gap. */
void blocks_begin(void);
uint64_t blocks_end(void);
/* A poll: a gap ends here. */
void blocks_end_gap(void);
/* Called by the first block beyond a gap's limit, for a debugger's breakpoint. */
void blocks_too_many(void);

#endif
