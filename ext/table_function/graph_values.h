/* Converts SQL values to vertices, by the rules in base/vertex_id.h, and vertices and
** edges to SQL values. */
#ifndef GPUGRAPH_GRAPH_VALUES_H
#define GPUGRAPH_GRAPH_VALUES_H

#include "kept/kept.h"

/* Sets *vertex to the vertex that the value names in a column of this affinity, or
** GPUGRAPH_NONE. */
int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex);
/* Sets *vertex to the vertex that an argument names, or GPUGRAPH_NONE. affinity: of the
** source and destination columns. SQLITE_ERROR with *fault (sqlite3_free) if the value
** cannot be an id: "is the REAL 1.5; ..." */
int find_id(const gpugraph_graph *graph, const char affinity[2], sqlite3_value *id,
            uint32_t *vertex, char **fault);

/* Results: the id of a vertex; the id of an edge, or NULL. */
void result_vertex(sqlite3_context *context, const gpugraph_ids *ids, uint32_t v);
void result_edge_id(sqlite3_context *context, const graph_ref *graph, uint64_t e);
/* Appends the id of an edge. Returns false if the edge has no id. */
bool append_edge_id(sqlite3_str *text, const graph_ref *graph, uint64_t e);
void append_vertex(sqlite3_str *text, const gpugraph_ids *ids, uint32_t v);
/* Binds the id of a vertex. The graph must outlive the binding. */
int bind_vertex(sqlite3_stmt *statement, int parameter, const gpugraph_ids *ids,
                uint32_t v);
/* Results: the weight of an edge, or NULL if the graph has no weights. */
void result_weight(sqlite3_context *context, const gpugraph_graph *graph,
                   const gpugraph_edge *edge);

#endif
