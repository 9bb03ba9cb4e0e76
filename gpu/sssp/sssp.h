/* Shortest paths from one source or many, on either side. */
#ifndef GPUGRAPH_SSSP_H
#define GPUGRAPH_SSSP_H

#include "algorithm.h"

struct sssp_part;

#ifdef __cplusplus
extern "C" {
#endif

struct sssp_calls {
    gpugraph_status (*search)(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                              void *distance, void *tree_edge);
    /* Of a part that is on a device: s->distance of every local. source: masters. */
    gpugraph_status (*part)(struct sssp_part *s, const uint32_t *source,
                            uint32_t sources);
};

extern const gg_algorithm gg_sssp;
extern const algorithm_side gg_sssp_cuda;

/* On the CPU. */
gpugraph_status gg_cpu_sssp(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                            void *distance, void *tree_edge);

/* Are there weights, sources and a bound that can be? (sssp.c) */
gpugraph_status gg_check_sssp(const gpugraph_graph *, const gpugraph_search *,
                              gpugraph_run *);

gpugraph_status gg_cuda_part_sssp(struct sssp_part *s, const uint32_t *source,
                                  uint32_t sources);

#ifdef __cplusplus
}
#endif
#endif
