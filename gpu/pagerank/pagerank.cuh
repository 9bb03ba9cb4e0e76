/* PageRank on one device, by rows of the caller. */
#ifndef GPUGRAPH_PAGERANK_CUH
#define GPUGRAPH_PAGERANK_CUH

#include "pagerank.h"
#include "graph/graph.cuh"

/* `in` has the arcs that bring rank, `out` the arcs along which rank flows away. Both may
** be the same rows. *rank is valid until the next use of the workspace. */
bool gg_pagerank_by_rows(struct cuda_job *job, const struct device_csr *in,
                         const struct device_csr *out, gpugraph_distance_type type,
                         const gpugraph_pagerank_options *how, pagerank_end *end,
                         double **rank);

#endif
