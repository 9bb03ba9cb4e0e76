/* One shortest path, on the CPU or a device. */
#ifndef GPUGRAPH_PATH_H
#define GPUGRAPH_PATH_H

#include "algorithm.h"
#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef gpugraph_status path_entry(gpugraph_graph *, const gpugraph_search *,
                                   bool weighted, gpugraph_run *, void *edge,
                                   uint32_t *count);

extern const gg_algorithm gg_path;
extern const algorithm_side gg_path_cuda;

/* Fails if there is not one source and one target, or if the graph has no weights and the
** path is by weight. */
gpugraph_status gg_check_path(const gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run);
/* Writes the chain of tree edges from v up to its source, in the order of travel. *count
** is NONE if the run must end first. */
void gg_walk_path(const gpugraph_graph *graph, const void *tree_edge, uint32_t v,
                  gpugraph_run *run, void *edge, uint32_t *count);
/* Reverses an array of edge numbers. */
void gg_reverse_edges(const gpugraph_graph *graph, void *edge, uint32_t count);
/* Finds the path by a search on the CPU from the source, which ends at the target. */
gpugraph_status gg_path_by_search(gpugraph_graph *graph, const gpugraph_search *search,
                                  bool weighted, gpugraph_run *run, void *edge,
                                  uint32_t *count);

/* Finds the path by a search on the CPU from both ends. (both_ends.c) */
gpugraph_status gg_path_from_both_ends(gpugraph_graph *graph,
                                       const gpugraph_search *search, bool weighted,
                                       gpugraph_run *run, void *edge, uint32_t *count);
/* True if `auto` searches from both ends: the rows for that exist, or are worth
** making. */
bool gg_path_prepared(const gpugraph_graph *graph, const gpugraph_search *search,
                      bool weighted);

#ifdef __cplusplus
}
#endif
#endif
