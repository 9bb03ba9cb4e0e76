/* A warp's list of waiting vertices, and its memory for notes (balanced.h). */
#ifndef GPUGRAPH_MIS_KEEP_CUH
#define GPUGRAPH_MIS_KEEP_CUH

#include "graph/frontier.cuh"
#include "words.h"

/* The first pass looks at vertices with at most this many neighbours: a tenth faster than
** looking at all vertices of rmat20 (H200), and above the degrees of roads and meshes. */
#define GG_MIS_FIRST_DEGREE 12
/* Passes of one launch, about ten milliseconds of waiting, and passes between two looks
** at the stop flag across the bus. */
#define GG_MIS_PASSES      20000
#define GG_MIS_STOP_PASSES 1024
/* Nanoseconds of rest after a pass without a decision: about a load from the second-level
** cache. */
#define GG_MIS_REST_NS 100
/* Blocks of a multiprocessor for which the compiler leaves registers. */
#define GG_MIS_BALANCED_BLOCKS 4

/* Appends the vertices of lanes with `wanted` to the first `count` entries. All lanes
** have read what they need of the list. Returns the new count. */
static __device__ __forceinline__ uint32_t mis_keep(waiting *list, uint32_t count,
                                                    bool wanted, const waiting &w) {
    unsigned mask = __ballot_sync(ALL_LANES, wanted);
    if (wanted)
        list[count + __popc(mask & ((1u << gg_lane()) - 1))] = w;
    __syncwarp();
    return count + __popc(mask);
}

static __device__ __forceinline__ uint32_t *mis_room_for_notes() {
    __shared__ uint32_t notes[GG_BLOCK / GG_WARP][GG_MIS_NOTES];
    return notes[threadIdx.x / GG_WARP];
}

#endif
