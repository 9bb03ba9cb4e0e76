/* Components over partitions: weak_parts.c has the weak ones, parts.c the others. */
#ifndef GPUGRAPH_COMPONENTS_PARTS_H
#define GPUGRAPH_COMPONENTS_PARTS_H

#include "distributed/partition/part.h"

/* Fills component[] of masters with the smallest number of each. Sets run->status. */
void part_weak_components(gpugraph_part *p, gpugraph_run *run, uint64_t *component);

#endif
