/* A warp's list of vertices that wait, and its room for notes (balanced.h). */
#ifndef GPUGRAPH_MIS_KEEP_CUH
#define GPUGRAPH_MIS_KEEP_CUH

#include "graph/frontier.cuh"
#include "words.h"

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
    __shared__ uint32_t notes[GG_BLOCK / GG_WARP][GG_MIS_NOTES ? GG_MIS_NOTES : 1];
    return notes[threadIdx.x / GG_WARP];
}

#endif
