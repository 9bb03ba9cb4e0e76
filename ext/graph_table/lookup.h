/* Finds edges of a followed graph by the ids of their ends or by edge ids (lookup.c). */
#ifndef GPUGRAPH_GRAPH_LOOKUP_H
#define GPUGRAPH_GRAPH_LOOKUP_H

#include "base/connection.h"
#include "kept/kept.h"

/* Found edges, as arcs (gpugraph_arcs) if the graph keeps arcs, else as a list of edge
** numbers. */
typedef struct edges_found {
    gpugraph_arcs arcs; /* target NULL: the edges are a list */
    const void *list;   /* a list for gpugraph_edge_at */
    uint64_t count;
    /* edge numbers (sqlite3_free), or NULL if the arcs or the list are set */
    uint64_t *edge;
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
