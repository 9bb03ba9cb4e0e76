/* Fixed rows and fixed arcs: the first targets of each vertex, or its first arcs with
** weights, at a position computed from its number, for graphs with short rows.
** (device_fixed.cu) */
#ifndef GPUGRAPH_FIXED_ROWS_CUH
#define GPUGRAPH_FIXED_ROWS_CUH

#include "graph.cuh"
#include "graph_data.h"

/* Fixed rows have targets, fixed arcs weight << 32 | target. NONE: no arc. */
#define GG_FIXED_PLACES 8 /* of each vertex in fixed rows: those of v begin at 8 v */
/* In the last position: the row is longer, and the arc of this position is the first of
** the rest. */
#define GG_FIXED_MORE (GPUGRAPH_NONE - 1)

/* log2 of the positions of each vertex in fixed arcs: those of v begin at v << shift. */
static inline uint32_t gg_arc_places(uint32_t n, uint64_t m) {
    return m > 5 * (uint64_t)n ? 3 : 2;
}

/* Make them on first need (phase "prepare") if the rows suit and they fit beside `own`
** bytes; fixed rows if vertices have more than `degree` arcs on average, fixed arcs if
** weights have 32 bits. False when the job must end. Memory shortage drops them, so ask
** for them after gg_workspace. */
bool gg_fix_rows(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 uint32_t degree, int64_t own);
bool gg_fix_arcs(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 int64_t own);
/* NULL: not made. */
const uint32_t *gg_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind);
const uint64_t *gg_fixed_arcs(const gpugraph_graph *graph, enum csr_kind kind);
void gg_drop_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind);

#endif
