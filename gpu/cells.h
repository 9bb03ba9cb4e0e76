/* Decodes leaves of a table's b-tree into columns of edges, on the device that needs the
** edges.
**
**     the caller's threads     pages of the file  ->  blocks
**     send                     blocks  ->  all leaves, side by side
**     decode                   leaves  ->  columns, except unusual leaves
**     the caller               unusual leaves  ->  their rows, by its own decoder
**     put                      these rows  ->  their place in the columns
**     settle                   checks whether rowids ascend, or are 1, 2, 3, ...
**
** A cell is usual if its record is whole on the leaf, ids are INTEGERs, and the weight
** has the type of the layout. A leaf is usual if all its cells are usual. cells/decode.h
** reads cells; this interface does not depend on files or on SQLite. A place is a const
** struct of the functions below; a test has a place without a device.
**
** Order of calls: open; block and send, by any thread; decode, put, settle, weigh, bring,
** by the thread that called open; close, after which other threads may use the device;
** free. A failure sets the run's status, in the thread that called open. */
#ifndef GPUGRAPH_CELLS_H
#define GPUGRAPH_CELLS_H

#include "gpugraph_types.h"
#include "language.h"

GG_BEGIN_C

enum gg_cell_column { CELL_SOURCE, CELL_TARGET, CELL_WEIGHT, CELL_ROWID, CELL_COLUMNS };
enum {
    CELL_VALUES = CELL_ROWID, /* columns that a record may hold */
    CELL_IS_ROWID = -1,       /* for gg_cell_layout.column: the row's rowid */
    CELL_NO_COLUMN = -2,      /* no column: the value is not wanted */
    CELL_RECORD_COLUMNS = 16  /* only the first columns of a record are read */
};

typedef struct gg_cell_layout {
    uint32_t page_size, usable; /* usable: without the reserved bytes at a page's end */
    int column[CELL_VALUES];    /* a column of a record, or one of the above */
    bool real;                  /* weights become doubles */
} gg_cell_layout;

/* The rows of one leaf. weight NULL: not wanted; otherwise int64_t, or the bits of a
** double. */
typedef struct gg_cell_rows {
    uint32_t count;
    const int64_t *column[CELL_COLUMNS];
} gg_cell_rows;

/* Facts about the weights, which may stay on the device. */
typedef struct gg_cell_weights {
    bool stay; /* set by the caller after weigh: close keeps the weights */
    bool real;
    /* The first row with an invalid weight; the number of rows if there is none. */
    uint64_t bad;
    uint64_t largest, total; /* of INTEGERs; each adds at most 2^32 - 1 to the total */
} gg_cell_weights;

struct gg_cell_place;

typedef struct gg_cells { /* a place appends its own members */
    const struct gg_cell_place *place;
    uint64_t rows; /* valid after decode */
    /* A page is not a leaf, or rowids do not ascend: all results are invalid. */
    bool damaged;
    uint32_t unusual;        /* number of leaves that the caller must decode */
    const uint32_t *of;      /* these leaves, ascending; valid until close */
    bool dense;              /* after settle: rowids are 1 .. rows */
    gg_cell_weights weights; /* valid after weigh */
} gg_cells;

typedef struct gg_cell_place {
    /* Bytes of pages below which decoding on a device does not pay. */
    const uint64_t *least_bytes;
    size_t block_bytes; /* bytes of a block, or of one page if that is more */
    /* Returns NULL after an error. */
    gg_cells *(*open)(const gg_cell_layout *layout, uint32_t leaves, gpugraph_run *run);
    /* Waits for a free block, and returns it; the caller fills it with neighbouring
    ** leaves. NULL after an error. */
    uint8_t *(*block)(gg_cells *cells);
    /* Takes the block back, filled with leaves first .. first + count - 1. */
    void (*send)(gg_cells *cells, uint8_t *block, uint32_t first, uint32_t count);
    /* The next four come after all sends, and return false if the run must end. */
    bool (*decode)(gg_cells *cells);
    bool (*put)(gg_cells *cells, uint32_t leaf, const gg_cell_rows *rows);
    bool (*settle)(gg_cells *cells);
    bool (*weigh)(gg_cells *cells); /* if weights are wanted */
    /* Copies entries of a column to the host. */
    bool (*bring)(gg_cells *cells, enum gg_cell_column column, uint64_t from,
                  uint64_t count, int64_t *to);
    /* Frees all but source, target and weights that stay. Returns the run's status. */
    gpugraph_status (*close)(gg_cells *cells);
    void (*free)(gg_cells *cells); /* after close */
} gg_cell_place;

/* Returns the device's place if the run may use its device and the device is open;
** otherwise NULL. (cells/cells.cu) */
const gg_cell_place *gg_cells_for(const gpugraph_run *run);

GG_END_C

#endif
