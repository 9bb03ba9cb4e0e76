/* Ids and weights of a graph, as SQL values. */
#include "result_edge.h"

/* Texts are copied: a value may outlive the statement's hold on the graph. */
void result_vertex(sqlite3_context *context, const gpugraph_ids *ids, uint32_t v) {
    if (v < ids->integer_count) {
        sqlite3_result_int64(context,
                             ids->integer ? ids->integer[v] : ids->first_integer + v);
        return;
    }
    uint32_t t = v - ids->integer_count;
    sqlite3_result_text64(context, ids->texts.bytes + ids->texts.offset[t],
                          ids->texts.offset[t + 1] - ids->texts.offset[t],
                          SQLITE_TRANSIENT, SQLITE_UTF8);
}

void result_edge_id(sqlite3_context *context, const graph_ref *graph, uint64_t e) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph->graph);
    int64_t id = edges->edge_id ? edges->edge_id[e] : (int64_t)e + 1;
    if (graph->row_ids)
        result_row_id(context, graph->row_ids, e);
    else if (graph->names)
        result_edge_name(context, graph->names, id);
    else
        sqlite3_result_int64(context, id);
}

void append_edge_id(sqlite3_str *text, const graph_ref *graph, uint64_t e) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph->graph);
    int64_t id = edges->edge_id ? edges->edge_id[e] : (int64_t)e + 1;
    if (graph->row_ids)
        append_row_id(text, graph->row_ids, e);
    else if (graph->names)
        append_edge_name(text, graph->names, id);
    else
        sqlite3_str_appendf(text, "%lld", (sqlite3_int64)id);
}

void result_weight(sqlite3_context *context, const gpugraph_edge_list *edges,
                   uint64_t e) {
    if (edges->weight_real)
        sqlite3_result_double(context, edges->weight_real[e]);
    else if (edges->weight64)
        sqlite3_result_int64(context, edges->weight64[e]);
    else if (edges->weight32)
        sqlite3_result_int64(context, edges->weight32[e]);
}
