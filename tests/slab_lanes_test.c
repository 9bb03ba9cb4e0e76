/* As slab_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#include "slab_model.h"
