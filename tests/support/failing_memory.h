/* malloc and its kin, one call of which fails when it is told to. For programs that the
** linker sends here (--wrap); shared libraries keep theirs. */
#ifndef TEST_FAILING_MEMORY_H
#define TEST_FAILING_MEMORY_H

#include <stdbool.h>

/* The n-th allocation from now on fails, and for_good: all that follow it. */
void fail_from(int n, bool for_good);
/* Has one failed? None does from now on. */
bool fail_no_more(void);
/* Counts an allocation of another allocator: does it fail? */
bool allocation_fails(void);
/* Blocks that are alive. */
long heap_blocks(void);

#endif
