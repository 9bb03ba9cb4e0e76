/* About how many rows a table has, without reading it.
**
**     rowids   1 ... 80  ...  1000000     the span, by two steps down the b-tree: at most so many rows
**                 |  |  |  |  |           a row at each of some places in between: which ids, how many
**                                         bytes
**     pages    of the whole database      as many rows as these hold, at most */
#ifndef GPUGRAPH_TABLE_SIZE_H
#define GPUGRAPH_TABLE_SIZE_H

#include "source/source.h"

/* 0: nobody knows, or something went wrong: what is read next will meet it. */
int64_t table_rows_at_most(connection *c, const row_source *rows);

/* The first and the last rowid; *any is false if the table has no row. An SQLITE_ code. */
int table_span(connection *c, const row_source *rows, sqlite3_int64 span[2], bool *any);

typedef struct table_sample {
    int64_t rows, vertices; /* about so many */
    bool counted;           /* rowids seem to be 1, 2, 3, ... */
} table_sample;
/* Of a table that has rowids or a primary key. An SQLITE_ code. */
int table_take_sample(connection *c, const row_source *rows, table_sample *sample);

#endif
