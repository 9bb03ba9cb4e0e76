/* Converts vertices and edges to SQL values. */
#ifndef GPUGRAPH_GRAPH_VALUES_H
#define GPUGRAPH_GRAPH_VALUES_H

#include "base/vertex_id.h"
#include "kept/kept.h"

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
