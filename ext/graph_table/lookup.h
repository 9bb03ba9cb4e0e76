/* Edges of a followed graph, found by the ids of their ends: lookup.c. */
#ifndef GPUGRAPH_GRAPH_LOOKUP_H
#define GPUGRAPH_GRAPH_LOOKUP_H

#include "base/connection.h"
#include "kept/kept.h"

/* Edges as arcs (gpugraph_arcs) where the graph keeps these, else as a list of edge numbers. */
typedef struct edges_found {
    const uint64_t *arc;
    int64_t first_id; /* of arcs */
    const void *list; /* for gpugraph_edge_at */
    uint64_t count;
    void *merged; /* sqlite3_free; NULL: what is found is the graph's own */
} edges_found;

/* Are vertices found by an id of a column of this affinity exactly those that equal it?
** Else SQLite must compare once more. */
bool lookup_is_exact(char affinity);
/* *misses: may edges' ids of their own equal this number, and yet not be found by row_ids_find? */
int lookup_misses_ids(graph_ref *graph, sqlite3_value *id, bool *misses);
/* WHERE src = id[0], and with two ids AND dst = id[1]; with one in order of (target, edge
** number), with two by edge number. *error: a sentence, or NULL. */
int lookup_edges(connection *c, graph_ref *graph, const char *affinity, int ids,
                 sqlite3_value **id, edges_found *found, char **error);
/* WHERE src IN (...), with two ids AND dst = ?, or dst IN (...): id[list] is the list, as SQLite hands it out at
** once. Each edge once, in no order. */
int lookup_edges_of_list(connection *c, graph_ref *graph, const char *affinity, int ids,
                         sqlite3_value **id, int list, edges_found *found, char **error);
/* Of ids of edges' own, by edge number. *misses: as above, of any of them; then nothing is found. */
int lookup_named_of_list(graph_ref *graph, sqlite3_value *ids, edges_found *found,
                         bool *misses);

#endif
