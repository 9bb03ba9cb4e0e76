/* Which text is a query that the author of a statement has written as one?
**
**     gpu_bfs('SELECT ...', 1)                        the argument of a call: a literal, or
**     gpu_bfs(:q, 1)                                  a parameter that holds the text
**     FROM gpu_bfs AS b WHERE b.edges = 'SELECT ...'  the same, compared with an argument
**     ... IN ('SELECT ...', :q)
**
** and nothing else. In sight of SQLite a query that the extension prepares is top-level SQL,
** with all that only top-level SQL may do. Text reaches a function in many ways: out of views
** and triggers, as a stored value, as a name, as a parameter that was meant for something
** else. Where it was meant as a query can be seen from the statement's text alone. */
#ifndef GPUGRAPH_QUERY_ORIGIN_H
#define GPUGRAPH_QUERY_ORIGIN_H

#include "sql_list.h"

typedef struct query {
    const char *text;
    const char *function; /* who asks: "gpu_bfs" */
    const char *argument; /* how the value came: "edges" or "vertices" */
} query;

/* Does the query stand in the statement as that argument of a call of that function? */
bool query_stands_in(const sql_list *statement, const query *query);

#endif
