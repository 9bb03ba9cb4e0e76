/* As patch_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#include "patch_model.h"
