/* Independent sets by partitions of this process: by target, or in a grid. (in_parts.c) */
#ifndef GPUGRAPH_MIS_IN_PARTS_H
#define GPUGRAPH_MIS_IN_PARTS_H

#include "mis/mis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Is "several-by-target" or "several-grid" the run's method? */
bool gg_mis_is_in_parts(const gpugraph_run *run);
/* A partition on each device of these ordinals, ascending; NULL: on threads. */
gpugraph_status gg_mis_in_parts(gpugraph_graph *graph, gpugraph_priority priority,
                                int64_t seed, gpugraph_run *run, const int *ordinal,
                                int devices, uint8_t *member);

#ifdef __cplusplus
}
#endif
#endif
