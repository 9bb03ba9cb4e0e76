/* The blocks that results of searches lie in. Some that are given back stay for the next search: what a
** change of the graph makes worthless is as large as what comes in its place, and to give pages back to
** the system and have them cleared again takes longer than a change of few edges.
**
**     searches --array_block_give--> spare, the latest first --array_block_take--> the next search
**
** A spare block is of use to a search that fills at least half of it. At most ARRAY_SPARES stay, and no
** small ones. */
#ifndef GPUGRAPH_ARRAY_BLOCK_H
#define GPUGRAPH_ARRAY_BLOCK_H

#include "gpugraph_types.h"

enum { ARRAY_SPARES = 4 };

/* For so many bytes, with anything in them; NULL: no memory. free() takes it as well. */
void *array_block_take(size_t bytes);
void array_block_give(void *block);
/* The same for count items of a call, which count against its host_memory_limit. NULL: the run says why. */
void *array_block_for(gpugraph_run *run, uint64_t count, size_t size);
/* A block of array_block_grown, or NULL, with room for `to` items in place of `from`. NULL, with the block as
** it was: the run says why. */
void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size);
/* Frees the spare ones. */
void array_blocks_free(void);

#endif
