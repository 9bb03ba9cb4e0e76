/* Pinned rows (device_pinned.cu), as those ask who decide what of a graph stays on a device. */
#ifndef GPUGRAPH_DEVICE_PINNED_CUH
#define GPUGRAPH_DEVICE_PINNED_CUH

#include "gpugraph.h"

/* Has the device that is looked at (device/parts.cuh) rows of this graph in host memory? */
bool gg_has_pinned(const gpugraph_graph *graph);

#endif
