/* One path, on either side. */
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

/* A path needs weights, if it is by weight, one source and one target. */
gpugraph_status gg_check_path(const gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run);
/* The chain of tree edges from v up to its source, reversed into the order of travel.
** NONE is left in *count where the run must end first. */
void gg_walk_path(const gpugraph_graph *graph, const void *tree_edge, uint32_t v,
                  gpugraph_run *run, void *edge, uint32_t *count);
/* Turns an array of edge numbers round. */
void gg_reverse_edges(const gpugraph_graph *graph, void *edge, uint32_t count);
/* The path that a search on the CPU, ended at the target, leads to. */
gpugraph_status gg_path_by_search(gpugraph_graph *graph, const gpugraph_search *search,
                                  bool weighted, gpugraph_run *run, void *edge,
                                  uint32_t *count);

/* path/both_ends.c: a path searched for from both ends. */
gpugraph_status gg_path_from_both_ends(gpugraph_graph *graph,
                                       const gpugraph_search *search, bool weighted,
                                       gpugraph_run *run, void *edge, uint32_t *count);
/* True if `auto` searches from both ends: the rows for it are made, or worth making. */
bool gg_path_prepared(const gpugraph_graph *graph, const gpugraph_search *search,
                      bool weighted);

#ifdef __cplusplus
}
#endif
#endif
