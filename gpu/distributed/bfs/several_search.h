/* Breadth-first search on several devices, as the choice of methods calls it. */
#ifndef GPUGRAPH_BFS_SEVERAL_SEARCH_H
#define GPUGRAPH_BFS_SEVERAL_SEARCH_H

#include "algorithm.h"

/* Method "several": on the devices of these ordinals, as gg_several_open has them. */
gpugraph_status gg_bfs_several(gpugraph_graph *graph, const gpugraph_search *search,
                               gpugraph_run *run, const int *ordinal, int parts,
                               uint32_t *depth, void *tree_edge);

#endif
