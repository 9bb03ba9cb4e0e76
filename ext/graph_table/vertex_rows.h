/* The rows of a vertex's edges: vertex_rows.c. */
#ifndef GPUGRAPH_VERTEX_ROWS_H
#define GPUGRAPH_VERTEX_ROWS_H

#include "functions.h"

/* Rowids. */
typedef struct row_list {
    sqlite3_int64 *row, count;
} row_list;

/* Of a table with rowids: the rows, of those that the graph knows, one of whose ends is the vertex. Some may be there
** twice. list: empty; its rows are the caller's to free (sqlite3_free), also after an error. */
int vertex_rows(graph_call *call, uint32_t v, row_list *list);
/* The vertex's id as parameter 1. */
int vertex_bind(sqlite3_stmt *statement, const graph_ref *g, uint32_t v);

#endif
