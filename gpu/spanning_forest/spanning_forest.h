/* Minimum spanning forests on the CPU and on a device. */
#ifndef GPUGRAPH_SPANNING_FOREST_H
#define GPUGRAPH_SPANNING_FOREST_H

#include "algorithm.h"

GG_BEGIN_C

/* The order of edges that makes the forest unique: by weight, then by edge number.
** Weights are unsigned numbers in the same order: the bits of nonnegative doubles sort
** like the doubles. */
struct forest_place {
    uint64_t weight, edge;
};

GG_ANYWHERE bool gg_comes_before(struct forest_place a, struct forest_place b) {
    return a.weight < b.weight || (a.weight == b.weight && a.edge < b.edge);
}

/* The share of m edges that comes first, a few for each vertex. 1: all edges.
** (spanning_forest.c) */
double gg_first_share(uint64_t n, uint64_t m);

/* edge, *count, component as in gpugraph_spanning_forest, but component is not NULL. */
typedef gpugraph_status forest_entry(gpugraph_graph *, gpugraph_run *, bool weighted,
                                     void *edge, uint32_t *count, uint32_t *component);

/* Returns the place that has `before` smaller ones, and reorders the places.
** (spanning_forest.c) */
struct forest_place gg_place_at(struct forest_place *place, uint32_t count,
                                uint32_t before);

extern const gg_algorithm gg_spanning_forest;
extern const algorithm_side gg_spanning_forest_cuda;

GG_END_C

#endif
