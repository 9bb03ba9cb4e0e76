/* See graph_values.h. */
#include "graph_values.h"

/* Texts are copied, because a value may outlive the statement's reference to the
** graph. */
void result_vertex(sqlite3_context *context, const gpugraph_ids *ids, uint32_t v) {
    const gpugraph_id id = gpugraph_id_of(ids, v);
    if (id.is_text)
        sqlite3_result_text64(context, id.text, id.length, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_int64(context, id.integer);
}

void append_vertex(sqlite3_str *text, const gpugraph_ids *ids, uint32_t v) {
    const gpugraph_id id = gpugraph_id_of(ids, v);
    if (id.is_text)
        sqlite3_str_append(text, id.text, (int)id.length);
    else
        sqlite3_str_appendf(text, "%lld", id.integer);
}

int bind_vertex(sqlite3_stmt *statement, int parameter, const gpugraph_ids *ids,
                uint32_t v) {
    const gpugraph_id id = gpugraph_id_of(ids, v);
    return id.is_text ? sqlite3_bind_text64(statement, parameter, id.text, id.length,
                                            SQLITE_STATIC, SQLITE_UTF8)
                      : sqlite3_bind_int64(statement, parameter, id.integer);
}

void result_edge_id(sqlite3_context *context, const graph_ref *graph, uint64_t e) {
    if (graph->row_ids)
        result_row_id(context, graph->row_ids, e);
    else if (!graph->unnamed)
        sqlite3_result_int64(context, gpugraph_edge_id_of(graph->graph, e));
}

bool append_edge_id(sqlite3_str *text, const graph_ref *graph, uint64_t e) {
    if (graph->row_ids)
        return append_row_id(text, graph->row_ids, e);
    if (!graph->unnamed)
        sqlite3_str_appendf(text, "%lld",
                            (sqlite3_int64)gpugraph_edge_id_of(graph->graph, e));
    return !graph->unnamed;
}

void result_weight(sqlite3_context *context, const gpugraph_graph *graph,
                   const gpugraph_edge *edge) {
    if (gpugraph_weights(graph) == GPUGRAPH_UNWEIGHTED)
        return;
    if (gpugraph_distance_type_of(graph) == GPUGRAPH_REAL)
        sqlite3_result_double(context, edge->real);
    else
        sqlite3_result_int64(context, edge->weight);
}
