/* Columns that several threads fill before the number of rows is known.
**
** Arrays are reserved for the largest possible number of rows and cut to size afterwards.
** Memory that no row touches gets no physical pages. */
#ifndef GPUGRAPH_PAGE_FILLING_H
#define GPUGRAPH_PAGE_FILLING_H

#include "format.h"

typedef struct page_filling {
    int64_t most; /* capacity in rows */
    /* an array that the columns get by page_filling_finish if keep_rowids is set */
    int64_t *rowid;
    bool keep_rowids;
    bool any_text[2]; /* the columns keep their bits of texts */
} page_filling;

/* Reserves the arrays that the layout needs. False: no memory. */
bool page_filling_reserve(page_filling *filling, const page_layout *layout, intern *texts,
                          int64_t most, page_columns *columns);

/* Touches the huge pages that begin in rows [from, to): see big_touch. */
void page_filling_ahead(const page_filling *filling, page_columns *columns, int64_t from,
                        int64_t to);

/* Cuts the arrays to `count` rows. The columns own them all. */
void page_filling_finish(page_filling *filling, int64_t count, page_columns *columns);

/* Frees what the columns do not own. */
void page_filling_clear(page_filling *filling);

#endif
