/* What the choice of devices asks of the rows that they share. */
#ifndef GPUGRAPH_SEVERAL_KEPT_H
#define GPUGRAPH_SEVERAL_KEPT_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Are some of the graph's rows kept in so many parts? (kept.cu) */
bool gg_several_has_rows(const gpugraph_graph *graph, int parts);

#ifdef __cplusplus
}
#endif
#endif
