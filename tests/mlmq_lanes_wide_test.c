/* As mlmq_real_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#define MLMQ_REAL
#include "mlmq_model.h"
