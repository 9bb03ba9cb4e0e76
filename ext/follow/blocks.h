/* A packed graph in the database: blocks.c. */
#ifndef GPUGRAPH_FOLLOW_BLOCKS_H
#define GPUGRAPH_FOLLOW_BLOCKS_H

#include "follow.h"

/* Writes the graphs, which must equal the table in this transaction, to the shadow table:
** graphs[0] and, for rows with a reverse weight, graphs[1], the graph for direction
** 'both'; each with its half rows and row_ids. After an error some blocks may have been
** written, so the caller must roll back. *bytes: the size of all graphs; may be NULL.
** *error: a sentence without a function's name. */
int blocks_write(connection *c, const definition *d, const row_source *rows,
                 loaded graphs[2], uint64_t *bytes, char **error);
/* Reads the graphs. They equal the table at the time when the log ended at *position and
** *mark was its latest mark. All are NULL if there are no reliable blocks. SQLITE_OK,
** SQLITE_NOMEM or SQLITE_INTERRUPT. */
int blocks_read(connection *c, const definition *d, loaded graphs[2],
                sqlite3_int64 *position, log_mark *mark);

#endif
