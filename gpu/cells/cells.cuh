/* Cells on a device: what the room's own file holds, and what the mapping of ids takes. */
#ifndef GPUGRAPH_CELLS_CUH
#define GPUGRAPH_CELLS_CUH

#include "cells.h"
#include "device/cuda.cuh"

/* Source and then target, 2 * rows INTEGERs on the device of that number. */
int64_t *gg_cell_ends(const gg_cells *cells, int *ordinal);
/* Weights that have stayed there, INTEGERs or REALs; and to take them, with the bytes that they
** were taken with: they are the caller's then, to be given back. */
const int64_t *gg_cell_weights_at(const gg_cells *cells);
int64_t *gg_take_cell_weights(gg_cells *cells, uint64_t *bytes);
/* Fills in all but stay and real, which is given. (weigh.cu) */
bool gg_weigh_cells(struct cuda_job *job, const int64_t *weight, uint64_t rows,
                    gg_cell_weights *found);

#endif
