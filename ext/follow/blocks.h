/* A packed graph in the database: blocks.c. */
#ifndef GPUGRAPH_FOLLOW_BLOCKS_H
#define GPUGRAPH_FOLLOW_BLOCKS_H

#include "follow.h"

/* A graph, and its rows with a NULL end as another one, or NULL. */
typedef struct block_graphs {
    gpugraph_graph *graph, *half_rows;
} block_graphs;

/* Puts the graphs, which are the table as this transaction sees it, into the shadow table;
** half of them where it fails, so that the caller must roll back. *bytes: of both; may be
** NULL. *error is a sentence without a function's name. */
int blocks_write(connection *c, const definition *d, const block_graphs *graphs,
                 uint64_t *bytes, char **error);
/* The graphs are the table as it was when the log ended at *position, and *mark was its
** latest; graph NULL: there is none that can be relied on. SQLITE_OK, SQLITE_NOMEM or
** SQLITE_INTERRUPT. */
int blocks_read(connection *c, const definition *d, block_graphs *graphs,
                sqlite3_int64 *position, log_mark *mark);

#endif
