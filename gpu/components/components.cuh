/* Weak components of a list of edges on a device, for the search (components.cu) and for
** other algorithms. */
#ifndef GPUGRAPH_COMPONENTS_CUH
#define GPUGRAPH_COMPONENTS_CUH

#include "graph/graph.cuh"

struct component_arrays {
    uint32_t n;
    /* N entries; at the end the smallest vertex of the component of v. */
    uint32_t *component;
    uint32_t *outside; /* scratch memory: a bit for each vertex */
    uint32_t *largest; /* scratch memory: one number */
};

/* Fills a->component. Returns false when the run must end. */
bool gg_components_of_edges(struct cuda_job *job, const struct device_edges *edges,
                            const struct component_arrays *a);

#endif
