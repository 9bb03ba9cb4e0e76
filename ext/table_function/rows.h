/* The rows of an answer: their order, and the current one.
**
**     position  -> vertex number            -> columns
**     0 .. n-1     the position                ids, depth[v], tree_edge[v] ...
**     0 .. n-1     listed[position]            (a search that reaches few vertices)
**                  item[position]              (sorted entries, or vertices asked for)
**                  step[position].vertex       (a path, source first)
**
**     source IN (...)    the rows of one source after the other: next_search
**     target IN (...)    paths: the path to targets.item[next_target] is the next one */
#ifndef GPUGRAPH_ROWS_H
#define GPUGRAPH_ROWS_H

#include "answer.h"

/* A vertex of a path. */
struct step {
    uint64_t edge; /* by which the path arrives */
    uint32_t vertex;
    union {
        uint64_t integer;
        double real;
    } distance; /* from the first vertex */
};

typedef struct rows {
    const gpugraph_ids *ids;
    const uint32_t *item; /* NULL: the position is the entry */
    bool item_is_vertex;  /* false: an item is the number of an entry */
    /* The array of values that have 32 bits, and the largest value within the bounds.
    ** Most searches have such values. */
    const uint32_t *near;
    uint32_t most;
    const uint32_t *listed; /* the answer's; NULL: the entry is the vertex */
    sqlite3_int64 position, end;
    int direction;     /* 1, -1 */
    struct step *step; /* the current path */
    sqlite3_int64 step_capacity;
    uint32_t next_target, target;
    /* the entry of the next path; the number of the current path, from 1 */
    uint32_t next_path, path;
    /* of listed ends: all targets of a source, then the next source */
    uint64_t next_search;
    uint32_t vertex, entry; /* the current row's */
    bool rowid_read;        /* SQLite has read a rowid since xFilter */
    /* the number of the answer's arrays (hand_out.c); 0: none yet */
    sqlite3_int64 handed;
} rows;

/* Makes the cursor empty. */
void rows_reset(rows *r);
void rows_clear(rows *r);
static inline bool rows_at_end(const rows *r) {
    return r->position == r->end;
}
/* Sorts the answer if necessary, and moves to its first row. */
int rows_start(rows *r, const arguments *a, answer *s);
/* Moves to the next row. */
int rows_next(rows *r, const arguments *a, const answer *s);

/* row_columns.c: a column of the current row, and its rowid. */
void row_column(sqlite3_context *context, rows *r, const arguments *a, const answer *s,
                int column);
sqlite3_int64 row_id(const rows *r, const arguments *a, const answer *s);

/* ---- hand_out.c: the arrays of an answer, in place of rows ----
**
**     SELECT arrays ...       puts the arrays on a list of the process, under a number
**     gpugraph_take_arrays    takes them off the list by the number
**
** The number is random, has 64 bits and is no address, so SQL cannot guess it. */

/* Result of the column arrays: the number, the same one for all rows of an answer; or an
** error. */
void result_arrays(sqlite3_context *context, rows *r, const arguments *a,
                   const answer *s);
/* Frees the arrays that the connection has handed out and no program has taken. */
void hand_out_forget(connection *c);

#endif
