/* Reads an ordinary rowid table by decoding the pages of its b-tree, several times as
** fast as stepping a statement. If the pages cannot be trusted, the reader gives up with
** a reason, and the caller reads the rows through SQLite.
**
**     page_read           reader.c    decides whether the pages give what a SELECT gives
**       page_file_hold    file.c      the file and the snapshot: wal_frames.c
**       page_program      program.c   what SQLite itself would read: root, columns
**       page_list         list.c      interior pages -> leaves in the order of rowids
**       page_send         send.c      leaves -> columns on a device, or
**       page_collect      walk.c      leaves -> columns, by several threads: columns.c
**         page_leaf       leaf.c      the cells of one leaf -> columns, if they are usual
**           page_cell     record.c    any cell: overflow.c, number.c
**             page_condition_holds    the filter, by the bytes of the record: condition.c
**     page_find           reader.c    some rows, by their rowids: find.c
**
** Every page comes through SQLite's own file object, inside a read transaction of the
** connection. The reader never opens the file: closing a second descriptor would drop the
** POSIX locks of the process on it. */
#ifndef GPUGRAPH_PAGE_READER_H
#define GPUGRAPH_PAGE_READER_H

#ifdef SQLITE_CORE
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#endif
#include "base/intern.h"
#include "base/wal_notes.h"
#include "cells.h"
#include <stdbool.h>
#include <stdint.h>

/* The columns of an edge, in the order of source/source.h. */
enum {
    PAGE_SOURCE,
    PAGE_TARGET,
    PAGE_WEIGHT,
    PAGE_EDGE_ID,
    PAGE_REVERSE, /* the reverse weight */
    PAGE_COLUMNS
};

typedef struct page_table {
    sqlite3 *db;
    const char *schema, *table; /* names as stored, unquoted */
    const char *rowid;          /* rowid, oid or _rowid_: one that no column hides */
    const char *column[PAGE_COLUMNS]; /* NULL: not wanted; the first two are not NULL */
    /* A condition on the row that condition_check has accepted; NULL: none. A row for
    ** which it is not true is a half row. The reader gives up unless the condition is
    ** simple (condition.h) and the values of its columns are usual. No device decodes
    ** pages. */
    const char *filter;
    /* A note from before the open transaction began. NULL: the reader may give up if the
    ** write-ahead log has pages. */
    const struct wal_notes *wal;
    /* Numbers the text ids, in the order of rows and columns. Empty before the call, and
    ** afterwards unless PAGE_READ. NULL: text ids are refused. */
    intern *texts;
    /* A write transaction of the connection, if there is one, has written no row of this
    ** table. If the schema version in the file is schema_version, the transaction has not
    ** dropped or changed the table either. */
    bool unwritten;
    int schema_version; /* the version that the transaction sees */
    /* The leaves that may have a rowid from range[0] to range[1] are read, with all their
    ** rows. NULL: all leaves. Only for page_read without a place. */
    const int64_t *range;
    /* NULL, or set to the number of rows read before each call of interrupted */
    int64_t *rows_read;
    /* The device that decodes pages, for that run. NULL: threads decode. */
    const gg_cell_place *place;
    gpugraph_run *run;
} page_table;

/* The columns, in the order of rowids: count entries each. Free them by
** page_columns_clear. */
typedef struct page_columns {
    int64_t count;
    int64_t *rowid;   /* NULL: 1 .. count */
    int64_t *id[2];   /* source, target */
    int32_t *id32[2]; /* in place of id, if all ids fit */
    uint8_t *text[2]; /* bit i: entry i is the number of a text */
    /* Half rows: rows with a NULL end, and rows for which the filter is not true.
    ** Ascending: row << 2 | the NULL ends (0: none, 1: source, 2: target, 3: both). The
    ** entry of a NULL end, and the row's weights, have no meaning. */
    int64_t *half;
    int64_t halves;
    /* INTEGER weights, and texts that are integers. If some weight is REAL, all are the
    ** bits of doubles. With a reverse weight, -1 stands for NULL. */
    int64_t *weight, *reverse;
    int32_t *weight32; /* in place of weight, if all weights fit */
    bool real;
    int64_t *edge_id;  /* NULL unless edge ids are a column; INTEGERs */
    int64_t slow_rows; /* rows that the fast cell decoder left to page_cell */
    /* Columns on a device, or NULL. Then id is NULL, and so is weight if it stays there.
    ** ends has source and target of the first and the last row. */
    gg_cells *cells;
    int64_t ends[2][2];
} page_columns;

/* Entry i of source (k 0) or target (k 1). The column is in host memory. */
static inline int64_t page_id_at(const page_columns *columns, int k, int64_t i) {
    return columns->id32[k] ? columns->id32[k][i] : columns->id[k][i];
}

/* INTEGER weight i. The column is in host memory. */
static inline int64_t page_weight_at(const page_columns *columns, int64_t i) {
    return columns->weight32 ? columns->weight32[i] : columns->weight[i];
}

/* Frees the arrays, and a device's columns, and zeroes *columns. */
void page_columns_clear(page_columns *columns);

/* Why the reader does not use the pages. reader.c has the sentences. */
enum page_reason {
    PAGE_FINE = 0,
    PAGE_STOPPED, /* the interrupt callback returned true */
    /* The table differs from the layout. Reading begins again with another layout. */
    PAGE_ID_WIDE,     /* an id does not fit 4 bytes: set PAGE_WIDE_IDS */
    PAGE_WEIGHT_WIDE, /* an INTEGER weight does not fit 4 bytes: set PAGE_WIDE_WEIGHTS */
    PAGE_WEIGHT_REAL, /* a REAL among INTEGER weights: set layout.real */
    PAGE_WEIGHT_TEXT, /* a text that SQLite must convert to a weight: set layout.ask */
    PAGE_ID_TEXT,     /* a TEXT among INTEGER ids: set layout.text */
    PAGE_SHORT_ROW,   /* a row older than a wanted column: set layout.missing */
    PAGE_ID_NULL,     /* a NULL end: set layout.null */
    PAGE_NOT_SENT,    /* the device does not take this table: threads decode it */
    /* The following reasons are final. */
    PAGE_NOT_SIMPLE,   /* the filter's text */
    PAGE_FILTER_VALUE, /* a row that SQLite must filter */
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
    PAGE_READ, /* *columns is the table as the calling statement must see it */
    /* *why_not is a static sentence with the reason; the caller reads through SQLite */
    PAGE_NOT_USED,
    PAGE_INTERRUPTED /* interrupted() returned true, or SQLite was interrupted */
};

/* Reads the table.
**
** `threads` is the number of threads (0: one for each core). The calling thread calls
** `interrupted`, which may be NULL, about fifty times a second. The function holds the
** connection's mutex and a read transaction of its own on the schema.
**
** A whole REAL id is read as that INTEGER. The reader gives up on values that are errors
** (a BLOB, a fractional id, a text weight that is no number) and on edge ids that are not
** INTEGERs.
**
** *columns is zeroed unless PAGE_READ; *why_not is NULL unless PAGE_NOT_USED. */
enum page_outcome page_read(const page_table *table, int threads,
                            int (*interrupted)(void *), void *listener,
                            page_columns *columns, const char **why_not);

/* The state of a row, by its page. ODD: SQLite must read the row, also if the filter is
** not true for it. */
enum page_row { PAGE_ROW_ABSENT, PAGE_ROW_NUMBERS, PAGE_ROW_ODD };
enum { PAGE_FOUND_COLUMNS = PAGE_WEIGHT + 1 };

typedef struct page_found {
    int64_t count;
    bool real;                          /* weights are the bits of doubles */
    uint8_t *state;                     /* enum page_row */
    int64_t *value[PAGE_FOUND_COLUMNS]; /* source, target and weight of NUMBERS */
} page_found;

/* Finds some rows by their rowids, which ascend and are distinct. If found->real is set,
** weights become doubles; otherwise a REAL weight makes a row ODD, unless the column has
** REAL affinity.
**
** The table has no edge id column and no reverse weight; its texts and place are ignored.
** The caller owns the arrays of *found. The other rules are those of page_read. */
enum page_outcome page_find(const page_table *table, const int64_t *rowid, int threads,
                            int (*interrupted)(void *), void *listener, page_found *found,
                            const char **why_not);

/* ---- identity.c: names of committed states ----
** If two connections of one process have equal names, they see the same rows of the same
** table. */

/* Names are compared as bytes, padding included. Fields that do not apply are zero. */
typedef struct page_identity {
    uint64_t library;       /* the SQLite library; a process may have two */
    uint64_t device, inode; /* the file that the connection has open */
    /* The state of the file. Only without a write-ahead log, or while it is empty. */
    uint8_t first_page[100];
    int64_t size, changed_s, changed_ns;
    /* The state of the log that the transaction sees. */
    uint64_t index; /* address at which the process has mapped the log's index */
    wal_header log;
    /* The table: what SQLite would read. */
    uint32_t root, longest;
    int32_t column[PAGE_COLUMNS];
} page_identity;

/* Names the state that page_read reads, inside a read transaction that a statement of the
** caller holds. The name does not include the filter. False: the state has no name, so
** other connections must not use it. */
bool page_identify(const page_table *table, page_identity *identity);

#endif
