/* Degrees: the smallest algorithm, and the one to copy for a new one. This file has the
** public function and the CPU backend, degrees.cu the device backend.
** graph/count_degrees.c has the count itself, because making a graph needs its largest
** degree.
**
**     edges     0 -> 1   1 -> 1   1 -> 2          degree  OUT   1  2  0
**                                                         IN    0  2  1
**                                                         BOTH  1  4  1 */
#include "degrees.h"
#include "graph/graph.h"

/* ---- drivers ---- */

static gpugraph_status count_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                    gpugraph_direction direction, uint32_t *degree) {
    double start = gg_now_ms();
    gg_count_degrees(graph, direction, run, degree);
    return gg_search_phase(run, start, (int64_t)graph->m, NULL);
}

/* ---- the descriptor ---- */

const gg_algorithm gg_degrees = {
    .name = "degrees",
    .rows = CSR_KINDS,
    .arcs = gg_arcs_once,
    /* R-MAT of scale 16 and 20, one thread and an H200. */
    .cpu_ns = 3,
    .cuda_ns = 0.06,
    .step_us = 30,
    .side = {[GPUGRAPH_CPU] = GG_ONE_METHOD(degrees_entry, count_on_cpu, "degrees",
                                            "count", "counts the ends of all edges"),
             [GPUGRAPH_CUDA] = &gg_degrees_cuda},
};

/* ---- the public function ---- */

gpugraph_status gpugraph_degrees(gpugraph_graph *graph, gpugraph_direction direction,
                                 gpugraph_run *run, uint32_t *degree) {
    gg_enter_graph(graph, run);
    if (gg_check_direction(run, direction) && gg_needs(run, degree, graph->n, "degree"))
        GG_RUN(degrees_entry, &gg_degrees, NULL, graph, run,
               (graph, run, direction, degree));
    return gg_leave_graph(graph, run);
}
