/* As mis_balanced_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#include "mis_balanced_model.h"
