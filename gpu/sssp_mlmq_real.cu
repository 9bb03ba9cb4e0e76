/* The multi-level multi-queue's kernels for REAL distances. */
#include "sssp_mlmq.cuh"

#define MLMQ_REAL
#define MLMQ_KERNEL gg_mlmq_real
#include "mlmq_kernel.cuh"
