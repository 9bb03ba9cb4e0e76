/* A packed graph in the database: blocks.c. */
#ifndef GPUGRAPH_FOLLOW_BLOCKS_H
#define GPUGRAPH_FOLLOW_BLOCKS_H

#include "follow.h"

/* The packed graphs: the graph, its half rows and its row_ids; for rows with a reverse
** weight likewise the graph for direction 'both'. NULL: not there. */
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

/* Writes the graphs, which must equal the table in this transaction, to the shadow table.
** After an error some blocks may have been written, so the caller must roll back. *bytes:
** the size of all graphs; may be NULL. *error: a sentence without a function's name. */
int blocks_write(connection *c, const definition *d, const row_source *rows,
                 const block_graphs *graphs, uint64_t *bytes, char **error);
/* Reads the graphs. They equal the table at the time when the log ended at *position and
** *mark was its latest mark. All are NULL if there are no reliable blocks. SQLITE_OK,
** SQLITE_NOMEM or SQLITE_INTERRUPT. */
int blocks_read(connection *c, const definition *d, block_graphs *graphs,
                sqlite3_int64 *position, log_mark *mark);

#endif
