/* PageRank on the CPU and on devices. */
#ifndef GPUGRAPH_PAGERANK_H
#define GPUGRAPH_PAGERANK_H

#include "algorithm.h"

/* The course of a search. */
typedef struct pagerank_end {
    uint32_t iterations;
    double change; /* the change of the last iteration */
} pagerank_end;

typedef gpugraph_status pagerank_entry(gpugraph_graph *, gpugraph_run *,
                                       const gpugraph_pagerank_options *, double *rank,
                                       pagerank_end *end);

extern const gg_algorithm gg_pagerank;
extern const algorithm_side gg_pagerank_cuda;
/* For several devices. (distributed/pagerank) */
extern const algorithm_side gg_pagerank_distributed;

#endif
