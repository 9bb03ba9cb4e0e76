/* PageRank over a graph's parts on several devices. (several.cu) */
#ifndef GPUGRAPH_PAGERANK_SEVERAL_CUH
#define GPUGRAPH_PAGERANK_SEVERAL_CUH

#include "pagerank/pagerank.h"
#include "distributed/devices/several.cuh"

/* Ranks by rows that a team has: `in` brings rank, along `out` it flows away; both may be
** one. is_place: of each master of a rank, is it one of the sources; NULL: `how` has their
** numbers. *rank: of each member's own places, until the workspace is used again. */
bool gg_pagerank_on_team(struct several_team *team, const struct several_parts *in,
                         const struct several_parts *out, gpugraph_distance_type type,
                         const gpugraph_pagerank_options *how, const uint8_t *is_place,
                         pagerank_end *end, several_array<double> *rank);

#endif
