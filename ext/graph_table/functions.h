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

/* ---- lookup.c: edges by the ids of their ends, or by edge ids ---- */

/* Found edges, as arcs (gpugraph_arcs) if the graph keeps arcs, else as a list of edge
** numbers. */
typedef struct edges_found {
    gpugraph_arcs arcs; /* target NULL: the edges are a list */
    const void *list;   /* a list for gpugraph_edge_at */
    uint64_t count;
    /* edge numbers (sqlite3_free), or NULL if the arcs or the list are set */
    int64_t *edge;
    /* SQLite must compare every edge, because any may match; nothing else is set */
    bool all;
} edges_found;

/* The number of found edge i; i itself if neither arcs, list nor edge is set. */
uint64_t found_edge(const gpugraph_graph *graph, const edges_found *found, uint64_t i);

/* True if a look-up in a column of this affinity finds exactly the vertices that equal
** the value. Otherwise SQLite must compare again. */
bool lookup_is_exact(char affinity);
/* Finds the edges WHERE src = id[0] and, with two ids, dst = id[1]. id[list] is a whole
** list of IN (...); list is -1 if there is none. Each edge comes once. If both columns
** are exact and there is no list, the order is (target, edge number) for one id and edge
** number for two; otherwise there is no order. *error is a sentence or NULL. */
int lookup_edges(connection *c, graph_ref *graph, const char *affinity, int ids,
                 sqlite3_value **id, int list, edges_found *found, char **error);
/* Finds the edges WHERE edge = id, or edge IN the list, if edge ids come from a column.
** Each edge comes once, in the order of edge numbers. */
int lookup_named(graph_ref *graph, sqlite3_value *id, bool list, edges_found *found);

#endif
