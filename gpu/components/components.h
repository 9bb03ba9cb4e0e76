/* Connected components, on either side. */
#ifndef GPUGRAPH_COMPONENTS_H
#define GPUGRAPH_COMPONENTS_H

#include "algorithm.h"

/* Edges for each vertex from which a sample of them comes first. New York (1.4) takes 3.2 ms
** without, and 5.5 with it (two threads). */
enum { GG_COMPONENTS_ROW = 4 };

#ifdef __cplusplus
extern "C" {
#endif

typedef gpugraph_status components_entry(gpugraph_graph *, gpugraph_run *,
                                         uint32_t *component);

/* Weak (components.c, components.cu) and strong ones (strong.c, strong.cu) are two algorithms that
** answer one question. */
extern const gg_algorithm gg_components, gg_strong_components;
extern const algorithm_side gg_components_cuda;
extern const algorithm_side gg_strong_components_cuda;

/* Vertices asked for the largest component. */
enum { COMPONENTS_VOTES = 1024 };

#ifdef __cplusplus
}
#endif
#endif
