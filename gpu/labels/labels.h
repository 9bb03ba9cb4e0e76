/* Label propagation on the CPU and on a device. */
#ifndef GPUGRAPH_LABELS_H
#define GPUGRAPH_LABELS_H

#include "algorithm.h"

typedef gpugraph_status labels_entry(gpugraph_graph *, gpugraph_run *,
                                     uint32_t iterations, gpugraph_direction,
                                     uint32_t *label);

extern const gg_algorithm gg_label_propagation;
extern const algorithm_side gg_label_propagation_cuda;

#endif
