/* What the files of one shortest path on the device share:
**
**     path.cu        one call: a search, tree edges, the way back
**     both_ends.cu   the search from both ends */
#ifndef GPUGRAPH_PATH_CUH
#define GPUGRAPH_PATH_CUH

#include "sssp/sssp.cuh"
#include "tree/tree.cuh"

/* both_ends.cu. *open: the search from the source has to find the path, because there is no
** room, or a sum left the range; else *out has the distances from the source of all
** vertices on shortest paths. */
bool gg_search_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                              struct sssp_outcome *out, bool *open);
/* Does `auto` search from both ends? */
bool gg_both_ends_suit(struct cuda_job *job, const gpugraph_search *search);

#endif
