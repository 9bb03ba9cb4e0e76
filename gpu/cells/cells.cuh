/* Cells on a device: what the room's own file holds, and what the mapping of ids takes. */
#ifndef GPUGRAPH_CELLS_CUH
#define GPUGRAPH_CELLS_CUH

#include "cells.h"
#include "device/cuda.cuh"

/* Source and then target, 2 * rows INTEGERs on the device of that number. */
int64_t *gg_cell_ends(const gg_cells *cells, int *ordinal);

#endif
