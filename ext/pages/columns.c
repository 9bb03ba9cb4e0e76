/* Columns that several threads fill before the number of rows is known. Arrays are
** reserved for the largest possible number of rows, and cut to size afterwards. Memory
** that no row touches gets no physical pages. */
#include "format.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

/* The graph takes over arrays of ids and weights of 4 bytes. They have slack for later
** edges, one entry in SLACK_SHARE. The slack takes address space only. */
enum { SLACK_SHARE = 64 };

static int64_t with_slack(int64_t count) {
    return count + count / SLACK_SHARE;
}

/* Reserves entries of 4 or 8 bytes if they are wanted. Clears *all if memory is short. */
static void *reserve(bool wanted, int64_t count, size_t size, bool *all) {
    void *block = NULL;
    if (wanted && (uint64_t)count <= SIZE_MAX / 16)
        block = big_realloc(
            NULL, (size_t)(size == sizeof(int32_t) ? with_slack(count) : count) * size);
    *all &= block || !wanted;
    return block;
}

bool page_columns_reserve(page_columns *columns, const page_layout *layout, intern *texts,
                          int64_t most) {
    const bool weighted = layout->column[PAGE_WEIGHT] != PAGE_NO_COLUMN;
    const bool two_ways = layout->column[PAGE_REVERSE] != PAGE_NO_COLUMN;
    const bool ids = layout->column[PAGE_EDGE_ID] != PAGE_NO_COLUMN;
    const bool wide_ids = layout->wide & PAGE_WIDE_IDS;
    const bool wide = layout->wide & PAGE_WIDE_WEIGHTS;
    bool all = true;
    columns->rowid = reserve(true, most, 8, &all);
    for (int k = 0; k < 2; k++) {
        columns->id[k] = reserve(wide_ids, most, 8, &all);
        columns->id32[k] = reserve(!wide_ids, most, 4, &all);
    }
    columns->weight = reserve(weighted && wide, most, 8, &all);
    columns->weight32 = reserve(weighted && !wide, most, 4, &all);
    columns->reverse = reserve(two_ways, most, 8, &all);
    columns->real = layout->real;
    columns->edge_id = reserve(ids, most, 8, &all);
    for (int k = 0; k < 2 && layout->text; k++)
        columns->text[k] = calloc((size_t)most / 8 + 1, 1);
    return all && (!layout->text ||
                   (columns->text[0] && columns->text[1] && intern_ready(texts)));
}

/* Array k of the columns, which may be NULL, and the bytes of an entry. text and half are
** not among these arrays. The last one has rowids, which few tables need. */
enum { PAGE_ARRAYS = 9, PAGE_ROWIDS = 8 };

static void **array_of_columns(page_columns *columns, int k, size_t *size) {
    void *const array[PAGE_ARRAYS] = {
        &columns->id32[0], &columns->id32[1], &columns->weight32,
        &columns->id[0],   &columns->id[1],   &columns->weight,
        &columns->reverse, &columns->edge_id, &columns->rowid};
    *size = k < 3 ? sizeof(int32_t) : sizeof(int64_t);
    return array[k];
}

void page_columns_touch(page_columns *columns, int64_t most, int64_t from, int64_t to) {
    size_t size;
    to = to < most ? to : most;
    for (int k = 0; k < PAGE_ROWIDS && from < to; k++) {
        void *block = *array_of_columns(columns, k, &size);
        if (block)
            big_touch(block, (size_t)most * size, (size_t)from * size, (size_t)to * size);
    }
}

void page_columns_cut(page_columns *columns, int64_t count) {
    size_t size;
    columns->count = count;
    for (int k = 0; k < PAGE_ARRAYS; k++) {
        void **block = array_of_columns(columns, k, &size);
        const int64_t entries = size == sizeof(int32_t) ? with_slack(count) : count;
        void *smaller =
            *block ? realloc(*block, entries ? (size_t)entries * size : size) : NULL;
        *block = smaller ? smaller : *block;
    }
}

void page_columns_clear(page_columns *columns) {
    size_t size;
    for (int k = 0; k < PAGE_ARRAYS; k++)
        free(*array_of_columns(columns, k, &size));
    free(columns->text[0]);
    free(columns->text[1]);
    free(columns->half);
    if (columns->cells)
        columns->cells->place->free(columns->cells);
    *columns = (page_columns){0};
}
