/* Fixed arcs: the first arcs of each vertex, with weights, at a position computed from
** its number, for graphs with short rows. (device_fixed.cu) */
#ifndef GPUGRAPH_FIXED_ARCS_CUH
#define GPUGRAPH_FIXED_ARCS_CUH

#include "graph.cuh"
#include "graph_data.h"

/* An arc is weight << 32 | target. NONE: no arc. GG_FIXED_LEFT in the last position: the
** row goes on, and the arc of this position is the first of the rest. */
#define GG_FIXED_LEFT (GPUGRAPH_NONE - 1)

/* log2 of the positions of each vertex: those of v begin at v << shift. */
static inline uint32_t gg_arc_places(uint32_t n, uint64_t m) {
    return m > 5 * (uint64_t)n ? 3 : 2;
}

/* Makes fixed arcs on first need (phase "prepare") if the rows suit, weights have 32
** bits, and they fit beside `own` bytes. False when the job must end. Memory shortage
** drops them, so ask for them after gg_workspace. */
bool gg_fix_arcs(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 int64_t own);
/* NULL: not made. */
const uint64_t *gg_fixed_arcs(const gpugraph_graph *graph, enum csr_kind kind);

/* The content of position k of 1 << shift in a row of `arcs` arcs. */
static __device__ __forceinline__ uint64_t gg_fixed_arc(const uint32_t *target,
                                                        const uint32_t *weight,
                                                        uint64_t arcs, unsigned shift,
                                                        uint32_t k) {
    const uint32_t places = 1u << shift;
    return arcs > places && k == places - 1 ? GG_FIXED_LEFT
           : k < arcs                       ? (uint64_t)weight[k] << 32 | target[k]
                                            : GPUGRAPH_NONE;
}

#endif
