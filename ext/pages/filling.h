/* Columns that several threads fill, before it is known how many rows there are.
**
** The arrays are reserved for the most rows that there can be and cut to size afterwards: memory that no
** row touches is never real. */
#ifndef GPUGRAPH_PAGE_FILLING_H
#define GPUGRAPH_PAGE_FILLING_H

#include "format.h"

typedef struct page_filling {
    int64_t most;     /* rows that there is room for */
    int64_t *rowid;   /* which the columns have from page_filling_finish on, ... */
    bool keep_rowids; /* ... if they shall */
    bool any_text[2]; /* they shall have their bits of texts */
} page_filling;

/* Reserves what the layout asks for. False: no memory; what there is belongs to its owner
** nevertheless. */
bool page_filling_reserve(page_filling *filling, const page_layout *layout, intern *texts,
                          int64_t most, page_columns *columns);

/* Makes the huge pages real that begin in rows [from, to): see big_touch. */
void page_filling_ahead(const page_filling *filling, page_columns *columns, int64_t from,
                        int64_t to);

/* The columns own all that is theirs, cut to `count` rows. */
void page_filling_finish(page_filling *filling, int64_t count, page_columns *columns);

/* Frees what has not become the columns'. */
void page_filling_clear(page_filling *filling);

#endif
