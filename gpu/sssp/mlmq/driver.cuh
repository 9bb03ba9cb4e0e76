/* The multi-level multi-queue on the device: what its driver (driver.cu) and its kernels
** (kernel_uint32.cu and so on) share. */
#ifndef GPUGRAPH_SSSP_MLMQ_CUH
#define GPUGRAPH_SSSP_MLMQ_CUH

#include "device/cuda.cuh"
#include "memory.h"

enum {
    MLMQ_FIFO_BLOCK = GG_BLOCK,    /* threads */
    MLMQ_HEAP_BLOCK = GG_BLOCK / 2 /* their warps have more on chip */
};

/* The kernel over heaps, or over FIFOs; its argument is a struct mlmq. */
const void *gg_mlmq_uint32(bool heaps);
const void *gg_mlmq_uint64(bool heaps);
const void *gg_mlmq_real(bool heaps);

#endif
