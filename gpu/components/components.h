/* Connected components on the CPU and on a device. */
#ifndef GPUGRAPH_COMPONENTS_H
#define GPUGRAPH_COMPONENTS_H

#include "algorithm.h"

/* The number of edges for each vertex from which on a sample comes first and rows, if
** they exist, replace the list. R-MAT of scale 20 takes 14.5 ms with rows and 25.4
** without. New York, with 1.4 edges for each vertex, takes 5.5 and 3.2 ms (two
** threads). */
enum { GG_COMPONENTS_ROW = 4 };

typedef gpugraph_status components_entry(gpugraph_graph *, gpugraph_run *,
                                         uint32_t *component);

/* Weak components (components.c, components.cu) and strong components (strong.c,
** strong.cu) are two algorithms for one public function. */
extern const gg_algorithm gg_components, gg_strong_components;
extern const algorithm_side gg_components_cuda;
extern const algorithm_side gg_strong_components_cuda;

/* A forest on the CPU: each vertex points to a vertex of its tree, and a root to itself.
** A struct that begins with this one may stand for it. */
struct gg_trees {
    uint32_t *parent;
    gpugraph_run *run;
};
/* For vertices low .. high - 1: makes each one a tree, or points each one to its root.
** (components.c) */
void gg_plant_trees(void *trees, uint64_t low, uint64_t high);
void gg_compress_trees(void *trees, uint64_t low, uint64_t high);
/* The root of v's tree. Halves the path for later walks. One thread at a time. */
static inline uint32_t gg_tree_root(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* A sample links each vertex about twice, which finds most of a large component. Later,
** edges within this component need no look at trees. */
enum {
    COMPONENTS_SAMPLE = 2,   /* edges of the sample for each vertex */
    COMPONENTS_VOTES = 1024, /* vertices that vote for the largest component */
};

#endif
