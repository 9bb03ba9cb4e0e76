/* Rows of a device in a pool of arcs. Each row may be anywhere, with slack behind it.
**
**     pool     [ a a a . ][ b b ][ c . ][ free . . . . . ]
**     row b    becomes b b b
**     pool     [ a a a . ][ - - ][ c . ][ b b b . . . ][ free ]
**
** A batch rewrites whole rows: in place if they fit, otherwise behind all other rows,
** with slack for half as many arcs, plus 2. The old entries of a row that moves stay
** unused until all rows are rebuilt. There are three steps:
**
**     1. choose a position for each changed row, and add up the pool entries
**     2. write the arcs
**     3. set begin, end and spare */
#ifndef GPUGRAPH_ROW_POOL_H
#define GPUGRAPH_ROW_POOL_H

#include "base/row_of.h"

#include <stddef.h>

typedef struct row_pool {
    uint64_t *begin, *end; /* of each row */
    uint32_t *spare;       /* of each row: slack behind its end */
    uint32_t *target;
    void *weight;       /* NULL: no weights */
    size_t weight_size; /* 4 or 8 bytes */
} row_pool;

/* Arcs offset[i] .. offset[i + 1] - 1 belong to changed row i. */
typedef struct row_part {
    const uint64_t *offset; /* NULL: no arcs */
    const uint32_t *target;
    const int64_t *weight;
} row_part;

enum { ROW_PARTS = 2 };

typedef struct new_rows {
    uint64_t count;         /* number of changed rows */
    const uint32_t *vertex; /* of each changed row */
    row_part
        part[ROW_PARTS]; /* a row has the arcs of the first part, then of the second */
    uint64_t *place;     /* of each row: its new position, after step 1 */
    uint64_t *taken;     /* pool entries that rows have taken */
    uint64_t *longer;    /* growth of all rows in arcs, modulo 2^64 */
} new_rows;

WARP_FUNCTION uint64_t pool_part_arcs(const new_rows *rows, int part, uint64_t i) {
    const uint64_t *offset = rows->part[part].offset;
    return offset ? offset[i + 1] - offset[i] : 0;
}

WARP_FUNCTION uint64_t pool_arcs(const new_rows *rows, uint64_t i) {
    return pool_part_arcs(rows, 0, i) + pool_part_arcs(rows, 1, i);
}

/* Returns the entries that the row of v has at its current position. */
WARP_FUNCTION uint64_t pool_room_of(const row_pool *pool, uint32_t v) {
    return pool->end[v] - pool->begin[v] + pool->spare[v];
}

/* Step 1, for each i below rows->count. */
WARP_FUNCTION void pool_find_place(const row_pool *pool, const new_rows *rows,
                                   uint64_t i) {
    const uint32_t v = rows->vertex[i];
    const uint64_t arcs = pool_arcs(rows, i);
    rows->place[i] = arcs <= pool_room_of(pool, v)
                         ? pool->begin[v]
                         : device_add_64(rows->taken, gg_row_capacity(arcs));
    device_add_64(rows->longer, arcs - (pool->end[v] - pool->begin[v]));
}

/* Step 2, for each arc `from` of a part, which belongs to changed row i. */
WARP_FUNCTION void pool_write_arc(const row_pool *pool, const new_rows *rows, int part,
                                  uint64_t i, uint64_t from) {
    const row_part *p = &rows->part[part];
    const uint64_t before = part == 0 ? 0 : pool_part_arcs(rows, 0, i),
                   to = rows->place[i] + before + (from - p->offset[i]);
    pool->target[to] = p->target[from];
    if (pool->weight && pool->weight_size == sizeof(uint32_t))
        ((uint32_t *)pool->weight)[to] = (uint32_t)p->weight[from];
    else if (pool->weight)
        ((int64_t *)pool->weight)[to] = p->weight[from];
}

/* Returns the index of the changed row of arc `from` of a part. */
WARP_FUNCTION uint64_t pool_row_of(const new_rows *rows, int part, uint64_t from) {
    return row_of(rows->part[part].offset, rows->count, from);
}

/* Step 3, for each i below rows->count. */
WARP_FUNCTION void pool_begin_row(const row_pool *pool, const new_rows *rows,
                                  uint64_t i) {
    const uint32_t v = rows->vertex[i];
    const uint64_t arcs = pool_arcs(rows, i), room = pool_room_of(pool, v);
    pool->spare[v] = (uint32_t)((arcs <= room ? room : gg_row_capacity(arcs)) - arcs);
    pool->begin[v] = rows->place[i];
    pool->end[v] = rows->place[i] + arcs;
}

#endif
