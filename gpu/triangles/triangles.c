/* Triangles of the undirected simple graph, each counted once: the public function. Both backends count as for
** each vertex (each.c, each.cu).
**
**     rank       vertices by degree, equal degrees by number
**     ahead[v]   the neighbours of v that rank higher, by number
**     marked     for each thread, one bit for each vertex: those in ahead[v]
**
**          u --- w       v lowest, w highest in rank: w is in ahead[v] and in ahead[u],
**           \   /        and u is in ahead[v]; so the triangle is found once, when
**            v           ahead[v] meets ahead[u]
**
** No vertex has more than sqrt(2 m) neighbours ahead, so hubs cost no more than others.
** After Chiba and Nishizeki (SIAM J. Comput. 14, 1985) and Latapy (TCS 407, 2008). Two
** rows meet by marking the one and looking up the other: the marks of v serve all its
** rows, and nothing branches on what they say. */
#include "triangles.h"
#include "each.h"
#include "graph/graph.h"

/* ---- the descriptor ---- */

const gg_algorithm gg_triangles = {
    .name = "triangles",
    .brings_edges = true,
    .rows = CSR_SIMPLE,
    .arcs = gg_arcs_twice,
    .steps = gg_one_step,
    /* R-MAT of scale 16 and 20, one thread and an H200. */
    .cpu_ns = 80,
    .cuda_ns = 0.4,
    .step_us = 100,
    .side = {[GPUGRAPH_CPU] =
                 GG_ONE_METHOD(triangles_entry, gg_count_all_triangles, "triangles",
                               "intersection", "intersects sorted rows of neighbours"),
             [GPUGRAPH_CUDA] = &gg_triangles_cuda},
};

/* ---- the public function ---- */

gpugraph_status gpugraph_triangles(gpugraph_graph *graph, gpugraph_run *run,
                                   uint64_t *count) {
    gg_enter_graph(graph, run);
    if (gg_needs(run, count, 1, "count")) {
        *count = 0;
        GG_RUN(triangles_entry, &gg_triangles, NULL, graph, run, (graph, run, count));
    }
    return gg_leave_graph(graph, run);
}
