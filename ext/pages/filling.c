/* Columns that grow in place: see filling.h. */
#include "filling.h"
#include "base/big_block.h"

#include <stdlib.h>
#include <string.h>

/* Ids and weights of 4 bytes become the graph's own arrays where they are: one place more for so many, which costs
** addresses alone, is for edges to come. */
enum { ROOM_SHARE = 64 };

static void *reserve(int64_t count) {
    return (uint64_t)count > SIZE_MAX / 8 ? NULL : big_realloc(NULL, (size_t)count * 8);
}

static int64_t with_room(int64_t count) {
    return count + count / ROOM_SHARE;
}

static int32_t *reserve_narrow(int64_t count) {
    return (uint64_t)count > SIZE_MAX / 8
               ? NULL
               : big_realloc(NULL, (size_t)with_room(count) * sizeof(int32_t));
}

bool page_filling_reserve(page_filling *filling, const page_layout *layout, intern *texts,
                          int64_t most, page_columns *columns) {
    const bool weighted = layout->column[PAGE_WEIGHT] != PAGE_NO_COLUMN;
    const bool two_ways = layout->column[PAGE_REVERSE] != PAGE_NO_COLUMN;
    const bool ids = layout->column[PAGE_EDGE_ID] != PAGE_NO_COLUMN;
    const bool wide_ids = layout->wide & PAGE_WIDE_IDS;
    const bool wide = layout->wide & PAGE_WIDE_WEIGHTS;
    *filling = (page_filling){.most = most,
                              .rowid = reserve(most),
                              .weight = weighted && wide ? reserve(most) : NULL,
                              .reverse = two_ways ? reserve(most) : NULL};
    columns->weight32 = weighted && !wide ? reserve_narrow(most) : NULL;
    columns->source = wide_ids ? reserve(most) : NULL;
    columns->target = wide_ids ? reserve(most) : NULL;
    columns->source32 = wide_ids ? NULL : reserve_narrow(most);
    columns->target32 = wide_ids ? NULL : reserve_narrow(most);
    columns->edge_id = ids ? reserve(most) : NULL;
    for (int k = 0; k < 2 && layout->text; k++)
        columns->text[k] = calloc((size_t)most / 8 + 1, 1);
    return filling->rowid && (columns->source || columns->source32) &&
           (columns->target || columns->target32) &&
           (filling->weight || columns->weight32 || !weighted) &&
           (filling->reverse || !two_ways) && (columns->edge_id || !ids) &&
           (!layout->text ||
            (columns->text[0] && columns->text[1] && intern_ready(texts)));
}

void page_filling_ahead(const page_filling *filling, const page_columns *columns,
                        int64_t from, int64_t to) {
    const struct {
        void *block;
        size_t size;
    } column[] = {{columns->source, 8},   {columns->source32, 4}, {columns->target, 8},
                  {columns->target32, 4}, {columns->edge_id, 8},  {filling->weight, 8},
                  {columns->weight32, 4}, {filling->reverse, 8}};
    to = to < filling->most ? to : filling->most;
    for (size_t i = 0; i < sizeof column / sizeof *column && from < to; i++)
        if (column[i].block)
            big_touch(column[i].block, (size_t)filling->most * column[i].size,
                      (size_t)from * column[i].size, (size_t)to * column[i].size);
}

static void *cut_block(void *block, size_t bytes) {
    void *smaller = block ? realloc(block, bytes) : NULL;
    return smaller ? smaller : block;
}

static void *cut_filling(void *block, int64_t count) {
    return cut_block(block, count ? (size_t)count * 8 : 8);
}

static void *cut_narrow(void *block, int64_t count) {
    return cut_block(block, count ? (size_t)with_room(count) * sizeof(int32_t) : 8);
}

void page_filling_finish(page_filling *filling, const page_layout *layout, int64_t count,
                         page_columns *columns) {
    columns->count = count;
    columns->source = cut_filling(columns->source, count);
    columns->target = cut_filling(columns->target, count);
    columns->source32 = cut_narrow(columns->source32, count);
    columns->target32 = cut_narrow(columns->target32, count);
    columns->weight32 = cut_narrow(columns->weight32, count);
    for (int k = 0; k < 2; k++) {
        if (filling->any_text[k])
            continue;
        free(columns->text[k]);
        columns->text[k] = NULL;
    }
    if (filling->keep_rowids) {
        columns->rowid = cut_filling(filling->rowid, count);
        filling->rowid = NULL;
    }
    void *weight = filling->weight ? cut_filling(filling->weight, count) : NULL;
    void *reverse = filling->reverse ? cut_filling(filling->reverse, count) : NULL;
    if (columns->edge_id)
        columns->edge_id = cut_filling(columns->edge_id, count);
    filling->weight = filling->reverse = NULL;
    if (layout->real) {
        columns->real_weight = weight;
        columns->real_reverse = reverse;
    } else {
        columns->weight = weight;
        columns->reverse = reverse;
    }
}

void page_filling_clear(page_filling *filling) {
    free(filling->rowid);
    free(filling->weight);
    free(filling->reverse);
    *filling = (page_filling){0};
}

void page_columns_clear(page_columns *columns) {
    free(columns->rowid);
    free(columns->source);
    free(columns->target);
    free(columns->source32);
    free(columns->target32);
    free(columns->text[0]);
    free(columns->text[1]);
    free(columns->weight);
    free(columns->weight32);
    free(columns->real_weight);
    free(columns->reverse);
    free(columns->real_reverse);
    free(columns->edge_id);
    free(columns->half);
    if (columns->cells)
        columns->cells->place->free(columns->cells);
    *columns = (page_columns){0};
}
