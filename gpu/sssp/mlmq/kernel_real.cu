/* The multi-level multi-queue's kernels for REAL distances. */
#include "driver.cuh"

#define MLMQ_REAL
#define MLMQ_KERNEL gg_mlmq_real
#include "kernel.cuh"
