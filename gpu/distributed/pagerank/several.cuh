/* PageRank on several devices. (several.cu) */
#ifndef GPUGRAPH_PAGERANK_SEVERAL_CUH
#define GPUGRAPH_PAGERANK_SEVERAL_CUH

#include "pagerank/pagerank.h"
#include "distributed/devices/several.cuh"

/* Ranks by rows of a team: rank comes along `in` and leaves along `out`, which may be the
** same. is_place: 1 for each master of a rank that is a source; NULL: `how` has the
** numbers of sources. *rank: of each member's own places, until the workspace is used
** again. False: the run must end. */
bool gg_pagerank_on_team(struct several_team *team, const struct several_parts *in,
                         const struct several_parts *out, gpugraph_distance_type type,
                         const gpugraph_pagerank_options *how, const uint8_t *is_place,
                         pagerank_end *end, several_array<double> *rank);

#endif
