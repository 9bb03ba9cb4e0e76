/* Fixed rows: the first targets of each vertex at a place that follows from its number, of graphs
** whose rows are short. (device_fixed.cu) */
#ifndef GPUGRAPH_FIXED_ROWS_CUH
#define GPUGRAPH_FIXED_ROWS_CUH

#include "graph.cuh"
#include "graph_data.h"

#define GG_FIXED_PLACES 8                   /* of each vertex: v's from 8 v on */
#define GG_FIXED_MORE   (GPUGRAPH_NONE - 1) /* in the last one: the row is longer */

/* Made on first need, where rows suit, with more than `degree` arcs to a vertex, and there is room beside
** `own` bytes: phase "prepare". False when the job must end. They go when memory is short: who uses them asks behind gg_workspace. */
bool gg_fix_rows(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 uint32_t degree, int64_t own);
/* NULL: there are none. */
const uint32_t *gg_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind);
void gg_drop_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind);

/* The content of place k in a row of `count` arcs. */
static __device__ __forceinline__ uint32_t gg_fixed_target(const uint32_t *row,
                                                           uint64_t arcs, uint32_t k) {
    return arcs > GG_FIXED_PLACES && k == GG_FIXED_PLACES - 1 ? GG_FIXED_MORE
           : k < arcs                                         ? row[k]
                                                              : GPUGRAPH_NONE;
}

#endif
