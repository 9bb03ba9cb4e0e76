/* Whether a text is a query that the author of a statement has written as one.
**
**     gpu_bfs('SELECT ...', 1)                  the argument of a call: a literal, or
**     gpu_bfs(:q, 1)                            a parameter that holds the text
**     FROM gpu_bfs AS b
**       WHERE b.edges = 'SELECT ...'            a comparison with an argument
**     ... IN ('SELECT ...', :q)                 likewise
**
** Every other text is refused. A query that the extension prepares is top-level SQL to
** SQLite, with all rights of top-level SQL. But text reaches a function in many ways: out
** of views and triggers, as a stored value, as a name, as a parameter with another
** purpose. Only the text of the statement shows whether it was meant as a query. */
#ifndef GPUGRAPH_QUERY_ORIGIN_H
#define GPUGRAPH_QUERY_ORIGIN_H

#include "sql_list.h"

typedef struct query {
    const char *text;
    const char *function; /* the function that asks: "gpu_bfs" */
    const char *argument; /* the argument that has the value: "edges" or "vertices" */
} query;

/* True if the query stands in the statement as that argument of a call of that
** function. */
bool query_stands_in(const sql_list *statement, const query *query);

#endif
