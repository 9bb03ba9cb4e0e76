/* The private map of the page reader: reasons to step aside, and what passes between
** deciding, walking and decoding. Border and idea: page_reader.h; the file format:
** sqlite.org/fileformat2.html. */
#ifndef GPUGRAPH_PAGE_FORMAT_H
#define GPUGRAPH_PAGE_FORMAT_H

#include "page_reader.h"

/* Why the pages are not used. The sentences are in page_reader.c. */
enum page_reason {
    PAGE_FINE = 0,
    PAGE_STOPPED,     /* the interrupt callback said so */
    PAGE_WEIGHT_REAL, /* a REAL among integer weights: start again with layout.real */
    PAGE_ID_TEXT,     /* a TEXT among INTEGER ids: start again with layout.text */
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
    PAGE_SHORT_ROW,
    PAGE_OVERFLOW,
    PAGE_DAMAGED,
    PAGE_READ_FAILED,
    PAGE_NO_MEMORY,
    PAGE_DISAGREES,
    PAGE_REASONS
};

/* ---- page_format.c: what the bytes of a page mean ---- */

enum {
    PAGE_INTERIOR = 0x05, /* page types of table b-trees */
    PAGE_LEAF = 0x0d,
    PAGE_LEAF_HEADER = 8,
    PAGE_INTERIOR_HEADER = 12,
    PAGE_SMALLEST = 512,
    PAGE_READ_VERSION = 19, /* byte of the first page: 1, or 2 in WAL mode */
    PAGE_WAL_VERSION = 2,
    PAGE_PAD = 1024, /* readable bytes that must follow a page given to page_leaf */
    PAGE_FAST_COLUMNS = 16, /* wanted columns beyond the first 16 are read carefully */
    PAGE_IS_ROWID = -1      /* page_layout.column: the value is the row's rowid */
};

/* The first page's 100-byte header, as far as it matters here. */
typedef struct page_geometry {
    uint32_t page_size, usable; /* usable: without the reserved bytes at a page's end */
    uint32_t pages;             /* in the database by the header; 0: not known */
    bool utf_8;                 /* how the database stores texts */
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

/* What is wanted of each record. */
typedef struct page_layout {
    uint32_t page_size, usable;
    int column[3]; /* record column of source, destination, weight, or PAGE_IS_ROWID */
    bool weighted;
    bool real;                /* weights become double */
    bool text;                /* ids may be texts */
    enum page_reason at_text; /* what a text id says where they may not */
    int last;                 /* the highest record column wanted, -1: none */
    struct page_serial serial[256];
} page_layout;

/* Sets last and serial from the rest. */
void page_layout_finish(page_layout *layout);

/* A text id among the rows of a batch. */
typedef struct page_text {
    uint64_t hash;       /* for page_walk.c */
    uint32_t entry;      /* 2 * row in the batch, + 1 in the target column */
    uint32_t at, length; /* its bytes in the batch's buffer */
} page_text;

/* Where rows go. rowid NULL: not kept. weight: int64_t, or the bits of a double. */
typedef struct page_rows {
    int64_t *rowid, *source, *target, *weight;
    int64_t at;              /* the next row's place in the arrays */
    int64_t first, previous; /* the first rowid and the latest, ... */
    bool any;                /* ... if there was one */
    bool dense;              /* every rowid so far is its place + 1 */
    int64_t slow;            /* rows decoded carefully */
    /* With layout.text: texts in source and target are listed here, with room for two
    ** a row; the columns' entries mean nothing until they are numbered. */
    page_text *text;
    uint32_t texts;
    int64_t start;         /* the batch's first place in the columns */
    const uint8_t *buffer; /* its pages */
} page_rows;

/* The number of cells of a leaf, or -1 where the page cannot be a leaf. */
int page_leaf_cells(const page_layout *layout, const uint8_t *page);
/* Decodes every cell of a leaf for which page_leaf_cells is not -1. */
enum page_reason page_leaf(const page_layout *layout, const uint8_t *page,
                           page_rows *rows);

/* An interior page's children: `cell` 0 .. cells - 1, then the rightmost one. */
int page_interior_cells(const page_layout *layout, const uint8_t *page); /* or -1 */
/* false: the cell lies outside the page. */
bool page_child(const page_layout *layout, const uint8_t *page, int cell, uint32_t *child,
                int64_t *upper);
uint32_t page_rightmost(const uint8_t *page);
/* The most rows that one leaf can hold. */
uint32_t page_most_rows(const page_layout *layout);

/* ---- page_walk.c: the tree ---- */

typedef struct page_source {
    sqlite3_file *file;
    uint32_t pages; /* in the file */
    int threads;
    intern *texts; /* where text ids are numbered, empty; needed with layout.text */
    int (*interrupted)(void *);
    void *listener;
    int64_t *rows_read; /* or NULL: told before each call of interrupted */
} page_source;

typedef struct page_leaves {
    uint32_t *page; /* in order of rowid */
    uint32_t count;
    int64_t most_rows; /* no fewer than there are rows */
} page_leaves;

/* Lists the leaves below `root`. free(leaves->page). */
enum page_reason page_list(const page_source *source, const page_layout *layout,
                           uint32_t root, page_leaves *leaves);
/* Reads them all. On any other reason than PAGE_FINE *columns is left zeroed. */
enum page_reason page_collect(const page_source *source, const page_layout *layout,
                              const page_leaves *leaves, page_columns *columns);

#endif
