/* Lists of rowids: id_list.h. */
#include "id_list.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

int id_list_add(id_list *list, int64_t id) {
    if (!room_for_one(&list->item, list->count, &list->room, sizeof *list->item))
        return SQLITE_NOMEM;
    list->item[list->count++] = id;
    return SQLITE_OK;
}

/* One pass of a radix sort, by the byte that begins `shift` bits above the lowest bit. */
static void sort_by_byte(const int64_t *from, int64_t *to, int64_t count, int64_t least,
                         int shift) {
    int64_t place[257] = {0};
    for (int64_t i = 0; i < count; i++)
        place[(((uint64_t)from[i] - (uint64_t)least) >> shift & 255) + 1]++;
    for (int b = 0; b < 256; b++)
        place[b + 1] += place[b];
    for (int64_t i = 0; i < count; i++)
        to[place[((uint64_t)from[i] - (uint64_t)least) >> shift & 255]++] = from[i];
}

/* Sorts by as many bytes as the ids differ in. */
static int sort_ids(id_list *list, int64_t least, int64_t most) {
    uint64_t span = (uint64_t)most - (uint64_t)least;
    id_list other = {.room = list->count};
    other.item = sqlite3_malloc64((sqlite3_uint64)list->count * sizeof *other.item);
    if (!other.item)
        return SQLITE_NOMEM;
    other.count = list->count;
    for (int shift = 0; shift < 64 && span >> shift; shift += 8) {
        sort_by_byte(list->item, other.item, list->count, least, shift);
        id_list sorted = other;
        other = *list;
        *list = sorted;
    }
    sqlite3_free(other.item);
    return SQLITE_OK;
}

int id_list_sort(id_list *list) {
    int64_t kept = 0, least = INT64_MAX, most = INT64_MIN;
    bool sorted = true;
    for (int64_t i = 0; i < list->count; i++) {
        int64_t id = list->item[i];
        sorted &= i == 0 || list->item[i - 1] < id;
        least = id < least ? id : least;
        most = id > most ? id : most;
    }
    if (sorted)
        return SQLITE_OK;
    if (sort_ids(list, least, most))
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < list->count; i++)
        if (kept == 0 || list->item[i] != list->item[kept - 1])
            list->item[kept++] = list->item[i];
    list->count = kept;
    return SQLITE_OK;
}

static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

bool id_list_has(const id_list *list, int64_t id) {
    return list->count > 0 && bsearch(&id, list->item, (size_t)list->count,
                                      sizeof *list->item, compare_ids) != NULL;
}

void id_list_clear(id_list *list) {
    sqlite3_free(list->item);
    memset(list, 0, sizeof *list);
}
