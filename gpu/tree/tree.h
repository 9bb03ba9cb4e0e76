/* Trees after a search: tree edges from depths, distances or parents, and numbers from
** parents. */
#ifndef GPUGRAPH_TREE_H
#define GPUGRAPH_TREE_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets tree_edge[v] for depths or distances found by `search`, whose direction and
** sources count. gpugraph.h states the rule. Phase "parents". */
gpugraph_status gg_depth_tree(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run, const uint32_t *depth, void *tree_edge);
gpugraph_status gg_distance_tree(gpugraph_graph *graph, const gpugraph_search *search,
                                 gpugraph_run *run, const void *distance,
                                 void *tree_edge);
/* Sets tree_edge[v] to the smallest edge number from parent[v] to v; NONE if parent[v] is
** NONE. */
gpugraph_status gg_parent_edges(gpugraph_graph *graph, gpugraph_direction direction,
                                gpugraph_run *run, const uint32_t *parent,
                                void *tree_edge);

/* The smallest number of an edge by which a search in that direction goes from u to v,
** and whose weight added to `from` makes `to`; NO_EDGE: there is none. Distances are
** words of the type (base/words.h). weight: of the edges; NULL: each counts 1. The rows
** of edge numbers must exist (gg_edge_rows). */
uint64_t gg_tight_edge(const gpugraph_graph *, gpugraph_direction, gpugraph_distance_type,
                       const void *weight, uint32_t u, uint32_t v, uint64_t from,
                       uint64_t to);

/* Factor for comparing paths in doubles whose weights were added in different orders: the
** relative error of a sum of 2^32 doubles is below 2^-20, and at most four sums are
** compared. */
#define GG_PATH_ROUNDING (1 + 4.0 / 1048576)

/* Computes preorder and postorder numbers of a DFS tree from parents, on the CPU.
** (number.c) */
gpugraph_status gg_number_tree(const gpugraph_graph *graph, gpugraph_run *run,
                               const uint32_t *parent, const uint32_t *depth,
                               uint32_t *preorder, uint32_t *postorder);

#ifdef __cplusplus
}
#endif
#endif
