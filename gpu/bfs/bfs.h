/* Breadth-first search on the CPU and on devices. */
#ifndef GPUGRAPH_BFS_H
#define GPUGRAPH_BFS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of searches of a graph after which a search may make the transpose for
** bottom-up levels. The transpose costs as much as about three searches. */
#define GG_BFS_REVERSE_AFTER 1

/* On the CPU: */
enum {
    /* A frontier of at most this many vertices and arcs stays with one thread, because
    ** waking a second thread costs as much as expanding a few hundred vertices. */
    BFS_ALONE = 2048,
    BFS_ALONE_ARCS = 16384,
    BFS_GRAB = 64 /* vertices of the frontier that a thread takes at a time */
};

typedef gpugraph_status bfs_entry(gpugraph_graph *, const gpugraph_search *,
                                  gpugraph_run *, uint32_t *depth, void *tree_edge);

extern const gg_algorithm gg_bfs;
/* The methods of the CPU. */
enum { BFS_TOP_DOWN = 1, BFS_MULTI_SOURCE };
extern const gg_method gg_bfs_methods[];
extern const algorithm_side gg_bfs_cuda;
/* For several devices. (distributed/bfs) */
extern const algorithm_side gg_bfs_distributed;

/* The CPU backend. */
gpugraph_status gg_cpu_bfs(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                           uint32_t *depth, void *tree_edge);
gpugraph_status gg_cpu_bfs_each(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                                uint32_t *const *depth, void *const *tree_edge);

/* The number of searches of a batch. Each search has a bit of a word. */
enum { GG_LANES = 64 };

/* Finds the depths from up to GG_LANES sources, for a search without a limit. Phase
** "search". (batch.c) */
gpugraph_status gg_bfs_batch(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, uint32_t *const *depth);

#ifdef __cplusplus
}
#endif
#endif
