/* Ids and weights of a graph, as SQL values. */
#include "result_edge.h"

/* Texts are copied: a value may outlive the statement's hold on the graph. */
void result_vertex(sqlite3_context *context, const gpugraph_ids *ids, uint32_t v) {
    if (v < ids->integer_count) {
        sqlite3_result_int64(context,
                             ids->integer ? ids->integer[v] : ids->first_integer + v);
        return;
    }
    uint64_t length;
    const char *text = gpugraph_text(&ids->texts, v - ids->integer_count, &length);
    sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void append_vertex(sqlite3_str *text, const gpugraph_ids *ids, uint32_t v) {
    if (v < ids->integer_count) {
        sqlite3_str_appendf(
            text, "%lld",
            (sqlite3_int64)(ids->integer ? ids->integer[v] : ids->first_integer + v));
        return;
    }
    uint64_t length;
    const char *id = gpugraph_text(&ids->texts, v - ids->integer_count, &length);
    sqlite3_str_append(text, id, (int)length);
}

void result_edge_id(sqlite3_context *context, const graph_ref *graph, uint64_t e) {
    const int64_t id = gpugraph_edge_id_of(graph->graph, e);
    if (graph->row_ids)
        result_row_id(context, graph->row_ids, e);
    else if (graph->names)
        result_edge_name(context, graph->names, id);
    else
        sqlite3_result_int64(context, id);
}

bool append_edge_id(sqlite3_str *text, const graph_ref *graph, uint64_t e) {
    const int64_t id = gpugraph_edge_id_of(graph->graph, e);
    if (graph->row_ids)
        return append_row_id(text, graph->row_ids, e);
    if (graph->names)
        return append_edge_name(text, graph->names, id);
    sqlite3_str_appendf(text, "%lld", (sqlite3_int64)id);
    return true;
}

void result_weight_of(sqlite3_context *context, const gpugraph_graph *graph,
                      const gpugraph_edge *edge) {
    if (gpugraph_weights(graph) == GPUGRAPH_UNWEIGHTED)
        return;
    if (gpugraph_distance_type_of(graph) == GPUGRAPH_REAL)
        sqlite3_result_double(context, edge->real);
    else
        sqlite3_result_int64(context, edge->weight);
}

void result_weight(sqlite3_context *context, const gpugraph_graph *graph, uint64_t e) {
    const gpugraph_edge edge = gpugraph_edge_of(graph, e);
    result_weight_of(context, graph, &edge);
}
