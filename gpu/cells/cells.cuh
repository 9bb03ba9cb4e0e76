/* Cells on a device: the columns, as the mapping of ids takes them. */
#ifndef GPUGRAPH_CELLS_CUH
#define GPUGRAPH_CELLS_CUH

#include "cells.h"
#include "device/cuda.cuh"

/* Returns source and then target, 2 * rows INTEGERs on the device of that number. */
int64_t *gg_cell_ends(const gg_cells *cells, int *ordinal);
/* Returns the weights that stayed on the device, `rows` INTEGERs or REALs. The second
** function also takes them over: the caller frees them. */
const int64_t *gg_cell_weights_at(const gg_cells *cells);
int64_t *gg_take_cell_weights(gg_cells *cells);

#endif
