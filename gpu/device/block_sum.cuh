/* Sums over the threads of a block. */
#ifndef GPUGRAPH_BLOCK_SUM_CUH
#define GPUGRAPH_BLOCK_SUM_CUH

#include "cuda.cuh"

template <typename word> struct block_sums { /* in shared memory */
    word of_warp[GG_BLOCK / 32];
};

/* Returns the sum of the values of the threads before this one; *all: the sum of all
** values. Called by all threads of the block; *sums can be used again behind a
** barrier. */
template <int threads = GG_BLOCK, typename word>
static __device__ __forceinline__ word gg_sum_before(word mine, word *all,
                                                     block_sums<word> *sums) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    word sum = mine, before = 0;
    for (unsigned step = 1; step < 32; step *= 2) {
        word other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step)
            sum += other;
    }
    if (lane == 31)
        sums->of_warp[warp] = sum;
    __syncthreads();
    *all = 0;
    for (unsigned w = 0; w < threads / 32; w++) {
        if (w == warp)
            before = *all;
        *all += sums->of_warp[w];
    }
    return before + sum - mine;
}

#endif
