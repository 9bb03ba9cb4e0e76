/* The private map of the page reader: what passes between deciding, walking and decoding.
** Border and idea: reader.h; the file format: sqlite.org/fileformat2.html. */
#ifndef GPUGRAPH_PAGE_FORMAT_H
#define GPUGRAPH_PAGE_FORMAT_H

#include "reader.h"
#include "base/whole_number.h"
#include "mutex.h"

#include <stdatomic.h>

enum {
    PAGE_INTERIOR = 0x05, /* page types of table b-trees */
    PAGE_LEAF = 0x0d,
    PAGE_LEAF_HEADER = 8,
    PAGE_INTERIOR_HEADER = 12,
    PAGE_SMALLEST = 512,
    PAGE_SCHEMA_VERSION = 40, /* bytes of the first page: 4 */
    PAGE_READ_VERSION = 19,   /* byte of the first page: 1, or 2 in WAL mode */
    PAGE_WAL_VERSION = 2,
    PAGE_PAD = 1280, /* readable bytes that must follow a page given to page_leaf */
    PAGE_FAST_COLUMNS = 16, /* wanted columns beyond the first 16 are read carefully */
    PAGE_IS_ROWID = -1,     /* page_layout.column: the value is the row's rowid */
    PAGE_NO_COLUMN = -2     /* nobody reads this column */
};

static inline bool page_is_weight(int k) {
    return k == PAGE_WEIGHT || k == PAGE_REVERSE;
}

/* ---- format.c: pages, and what is wanted of their records ---- */

/* How a database stores texts; the numbers are SQLite's. */
enum page_encoding { PAGE_UTF_8 = 1, PAGE_UTF_16LE = 2, PAGE_UTF_16BE = 3 };

/* The first page's 100-byte header, as far as it matters here. */
typedef struct page_geometry {
    uint32_t page_size, usable; /* usable: without the reserved bytes at a page's end */
    uint32_t pages;             /* in the database by the header; 0: not known */
    enum page_encoding encoding;
    bool auto_vacuum;
} page_geometry;

/* false: not a header that is known here. */
bool page_geometry_read(const uint8_t header[100], page_geometry *geometry);

/* What a serial type (one byte of it) says about its value:
** ((big-endian load at the value) >> shift & keep) | constant. The fields are as wide as
** the registers they meet, so that they are operands straight from memory. */
struct page_serial {
    int64_t keep; /* -1, or 0 where the value is the constant */
    int64_t constant;
    uint32_t size, shift;
    uint32_t no_column; /* not 0: cannot be any column, ... */
    uint32_t no_id;     /* ... an id, ... */
    uint32_t no_weight; /* ... a weight of this layout: leave it to the careful decoder */
    uint32_t is_real, is_text;
};

/* Bits: these columns have 8 bytes an entry in place of 4. */
enum { PAGE_WIDE_IDS = 1, PAGE_WIDE_WEIGHTS = 2 };

/* What the serial types of the first three columns say together, ids from 1 to 6, a weight from 1 to 6
** or 8 or 9: INTEGERs, whose values follow each other. (5 and 6 are of 6 and 8 bytes: only where the column has
** 8.) The index of a form has 3 bits of the first type, below it 3 of the second, and 4 of the third. */
struct page_form {
    uint8_t end
        [3]; /* of the first value, of the first two, of all; where a type is another: 255, more than
                    ** there are in any record */
    uint8_t shift[3];
    int8_t keep; /* of the weight, as in page_serial */
    uint8_t constant;
};
enum { PAGE_FORMS = 1024 };

/* What a column holds in rows that were written before it was added. */
typedef struct page_missing {
    bool known;
    int type;        /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, ... */
    int64_t integer; /* the value, or ... */
    double real;
    char *text; /* ... in UTF-8, malloc */
    uint32_t length;
} page_missing;

/* What is wanted of each record. */
typedef struct page_layout {
    uint32_t page_size, usable;
    enum page_encoding encoding;
    bool auto_vacuum;
    uint32_t longest; /* bytes of a record that SQLite's limit of the connection allows */
    int column[PAGE_COLUMNS]; /* a record's column, PAGE_IS_ROWID or PAGE_NO_COLUMN */
    int columns;              /* 2, 3, or PAGE_COLUMNS: none beyond these is wanted */
    bool real;                /* weights become double */
    bool null;                /* ends may be NULL */
    bool numbers_alone;       /* no weight may be a text */
    bool ask;                 /* SQLite is there to turn texts into weights */
    bool text;                /* ids may be texts */
    enum page_reason at_text; /* what a text id says where they may not */
    page_missing missing[PAGE_COLUMNS];
    unsigned
        wide; /* PAGE_WIDE_ bits; weights that are REAL or have a way back are wide */
    int last; /* the highest record column wanted, -1: none */
    struct page_serial serial[256];
    struct page_form form[PAGE_FORMS];
} page_layout;

/* Sets last, serial and form from the rest, and adds bits to `wide`. */
void page_layout_finish(page_layout *layout);
/* Frees what the layout owns. */
void page_layout_clear(page_layout *layout);

/* An interior page's children: `cell` 0 .. cells - 1, then the rightmost one. */
int page_interior_cells(const page_layout *layout, const uint8_t *page); /* or -1 */
/* false: the cell lies outside the page. */
bool page_child(const page_layout *layout, const uint8_t *page, int cell, uint32_t *child,
                int64_t *upper);
uint32_t page_rightmost(const uint8_t *page);
/* The most rows that one leaf can hold. */
uint32_t page_most_rows(const page_layout *layout);

/* ---- number.c: weights that are texts ---- */

/* A text that is an integer without more ado, as most are: -? and up to 18 digits. */
bool page_number_plain(const uint8_t *text, size_t length, int64_t *value);

/* A text among the weights that SQLite must look at. */
typedef struct page_number {
    const uint8_t *bytes; /* UTF-8 */
    uint32_t entry;       /* 2 * row in the batch, + 1 in the column of ways back */
    uint32_t length;
} page_number;

/* SQLite's own conversion, by a private connection without a file: one for each thread,
** since the caller's connection serves one thread alone. NULL: there is none to be had. */
typedef struct page_numbers page_numbers;
page_numbers *page_numbers_open(void);
void page_numbers_close(page_numbers *numbers); /* NULL is allowed */
/* Where the weights of such texts go. */
typedef struct page_number_columns {
    bool real;          /* they are the bits of doubles */
    int64_t *column[2]; /* to column[entry % 2][entry / 2], or ... */
    int32_t *narrow;    /* ... in place of the first of these, unless it is NULL */
} page_number_columns;

/* Writes the weights of the texts listed. PAGE_WEIGHT_WIDE where one does not fit the narrow column. */
enum page_reason page_numbers_convert(page_numbers *numbers, const page_number *list,
                                      uint32_t count, const page_number_columns *to);

/* ---- rows on their way from leaves to columns ---- */

/* Copies of bytes from overflow pages, which live until the store is emptied (overflow.c). */
typedef struct page_store {
    struct page_chunk *chunk;
} page_store;

uint8_t *page_store_take(page_store *store, size_t bytes); /* NULL: no memory */
void page_store_empty(page_store *store);

/* A text id among the rows of a batch. */
typedef struct page_text {
    uint64_t hash; /* for walk.c */
    const uint8_t *bytes;
    uint32_t entry; /* 2 * row in the batch, + 1 in the target column */
    uint32_t length;
} page_text;

/* What decoding may ask of its thread. */
typedef struct page_helper {
    const struct page_source *source; /* of overflow pages */
    uint8_t *overflow;                /* room for a page */
    page_store store;
    int64_t short_rowid; /* of the row that says PAGE_SHORT_ROW, ... */
    int short_columns;   /* ... and how many columns it has */
} page_helper;

/* Where rows go. rowid NULL: not kept. weight, reverse: int64_t, or the bits of a double. */
typedef struct page_rows {
    int64_t *rowid, *id[2], *weight, *edge_id, *reverse;
    int32_t *id32[2];        /* not NULL: in place of id */
    int32_t *weight32;       /* not NULL: in place of weight */
    int64_t at;              /* the next row's place in the arrays */
    int64_t first, previous; /* the first rowid and the latest, ... */
    bool any;                /* ... if there was one */
    bool dense;              /* every rowid so far is its place + 1 */
    int64_t slow;            /* rows decoded carefully */
    int64_t start;           /* the batch's first place in the columns */
    /* With layout.text: texts in both columns of ids are listed here, with room for two
    ** a row; the columns' entries mean nothing until they are numbered. */
    page_text *text;
    uint32_t texts;
    /* With layout.ask: the same for weights. */
    page_number *number;
    uint32_t numbers;
    /* With layout.null: rows of the batch with an end that is NULL, as page_columns lists
    ** them, with room for one a row. */
    uint32_t *half;
    uint32_t halves;
    page_helper *helper;
} page_rows;

/* ---- leaf.c: the cells of a leaf ---- */

/* The number of cells of a leaf, or -1 where the page cannot be a leaf. */
int page_leaf_cells(const page_layout *layout, const uint8_t *page);
/* Decodes every cell of a leaf for which page_leaf_cells is not -1. */
enum page_reason page_leaf(const page_layout *layout, const uint8_t *page,
                           page_rows *rows);

/* ---- record.c: one cell, whatever it may hold ---- */

/* What is wanted of a row. */
typedef struct page_values {
    int64_t value[PAGE_COLUMNS];
    uint32_t text; /* bit k: not value[k] but bytes[k] and length[k] */
    uint32_t null; /* bit k: the end k is NULL */
    const uint8_t *bytes[PAGE_COLUMNS];
    uint32_t length[PAGE_COLUMNS];
} page_values;

/* Decodes the cell that begins at `cell` on the page whose usable part ends at `end`. */
enum page_reason page_cell(const page_layout *layout, const uint8_t *cell,
                           const uint8_t *end, page_helper *helper, int64_t *rowid,
                           page_values *to);

static inline bool page_is_nan(uint64_t bits) { /* SQLite reads a stored NaN as NULL */
    return bits << 1 > 0xffe0000000000000u;
}

static inline int64_t page_real_bits(double x) {
    union {
        double real;
        int64_t bits;
    } both = {x};
    return both.bits;
}

static inline double page_real_of(int64_t bits) {
    union {
        int64_t bits;
        double real;
    } both = {bits};
    return both.real;
}

/* ---- overflow.c: records that go on behind their page ---- */

/* A record, read from its beginning to its end. */
typedef struct page_chain {
    const page_layout *layout;
    page_helper *helper;
    const uint8_t *record; /* its first `local` bytes */
    uint32_t local, payload;
    uint32_t next;        /* overflow page */
    uint64_t from, until; /* bytes of the record that helper->overflow holds */
    uint32_t steps, mark; /* pages of the chain so far; one of them, to find a circle */
} page_chain;

void page_chain_start(page_chain *chain, const page_layout *layout, page_helper *helper,
                      const uint8_t *record, uint32_t local, uint32_t payload);
/* Copies bytes at .. at + count of the record, which are within its payload; fastest where
** `at` ascends from call to call. */
enum page_reason page_chain_read(page_chain *chain, uint64_t at, uint64_t count,
                                 uint8_t *to);

/* ---- teams of threads ---- */

/* Stops a team for this reason unless it is PAGE_FINE. False: the team has stopped before. */
static inline bool page_stop(atomic_int *of_team, enum page_reason reason) {
    int fine = PAGE_FINE;
    return reason && atomic_compare_exchange_strong(of_team, &fine, (int)reason);
}

/* ---- source.c: pages, and when to stop ---- */

typedef struct page_source {
    sqlite3_file *file;
    gg_mutex *lock;               /* held while pages are read; NULL: its xRead may run
                                  ** on several threads at once */
    uint32_t pages;               /* in the database */
    const struct wal_frames *wal; /* pages that are in the write-ahead log; or NULL */
    int threads;
    page_numbers **numbers; /* with layout.ask: one for each thread */
    intern *texts; /* where text ids are numbered, empty; needed with layout.text */
    int (*interrupted)(void *);
    void *listener;
    int64_t *rows_read; /* or NULL: told before each call of interrupted */
} page_source;

/* Reads `count` neighbouring pages. */
enum page_reason page_source_read(const page_source *source, const page_layout *layout,
                                  uint32_t page, uint32_t count, uint8_t *to);
/* Reads `count` pages, neighbours by one call. */
enum page_reason page_batch_read(const page_source *source, const page_layout *layout,
                                 const uint32_t *page, uint32_t count, uint8_t *to);
/* Asks whether to stop, if it is time to ask again. */
bool page_source_stops(const page_source *source, double *next_ms, int64_t rows);
/* How many threads a team for that many batches has. */
int page_source_threads(const page_source *source, uint32_t batches);
/* False: no memory. page_helper_clear follows in either case. */
bool page_helper_open(page_helper *helper, const page_source *source,
                      const page_layout *layout);
void page_helper_clear(page_helper *helper);

/* ---- list.c: interior pages -> leaves ---- */

typedef struct page_leaves {
    uint32_t *page; /* in order of rowid */
    int64_t *
        upper; /* of each, the largest rowid that may lie in it; only for a list of rowids */
    uint32_t count;
    int64_t most_rows; /* no fewer than there are rows */
} page_leaves;

/* Which rows are wanted: those of a range of rowids, those of a list of rowids, ascending and each
** once, or, both NULL, all. */
typedef struct page_wanted {
    const int64_t *range, *rowid;
    int64_t count;
} page_wanted;

/* Lists the leaves below `root` that may hold a row that is wanted. free() of leaves->page and
** leaves->upper. */
enum page_reason page_list(const page_source *source, const page_layout *layout,
                           uint32_t root, const page_wanted *wanted, page_leaves *leaves);

/* ---- range.c: leaves -> a range of rowids ---- */

/* Rows outside the range, at both ends, are cut off. The columns stay on the host. */
enum page_reason page_cut(page_columns *columns, const int64_t range[2]);

/* ---- walk.c: leaves -> columns ---- */

typedef struct page_short { /* the row behind PAGE_SHORT_ROW */
    int64_t rowid;
    int columns;
} page_short;

/* Reads them all. On any other reason than PAGE_FINE *columns is left zeroed. */
enum page_reason page_collect(const page_source *source, const page_layout *layout,
                              const page_leaves *leaves, page_columns *columns,
                              page_short *short_row);

/* ---- find.c: some rows ---- */

/* wanted: found->count rowids, at least one, ascending, each once. */
enum page_reason page_find_rows(const page_source *source, const page_layout *layout,
                                uint32_t root, const int64_t *wanted, page_found *found);

/* ---- send.c: leaves -> columns elsewhere ---- */

/* Reads them all into the place that the table names, and decodes what is unusual here. On
** any other reason than PAGE_FINE *columns is left zeroed. */
enum page_reason page_send(const page_table *t, const page_source *source,
                           const page_layout *layout, const page_leaves *leaves,
                           page_columns *columns, page_short *short_row);

/* ---- program.c: what SQLite would do ---- */

/* Prepares `before` SELECT rowid and columns of the rows of a range of rowids, or (NULL) of all, ordered
** by rowid `order`. */
sqlite3_stmt *page_scan(const page_table *t, const char *before, const int64_t *range,
                        const char *order);
/* The layout of records, and the root, by the program that SQLite compiles. */
enum page_reason page_program(const page_table *t, page_layout *layout, uint32_t *root);

/* ---- file.c: may the file be trusted, and for which snapshot? ---- */

struct page_snapshot;

/* Is the database in a file that is read here at all? */
enum page_reason page_file_known(const page_table *t);
/* Opens a read transaction and finds out which frames of a write-ahead log it sees. */
enum page_reason page_file_hold(const page_table *t, struct page_snapshot **snapshot);
/* Sets the source and the layout by the first page. */
enum page_reason page_file_study(const page_table *t, struct page_snapshot *snapshot,
                                 page_source *source, page_layout *layout);
/* After the last read: was all that came from the write-ahead log what it seemed? */
enum page_reason page_file_settle(const struct page_snapshot *snapshot);
/* What the transaction sees, for identity.c. */
typedef struct page_view {
    sqlite3_file *file;
    const uint8_t *first_page;    /* 100 bytes of the file's */
    const struct wal_header *log; /* NULL: there is no log */
} page_view;
/* false: not for sure. */
bool page_file_view(const struct page_snapshot *snapshot, page_view *view);
/* Ends the transaction. NULL is allowed. */
void page_file_release(struct page_snapshot *snapshot);

#endif
