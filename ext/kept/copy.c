/* Copies of followed graphs, for running statements that look at a graph while it
** changes; and the end of what is known of a graph when it changes. */
#include "cache.h"
#include <string.h>

void graph_changed(graph_ref *g) {
    g->odd_vertices = g->odd_ids = ODD_UNKNOWN;
    searches_free(g);
}

/* Copies the names and options of a graph, but not its edges. NULL: no memory. */
static graph_ref *frame_of(const graph_ref *from) {
    graph_ref *g = sqlite3_malloc(sizeof *g);
    if (!g)
        return NULL;
    *g = (graph_ref){.unnamed = from->unnamed,
                     .has_weight = from->has_weight,
                     .has_text = from->has_text,
                     .weight_column = from->weight_column,
                     .weight_unclear = from->weight_unclear,
                     .two_ways = from->two_ways,
                     .undirected = from->undirected,
                     .ids_checked = from->ids_checked,
                     .direction = from->direction,
                     .edges = sqlite3_mprintf("%s", from->edges)};
    if (from->weight_error)
        g->weight_error = sqlite3_mprintf("%s", from->weight_error);
    if (id_columns_copy(&from->ids, &g->ids) == SQLITE_OK && g->edges &&
        !g->weight_error == !from->weight_error)
        return g;
    graph_free(g);
    return NULL;
}

static gpugraph_status clone(const gpugraph_graph *graph, gpugraph_run *run,
                             gpugraph_graph **made) {
    return graph ? gpugraph_clone(graph, run, made) : GPUGRAPH_OK;
}

int graph_copy(connection *c, const graph_ref *from, graph_ref **made) {
    gpugraph_run run;
    graph_ref *g = *made = frame_of(from);
    if (!g)
        return SQLITE_NOMEM;
    connection_run(c, &run);
    gpugraph_status status = clone(from->graph, &run, &g->graph);
    if (status == GPUGRAPH_OK)
        status = clone(from->half_rows, &run, &g->half_rows);
    if (status == GPUGRAPH_OK)
        status = clone(from->row_ids, &run, &g->row_ids);
    return code_of_status(status);
}

int graph_compact(connection *c, graph_ref *g) {
    gpugraph_run run;
    connection_run(c, &run);
    gpugraph_status status = gpugraph_compact(g->graph, &run);
    if (status == GPUGRAPH_OK)
        graph_changed(g);
    return code_of_status(status);
}
