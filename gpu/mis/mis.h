/* Maximal independent sets on the CPU and on devices. */
#ifndef GPUGRAPH_MIS_H
#define GPUGRAPH_MIS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef gpugraph_status mis_entry(gpugraph_graph *, gpugraph_priority, int64_t seed,
                                  gpugraph_run *, uint8_t *member);

extern const gg_algorithm gg_mis;
extern const algorithm_side gg_mis_cuda;

/* For several devices. (distributed/mis) */
extern const algorithm_side gg_mis_distributed;

#ifdef __cplusplus
}
#endif
#endif
