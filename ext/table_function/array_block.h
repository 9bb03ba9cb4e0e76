/* The blocks that results of searches lie in: large pages, since to clear and to give back small ones takes most
** of the time that results take. free() gives a block back. */
#ifndef GPUGRAPH_ARRAY_BLOCK_H
#define GPUGRAPH_ARRAY_BLOCK_H

#include "gpugraph_types.h"

/* For count items of a call, which count against its host_memory_limit, with anything in them. NULL: the run
** says why. */
void *array_block_for(gpugraph_run *run, uint64_t count, size_t size);
/* A block of array_block_grown, or NULL, with room for `to` items in place of `from`. NULL, with the block as
** it was: the run says why. */
void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size);

#endif
