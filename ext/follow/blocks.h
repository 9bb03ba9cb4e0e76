/* A packed graph in the database: blocks.c. */
#ifndef GPUGRAPH_FOLLOW_BLOCKS_H
#define GPUGRAPH_FOLLOW_BLOCKS_H

#include "follow.h"

/* A graph, its rows that are no edges, and which edge is which row's; where there is a reverse
** weight, the same for direction 'both'. NULL: there are none. */
enum {
    BLOCK_GRAPH,
    BLOCK_HALF_ROWS,
    BLOCK_ROW_IDS,
    BLOCK_BOTH,
    BLOCK_BOTH_HALF_ROWS,
    BLOCK_BOTH_ROW_IDS,
    BLOCK_GRAPHS
};
typedef struct block_graphs {
    gpugraph_graph *of[BLOCK_GRAPHS];
} block_graphs;

void block_graphs_free(block_graphs *graphs);

/* Puts the graphs, which are the table as this transaction sees it, into the shadow table;
** half of them where it fails, so that the caller must roll back. *bytes: of all; may be
** NULL. *error is a sentence without a function's name. */
int blocks_write(connection *c, const definition *d, const row_source *rows,
                 const block_graphs *graphs, uint64_t *bytes, char **error);
/* The graphs are the table as it was when the log ended at *position, and *mark was its
** latest; all NULL: there are none that can be relied on. SQLITE_OK, SQLITE_NOMEM or
** SQLITE_INTERRUPT. */
int blocks_read(connection *c, const definition *d, block_graphs *graphs,
                sqlite3_int64 *position, log_mark *mark);

#endif
