/* A packed graph in the database: follow_blocks.c. */
#ifndef GPUGRAPH_FOLLOW_BLOCKS_H
#define GPUGRAPH_FOLLOW_BLOCKS_H

#include "follow.h"

/* Puts the graph, which is the table as this transaction sees it, into the shadow table;
** half of it where it fails, so that the caller must roll back. *error is a sentence
** without a function's name. */
int blocks_write(connection *c, const definition *d, gpugraph_graph *graph, char **error);
/* *graph is the table as it was when the log ended at *position, and *mark was its latest;
** NULL: there is none that can be relied on. SQLITE_OK, SQLITE_NOMEM or SQLITE_INTERRUPT. */
int blocks_read(connection *c, const definition *d, gpugraph_graph **graph,
                sqlite3_int64 *position, log_mark *mark);

#endif
