/* Columns that several threads fill, before it is known how many rows there are.
**
** The arrays are reserved for the most rows that there can be and cut to size afterwards: memory that no
** row touches is never real. */
#ifndef GPUGRAPH_PAGE_FILLING_H
#define GPUGRAPH_PAGE_FILLING_H

#include "format.h"

typedef struct page_filling {
    int64_t most; /* rows that there is room for */
    /* Those that the columns have from page_filling_finish on; ids are in the columns at once, and
    ** so are weights of 4 bytes. */
    int64_t *rowid, *weight, *reverse;
    bool keep_rowids; /* the columns shall have them */
    bool any_text[2]; /* likewise their bits of texts */
} page_filling;

/* PAGE_WIDE_ bits of what has 8 bytes whatever the values: weights that may be REAL, or that close a way. */
unsigned page_filling_widths(const page_layout *layout);

/* Reserves what the layout asks for, of the widths that page_filling_widths says; ids, weights of 4 bytes, edge ids and bits of texts in
** *columns. False: no memory; what there is belongs to its owner nevertheless. */
bool page_filling_reserve(page_filling *filling, const page_layout *layout, intern *texts,
                          int64_t most, page_columns *columns);

/* Reserves columns of 8 bytes beside those of 4. False: no memory, likewise. */
bool page_filling_widen(page_filling *filling, page_columns *columns, unsigned wide);

/* Makes the huge pages real that begin in rows [from, to): see big_touch. Columns are of these widths. */
void page_filling_ahead(const page_filling *filling, const page_columns *columns,
                        unsigned wide, int64_t from, int64_t to);

/* The columns own all that is theirs, cut to `count` rows. */
void page_filling_finish(page_filling *filling, const page_layout *layout, int64_t count,
                         page_columns *columns);

/* Frees what has not become the columns'. */
void page_filling_clear(page_filling *filling);

#endif
