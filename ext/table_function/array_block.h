/* Memory for the arrays of searches. Large blocks have huge pages, because the system
** takes longer to clear small pages than a search takes to fill them. free() releases a
** block. */
#ifndef GPUGRAPH_ARRAY_BLOCK_H
#define GPUGRAPH_ARRAY_BLOCK_H

#include "gpugraph_types.h"

/* A block for count items, not initialised. The block counts against the
** host_memory_limit of the run. NULL: the run has the error. */
void *array_block_for(gpugraph_run *run, uint64_t count, size_t size);
/* Grows a block of array_block_grown, or NULL, from `from` items to `to` items. NULL: the
** block is unchanged, and the run has the error. */
void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size);

/* Shrinks a block to its first bytes. If memory is short, the block keeps its size. */
void *array_block_cut(void *block, size_t bytes);

#endif
