/* Lists of vertex numbers: the sources, targets and vertices that a call asks for. */
#include "numbers.h"
#include "base/room.h"

#include <stdlib.h>

enum { FEW_NUMBERS = 65536 }; /* that qsort sorts in some ms */

int numbers_add(numbers *list, uint32_t number) {
    if (!room_for_one(&list->item, list->count, &list->room, sizeof *list->item))
        return SQLITE_NOMEM;
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

/* Numbers by one of their bytes, those with equal bytes in the order that they had. */
static void sort_by_byte(const numbers *list, uint32_t *to, int shift) {
    uint32_t place[257] = {0};
    for (uint32_t i = 0; i < list->count; i++)
        place[(list->item[i] >> shift & 255) + 1]++;
    for (int b = 0; b < 256; b++)
        place[b + 1] += place[b];
    for (uint32_t i = 0; i < list->count; i++)
        to[place[list->item[i] >> shift & 255]++] = list->item[i];
}

/* Nobody is asked for an interrupt, so a long list is sorted in linear time. Without memory for that, by qsort. */
static void sort_numbers_all(numbers *list) {
    const sqlite3_uint64 bytes = (sqlite3_uint64)list->room * sizeof *list->item;
    uint32_t *other = list->count > FEW_NUMBERS ? sqlite3_malloc64(bytes) : NULL;
    if (!other)
        qsort(list->item, list->count, sizeof *list->item, compare_numbers);
    for (int shift = 0; other && shift < 32; shift += 8) {
        uint32_t *sorted = other;
        sort_by_byte(list, sorted, shift);
        other = list->item;
        list->item = sorted;
    }
    sqlite3_free(other);
}

void numbers_sort(numbers *list) {
    if (list->count < 2)
        return;
    sort_numbers_all(list);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < list->count; i++)
        if (list->item[i] != list->item[kept - 1])
            list->item[kept++] = list->item[i];
    list->count = kept;
}
