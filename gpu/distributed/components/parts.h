/* Components over parts: the weak ones are in weak_parts.c, the others in parts.c. */
#ifndef GPUGRAPH_COMPONENTS_PARTS_H
#define GPUGRAPH_COMPONENTS_PARTS_H

#include "distributed/partition/part.h"

/* run->status says how it went. */
void part_weak_components(gpugraph_part *p, gpugraph_run *run, uint64_t *component);

#endif
