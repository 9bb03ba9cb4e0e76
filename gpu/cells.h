/* Decodes leaves of a table's b-tree into columns of edges on a device, where the edges
** are needed.
**
**     the caller's threads     pages of the file  ->  blocks
**     send                     blocks  ->  all leaves, side by side
**     decode                   leaves  ->  columns, except unusual leaves
**     the caller               unusual leaves  ->  their rows, by its own decoder
**     put                      these rows  ->  their place in the columns
**     settle                   checks whether rowids ascend, or are 1, 2, 3, ...
**
** A leaf is usual if each of its cells is: the record is whole on the leaf, ids are
** INTEGERs, and the weight has the type of the layout. cells/decode.h says how cells are
** read; nothing here knows of files or of SQLite. A place is a const struct of functions
** that do all this; a test has one without a device.
**
** Order of calls: open; block and send, by any thread; decode, put, settle, weigh, bring,
** by the thread that opened; close, after which others may use the device; free. A
** failure sets the run's status, in the thread that opened. */
#ifndef GPUGRAPH_CELLS_H
#define GPUGRAPH_CELLS_H

#include "gpugraph_types.h"
#include "language.h"

GG_BEGIN_C

enum gg_cell_column { CELL_SOURCE, CELL_TARGET, CELL_WEIGHT, CELL_ROWID, CELL_COLUMNS };
enum {
    CELL_VALUES = CELL_ROWID, /* columns that a record may hold */
    CELL_IS_ROWID = -1,       /* for gg_cell_layout.column: the row's rowid */
    CELL_NO_COLUMN = -2,      /* not wanted */
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
    bool stay; /* set by the caller after weigh: close keeps them */
    bool real;
    /* The first row with a weight that is not allowed; otherwise the number of rows. */
    uint64_t bad;
    uint64_t largest, total; /* INTEGERs; each counts at most 2^32 - 1 in the sum */
} gg_cell_weights;

struct gg_cell_place;

typedef struct gg_cells { /* a place appends its own members */
    const struct gg_cell_place *place;
    uint64_t rows; /* valid after decode */
    /* A page is not a leaf, or rowids do not ascend: all results are invalid. */
    bool damaged;
    uint32_t unusual;        /* leaves that the caller must decode, ... */
    const uint32_t *of;      /* ... ascending; valid until close */
    bool dense;              /* after settle: rowids are 1 .. rows */
    gg_cell_weights weights; /* valid after weigh */
} gg_cells;

typedef struct gg_cell_place {
    /* Bytes of pages below which decoding on a device does not pay. */
    const uint64_t *least_bytes;
    size_t block_bytes; /* bytes of a block, or of one page if that is more */
    /* Returns NULL after an error. */
    gg_cells *(*open)(const gg_cell_layout *layout, uint32_t leaves, gpugraph_run *run);
    /* Returns a block to fill with neighbouring leaves, after a wait for one; NULL after
    ** an error. */
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

/* Returns the device's place for a run that may use its device if that is open; otherwise
** NULL. (cells/cells.cu) */
const gg_cell_place *gg_cells_for(const gpugraph_run *run);

GG_END_C

#endif
