/* Connected components, on either side. */
#ifndef GPUGRAPH_COMPONENTS_H
#define GPUGRAPH_COMPONENTS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct components_calls {
    gpugraph_status (*find)(gpugraph_graph *, gpugraph_run *, uint32_t *component);
};

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
