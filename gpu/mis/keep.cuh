/* A warp's list of vertices that wait, and its room for notes (balanced.h). */
#ifndef GPUGRAPH_MIS_KEEP_CUH
#define GPUGRAPH_MIS_KEEP_CUH

#include "graph/frontier.cuh"
#include "words.h"

/* Neighbours up to which the first pass looks at a vertex: a tenth faster than all of
** them on rmat20 (H200), and above the degrees of roads and meshes. */
#define GG_MIS_FIRST_DEGREE 12
/* Passes of one launch, some ten milliseconds of waiting; passes between two looks at the
** stop flag across the bus. */
#define GG_MIS_PASSES      20000
#define GG_MIS_STOP_PASSES 1024
/* Nanoseconds of rest after a pass that has decided nothing: about a load from the
** second-level cache. */
#define GG_MIS_REST_NS 100
/* Blocks for each multiprocessor that the compiler leaves registers for. */
#define GG_MIS_BALANCED_BLOCKS 4

/* Keeps, behind the first `count` entries, those of the lanes that want it. All lanes
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
