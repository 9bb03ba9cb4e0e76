/* Depth-first search, on either side. */
#ifndef GPUGRAPH_DFS_H
#define GPUGRAPH_DFS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Microseconds of a worker's step on a device. */
#define GG_DFS_STEP_US 1.4

typedef gpugraph_status dfs_entry(gpugraph_graph *, uint32_t source, bool ordered,
                                  gpugraph_direction, gpugraph_run *,
                                  const gpugraph_dfs_tree *);

extern const gg_algorithm gg_dfs;
extern const algorithm_side gg_dfs_cuda;
/* What an ordered tree costs, which one thread makes. */
extern const gg_algorithm gg_dfs_ordered;

/* On the CPU. */
gpugraph_status gg_cpu_dfs(gpugraph_graph *, uint32_t source, bool ordered,
                           gpugraph_direction, gpugraph_run *, const gpugraph_dfs_tree *);

#ifdef __cplusplus
}
#endif
#endif
