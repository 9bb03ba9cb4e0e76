/* Tree edges on the device, after a search. tree.c has the rules. Edge numbers are as
** wide as the graph's. */
#ifndef GPUGRAPH_TREE_CUH
#define GPUGRAPH_TREE_CUH

#include "device/cuda.cuh"
#include "graph_data.h"

/* Bytes of all tree edges; 0 if none are wanted. */
static inline uint64_t gg_tree_bytes(const cuda_job *job, bool wanted) {
    return wanted ? job->graph->n * (uint64_t)gg_edge_size(job->graph->wide) : 0;
}

/* Bytes that gg_device_depth_tree writes to `scratch`. */
static inline uint64_t gg_depth_tree_scratch(uint32_t n) {
    return 2 * (uint64_t)n;
}
/* Makes the tree of depths, none of which exceeds `deepest`. */
bool gg_device_depth_tree(cuda_job *job, gpugraph_direction direction,
                          const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                          void *tree_edge);
/* Words that gg_device_distance_tree writes to `scratch`. */
uint64_t gg_distance_tree_scratch(const cuda_job *job);
/* Makes the tree of distances. *ties: vertices whose tree edges are not set, because only
** level edges reach them, in more steps than the device takes. The host has to settle
** them. ties NULL: some distances are not final, and ties are not settled. */
bool gg_device_distance_tree(cuda_job *job, const gpugraph_search *search,
                             const void *distance, const uint32_t *source,
                             void *tree_edge, uint32_t *ties, uint32_t *scratch);
bool gg_device_parent_edges(cuda_job *job, gpugraph_direction direction,
                            const uint32_t *parent, void *tree_edge);

#endif
