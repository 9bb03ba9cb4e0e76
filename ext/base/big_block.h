/* Memory blocks for columns that are written once from front to back. */
#ifndef GPUGRAPH_BIG_BLOCK_H
#define GPUGRAPH_BIG_BLOCK_H

#include <stddef.h>

/* Works like realloc; free() releases the block. A large block uses huge pages where the
** system grants them: otherwise the first touch of its pages would cost as much as the
** data that is written. */
void *big_realloc(void *block, size_t bytes);

/* Allocates a block of zeros. The system clears the pages of a large block as they are
** touched. */
void *big_zero(size_t bytes);

/* Touches the huge pages of a block of `bytes` bytes that begin at bytes [from, to),
** before several threads write there: two threads that touch one page at the same time
** would both clear it. Data in the block stays. A small block is left alone. */
void big_touch(void *block, size_t bytes, size_t from, size_t to);

#endif
