/* Finds edges by their ends.
**
**     graph->derived.edge_rows   row of v     | v 3 7 7 7 9 |     targets, ascending
**                                     | 5 0 2 4 8 1 |     edge numbers, ascending among
**                                           \___/       equal targets
**                        edges from v to 7: two binary searches in the row's targets
**
** The rows are made on demand, and gpugraph_update updates them. */
#include "graph.h"

/* Returns the edges from v to vertices first .. end - 1. */
static const void *edges_of_row(const gpugraph_graph *graph, uint32_t v, uint64_t first,
                                uint64_t end, uint64_t *count) {
    const struct csr_slot *rows = &graph->derived.edge_rows;
    const uint64_t row_end = gg_row_end(rows, v);
    const uint64_t low = gg_first_arc(rows->target, rows->offset[v], row_end, first);
    *count = gg_first_arc(rows->target, low, row_end, end) - low;
    return (const char *)rows->weight + low * gg_edge_size(graph->wide);
}

const void *gg_edges_between(const gpugraph_graph *graph, uint32_t v, uint32_t to,
                             uint64_t *count) {
    return edges_of_row(graph, v, to, to + (uint64_t)1, count);
}

static gpugraph_status find_edges(gpugraph_graph *graph, uint32_t v, uint64_t first,
                                  uint64_t end, gpugraph_run *run, const void **edge,
                                  uint64_t *count) {
    gg_begin(run);
    if (!gg_needs(run, edge, 1, "edge") || !gg_needs(run, count, 1, "count"))
        return run->status;
    *edge = NULL;
    *count = 0;
    if (v >= graph->n)
        return gg_fail(run, GPUGRAPH_INVALID, "vertex %u is not below %u", v, graph->n);
    if (!gg_edge_rows(graph, run))
        *edge = edges_of_row(graph, v, first, end, count);
    return run->status;
}

gpugraph_status gpugraph_edges_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                    const void **edge, uint64_t *count) {
    return find_edges(graph, v, 0, graph->n, run, edge, count);
}

gpugraph_status gpugraph_edges_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                       gpugraph_run *run, const void **edge,
                                       uint64_t *count) {
    return find_edges(graph, v, to, to + (uint64_t)1, run, edge, count);
}

gpugraph_status gpugraph_edges_by_source(gpugraph_graph *graph, gpugraph_run *run,
                                         const void **edge) {
    struct csr_slot *rows = &graph->derived.edge_rows;
    gg_begin(run);
    if (!gg_needs(run, edge, 1, "edge"))
        return run->status;
    *edge = NULL;
    if (!gg_edge_rows(graph, run) &&
        !gg_pack_rows(run, rows, graph->n, gg_edge_size(graph->wide)))
        *edge = rows->weight;
    return run->status;
}
