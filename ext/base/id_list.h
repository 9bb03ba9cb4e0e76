/* Lists of rowids and other integers. Functions return SQLITE_OK or SQLITE_NOMEM. */
#ifndef GPUGRAPH_ID_LIST_H
#define GPUGRAPH_ID_LIST_H

#include "ext.h"

/* After id_list_sort the numbers ascend, and each occurs once. */
typedef struct id_list {
    int64_t *item;
    int64_t count, room;
} id_list;

int id_list_add(id_list *list, int64_t id);
/* Sorts the numbers and removes repeats. A radix sort takes linear time, and nothing
** polls for interrupts here. */
int id_list_sort(id_list *list);
/* True if the id is in the list, which id_list_sort must have sorted. */
bool id_list_has(const id_list *list, int64_t id);
void id_list_clear(id_list *list);

#endif
