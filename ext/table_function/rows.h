/* Which rows are left to give, in which order, and where we are.
**
**     position  -> vertex number            -> columns
**     0 .. n-1     itself (order of ids)       ids, depth[v], tree_edge[v] ...
**     0 .. n-1     entry of a list: listed[position]
**                  item[position] (sorted, or targets)
**                  step[position].vertex (a path, source first)
**
**     target IN (...)    of paths: targets.item[next_target] after this path's */
#ifndef GPUGRAPH_ROWS_H
#define GPUGRAPH_ROWS_H

#include "answer.h"

struct step {
    uint64_t edge;
    uint32_t vertex;
    union {
        uint64_t integer;
        double real;
    } distance;
};

typedef struct rows {
    const gpugraph_ids *ids;
    const uint32_t *item; /* NULL: the position itself is the entry */
    bool item_is_vertex;  /* else it is the number of an entry, too */
    /* Of values of 32 bits, which most are: the array, and the largest that counts. */
    const uint32_t *near;
    const uint32_t *listed; /* the answer's; NULL: the entry is the vertex */
    uint32_t most;
    sqlite3_int64 position, end;
    int direction;     /* 1, -1 */
    struct step *step; /* laid out when the path before it has been read */
    sqlite3_int64 step_room;
    uint32_t next_target, target;
    uint32_t next_path,
        path; /* of several: where the next one is; the number of this one */
    uint32_t vertex, entry; /* of this row; entry: in the arrays */
    bool rowid_read;        /* of some row of this xFilter */
    sqlite3_int64
        handed; /* the number of the answer's arrays (hand_out.h); 0: none yet */
} rows;

/* No rows, of no source and no target. */
void rows_reset(rows *r);
void rows_clear(rows *r);
static inline bool rows_at_end(const rows *r) {
    return r->position == r->end;
}
/* The first row of the answer, which may get an order; the row after this one. */
int rows_start(rows *r, const arguments *a, answer *s);
int rows_next(rows *r, const arguments *a, const answer *s);
/* row_columns.c. A column of this row, and its rowid. */
void row_column(sqlite3_context *context, rows *r, const arguments *a, const answer *s,
                int column);
sqlite3_int64 row_id(const rows *r, const arguments *a, const answer *s);

#endif
