/* Reads an ordinary rowid table by decoding its b-tree pages, several times faster than
** stepping a statement; or steps aside, saying why, and the caller reads row by row.
**
**     page_read           reader.c    decides: is this surely what a SELECT gives?
**       page_file_hold    file.c      whose file, and as of when: wal_frames.c
**       page_program      program.c   what SQLite itself would read: root, columns
**       page_list         list.c      interior pages -> the leaves in order of rowid; of
**                                     a range: range.c
**       page_send         send.c      leaves -> a device, and columns there; or
**       page_collect      walk.c      leaves -> columns, on several threads: filling.c
**         page_leaf       leaf.c      one leaf's cells -> columns, the usual ones
**           page_cell     record.c    any cell: overflow.c, number.c
**     page_find           reader.c    the same for some rows by their rowids: find.c
**
** Every page comes through SQLite's own file object, inside a read transaction of the
** connection: the file is never opened here, since closing a second descriptor would
** drop the process's POSIX locks on it. */
#ifndef GPUGRAPH_PAGE_READER_H
#define GPUGRAPH_PAGE_READER_H

#ifdef SQLITE_CORE
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#endif
#include "base/intern.h"
#include "cells.h"
#include <stdbool.h>
#include <stdint.h>

/* The columns of an edge, as ext.h numbers them. */
enum {
    PAGE_SOURCE,
    PAGE_TARGET,
    PAGE_WEIGHT,
    PAGE_EDGE_ID,
    PAGE_REVERSE, /* the weight of the way back */
    PAGE_COLUMNS
};

typedef struct page_table {
    sqlite3 *db;
    const char *schema, *table; /* names as stored, unquoted */
    const char *rowid;          /* rowid, oid or _rowid_: one that no column hides */
    const char *column[PAGE_COLUMNS]; /* NULL, but for the first two: not wanted */
    const struct wal_notes *wal; /* taken before the transaction began that is open; or
                                 ** NULL: pages in a write-ahead log may then step aside */
    intern *texts;      /* where text ids are numbered, in order of row and column; empty
                        ** before, and after unless PAGE_READ. NULL: texts are refused */
    bool unwritten;     /* if a transaction of the connection's own writes, it has so far
                        ** written no row of this table, nor dropped or changed it where the
                        ** schema's version is still the one in the file: */
    int schema_version; /* as that transaction sees it */
    const int64_t
        *range; /* the first and the last rowid that is read, by the leaves that they
                          ** lie in; NULL: all. For page_read, without a place */
    int64_t *rows_read; /* or NULL: rows read so far, told before interrupted is called */
    /* Where pages are decoded if they are all but usual ones, for that run; or NULL: here. */
    const gg_cell_place *place;
    gpugraph_run *run;
} page_table;

/* The columns, in order of rowid: count entries each, free() by page_columns_clear. */
typedef struct page_columns {
    int64_t count;
    int64_t *rowid;   /* NULL: 1 .. count */
    int64_t *id[2];   /* source, target */
    int32_t *id32[2]; /* in place of both, where all that they hold fits */
    uint8_t *text[2]; /* bit i: entry i is a text's number */
    /* Rows with an end that is NULL, ascending: place << 2 | which (1: source, 2: target,
    ** 3: both). That end's entry means nothing, nor do the row's weights. */
    int64_t *half;
    int64_t halves;
    /* INTEGERs, and texts that are such; if some weight is REAL, the bits of doubles. In either column
    ** a NULL is -1 where there is a reverse weight. */
    int64_t *weight, *reverse;
    int32_t *weight32; /* in place of weight, where all that it holds fits */
    bool real;
    int64_t *edge_id;  /* where they are a column: INTEGERs */
    int64_t slow_rows; /* rows that the fast cell decoder left to the careful one */
    /* Source and target are there, and above NULL, as are weights that stay there; ends:
    ** source and target of the first and the last row. Or NULL. */
    gg_cells *cells;
    int64_t ends[2][2];
} page_columns;

/* Entry i of source (k 0) or target (k 1), which are here. */
static inline int64_t page_id_at(const page_columns *columns, int k, int64_t i) {
    return columns->id32[k] ? columns->id32[k][i] : columns->id[k][i];
}

/* INTEGER weight i, which is here. */
static inline int64_t page_weight_at(const page_columns *columns, int64_t i) {
    return columns->weight32 ? columns->weight32[i] : columns->weight[i];
}

/* Array k of the columns, which may be NULL, and the bytes of an entry; bits of texts and rows with a
** NULL end are none of these. */
enum { PAGE_ARRAYS = 9 };
void **page_array(page_columns *columns, int k, size_t *size);
void page_columns_clear(page_columns *columns);

/* Why the pages are not used. The sentences are in reader.c. */
enum page_reason {
    PAGE_FINE = 0,
    PAGE_STOPPED, /* the interrupt callback said so */
    /* The table is not as the layout says: reading begins again with another layout. */
    PAGE_ID_WIDE,     /* an id does not fit 4 bytes: with PAGE_WIDE_IDS */
    PAGE_WEIGHT_WIDE, /* an INTEGER weight does not fit 4 bytes: with PAGE_WIDE_WEIGHTS */
    PAGE_WEIGHT_REAL, /* a REAL among integer weights: with layout.real */
    PAGE_WEIGHT_TEXT, /* a text that SQLite must turn into a weight: with layout.ask */
    PAGE_ID_TEXT,     /* a TEXT among INTEGER ids: with layout.text */
    PAGE_SHORT_ROW,   /* a row older than a column wanted: with layout.missing */
    PAGE_ID_NULL,     /* an end that is NULL: with layout.null */
    PAGE_NOT_SENT,    /* no table for the place of page_table: by threads */
    /* For good. */
    PAGE_NO_ROWID,
    PAGE_NO_FILE,
    PAGE_FOREIGN_VFS,
    PAGE_NOT_READABLE,
    PAGE_WRITING,
    PAGE_WAL,
    PAGE_SHARED_CACHE,
    PAGE_HEADER,
    PAGE_NOT_PLAIN,
    PAGE_ID_TYPE,
    PAGE_UTF_16,
    PAGE_WEIGHT_TYPE,
    PAGE_EDGE_ID_TYPE,
    PAGE_TOO_LONG,
    PAGE_CHAIN,
    PAGE_DAMAGED,
    PAGE_READ_FAILED,
    PAGE_NO_MEMORY,
    PAGE_DISAGREES,
    PAGE_REASONS
};

enum page_outcome {
    PAGE_READ,       /* *columns is the table as the calling statement must see it */
    PAGE_NOT_USED,   /* *why_not, a static sentence, says why; read row by row */
    PAGE_INTERRUPTED /* interrupted() returned true, or SQLite said so */
};

/* Reads the table on up to `threads` threads (0: one for each core). interrupted, which
** may be NULL, is asked from the calling thread some fifty times a second. Holds the
** connection's mutex, and a read transaction of its own on the schema. A REAL id that is
** whole is read as that INTEGER. Values that the row reader would have to refuse (BLOB, a
** fractional id, a text that is no number for a weight), and edge ids that are no INTEGERs,
** are never in *columns: the whole read steps aside. *why_not is NULL unless
** PAGE_NOT_USED; *columns is zeroed unless PAGE_READ. */
enum page_outcome page_read(const page_table *table, int threads,
                            int (*interrupted)(void *), void *listener,
                            page_columns *columns, const char **why_not);

/* What is found of a row by its rowid; ODD: SQLite must be asked. */
enum page_row { PAGE_ROW_ABSENT, PAGE_ROW_NUMBERS, PAGE_ROW_ODD };
enum { PAGE_FOUND_COLUMNS = PAGE_WEIGHT + 1 };

typedef struct page_found {
    int64_t count;
    bool real;                          /* weights are the bits of doubles */
    uint8_t *state;                     /* enum page_row */
    int64_t *value[PAGE_FOUND_COLUMNS]; /* of NUMBERS: source, target, weight */
} page_found;

/* Some rows, by their rowids: ascending, each once. found->real: weights shall be doubles; else a REAL
** makes a row ODD, unless the column is of REALs. Of a table without edge ids and reverse weights; texts and place are not looked at.
** As safe as page_read, and on the same terms. Arrays are the caller's. */
enum page_outcome page_find(const page_table *table, const int64_t *rowid, int threads,
                            int (*interrupted)(void *), void *listener, page_found *found,
                            const char **why_not);

#endif
