/* Fixed arcs: the first arcs of each vertex, targets with their weights, at a place that follows from its
** number, of graphs whose rows are short. (device_fixed.cu) */
#ifndef GPUGRAPH_FIXED_ARCS_CUH
#define GPUGRAPH_FIXED_ARCS_CUH

#include "graph.cuh"
#include "graph_data.h"

/* An arc is weight << 32 | target. NONE: the row has no more; in its last place GG_FIXED_LEFT: it has, and
** that place's arc is the first of them. */
#define GG_FIXED_LEFT (GPUGRAPH_NONE - 1)

/* Places of each vertex, as a power of 2: v's begin at v << it. */
static inline uint32_t gg_arc_places(uint32_t n, uint64_t m) {
    return m > 5 * (uint64_t)n ? 3 : 2;
}

/* Made on first need, where rows suit, weights have 32 bits, and there is room beside `own` bytes: phase
** "prepare". False when the job must end. They go when memory is short: who uses them asks behind
** gg_workspace. */
bool gg_fix_arcs(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 int64_t own);
/* NULL: there are none. */
const uint64_t *gg_fixed_arcs(const gpugraph_graph *graph, enum csr_kind kind);

/* The content of place k of 1 << shift in a row of `count` arcs. */
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
