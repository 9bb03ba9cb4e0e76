/* Lists of rowids and other whole numbers. SQLITE_OK or SQLITE_NOMEM. */
#ifndef GPUGRAPH_ID_LIST_H
#define GPUGRAPH_ID_LIST_H

#include "ext.h"

/* Numbers, ascending, each once (after id_list_sort). */
typedef struct id_list {
    int64_t *item;
    int64_t count, room;
} id_list;

int id_list_add(id_list *list, int64_t id);
/* Ascending, each once: by a radix sort, whose time is linear, since nothing polls here. */
int id_list_sort(id_list *list);
/* Is the id in the list? id_list_sort has sorted the list. */
bool id_list_has(const id_list *list, int64_t id);
void id_list_clear(id_list *list);

#endif
