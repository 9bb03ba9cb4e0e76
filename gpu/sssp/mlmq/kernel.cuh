/* The kernel of a multi-level multi-queue for one type of distances; included by a file
** that defines the type (see mlmq.h) and MLMQ_KERNEL, the name of the function that hands
** it out. The choice of queues is a branch that a whole grid takes alike. */
#include "work.h"

/* Blocks for each multiprocessor that the compiler leaves registers for. */
#define BLOCKS_FIT 3

/* One warp per worker, until the search is over; warp 0 of the grid is the manager. */
static __global__ void __launch_bounds__(GG_BLOCK, BLOCKS_FIT)
    mlmq_works(const __grid_constant__ struct mlmq m) {
    const int warps = GG_BLOCK / GG_WARP;
    __shared__ struct mlmq_shared shared[warps];
    unsigned warp = threadIdx.x / GG_WARP;
    mlmq_live(&m, &shared[warp], blockIdx.x * warps + warp);
}

const void *MLMQ_KERNEL(void) {
    return (const void *)mlmq_works;
}
