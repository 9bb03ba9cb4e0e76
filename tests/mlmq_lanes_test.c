/* As mlmq_uint32_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#define MLMQ_UINT32
#include "mlmq_model.h"
