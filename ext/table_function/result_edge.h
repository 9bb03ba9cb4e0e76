/* Ids and weights of a graph, as results of SQL. */
#ifndef GPUGRAPH_RESULT_EDGE_H
#define GPUGRAPH_RESULT_EDGE_H

#include "kept/kept.h"

/* A vertex's id; an edge's id (NULL where it has none); its weight (NULL where there are
** none). */
void result_vertex(sqlite3_context *context, const gpugraph_ids *ids, uint32_t v);
void result_edge_id(sqlite3_context *context, const graph_ref *graph, uint64_t e);
/* Appends the edge's id; false: it has none. */
bool append_edge_id(sqlite3_str *text, const graph_ref *graph, uint64_t e);
void append_vertex(sqlite3_str *text, const gpugraph_ids *ids, uint32_t v);
void result_weight(sqlite3_context *context, const gpugraph_graph *graph, uint64_t e);
/* For whoever has the edge already. */
void result_weight_of(sqlite3_context *context, const gpugraph_graph *graph,
                      const gpugraph_edge *edge);

#endif
