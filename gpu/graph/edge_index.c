/* Finds edges by their ends.
**
**     graph->derived.edge_rows   row of v     | v 3 7 7 7 9 |     targets, ascending
**                                     | 5 0 2 4 8 1 |     numbers, ascending among equals
**                                           \___/
**                        edges from v to 7: two binary searches in the row's targets
**
** The rows are made on demand, and gpugraph_update updates them. */
#include "graph.h"

/* Checks that v is a vertex, and makes the rows. */
static gpugraph_status prepare_edge_index(gpugraph_graph *graph, uint32_t v,
                                          gpugraph_run *run) {
    gg_begin(run);
    if (v >= graph->n)
        return gg_fail(run, GPUGRAPH_INVALID, "vertex %u is not one of %u", v, graph->n);
    return gg_edge_rows(graph, run);
}

/* The edge numbers of the rows from entry `arc` on. */
static const void *numbers_from(const gpugraph_graph *graph, uint64_t arc) {
    return (const char *)graph->derived.edge_rows.weight +
           arc * gg_edge_size(graph->wide);
}

gpugraph_status gpugraph_edges_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                    const void **edge, uint64_t *count) {
    const struct csr_slot *rows = &graph->derived.edge_rows;
    gg_begin(run);
    if (!gg_needs(run, edge, 1, "edge") || !gg_needs(run, count, 1, "count"))
        return run->status;
    *edge = NULL;
    *count = 0;
    if (prepare_edge_index(graph, v, run))
        return run->status;
    *edge = numbers_from(graph, rows->offset[v]);
    *count = gg_row_end(rows, v) - rows->offset[v];
    return run->status;
}

gpugraph_status gpugraph_edges_by_source(gpugraph_graph *graph, gpugraph_run *run,
                                         const void **edge) {
    struct csr_slot *rows = &graph->derived.edge_rows;
    gg_begin(run);
    if (!gg_needs(run, edge, 1, "edge"))
        return run->status;
    *edge = NULL;
    if (gg_edge_rows(graph, run) ||
        gg_pack_rows(run, rows, graph->n, gg_edge_size(graph->wide)))
        return run->status;
    *edge = rows->weight;
    return run->status;
}

const void *gg_edges_between(const gpugraph_graph *graph, uint32_t v, uint32_t to,
                             uint64_t *count) {
    const struct csr_slot *rows = &graph->derived.edge_rows;
    const uint64_t end = gg_row_end(rows, v);
    uint64_t low = gg_first_arc(rows->target, rows->offset[v], end, to);
    uint64_t high = gg_first_arc(rows->target, low, end, to + (uint64_t)1);
    *count = high - low;
    return numbers_from(graph, low);
}

gpugraph_status gpugraph_edges_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                       gpugraph_run *run, const void **edge,
                                       uint64_t *count) {
    gg_begin(run);
    if (!gg_needs(run, edge, 1, "edge") || !gg_needs(run, count, 1, "count"))
        return run->status;
    *edge = NULL;
    *count = 0;
    if (prepare_edge_index(graph, v, run))
        return run->status;
    *edge = gg_edges_between(graph, v, to, count);
    return run->status;
}
