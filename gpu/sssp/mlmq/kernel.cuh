/* The kernels of a multi-level multi-queue for one type of distances; included by a file
** that defines the type (see mlmq.h) and MLMQ_KERNEL, the name of the function that hands
** them out. FIFOs and heaps have a kernel each, all other choices are branches that a whole
** grid takes alike. */
#include "work.h"

/* One warp per worker, until the search is over; warp 0 of the grid is the manager. */
template <bool heaps>
static __global__ void __launch_bounds__(heaps ? MLMQ_HEAP_BLOCK : MLMQ_FIFO_BLOCK,
                                         heaps ? 2 : GG_MLMQ_BLOCKS_FIT)
    mlmq_works(const __grid_constant__ struct mlmq m) {
    const int warps = (heaps ? MLMQ_HEAP_BLOCK : MLMQ_FIFO_BLOCK) / 32;
    __shared__ struct mlmq_shared shared[warps];
    __shared__ struct mlmq_heap_shared heap[heaps ? warps : 1];
    unsigned warp = threadIdx.x / 32;
    mlmq_live(&m, &shared[warp], &heap[heaps ? warp : 0], blockIdx.x * warps + warp,
              heaps);
}

const void *MLMQ_KERNEL(bool heaps) {
    return heaps ? (const void *)mlmq_works<true> : (const void *)mlmq_works<false>;
}
