/* The blocks that results of searches lie in. Large ones have large pages, because to clear
** small pages takes most of the time of a result. free() gives a block back. */
#ifndef GPUGRAPH_ARRAY_BLOCK_H
#define GPUGRAPH_ARRAY_BLOCK_H

#include "gpugraph_types.h"

/* Room for count items, not initialised, which count against the host_memory_limit of the
** call. NULL: the run says why. */
void *array_block_for(gpugraph_run *run, uint64_t count, size_t size);
/* A block of array_block_grown, or NULL, with room for `to` items in place of `from`.
** NULL: the block is as it was, and the run says why. */
void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size);

/* The block's first bytes, in a block of that size where there is memory for it. */
void *array_block_cut(void *block, size_t bytes);

#endif
