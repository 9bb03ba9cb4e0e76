/* A build with GPUGRAPH_DISTRIBUTED=OFF: this file replaces the folder distributed/. No
** algorithm runs on several devices that share a graph, or on partitions. */
#include "algorithm.h"

extern const algorithm_side gg_bfs_distributed, gg_sssp_distributed, gg_mis_distributed,
    gg_pagerank_distributed;
const algorithm_side gg_bfs_distributed = {0}, gg_sssp_distributed = {0},
                     gg_mis_distributed = {0}, gg_pagerank_distributed = {0};
