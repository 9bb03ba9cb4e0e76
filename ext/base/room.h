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

#endif
