/* Depth-first search on the CPU and on a device. */
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
    gpugraph_dfs_tree tree; /* has parents if numbers are wanted */
    bool numbered;          /* the search has filled preorder and postorder */
};

typedef gpugraph_status dfs_entry(gpugraph_graph *, gpugraph_run *, struct dfs_call *);

extern const gg_algorithm gg_dfs;
extern const algorithm_side gg_dfs_cuda;
/* The predicted cost of an ordered tree, which one thread makes. */
extern const gg_algorithm gg_dfs_ordered;

/* The CPU backend. */
gpugraph_status gg_cpu_dfs(gpugraph_graph *, gpugraph_run *, struct dfs_call *);

#ifdef __cplusplus
}
#endif
#endif
