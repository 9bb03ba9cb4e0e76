/* Degrees on the CPU and on a device. */
#ifndef GPUGRAPH_DEGREES_H
#define GPUGRAPH_DEGREES_H

#include "algorithm.h"

typedef gpugraph_status degrees_entry(gpugraph_graph *, gpugraph_run *,
                                      gpugraph_direction, uint32_t *degree);

extern const gg_algorithm gg_degrees;
extern const algorithm_side gg_degrees_cuda;

#endif
