/* Searches from many sources on a device, by warps one lane wide. */
#include "bfs_lanes_model.h"
