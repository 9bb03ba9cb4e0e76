/* PageRank on one device, by rows that are there. */
#ifndef GPUGRAPH_PAGERANK_CUH
#define GPUGRAPH_PAGERANK_CUH

#include "pagerank.h"
#include "graph/graph.cuh"

/* `in` brings rank, along `out` it flows away; both may be one. *rank: valid until the workspace is
** used again. */
bool gg_pagerank_by_rows(struct cuda_job *job, const struct device_csr *in,
                         const struct device_csr *out, gpugraph_distance_type type,
                         const gpugraph_pagerank_options *how, pagerank_end *end,
                         double **rank);

#endif
