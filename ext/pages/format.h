/* The private header of the page reader: the data that its files pass to one another.
** reader.h has the overview; sqlite.org/fileformat2.html describes the file format. */
#ifndef GPUGRAPH_PAGE_FORMAT_H
#define GPUGRAPH_PAGE_FORMAT_H

#include "reader.h"
#include "base/value.h"
#include "mutex.h"

#include <stdatomic.h>
#include <string.h>

/* ---- numbers: big-endian integers, and varints of up to 9 bytes ---- */

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t get2(const uint8_t *p) {
    return (uint32_t)p[0] << 8 | p[1];
}

INLINE uint32_t get4(const uint8_t *p) {
    return get2(p) << 16 | get2(p + 2);
}

INLINE uint64_t get8(const uint8_t *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Reads a varint that must end before `end`. Returns its length, or 0. */
static inline int get_varint(const uint8_t *p, const uint8_t *end, uint64_t *value) {
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) {
        if (end - p <= i)
            return 0;
        x = x << 7 | (p[i] & 0x7f);
        if (p[i] < 0x80) {
            *value = x;
            return i + 1;
        }
    }
    if (end - p <= 8)
        return 0;
    *value = x << 8 | p[8];
    return 9;
}

/* ---- constants ---- */

enum {
    PAGE_INTERIOR = 0x05, /* types of table b-tree pages */
    PAGE_LEAF = 0x0d,
    PAGE_LEAF_HEADER = 8,
    PAGE_INTERIOR_HEADER = 12,
    PAGE_SMALLEST = 512,
    PAGE_SCHEMA_VERSION = 40, /* offset of 4 bytes in the first page */
    PAGE_READ_VERSION = 19, /* offset of a byte in the first page: 1, or 2 in WAL mode */
    PAGE_WAL_VERSION = 2,
    PAGE_PAD = 1280,        /* readable bytes behind a page that page_leaf gets */
    PAGE_FAST_COLUMNS = 16, /* page_cell reads columns beyond the first 16 */
    PAGE_IS_ROWID = -1,     /* page_layout.column: the value is the row's rowid */
    PAGE_NO_COLUMN = -2     /* the column is not wanted */
};

static inline bool page_is_weight(int k) {
    return k == PAGE_WEIGHT || k == PAGE_REVERSE;
}

/* ---- format.c: pages, and what is wanted of their records ---- */

/* The encoding of texts, by SQLite's numbers. */
enum page_encoding { PAGE_UTF_8 = 1, PAGE_UTF_16LE = 2, PAGE_UTF_16BE = 3 };

/* Describes the values of a serial type of one byte. A value is ((big-endian load at the
** value) >> shift & keep) | constant. The fields are as wide as the registers that they
** are combined with, so they are memory operands. */
struct page_serial {
    int64_t keep; /* -1, or 0 where the value is the constant */
    int64_t constant;
    uint32_t size, shift;
    uint32_t no_column; /* not 0: no column may have this type */
    uint32_t no_id;     /* not 0: no id */
    /* not 0: no weight of this layout, so page_cell decodes the cell */
    uint32_t no_weight;
    uint32_t is_real, is_text;
};

/* Bits: these columns have 8 bytes an entry instead of 4. */
enum { PAGE_WIDE_IDS = 1, PAGE_WIDE_WEIGHTS = 2 };

/* The serial types of the first three columns taken together, if the columns are
** INTEGERs side by side: two ids of types 1 to 6 and a weight of types 1 to 6, 8 or 9.
** Types 5 and 6 (6 and 8 bytes) count only for columns of 8 bytes. The index of a form
** has 3 bits of the first type, then 3 of the second and 4 of the third. */
struct page_form {
    /* End of the first value, of the first two, and of all three, in bytes. If another
    ** type occurs, 255, which is longer than any record of these types. */
    uint8_t end[3];
    uint8_t shift[3];
    int8_t keep; /* as in page_serial, for the weight */
    uint8_t constant;
};
enum { PAGE_FORMS = 1024 };

/* The value of a column in rows that are older than the column. */
typedef struct page_missing {
    bool known;
    int type;        /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, ... */
    int64_t integer; /* the value of an INTEGER */
    double real;
    char *text; /* a TEXT in UTF-8, from malloc */
    uint32_t length;
} page_missing;

typedef struct page_condition page_condition; /* condition.h */

/* The values that the reader wants of each record. */
typedef struct page_layout {
    uint32_t page_size, usable; /* usable: without the reserved bytes at a page's end */
    enum page_encoding encoding;
    bool auto_vacuum;
    /* the longest record, in bytes, that the connection's limit allows */
    uint32_t longest;
    /* a column of the record, PAGE_IS_ROWID or PAGE_NO_COLUMN */
    int column[PAGE_COLUMNS];
    int columns;              /* 2, 3 or PAGE_COLUMNS: later columns are not wanted */
    bool real;                /* weights become doubles */
    bool null;                /* half rows are listed; ends may be NULL */
    bool numbers_alone;       /* a text weight is refused */
    bool ask;                 /* private connections convert text weights */
    bool text;                /* ids may be texts */
    enum page_reason at_text; /* the reason for a text id if text is false */
    page_missing missing[PAGE_COLUMNS];
    page_condition *filter; /* NULL: none */
    /* PAGE_WIDE_ bits; weights are wide if they are REAL or there is a reverse weight */
    unsigned wide;
    int last; /* the last wanted column of the record; -1: none */
    struct page_serial serial[256];
    struct page_form form[PAGE_FORMS];
} page_layout;

/* The page size by the header of the first page. */
static inline uint32_t page_size_of(const uint8_t header[100]) {
    const uint32_t size = (uint32_t)header[16] << 8 | header[17];
    return size == 1 ? 65536 : size;
}
/* Sets the first fields of the layout, and *pages to the number of pages (0: unknown), by
** the header of the first page. Returns false if the reader does not know this kind of
** header. */
bool page_header_read(const uint8_t header[100], page_layout *layout, uint32_t *pages);
/* Sets last, serial and form from the other fields, and adds bits to `wide`. */
void page_layout_finish(page_layout *layout);
/* Frees what the layout owns. */
void page_layout_clear(page_layout *layout);

/* The number of cells of an interior page; -1 for another page. Its children are cell 0
** to cells - 1, then the rightmost one. */
int page_interior_cells(const page_layout *layout, const uint8_t *page);
/* False: the cell lies outside the page. */
bool page_child(const page_layout *layout, const uint8_t *page, int cell, uint32_t *child,
                int64_t *upper);
uint32_t page_rightmost(const uint8_t *page);
/* The largest number of rows on one leaf. */
uint32_t page_most_rows(const page_layout *layout);

/* ---- number.c: weights that are texts ---- */

/* Converts a text of up to 18 digits, with or without a minus sign. False: other text. */
bool page_number_plain(const uint8_t *text, size_t length, int64_t *value);

/* A text weight that SQLite must convert. */
typedef struct page_number {
    const uint8_t *bytes; /* UTF-8 */
    uint32_t entry;       /* 2 * row in the batch, plus 1 for a reverse weight */
    uint32_t length;
} page_number;

/* A private in-memory connection that converts texts to numbers. Each thread has one,
** because the caller's connection serves one thread. NULL: it could not be opened. */
typedef struct page_numbers page_numbers;
page_numbers *page_numbers_open(void);
void page_numbers_close(page_numbers *numbers); /* NULL is allowed */
/* The columns to which the weights go: weight i of column k is column[k][i]. */
typedef struct page_number_columns {
    bool real;          /* weights are the bits of doubles */
    int64_t *column[2]; /* weight, reverse weight */
    int32_t *narrow;    /* NULL, or in place of column[0] */
} page_number_columns;

/* Writes the weights of the listed texts. PAGE_WEIGHT_WIDE: one does not fit `narrow`. */
enum page_reason page_numbers_convert(page_numbers *numbers, const page_number *list,
                                      uint32_t count, const page_number_columns *to);

/* ---- rows between leaves and columns ---- */

/* Bytes from overflow pages, which live until the store is emptied. */
typedef struct page_store {
    struct page_chunk *chunk;
} page_store;

uint8_t *page_store_take(page_store *store, size_t bytes); /* NULL: no memory */
void page_store_empty(page_store *store);

/* A text id of a batch. */
typedef struct page_text {
    uint64_t hash; /* set by walk.c */
    const uint8_t *bytes;
    uint32_t entry; /* 2 * row in the batch, plus 1 for the target */
    uint32_t length;
} page_text;

/* The buffers of a decoding thread. */
typedef struct page_helper {
    const struct page_source *source; /* the source of overflow pages */
    uint8_t *pages;                   /* buffer for leaves, and PAGE_PAD bytes more */
    uint8_t *overflow;                /* buffer for one page */
    page_store store;
    int64_t short_rowid; /* the row behind PAGE_SHORT_ROW */
    int short_columns;   /* its number of columns */
} page_helper;

/* Destination of decoded rows. rowid NULL: rowids are not stored. weight, reverse:
** integers, or the bits of doubles. */
typedef struct page_rows {
    int64_t *rowid, *id[2], *weight, *edge_id, *reverse;
    int32_t *id32[2];        /* not NULL: in place of id */
    int32_t *weight32;       /* not NULL: in place of weight */
    int64_t at;              /* position of the next row in the arrays */
    int64_t first, previous; /* the first and the latest rowid, if any is true */
    bool any;
    bool dense;    /* each rowid so far is its position + 1 */
    int64_t slow;  /* rows that page_cell decoded */
    int64_t start; /* the batch's first position in the arrays */
    /* With layout.text: the text ids of the batch, with space for two a row. Their
    ** entries in the columns have no meaning until the texts are numbered. */
    page_text *text;
    uint32_t texts;
    /* With layout.ask: the text weights of the batch, with space for two a row. */
    page_number *number;
    uint32_t numbers;
    /* With layout.null: half rows of the batch, encoded as in page_columns. The array has
    ** space for one a row. */
    uint32_t *half;
    uint32_t halves;
    page_helper *helper;
} page_rows;

/* ---- leaf.c: the cells of a leaf ---- */

/* The number of cells of a leaf; -1: the page is no leaf. */
int page_leaf_cells(const page_layout *layout, const uint8_t *page);
/* Decodes every cell of a leaf for which page_leaf_cells has not returned -1. */
enum page_reason page_leaf(const page_layout *layout, const uint8_t *page,
                           page_rows *rows);

/* ---- record.c: any cell ---- */

/* The wanted values of a row. */
typedef struct page_values {
    int64_t value[PAGE_COLUMNS];
    uint32_t text; /* bit k: value k is the text bytes[k], length[k] */
    uint32_t null; /* bit k: end k is NULL */
    bool out;      /* the filter is not true, so the weights are not decoded */
    const uint8_t *bytes[PAGE_COLUMNS];
    uint32_t length[PAGE_COLUMNS];
} page_values;

/* Decodes the cell at `cell`. The usable part of its page ends at `end`. */
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

/* ---- overflow.c: records that continue on overflow pages ---- */

/* A record that is read from its beginning to its end. */
typedef struct page_chain {
    const page_layout *layout;
    page_helper *helper;
    const uint8_t *record; /* the first `local` bytes, on the leaf */
    uint32_t local, payload;
    uint32_t next;        /* the next overflow page */
    uint64_t from, until; /* the bytes of the record in helper->overflow */
    uint32_t steps, mark; /* pages read so far; one of these pages, to detect a cycle */
} page_chain;

void page_chain_start(page_chain *chain, const page_layout *layout, page_helper *helper,
                      const uint8_t *record, uint32_t local, uint32_t payload);
/* Copies bytes at to at + count - 1 of the record, which lie within its payload. It is
** fastest if `at` ascends from call to call. */
enum page_reason page_chain_read(page_chain *chain, uint64_t at, uint64_t count,
                                 uint8_t *to);

/* ---- teams of threads ---- */

/* Stops a team for this reason unless the reason is PAGE_FINE. False: the team goes on or
** has been stopped before. */
static inline bool page_stop(atomic_int *of_team, enum page_reason reason) {
    int fine = PAGE_FINE;
    return reason && atomic_compare_exchange_strong(of_team, &fine, (int)reason);
}

/* ---- source.c: pages and interrupts ---- */

typedef struct page_source {
    sqlite3_file *file;
    const page_layout *layout;
    /* Held during a read. NULL: several threads may call xRead at once. */
    gg_mutex *lock;
    uint32_t pages;               /* in the database */
    const struct wal_frames *wal; /* pages in the write-ahead log, or NULL */
    int threads;
    page_numbers **numbers; /* with layout.ask: one for each thread */
    intern *texts;          /* with layout.text: numbers the text ids; empty at first */
    int (*interrupted)(void *);
    void *listener;
    int64_t *rows_read; /* NULL, or set before each call of interrupted */
} page_source;

/* Reads `count` consecutive pages. */
enum page_reason page_source_read(const page_source *source, uint32_t page,
                                  uint32_t count, uint8_t *to);
/* Reads `count` pages, consecutive ones by one call. */
enum page_reason page_batch_read(const page_source *source, const uint32_t *page,
                                 uint32_t count, uint8_t *to);
/* True: the read must stop. Calls interrupted if the time next_ms has come. */
bool page_source_stops(const page_source *source, double *next_ms, int64_t rows);
/* The number of threads for this number of batches. */
int page_source_threads(const page_source *source, uint32_t batches);
/* Makes buffers; the buffer for pages holds this number of leaves. False: no memory. Call
** page_helper_clear in both cases. */
bool page_helper_open(page_helper *helper, const page_source *source, uint32_t leaves);
void page_helper_clear(page_helper *helper);

/* ---- list.c: interior pages -> leaves ---- */

typedef struct page_leaves {
    uint32_t *page; /* in the order of rowids */
    /* the largest rowid that each leaf may have; NULL unless a list of rowids is
    ** wanted */
    int64_t *upper;
    uint32_t count;
    int64_t most_rows; /* an upper bound of the number of rows */
} page_leaves;

/* The wanted rows: a range of rowids, distinct ascending rowids, or (both NULL) all. */
typedef struct page_wanted {
    const int64_t *range, *rowid;
    int64_t count;
} page_wanted;

/* Lists the leaves below `root` that may have wanted rows. Free leaves->page and
** leaves->upper by free(). */
enum page_reason page_list(const page_source *source, uint32_t root,
                           const page_wanted *wanted, page_leaves *leaves);

/* ---- columns.c: arrays that several threads fill ---- */

/* Reserves the arrays of *columns that the layout needs, for at most `most` rows. False:
** no memory. */
bool page_columns_reserve(page_columns *columns, const page_layout *layout, intern *texts,
                          int64_t most);
/* Touches the huge pages that begin in rows [from, to), except of rowids: see
** big_touch. */
void page_columns_touch(page_columns *columns, int64_t most, int64_t from, int64_t to);
/* Cuts the arrays to `count` rows. */
void page_columns_cut(page_columns *columns, int64_t count);

/* ---- walk.c: leaves -> columns ---- */

typedef struct page_short { /* the row behind PAGE_SHORT_ROW */
    int64_t rowid;
    int columns;
} page_short;

/* Reads all leaves. *columns is zeroed unless the result is PAGE_FINE. */
enum page_reason page_collect(const page_source *source, const page_leaves *leaves,
                              page_columns *columns, page_short *short_row);

/* ---- find.c: some rows ---- */

/* wanted: found->count distinct ascending rowids, at least one. */
enum page_reason page_find_rows(const page_source *source, uint32_t root,
                                const int64_t *wanted, page_found *found);

/* ---- send.c: leaves -> columns on a device ---- */

/* Sends all leaves to the device of the table's place, and decodes unusual leaves on the
** host. *columns is zeroed unless the result is PAGE_FINE. */
enum page_reason page_send(const page_table *t, const page_source *source,
                           const page_leaves *leaves, page_columns *columns,
                           page_short *short_row);

/* ---- program.c: what SQLite would read ---- */

/* Prepares a SELECT of rowid and wanted columns, with the text `before` in front, of the
** rows in a range of rowids (NULL: all), ordered by rowid `order`. NULL: it fails. */
sqlite3_stmt *page_scan(const page_table *t, const char *before, const int64_t *range,
                        const char *order);
/* Steps such a SELECT to the row of this rowid. *row (sqlite3_finalize) may be NULL after
** a failure. */
enum page_reason page_scan_row(const page_table *t, int64_t rowid, sqlite3_stmt **row);
/* Sets the layout of records, and the root, by the program that SQLite compiles. */
enum page_reason page_program(const page_table *t, page_layout *layout, uint32_t *root);

/* ---- file.c: which file, and which snapshot ---- */

struct page_snapshot;

/* Checks that the database is in a file that the reader can read. */
enum page_reason page_file_known(const page_table *t);
/* Opens a read transaction and finds the frames of the write-ahead log that it sees. Call
** page_file_release, also after a failure. */
enum page_reason page_file_hold(const page_table *t, struct page_snapshot **snapshot);
/* Sets the source and the layout by the first page. */
enum page_reason page_file_study(const page_table *t, struct page_snapshot *snapshot,
                                 page_source *source, page_layout *layout);
/* Checks after the last read that the write-ahead log is still the same. */
enum page_reason page_file_settle(const struct page_snapshot *snapshot);
/* The state that the transaction sees, for identity.c. */
typedef struct page_view {
    sqlite3_file *file;
    const uint8_t *first_page;    /* 100 bytes of the file's first page */
    const struct wal_header *log; /* NULL: there is no log */
} page_view;
/* False: the state is not certain. */
bool page_file_view(const struct page_snapshot *snapshot, page_view *view);
/* Ends the transaction. NULL is allowed. */
void page_file_release(struct page_snapshot *snapshot);

#endif
