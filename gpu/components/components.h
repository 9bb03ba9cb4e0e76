/* Connected components, on either side. */
#ifndef GPUGRAPH_COMPONENTS_H
#define GPUGRAPH_COMPONENTS_H

#include "algorithm.h"

/* Edges for each vertex from which a sample of them comes first, and rows take the place
** of the list: R-MAT of scale 20 takes 14.5 ms with them and 25.4 without, New York,
** which has 1.4, 5.5 and 3.2 ms (two threads). */
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

/* A sample links every vertex about twice: of a graph with one large component that finds most of
** it. Of what is left, edges within that component need no look at its tree. */
enum {
    COMPONENTS_SAMPLE = 2,   /* edges of it for each vertex */
    COMPONENTS_VOTES = 1024, /* vertices asked for the largest component */
};

#ifdef __cplusplus
}
#endif
#endif
