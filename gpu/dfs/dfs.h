/* Depth-first search, on either side. */
#ifndef GPUGRAPH_DFS_H
#define GPUGRAPH_DFS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Microseconds of a worker's step on a device. */
#define GG_DFS_STEP_US 1.4

/* A search, and the tree that it fills. */
struct dfs_call {
    uint32_t source; /* GPUGRAPH_NONE: a forest over all vertices */
    bool ordered;
    gpugraph_direction direction;
    gpugraph_dfs_tree tree; /* with parents where numbers are wanted */
    bool numbered;          /* preorder and postorder are filled, too */
};

typedef gpugraph_status dfs_entry(gpugraph_graph *, gpugraph_run *, struct dfs_call *);

extern const gg_algorithm gg_dfs;
extern const algorithm_side gg_dfs_cuda;
/* What an ordered tree costs, which one thread makes. */
extern const gg_algorithm gg_dfs_ordered;

/* On the CPU. */
gpugraph_status gg_cpu_dfs(gpugraph_graph *, gpugraph_run *, struct dfs_call *);

#ifdef __cplusplus
}
#endif
#endif
