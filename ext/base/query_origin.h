/* Checks whether the author of a statement has written a text as a query.
**
**     gpu_bfs('SELECT ...', 1)                  the argument of a call: a literal, or
**     gpu_bfs(:q, 1)                            a parameter that holds the text
**     FROM gpu_bfs AS b
**       WHERE b.edges = 'SELECT ...'            a comparison with an argument
**     ... IN ('SELECT ...', :q)                 a comparison with a list
**
** Every other text is refused. A query that the extension prepares is top-level SQL to
** SQLite, with all rights of top-level SQL. But text reaches a function in many ways:
** from views and triggers, as a stored value, as a name, as a parameter with another
** purpose. Only the text of the statement shows whether a query was meant. */
#ifndef GPUGRAPH_QUERY_ORIGIN_H
#define GPUGRAPH_QUERY_ORIGIN_H

#include "sql_list.h"

typedef struct query {
    const char *text;
    const char *function; /* the function that asks: "gpu_bfs" */
    const char *argument; /* the argument that has the value: "edges" or "vertices" */
} query;

/* True if the query stands in the statement as this argument of a call of the
** function. */
bool query_stands_in(const sql_list *statement, const query *query);

#endif
