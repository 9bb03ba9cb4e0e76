/* Estimates the number of rows of a table without reading it.
**
**     rowids   1 ... 80  ...  1000000     two b-tree descents give the span, a limit
**                 |  |  |  |  |           a sample of rows in between gives ids and bytes
**     pages    of the whole database      the rows that would fill them are a limit */
#ifndef GPUGRAPH_TABLE_SIZE_H
#define GPUGRAPH_TABLE_SIZE_H

#include "source/source.h"

/* The largest possible number of rows. 0: unknown, also after an error. */
int64_t table_rows_at_most(connection *c, const row_source *rows);

/* The first and the last rowid; *any: there is a row. Returns an SQLITE_ code. */
int table_span(connection *c, const row_source *rows, sqlite3_int64 span[2], bool *any);

typedef struct table_sample {
    int64_t rows, vertices; /* estimates */
    bool counted;           /* the rowids are probably 1, 2, 3, ... */
} table_sample;
/* Takes a sample of a table with rowids or a primary key. Returns an SQLITE_ code. */
int table_take_sample(connection *c, const row_source *rows, table_sample *sample);

#endif
