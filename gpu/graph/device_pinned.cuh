/* A query about pinned rows (device_pinned.cu). */
#ifndef GPUGRAPH_DEVICE_PINNED_CUH
#define GPUGRAPH_DEVICE_PINNED_CUH

#include "gpugraph.h"

/* True if the selected device (device/parts.cuh) reads this graph's rows in host
** memory. */
bool gg_has_pinned(const gpugraph_graph *graph);

#endif
