/* Maps rows to edges if edge ids come from a column. Followed graphs need this map. A
** graph that is read once needs it if an edge id is a TEXT or NULL; the rowid is then the
** row's number.
**
**     rowid  edge id       the graph, by edge id, then rowid   the rows: a graph of loops
**     7      'x'           edge 0   row 3                      row 3: 5 -> 5
**     8      5             edge 1   row 8                      row 7: 'x' -> 'x'
**     9      NULL          edge 2   row 7                      row 8: 5 -> 5
**     3      5             edge 3   row 9                      row 9: NULL -> NULL
**
** The log has rowids, and several rows may have one edge id, so a graph needs both. The
** loops are a second graph, which is updated by batches, cloned and packed like the main
** graph, but never searched. Its edge ids are rowids, and its vertices are edge ids. Its
** arcs, vertex by vertex, are the edges of the main graph in their order. The edges of
** the main graph have no ids, only numbers.
**
** A TEXT is stored as a vertex with 't' in front. NULL is stored as the TEXT 'u', which
** sorts behind all other ids, because edge ids sort NULL last.
**
** If rows have a reverse weight and directions count, an edge is one direction of a row.
** Its number is twice the rowid, plus 1 for the way back. */
#ifndef GPUGRAPH_ROW_IDS_H
#define GPUGRAPH_ROW_IDS_H

#include "base/connection.h"
#include "base/intern.h"

/* The rowids that can be doubled. */
#define ROW_LEAST (-((int64_t)1 << 62))
#define ROW_MOST  (((int64_t)1 << 62) - 1)

/* Numbers an edge id, a TEXT or NULL (text NULL). -1: no memory. */
int64_t row_id_intern(intern *texts, const char *text, size_t bytes);

/* Makes the graph of rows.
**
** id[i] is an INTEGER or, if bit i of is_text is set, the number of a text; is_text may
** be NULL. Afterwards id[i] is the number of row i's edge plus 1. Closes the texts.
** *error is a sentence if the result is SQLITE_ERROR. */
int row_ids_make(connection *c, const char *function, int64_t count, const int64_t *row,
                 int64_t *id, const uint8_t *is_text, intern *texts,
                 gpugraph_graph **rows, char **error);
/* Prepares the graph of rows for the functions below. Call it after each change of the
** graph, and after it was unpacked. Returns an SQLITE_ code. */
int row_ids_settle(connection *c, gpugraph_graph *rows);

/* The number of the row's edge. GPUGRAPH_NO_EDGE: there is none. */
uint64_t row_ids_edge(gpugraph_graph *rows, int64_t row);
/* The row of an edge, and its id as a result of SQL. */
int64_t row_ids_row(gpugraph_graph *rows, uint64_t e);
void result_row_id(sqlite3_context *context, gpugraph_graph *rows, uint64_t e);
/* Appends the edge id as text. False: it is NULL. */
bool append_row_id(sqlite3_str *to, gpugraph_graph *rows, uint64_t e);
/* True if this is the id of the edge. */
bool row_ids_same(gpugraph_graph *rows, uint64_t e, sqlite3_value *id);
/* Consecutive edges. */
typedef struct row_ids_range {
    uint64_t first, count;
} row_ids_range;

/* Finds the edges whose ids may equal this one under any affinity: for 7 also '7', and
** for 7.0 also '7.0'. Returns an SQLITE_ code. */
enum { ROW_IDS_MEANINGS = 3 };
int row_ids_find(gpugraph_graph *rows, sqlite3_value *id,
                 row_ids_range range[ROW_IDS_MEANINGS], int *ranges);

#endif
