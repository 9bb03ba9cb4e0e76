/* The multi-level multi-queue's kernels for 64-bit integer distances. */
#include "driver.cuh"

#define MLMQ_UINT64
#define MLMQ_KERNEL gg_mlmq_uint64
#include "kernel.cuh"
