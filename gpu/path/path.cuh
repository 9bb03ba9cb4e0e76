/* What the files of one shortest path on the device share:
**
**     path.cu        one call: a search, tree edges, the way back
**     both_ends.cu   the search from both ends */
#ifndef GPUGRAPH_PATH_CUH
#define GPUGRAPH_PATH_CUH

#include "sssp/sssp.cuh"
#include "tree/tree.cuh"

enum { PATH_HEAD = 2 }; /* words before the edges of a walk: its steps, its last vertex */

/* Words of the scratch that a search from both ends leaves. The tree takes some of them,
** and the longest path fits. */
static inline uint64_t gg_path_scratch(const struct cuda_job *job) {
    const uint64_t tree = gg_distance_tree_scratch(job),
                   path = ((uint64_t)job->graph->n + PATH_HEAD) *
                          (gg_edge_size(job->graph->wide) / sizeof(uint32_t));
    return tree > path ? tree : path;
}

/* both_ends.cu. *open: the search from the source has to find the path; else *out has the
** distances from the source of all vertices on shortest paths. out->lost: a sum left the
** range, so a path may exist although the target is not reached. */
bool gg_search_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                              struct sssp_outcome *out, bool *open);
/* Does `auto` search from both ends? */
bool gg_both_ends_suit(struct cuda_job *job, const gpugraph_search *search);

#endif
