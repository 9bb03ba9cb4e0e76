/* Breadth-first search, on either side. */
#ifndef GPUGRAPH_BFS_H
#define GPUGRAPH_BFS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Searches of a graph before one of them may make the transpose for bottom-up levels: it
** costs some three searches. */
#define GG_BFS_REVERSE_AFTER 1

typedef gpugraph_status bfs_entry(gpugraph_graph *, const gpugraph_search *,
                                  gpugraph_run *, uint32_t *depth, void *tree_edge);

extern const gg_algorithm gg_bfs;
/* The methods of the CPU. Their functions take tasks of bfs.c. */
enum { BFS_MULTI_SOURCE = 2 };
extern const gg_method gg_bfs_methods[];
extern const algorithm_side gg_bfs_cuda;
/* By several devices. (distributed/bfs) */
extern const algorithm_side gg_bfs_distributed;

/* On the CPU. */
gpugraph_status gg_cpu_bfs(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                           uint32_t *depth, void *tree_edge);
gpugraph_status gg_cpu_bfs_each(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                                uint32_t *const *depth, void *const *tree_edge);

/* ---- on the CPU, from many sources at once ---- */

/* Searches that go on together: a bit of a word each. */
enum { GG_LANES = 64 };

/* The depths of the searches from up to GG_LANES sources, for a search without a limit.
** Phase "search". (batch.c) */
gpugraph_status gg_bfs_batch(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, uint32_t *const *depth);

#ifdef __cplusplus
}
#endif
#endif
