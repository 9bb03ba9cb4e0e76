/* Rows on a device as those read them whom spare places do not mind: zones.h draws these. */
#ifndef GPUGRAPH_ROOMY_ROWS_CUH
#define GPUGRAPH_ROOMY_ROWS_CUH

#include "graph.cuh"

/* As gg_device_csr, but rows that have room keep it: some rows end with loops of weight 0, and m counts
** them. For breadth-first search and shortest paths. Of SIMPLE, whose rows then ascend no longer, for independent
** sets, which pass spare places over. (device_copy.cu) */
bool gg_roomy_csr(struct cuda_job *job, enum csr_kind kind, bool weighted,
                  struct device_csr *view);
/* How many loops. */
uint64_t gg_spare_arcs(const gpugraph_graph *graph, enum csr_kind kind);
/* Spare places of each zone, there; NULL: rows are packed. */
const uint32_t *gg_spare_places(const gpugraph_graph *graph, enum csr_kind kind);

#endif
