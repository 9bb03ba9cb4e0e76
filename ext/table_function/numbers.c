/* Lists of vertex numbers: the sources, targets and vertices that a call asks for. */
#include "numbers.h"

#include <stdlib.h>

int numbers_add(numbers *list, uint32_t number) {
    if (list->count == list->room) {
        uint32_t room = list->room ? list->room * 2 : 16;
        uint32_t *item =
            sqlite3_realloc64(list->item, (sqlite3_uint64)room * sizeof *item);
        if (!item)
            return SQLITE_NOMEM;
        list->item = item;
        list->room = room;
    }
    list->item[list->count++] = number;
    return SQLITE_OK;
}

int numbers_set(numbers *list, uint32_t number) {
    list->count = 0;
    return numbers_add(list, number);
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool numbers_has(const numbers *list, uint32_t number) {
    return list->count > 0 && bsearch(&number, list->item, list->count, sizeof number,
                                      compare_numbers) != NULL;
}

void numbers_sort(numbers *list) {
    if (list->count < 2)
        return;
    qsort(list->item, list->count, sizeof *list->item, compare_numbers);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < list->count; i++)
        if (list->item[i] != list->item[kept - 1])
            list->item[kept++] = list->item[i];
    list->count = kept;
}
