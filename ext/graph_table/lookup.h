/* Edges of a followed graph, found by the ids of their ends, or by ids of their own: lookup.c. */
#ifndef GPUGRAPH_GRAPH_LOOKUP_H
#define GPUGRAPH_GRAPH_LOOKUP_H

#include "base/connection.h"
#include "kept/kept.h"

/* Edges as arcs (gpugraph_arcs) where the graph keeps these, else as a list of edge numbers. */
typedef struct edges_found {
    gpugraph_arcs arcs; /* target NULL: there are none */
    const void *list;   /* for gpugraph_edge_at */
    uint64_t count;
    void *merged; /* sqlite3_free; NULL: the edges found are the graph's own list */
    bool all; /* any edge may be meant, and SQLite compares each; nothing else is set */
} edges_found;

/* Are vertices found by an id of a column of this affinity exactly those that equal it?
** Else SQLite must compare once more. */
bool lookup_is_exact(char affinity);
/* WHERE src = id[0], and with two ids AND dst = id[1]. id[list] is a list of IN (...), as SQLite
** hands it out at once; list -1: none is. If both columns are exact and there is no list, edges
** come in order of (target, edge number) with one id, and by edge number with two; else each
** comes once, in no order. *error: a sentence, or NULL. */
int lookup_edges(connection *c, graph_ref *graph, const char *affinity, int ids,
                 sqlite3_value **id, int list, edges_found *found, char **error);
/* WHERE edge = id, or IN the list, of ids of edges' own. Each edge once, by edge number. */
int lookup_named(graph_ref *graph, sqlite3_value *id, bool list, edges_found *found);

#endif
