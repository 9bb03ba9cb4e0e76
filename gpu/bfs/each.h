/* What the files of breadth-first searches from many sources share: each.c has the
** public function and the CPU backend, batch.c the method "multi-source",
** each_tree.c the trees. */
#ifndef GPUGRAPH_BFS_EACH_H
#define GPUGRAPH_BFS_EACH_H

#include "bfs.h"

/* Searches that go on together: a bit of a word each. */
enum { GG_LANES = 64 };

/* The depths of the searches from up to GG_LANES sources, or, together, from all of them as
** one. Bytes are not defined where the graph, for a depth that is too long, knows of it now.
** Phase "search". (batch.c) */
gpugraph_status gg_bfs_batch(gpugraph_graph *graph, const gpugraph_search *search,
                             bool together, gpugraph_run *run,
                             const struct bfs_results *rows);

/* gpugraph_bfs by the method "multi-source": one search, which all sources begin. */
gpugraph_status gg_bfs_one_lane(gpugraph_graph *graph, const gpugraph_search *search,
                                gpugraph_run *run, uint32_t *depth, void *tree_edge);

/* The trees of up to GG_LANES searches from their depths, as gg_depth_tree makes each of
** them, in one pass over the edges. Phase "parents". */
gpugraph_status gg_depth_trees(const gpugraph_graph *graph, gpugraph_direction direction,
                               gpugraph_run *run, uint32_t searches,
                               uint32_t *const *depth, void *const *tree_edge);

#endif
