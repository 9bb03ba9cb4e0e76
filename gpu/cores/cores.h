/* Core numbers on the CPU and on a device. */
#ifndef GPUGRAPH_CORES_H
#define GPUGRAPH_CORES_H

#include "algorithm.h"

typedef gpugraph_status cores_entry(gpugraph_graph *, gpugraph_run *, uint32_t *core);

extern const gg_algorithm gg_cores;
extern const algorithm_side gg_cores_cuda;

#endif
