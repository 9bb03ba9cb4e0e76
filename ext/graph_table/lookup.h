/* Look-ups of a followed graph's edges by the ids of their ends, or by ids of their own
** (lookup.c). */
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
    /* edge numbers (sqlite3_free); NULL: the list or the arcs are the graph's own */
    uint64_t *edge;
    /* any edge may be meant, so SQLite must compare each; nothing else is set */
    bool all;
} edges_found;

/* True if the vertices found for a value in a column of this affinity are exactly those
** that equal it. Otherwise SQLite must compare again. */
bool lookup_is_exact(char affinity);
/* Finds the edges WHERE src = id[0] and, with two ids, dst = id[1]. id[list] is a list of
** IN (...), which SQLite hands over as a whole; list -1: none is. If both columns are
** exact and there is no list, edges come in the order of (target, edge number) with one
** id, and of edge numbers with two; otherwise in no order, each once. *error: a sentence,
** or NULL. */
int lookup_edges(connection *c, graph_ref *graph, const char *affinity, int ids,
                 sqlite3_value **id, int list, edges_found *found, char **error);
/* Finds the edges WHERE edge = id, or edge IN the list, for edges with ids of their own.
** Each edge comes once, in the order of edge numbers. */
int lookup_named(graph_ref *graph, sqlite3_value *id, bool list, edges_found *found);

#endif
