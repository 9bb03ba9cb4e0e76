/* Fixed rows: the first targets of each vertex at a position computed from its number,
** for graphs with short rows. (device_fixed.cu) */
#ifndef GPUGRAPH_FIXED_ROWS_CUH
#define GPUGRAPH_FIXED_ROWS_CUH

#include "graph.cuh"
#include "graph_data.h"

#define GG_FIXED_PLACES 8                   /* of each vertex: those of v begin at 8 v */
#define GG_FIXED_MORE   (GPUGRAPH_NONE - 1) /* in the last position: the row is longer */

/* Makes fixed rows on first need (phase "prepare") if the rows suit, have more than
** `degree` arcs on average, and fit beside `own` bytes. False when the job must end.
** Memory shortage drops them, so ask for them after gg_workspace. */
bool gg_fix_rows(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 uint32_t degree, int64_t own);
/* NULL: not made. */
const uint32_t *gg_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind);
void gg_drop_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind);

/* The content of position k in a row of `arcs` arcs. */
static __device__ __forceinline__ uint32_t gg_fixed_target(const uint32_t *row,
                                                           uint64_t arcs, uint32_t k) {
    return arcs > GG_FIXED_PLACES && k == GG_FIXED_PLACES - 1 ? GG_FIXED_MORE
           : k < arcs                                         ? row[k]
                                                              : GPUGRAPH_NONE;
}

#endif
