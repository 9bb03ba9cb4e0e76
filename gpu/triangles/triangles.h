/* Triangles, all of them and those of each vertex, on the CPU and on a device. */
#ifndef GPUGRAPH_TRIANGLES_H
#define GPUGRAPH_TRIANGLES_H

#include "algorithm.h"

/* directed: the coefficient uses directions of edges. Either counts or total is NULL. */
typedef gpugraph_status triangles_entry(gpugraph_graph *, gpugraph_run *, bool directed,
                                        const gpugraph_triangle_counts *counts,
                                        uint64_t *total);

extern const gg_algorithm gg_triangles;
extern const algorithm_side gg_triangles_cuda;
extern const gg_algorithm gg_vertex_triangles;
extern const algorithm_side gg_vertex_triangles_cuda;

/* Divides the number of arcs among the neighbours by the largest possible number. Host
** and device round equally: each number once, and the quotient once. */
GG_ANYWHERE double gg_clustering(uint64_t arcs, uint32_t degree) {
    if (degree < 2)
        return 0;
    const uint64_t pairs = (uint64_t)degree * (degree - 1);
#ifdef __CUDA_ARCH__
    return __ddiv_rn((double)arcs, (double)pairs);
#else
    return (double)arcs / (double)pairs;
#endif
}

#endif
