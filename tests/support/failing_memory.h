/* malloc and related functions, of which a test lets one call fail. For programs that the
** linker redirects here (--wrap); shared libraries keep theirs. */
#ifndef TEST_FAILING_MEMORY_H
#define TEST_FAILING_MEMORY_H

#include <stdbool.h>

/* Lets the n-th allocation from now on fail; with for_good, all later ones, too. */
void fail_from(int n, bool for_good);
/* True if an allocation has failed. Ends the failures. */
bool fail_no_more(void);
/* Counts an allocation of another allocator; true if it must fail. */
bool allocation_fails(void);
/* Number of allocated blocks. */
long heap_blocks(void);

#endif
