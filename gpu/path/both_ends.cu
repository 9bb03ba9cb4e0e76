/* One shortest path by weight on the device, searched for from both ends: method
** "bidirectional". both_ends.c has the CPU's.
**
**     rows, transpose  ->  engine "persistent" on both at once  ->  distances of all vertices
**                          (sssp/persistent_ends.cuh)               on shortest paths
**
** The path is walked back along tree edges, as after a search from the source. */
#include "path.cuh"
#include "base/limits.h"
#include "graph/graph.h"

/* Device bytes for each vertex that a search takes beside the rows, about. */
enum { SEARCH_BYTES = 128 };

bool gg_search_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                              struct sssp_outcome *out, bool *open) {
    struct sssp_search s;
    *open = search->bounded || job->graph->n >= 0x80000000u;
    if (*open)
        return true;
    if (!gg_sssp_begin(job, search, &s) ||
        !gg_sssp_transpose(job, search, (int64_t)s.g.n * SEARCH_BYTES, &s.back))
        return false;
    *open = !s.back.begin;
    if (*open)
        return true;
    gg_path_choose(&s.features, &s.parameters);
    job->run->used_method = "bidirectional";
    const bool done = gg_sssp_run(job, &s, true, out);
    *open = !done || out->lost;
    return done || gg_do_without(job);
}

bool gg_both_ends_suit(struct cuda_job *job, const gpugraph_search *search) {
    const gpugraph_graph *graph = job->graph;
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(search->direction);
    struct sssp_features features;
    struct device_csr g;
    return gg_method_is_auto(job->run) &&
           gg_searches(graph) > gg_limits.path_prepare_after &&
           !gg_knows(&graph->known.ways_tie) && !search->bounded &&
           gg_device_csr(job, kind, true, &g) &&
           gg_device_features(job, kind, &g, &features) && !gg_path_is_thin(&features);
}
