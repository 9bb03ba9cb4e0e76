/* Lists of vertex numbers: the sources, targets and vertices of a call. */
#include "arguments.h"
#include "base/id_list.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

static void forget_ascending(numbers *list) {
    sqlite3_free(list->ascending);
    list->ascending = NULL;
}

int numbers_add(numbers *list, uint32_t number) {
    if (list->count == 0)
        forget_ascending(list);
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
    const uint32_t *ascending = list->ascending ? list->ascending : list->item;
    return list->count > 0 && bsearch(&number, ascending, list->count, sizeof number,
                                      compare_numbers) != NULL;
}

static uint32_t intersect(uint32_t *item, uint32_t count, const numbers *only) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (numbers_has(only, item[i]))
            item[kept++] = item[i];
    return kept;
}

void numbers_intersect(numbers *list, const numbers *only) {
    if (list->ascending)
        intersect(list->ascending, list->count, only);
    list->count = intersect(list->item, list->count, only);
}

void numbers_clear(numbers *list) {
    forget_ascending(list);
    sqlite3_free(list->item);
    memset(list, 0, sizeof *list);
}

int numbers_sort(numbers *list) {
    id_list ids = {0};
    int rc = SQLITE_OK;
    for (uint32_t i = 0; list->count > 1 && i < list->count && rc == SQLITE_OK; i++)
        rc = id_list_add(&ids, list->item[i]);
    rc = rc ? rc : id_list_sort(&ids);
    for (int64_t i = 0; rc == SQLITE_OK && i < ids.count; i++)
        list->item[i] = (uint32_t)ids.item[i];
    if (rc == SQLITE_OK && ids.count > 0)
        list->count = (uint32_t)ids.count;
    id_list_clear(&ids);
    return rc;
}

int numbers_settle(numbers *list, const gpugraph_graph *graph) {
    gpugraph_run run = {.threads = 1};
    int rc = numbers_sort(list);
    forget_ascending(list);
    if (rc || list->count < 2 || gpugraph_later_vertices(graph) == 0)
        return rc;
    uint32_t *place = sqlite3_malloc64(list->count * sizeof *place);
    if (!place || gpugraph_sort_by_id(graph, list->item, list->count, &run, place)) {
        sqlite3_free(place);
        return SQLITE_NOMEM;
    }
    for (uint32_t i = 0; i < list->count; i++)
        place[i] = list->item[place[i]];
    list->ascending = list->item;
    list->item = place;
    list->room = list->count;
    return SQLITE_OK;
}

/* ---- retyped ids ---- */

int retyped_ids_add(retyped_ids *list, uint32_t vertex, sqlite3_value *value) {
    if (!room_for_one(&list->item, list->count, &list->room, sizeof *list->item))
        return SQLITE_NOMEM;
    sqlite3_value *copy = sqlite3_value_dup(value);
    if (!copy)
        return SQLITE_NOMEM;
    list->item[list->count++] = (retyped_id){vertex, copy};
    return SQLITE_OK;
}

int retyped_ids_settle(retyped_ids *list, numbers *ids) {
    uint32_t kept = 0;
    int rc = list->count > 0 ? numbers_sort(ids) : SQLITE_OK;
    if (rc || list->count == 0)
        return rc;
    /* an item begins with its vertex */
    qsort(list->item, list->count, sizeof *list->item, compare_numbers);
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t vertex = list->item[i].vertex;
        if ((kept > 0 && list->item[kept - 1].vertex == vertex) ||
            numbers_has(ids, vertex))
            sqlite3_value_free(list->item[i].value);
        else
            list->item[kept++] = list->item[i];
    }
    list->count = kept;
    return SQLITE_OK;
}

sqlite3_value *retyped_ids_find(const retyped_ids *list, uint32_t vertex) {
    const retyped_id *found = list->count == 0
                                  ? NULL
                                  : bsearch(&vertex, list->item, list->count,
                                            sizeof *list->item, compare_numbers);
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
