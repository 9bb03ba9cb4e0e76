/* Leaves of a table's b-tree become columns of edges where the edges are to be: on a device.
**
**     the caller's threads     pages of the file  ->  blocks
**     send                     blocks  ->  all leaves, side by side
**     decode                   leaves  ->  columns, but for leaves with anything unusual
**     the caller               unusual leaves  ->  their rows, by its own decoder
**     put                      these rows  ->  their place in the columns
**     settle                   do rowids ascend? are they 1, 2, 3, ...?
**
** A leaf is usual where every cell of it is: its record lies on the leaf, its ids are INTEGERs
** and its weight is what the layout says. What a cell means is in cells/decode.h; nobody here
** knows of files or of SQLite. A place is where that is done, a const struct of functions; a
** test brings one that needs no device.
**
** Order of calls: open; block and send, by any thread; decode, put, settle, weigh, bring, by the
** thread that has opened; close, after which others may use the device; free. Whatever fails
** says so in the run's status, from the thread that has opened. */
#ifndef GPUGRAPH_CELLS_H
#define GPUGRAPH_CELLS_H

#include "gpugraph_types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gg_cell_column { CELL_SOURCE, CELL_TARGET, CELL_WEIGHT, CELL_ROWID, CELL_COLUMNS };
enum { CELL_VALUES = CELL_ROWID }; /* columns that a record may hold */

enum {
    CELL_IS_ROWID = -1,      /* gg_cell_layout.column: the row's rowid */
    CELL_NO_COLUMN = -2,     /* nobody wants it */
    CELL_RECORD_COLUMNS = 16 /* only the first ones of a record are looked at */
};

typedef struct gg_cell_layout {
    uint32_t page_size, usable; /* usable: without the reserved bytes at a page's end */
    int column[CELL_VALUES];    /* of a record, or one of the above */
    bool real;                  /* weights become double */
} gg_cell_layout;

/* Rows of one leaf. weight NULL where none is wanted; else int64_t, or the bits of a double. */
typedef struct gg_cell_rows {
    uint32_t count;
    const int64_t *column[CELL_COLUMNS];
} gg_cell_rows;

/* What is known of the weights, which may stay where they are: on the device. */
typedef struct gg_cell_weights {
    bool stay; /* the caller's to say, after weigh: close keeps them */
    bool real;
    uint64_t bad;            /* the first row whose weight is not allowed; rows: none */
    uint64_t largest, total; /* INTEGERs, in the sum 2^32 - 1 each at most */
} gg_cell_weights;

struct gg_cell_place;

typedef struct gg_cells { /* a place has more behind it */
    const struct gg_cell_place *place;
    uint64_t rows; /* after decode */
    bool damaged;  /* some page is no leaf, or rowids do not ascend: nothing is right */
    uint32_t unusual;        /* leaves that the caller has to decode, ... */
    const uint32_t *of;      /* ... ascending; until close */
    bool dense;              /* after settle: rowids are 1 .. rows */
    gg_cell_weights weights; /* after weigh */
} gg_cells;

typedef struct gg_cell_place {
    const uint64_t *least_bytes; /* of pages: below, it is not worth the way */
    size_t block_bytes;          /* of a block, or one page if that is more */
    /* NULL: run->status says why not. */
    gg_cells *(*open)(const gg_cell_layout *layout, uint32_t leaves, gpugraph_run *run);
    /* A block to fill with neighbouring leaves; waits for one. NULL: there will be none. */
    uint8_t *(*block)(gg_cells *cells);
    /* Takes the block back, filled with leaves first .. first + count - 1. */
    void (*send)(gg_cells *cells, uint8_t *block, uint32_t first, uint32_t count);
    /* After every send has returned. These four return false where the run must end. */
    bool (*decode)(gg_cells *cells);
    bool (*put)(gg_cells *cells, uint32_t leaf, const gg_cell_rows *rows);
    bool (*settle)(gg_cells *cells);
    bool (*weigh)(gg_cells *cells); /* where weights are wanted */
    /* Copies entries of a column to the host. */
    bool (*bring)(gg_cells *cells, enum gg_cell_column column, uint64_t from,
                  uint64_t count, int64_t *to);
    /* Gives back all but source and target, and weights that stay. Returns the run's status. */
    gpugraph_status (*close)(gg_cells *cells);
    void (*free)(gg_cells *cells); /* after close */
} gg_cell_place;

/* The device's place, for a run that may use its device, which is open; else NULL.
** (cells/cells.cu) */
const gg_cell_place *gg_cells_for(const gpugraph_run *run);

#ifdef __cplusplus
}
#endif

#endif
