/* Triangles, on either side. */
#ifndef GPUGRAPH_TRIANGLES_H
#define GPUGRAPH_TRIANGLES_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef gpugraph_status triangles_entry(gpugraph_graph *, gpugraph_run *,
                                        uint64_t *count);

extern const gg_algorithm gg_triangles;
extern const algorithm_side gg_triangles_cuda;

#ifdef __cplusplus
}
#endif
#endif
