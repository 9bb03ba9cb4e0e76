/* Rows dealt to blocks, warps and threads by degree.
**
**     rows     0 ..     end[MIS_BLOCKS] ..     end[MIS_WARP_ROWS] ..     n
**              blocks         |     warps            |      threads */
#ifndef GPUGRAPH_MIS_GROUPS_CUH
#define GPUGRAPH_MIS_GROUPS_CUH

#include "graph/frontier.cuh"

#include <type_traits>

/* Neighbours from which a warp, and a block, looks at a row together. */
enum { WARP_DEGREE = 32, BLOCK_DEGREE = 1024 };

enum mis_group { MIS_BLOCKS, MIS_WARP_ROWS, MIS_THREADS, MIS_GROUPS };

static __device__ __forceinline__ int mis_group_of(uint64_t degree) {
    return degree >= BLOCK_DEGREE  ? MIS_BLOCKS
           : degree >= WARP_DEGREE ? MIS_WARP_ROWS
                                   : MIS_THREADS;
}

/* visit(a constant with the value `lanes`, i) for every i from begin to end - 1, by a
** group of that many threads each; the whole grid calls. */
template <int lanes, typename visit_type>
static __device__ __forceinline__ void mis_for_group(uint32_t begin, uint32_t end,
                                                     visit_type visit) {
    std::integral_constant<int, lanes> constant;
    for (uint64_t i = begin + gg_thread() / lanes; i < end;
         i += gg_threads_of_grid() / lanes)
        visit(constant, (uint32_t)i);
}

#endif
