/* As distance_tree_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#include "distance_tree_model.h"
