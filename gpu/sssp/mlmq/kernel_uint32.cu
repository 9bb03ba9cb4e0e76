/* The multi-level multi-queue's kernels for 32-bit integer distances. */
#include "driver.cuh"

#define MLMQ_UINT32
#define MLMQ_KERNEL gg_mlmq_uint32
#include "kernel.cuh"
