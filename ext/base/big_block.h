/* Blocks for columns, which are written once from front to back. */
#ifndef GPUGRAPH_BIG_BLOCK_H
#define GPUGRAPH_BIG_BLOCK_H

#include <stddef.h>

/* As realloc; free() gives the block back. A large one lies in huge pages where the
** system grants them: first touches would otherwise cost as much as what is written. */
void *big_realloc(void *block, size_t bytes);

/* A new block of zeros. The system clears the pages of a large one as they are touched. */
void *big_zero(size_t bytes);

/* Makes real the huge pages of such a block of `bytes` that begin at bytes [from, to), for the threads that will
** write there: two that touch the same one first would both clear one, and one of them in
** vain. What has been written stays. Nothing where the block is small. */
void big_touch(void *block, size_t bytes, size_t from, size_t to);

#endif
