/* Maximal independent set by one launch: the passes of the warps, and the kernel. The
** includer defines what a pass does with a vertex, as a struct `how`:
**
**     blocks          blocks of a multiprocessor for which the compiler leaves registers
**     first_words     sets the first words, by the whole grid
**     look            looks at a vertex for each lane with `live`; all lanes call.
**                     Returns true if the vertex must wait
**     write_members    writes the members among the vertices of the warp's own tiles */
#ifndef GPUGRAPH_MIS_PASSES_CUH
#define GPUGRAPH_MIS_PASSES_CUH

#include "mis.cuh"

#include <cooperative_groups.h>

struct launch_state {
    uint32_t open;   /* vertices that still wait */
    uint32_t passes; /* the largest number of passes of a warp */
};

struct launch {
    struct launch_state *state;
    struct waiting *list;
    uint32_t room; /* entries of each warp */
    bool resume;   /* words are already there */
};

/* Runs the passes of a warp, the first over its tiles and the next over its list, until
** the list is empty or the number of passes is reached. Returns the number of vertices
** left. */
template <typename how>
static __device__ __forceinline__ uint32_t all_passes(const mis_graph &g, const launch &l,
                                                      uint32_t *passes) {
    const uint64_t warp = gg_thread() / GG_WARP, step = gg_threads_of_grid() / GG_WARP;
    waiting *list = l.list + warp * l.room;
    uint32_t count = l.room, pass = 0;
    while (count > 0 && pass < GG_MIS_PASSES) {
        uint32_t kept = 0;
        uint64_t longest = pass == 0 ? GG_MIS_FIRST_DEGREE : UINT64_MAX;
        for (uint32_t i = 0; i < count; i += GG_WARP) {
            uint64_t v = (warp + i / GG_WARP * step) * GG_WARP + gg_lane();
            bool live = pass > 0 ? i + gg_lane() < count : v < g.n;
            waiting w = {live ? (uint32_t)v : 0, GPUGRAPH_NONE, 0};
            if (live && pass > 0)
                w = list[i + gg_lane()];
            bool waits = how::look(g, live, longest, &w);
            kept = mis_keep(list, kept, waits, w);
        }
        if (kept == count)
            __nanosleep(GG_MIS_REST_NS);
        count = kept;
        pass++;
        if (pass % GG_MIS_STOP_PASSES == 0 && *(const volatile uint32_t *)g.stop != 0)
            pass = GG_MIS_PASSES;
        pass = __shfl_sync(ALL_LANES, pass, 0);
    }
    *passes = pass;
    return count;
}

/* Cooperative. Sets first words, runs the passes of each warp, and writes members. */
template <typename how>
static __global__ void __launch_bounds__(GG_BLOCK, how::blocks)
    decide_all(const __grid_constant__ mis_graph g, const __grid_constant__ launch l) {
    if (!l.resume) {
        how::first_words(g);
        cooperative_groups::this_grid().sync();
        gg_late();
    }
    uint32_t passes, count = all_passes<how>(g, l, &passes);
    if (gg_lane() == 0) {
        if (count > 0)
            atomicAdd(&l.state->open, count);
        atomicMax(&l.state->passes, passes);
    }
    /* Own tiles need no barrier. If vertices are open, the host launches again. */
    how::write_members(g);
}

#endif
