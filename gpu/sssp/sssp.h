/* Shortest paths from one source or many, on either side. */
#ifndef GPUGRAPH_SSSP_H
#define GPUGRAPH_SSSP_H

#include "algorithm.h"

struct sssp_part;

/* On the CPU, of a whole graph and of a part: */
enum {
    GG_SSSP_SAMPLE = 256, /* weights that are looked at for the typical one */
    GG_SSSP_OFFERS = 64,  /* arcs that a thread finds before it lowers their targets */
    /* Vertices ahead at which arcs are asked of memory; twice that for what leads to
    ** them. */
    GG_SSSP_AHEAD = 4
};
/* Typical weights that a bucket is wide, divided by the arcs of the vertex at the end
** of an arc. */
#define GG_SSSP_DELTA 8.0

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
