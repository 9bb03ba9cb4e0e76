/* Between acquire.c, which finds graphs, and read.c, which reads those that are not there. */
#ifndef GPUGRAPH_READ_H
#define GPUGRAPH_READ_H

#include "follow/follow.h"

/* Reads the graph that the texts name; a reference is not taken. It has a stamp if it may
** be kept, and r->hold is the read transaction it was read in, if any. */
int read_graph(reading *r, graph_ref **made);
void reading_clear(reading *r);

#endif
