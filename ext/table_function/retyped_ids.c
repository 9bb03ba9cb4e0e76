/* See retyped_ids.h. */
#include "retyped_ids.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

int retyped_ids_add(retyped_ids *list, uint32_t vertex, sqlite3_value *value) {
    if (!room_for_one(&list->item, list->count, &list->room, sizeof *list->item))
        return SQLITE_NOMEM;
    sqlite3_value *copy = sqlite3_value_dup(value);
    if (!copy)
        return SQLITE_NOMEM;
    list->item[list->count++] = (retyped_id){vertex, copy};
    return SQLITE_OK;
}

static int compare_vertices(const void *left, const void *right) {
    const uint32_t a = ((const retyped_id *)left)->vertex,
                   b = ((const retyped_id *)right)->vertex;
    return (a > b) - (a < b);
}

void retyped_ids_settle(retyped_ids *list, numbers *ids) {
    uint32_t kept = 0;
    if (list->count == 0)
        return;
    qsort(list->item, list->count, sizeof *list->item, compare_vertices);
    numbers_sort(ids);
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t vertex = list->item[i].vertex;
        if ((kept > 0 && list->item[kept - 1].vertex == vertex) ||
            numbers_has(ids, vertex))
            sqlite3_value_free(list->item[i].value);
        else
            list->item[kept++] = list->item[i];
    }
    list->count = kept;
}

sqlite3_value *retyped_ids_find(const retyped_ids *list, uint32_t vertex) {
    const retyped_id key = {vertex, NULL};
    const retyped_id *found = list->count == 0 ? NULL
                                               : bsearch(&key, list->item, list->count,
                                                         sizeof key, compare_vertices);
    return found ? found->value : NULL;
}

void retyped_ids_forget(retyped_ids *list) {
    for (uint32_t i = 0; i < list->count; i++)
        sqlite3_value_free(list->item[i].value);
    list->count = 0;
}

void retyped_ids_clear(retyped_ids *list) {
    retyped_ids_forget(list);
    sqlite3_free(list->item);
    memset(list, 0, sizeof *list);
}
