/* Breadth-first search on several devices, as the choice of methods calls it. */
#ifndef GPUGRAPH_BFS_SEVERAL_SEARCH_H
#define GPUGRAPH_BFS_SEVERAL_SEARCH_H

#include "algorithm.h"
#include "gpugraph_parts.h"

/* Method "several": on the devices of these ordinals, as gg_several_open has them. */
gpugraph_status gg_bfs_several(gpugraph_graph *graph, const gpugraph_search *search,
                               gpugraph_run *run, const int *ordinal, int parts,
                               uint32_t *depth, void *tree_edge);
/* Edges both ways, of processes whose devices reach each other. False: they do not. The job is
** open. (parts_shared.cu) */
struct cuda_job;
bool gg_bfs_of_shared_parts(struct cuda_job *job, gpugraph_part *p,
                            const uint32_t *source, uint32_t sources, uint32_t max_depth,
                            uint32_t *depth);

#endif
