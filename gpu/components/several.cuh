/* Weak components by several devices. (several.cu) */
#ifndef GPUGRAPH_COMPONENTS_SEVERAL_CUH
#define GPUGRAPH_COMPONENTS_SEVERAL_CUH

#include "components.h"
#include "graph/graph.cuh"
#include "several/several.cuh"

/* Method "several": on the devices of these ordinals, as gg_several_open has them. */
gpugraph_status gg_components_several(gpugraph_graph *graph, gpugraph_run *run,
                                      const int *ordinal, int parts, uint32_t *component);
/* Bytes that each of so many devices would still need. */
int64_t gg_components_several_bytes(const gpugraph_graph *graph, int parts);

/* Components of rows that a team has already. both_ways: each arc is there in the other direction, too.
** *component: by vertex number, on member 0, until the workspace is used again. */
bool gg_components_on_team(struct several_team *team, const struct several_parts *parts,
                           bool both_ways, uint32_t **component);

/* One device's form of the same, by rows of both directions that are there. (components.cu) */
bool gg_components_by_rows(struct cuda_job *job, const struct device_csr *both,
                           uint32_t **component);

#endif
