/* As ranked_rows_test, by warps of 32 lanes. */
#include "warp_lanes.h"

#include "ranked_rows_model.h"
