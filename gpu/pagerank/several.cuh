/* PageRank over a graph's parts on several devices. (several.cu) */
#ifndef GPUGRAPH_PAGERANK_SEVERAL_CUH
#define GPUGRAPH_PAGERANK_SEVERAL_CUH

#include "pagerank.h"
#include "graph/graph.cuh"
#include "several/several.cuh"

/* Method "several": on the devices of these ordinals, as gg_several_open has them. */
gpugraph_status gg_pagerank_several(gpugraph_graph *graph,
                                    const gpugraph_pagerank_options *how,
                                    gpugraph_run *run, const int *ordinal, int parts,
                                    double *rank, pagerank_end *end);
/* Bytes that each of so many devices would still need. */
int64_t gg_pagerank_several_bytes(const gpugraph_graph *graph, int parts);

/* Ranks by rows that a team has already: `in` brings rank, along `out` it flows away; both may be one. *rank: of each member's own places, until the workspace is used again. */
bool gg_pagerank_on_team(struct several_team *team, const struct several_parts *in,
                         const struct several_parts *out, gpugraph_distance_type type,
                         const gpugraph_pagerank_options *how, pagerank_end *end,
                         several_array<double> *rank);

/* One device's form of the same, by rows that are there. *rank: as long as the workspace. (pagerank.cu) */
bool gg_pagerank_by_rows(struct cuda_job *job, const struct device_csr *in,
                         const struct device_csr *out, gpugraph_distance_type type,
                         const gpugraph_pagerank_options *how, pagerank_end *end,
                         double **rank);

#endif
