/* The virtual table USING gpugraph, and the scalar functions whose argument is a followed
** graph: gpugraph_check and others. */
#ifndef GPUGRAPH_GRAPH_FUNCTIONS_H
#define GPUGRAPH_GRAPH_FUNCTIONS_H

#include "follow/follow.h"

int graph_table_register(connection *c);
int graph_functions_register(connection *c);

/* One call of a function. */
typedef struct graph_call {
    connection *c;
    const char *function;
    enum vertex_numbers numbers;
    definition definition;
    row_source rows;  /* the table that is followed */
    graph_ref *graph; /* the graph as the statement sees it */
    graph_ref *both;  /* with a reverse weight: the graph for direction 'both' */
    char *error;      /* a whole sentence */
} graph_call;

int graph_call_begin(graph_call *call, sqlite3_context *context, const char *function,
                     sqlite3_value *name, enum vertex_numbers numbers);
/* Ends the call; rc becomes the function's error unless it is SQLITE_OK. */
void graph_call_result(sqlite3_context *context, graph_call *call, int rc);
/* Sets the sentence for a failure that has none yet; reason may be NULL. */
void graph_call_reason(graph_call *call, int rc, const char *reason);

/* delete.c: gpugraph_delete_vertex(graph, id) returns the number of edges that it has
** deleted from the table. */
void gpugraph_delete_vertex(sqlite3_context *context, int argc, sqlite3_value **argv);

#endif
