/* The edge of each row, for edges whose ids come from a column. Followed graphs have it, and graphs
** that were read once and have an edge id that is a TEXT or NULL (rowid is then the row's number).
**
**     rowid  edge id         the graph, by edge id, then rowid    the rows, as a graph of loops
**     7      'x'             edge 0   row 3                       row 3: 5 -> 5
**     8      5               edge 1   row 8                       row 7: 'x' -> 'x'
**     9      NULL            edge 2   row 7                       row 8: 5 -> 5
**     3      5               edge 3   row 9                       row 9: NULL -> NULL
**
** The rowid is what the log names, and an edge id may stand in many rows, so that neither is
** the other. The loops are one more graph that is updated by batches, cloned and packed; nobody
** searches it. Its edge ids are rowids, its vertices are edge ids, and its arcs, vertex after
** vertex, are the graph's edges in their order. The graph's edges have no ids but their numbers.
**
** A TEXT is a vertex with a 't' before it, NULL is the TEXT 'u', which comes after all of these:
** the order of edges.
**
** Where rows have a reverse weight, and directions count, an edge stands for one direction of a
** row: its rowid is then twice that of the row, and one more for the way back. */
#ifndef GPUGRAPH_ROW_IDS_H
#define GPUGRAPH_ROW_IDS_H

#include "base/connection.h"
#include "base/intern.h"

/* The rowids that may be doubled. */
#define ROW_LEAST (-((int64_t)1 << 62))
#define ROW_MOST  (((int64_t)1 << 62) - 1)

/* The number, among the texts, of an edge id that is a TEXT, or NULL (text NULL); -1: no
** memory. */
int64_t row_id_intern(intern *texts, const char *text, size_t bytes);

/* The rows as a graph. id[i] is an INTEGER, or where bit i of is_text (which may be NULL) is set
** the number of a text; afterwards it is one more than the number of row i's edge. Closes the
** texts. *error: a sentence where SQLITE_ERROR is returned. */
int row_ids_make(connection *c, const char *function, int64_t count, const int64_t *row,
                 int64_t *id, const uint8_t *is_text, intern *texts,
                 gpugraph_graph **rows, char **error);
/* Call this whenever the rows have changed or come from elsewhere. The functions below use what it
** makes. */
int row_ids_settle(connection *c, gpugraph_graph *rows);

/* The number of the row's edge; GPUGRAPH_NO_EDGE: there is none. */
uint64_t row_ids_edge(gpugraph_graph *rows, int64_t row);
/* Of an edge: its row, and its id. */
int64_t row_ids_row(gpugraph_graph *rows, uint64_t e);
void result_row_id(sqlite3_context *context, gpugraph_graph *rows, uint64_t e);
/* The id behind the text; NULL as such. */
bool append_row_id(sqlite3_str *to, gpugraph_graph *rows, uint64_t e);
/* Is that the edge's id? */
bool row_ids_same(gpugraph_graph *rows, uint64_t e, sqlite3_value *id);
/* Edges that follow one another. */
typedef struct row_ids_range {
    uint64_t first, count;
} row_ids_range;

/* The edges whose ids may equal this one, by whatever affinity it is compared: 7 and '7', and of
** 7.0 '7.0' too. */
enum { ROW_IDS_MEANINGS = 3 };
int row_ids_find(gpugraph_graph *rows, sqlite3_value *id,
                 row_ids_range range[ROW_IDS_MEANINGS], int *ranges);

#endif
