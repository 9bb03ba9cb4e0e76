/* The multi-level multi-queue on the device: what its driver (driver.cu) and its kernels
** (kernel_uint32.cu and so on) share. */
#ifndef GPUGRAPH_SSSP_MLMQ_CUH
#define GPUGRAPH_SSSP_MLMQ_CUH

#include "device/cuda.cuh"
#include "memory.h"

/* The kernel, of GG_BLOCK threads a block; its argument is a struct mlmq. */
const void *gg_mlmq_uint32(void);
const void *gg_mlmq_uint64(void);
const void *gg_mlmq_real(void);

#endif
