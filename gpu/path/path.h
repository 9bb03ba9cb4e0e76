/* One shortest path, on the CPU or a device. */
#ifndef GPUGRAPH_PATH_H
#define GPUGRAPH_PATH_H

#include "algorithm.h"
#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments of gpugraph_path. */
struct path_task {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    bool weighted;
    gpugraph_run *run;
    void *edge;
    uint32_t *count; /* NONE before the search */
};

typedef gpugraph_status path_entry(const struct path_task *);

extern const gg_algorithm gg_path;
extern const algorithm_side gg_path_cuda;

/* The type of distances by weight, or of depths. */
static inline gpugraph_distance_type gg_path_type(const gpugraph_graph *graph,
                                                  bool weighted) {
    return weighted ? graph->distance_type : GPUGRAPH_UINT32;
}
/* Fails if there is not one source and one target, or if the graph has no weights and the
** path is by weight. */
gpugraph_status gg_check_path(const gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run);
/* Sets the path to the chain of tree edges from the target up to its source. */
void gg_walk_path(const struct path_task *t, const void *tree_edge);
/* Reverses an array of edge numbers. */
void gg_reverse_edges(const gpugraph_graph *graph, void *edge, uint32_t count);
/* Finds the path by a search on the CPU from the source, which ends at the target. */
gpugraph_status gg_path_by_search(const struct path_task *t);

/* Finds the path by a search on the CPU from both ends. (both_ends.c) */
gpugraph_status gg_path_from_both_ends(const struct path_task *t);
/* True if `auto` searches from both ends: the rows for that exist, or are worth
** making. */
bool gg_path_prepared(const void *task);

#ifdef __cplusplus
}
#endif
#endif
