/* As bfs_lanes_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#include "bfs_lanes_model.h"
