/* Lists that grow: items allocated by sqlite3_malloc, and the number of items that
** fit. */
#ifndef GPUGRAPH_ROOM_H
#define GPUGRAPH_ROOM_H

#include "ext.h"

#include <string.h>

/* Grows the list, if necessary, to hold one item more than `count`. list: the address of
** the pointer to the items, each of `size` bytes. False: no memory, and the list is
** unchanged. */
static inline bool room_for_one(void *list, int64_t count, int64_t *room, size_t size) {
    void *items;
    if (count < *room)
        return true;
    const int64_t more = *room ? 2 * *room : 16;
    memcpy(&items, list, sizeof items);
    items = sqlite3_realloc64(items, (sqlite3_uint64)more * size);
    if (!items)
        return false;
    memcpy(list, &items, sizeof items);
    *room = more;
    return true;
}

/* ---- big_block.c: blocks for columns that are written once from front to back ---- */

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
