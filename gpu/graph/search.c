/* Checks the arguments of breadth-first search and shortest paths. */
#include "graph.h"

static gpugraph_status check_vertices(const gpugraph_graph *graph, const uint32_t *vertex,
                                      uint32_t count, const char *what,
                                      gpugraph_run *run) {
    if (!gg_needs(run, vertex, count, what))
        return run->status;
    for (uint32_t i = 0; i < count && !gg_leave(run, i + (uint64_t)1); i++) {
        if (vertex[i] >= graph->n)
            return gg_fail(run, GPUGRAPH_INVALID,
                           "%s number %u is vertex number %u, but the graph has %u "
                           "vertices, numbered from 0",
                           what, i, vertex[i], graph->n);
    }
    return gg_stopping(run) ? gg_stopped(run) : GPUGRAPH_OK;
}

gpugraph_status gg_check_search(const gpugraph_graph *graph,
                                const gpugraph_search *search, gpugraph_run *run) {
    if (!gg_needs(run, search, 1, "search"))
        return run->status;
    if (search->source_count == 0)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a search needs a source, and source_count is 0");
    if (!gg_check_direction(run, search->direction) ||
        check_vertices(graph, search->source, search->source_count, "source", run))
        return run->status;
    return check_vertices(graph, search->target, search->target_count, "target", run);
}
