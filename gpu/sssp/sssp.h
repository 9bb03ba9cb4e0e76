/* Shortest paths from one source or many, on either side. */
#ifndef GPUGRAPH_SSSP_H
#define GPUGRAPH_SSSP_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sssp_calls {
    gpugraph_status (*search)(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                              void *distance, void *tree_edge);
};

extern const gg_algorithm gg_sssp;
extern const algorithm_side gg_sssp_cuda;
/* By several devices. (distributed/sssp) */
extern const algorithm_side gg_sssp_distributed;

/* On the CPU. */
gpugraph_status gg_cpu_sssp(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                            void *distance, void *tree_edge);

/* Are there weights, sources and a bound that can be? (sssp.c) */
gpugraph_status gg_check_sssp(const gpugraph_graph *, const gpugraph_search *,
                              gpugraph_run *);

#ifdef __cplusplus
}
#endif
#endif
