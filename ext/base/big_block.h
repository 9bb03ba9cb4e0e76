/* Blocks for columns, which are written once from front to back. */
#ifndef GPUGRAPH_BIG_BLOCK_H
#define GPUGRAPH_BIG_BLOCK_H

#include <stddef.h>

/* As realloc; free() gives the block back. A large one lies in huge pages where the
** system grants them: first touches would otherwise cost as much as what is written. */
void *big_realloc(void *block, size_t bytes);

#endif
