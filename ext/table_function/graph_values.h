/* From values in SQL to a graph's vertices (base/vertex_id.h has the rules), and from its vertices and
** edges to values. */
#ifndef GPUGRAPH_GRAPH_VALUES_H
#define GPUGRAPH_GRAPH_VALUES_H

#include "kept/kept.h"

/* The vertex that the value means in a column of this affinity, or GPUGRAPH_NONE. */
int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex);
/* The vertex that an argument names, or GPUGRAPH_NONE. affinity: of source and destination.
** SQLITE_ERROR with *fault (sqlite3_free) where it can be no id: "is the REAL 1.5; ..." */
int find_id(const gpugraph_graph *graph, const char affinity[2], sqlite3_value *id,
            uint32_t *vertex, char **fault);

/* A vertex's id; an edge's id (NULL where it has none); its weight (NULL where there are
** none). */
void result_vertex(sqlite3_context *context, const gpugraph_ids *ids, uint32_t v);
void result_edge_id(sqlite3_context *context, const graph_ref *graph, uint64_t e);
/* Appends the edge's id; false: it has none. */
bool append_edge_id(sqlite3_str *text, const graph_ref *graph, uint64_t e);
void append_vertex(sqlite3_str *text, const gpugraph_ids *ids, uint32_t v);
/* A vertex's id as a parameter, which the graph must outlive. */
int bind_vertex(sqlite3_stmt *statement, int parameter, const gpugraph_ids *ids,
                uint32_t v);
void result_weight(sqlite3_context *context, const gpugraph_graph *graph, uint64_t e);
/* The weight of an edge that the caller has read. */
void result_weight_of(sqlite3_context *context, const gpugraph_graph *graph,
                      const gpugraph_edge *edge);

#endif
