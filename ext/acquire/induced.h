/* Induced subgraphs of kept graphs (induced.c). */
#ifndef GPUGRAPH_INDUCED_H
#define GPUGRAPH_INDUCED_H

#include "kept/cache.h"

/* Replaces *g by the subgraph of the vertices that the request's vertex_filter lists, if
** there is such a query. Like every result of a reading, an error is in *r->error. */
int induced_subgraph(reading *r, graph_ref **g);

#endif
