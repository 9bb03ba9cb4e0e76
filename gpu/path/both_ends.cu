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

static void carve_both_ends(struct workspace *space, struct sssp_search *s) {
    s->distance =
        gg_carve<unsigned char>(space, 2 * (uint64_t)s->g.n * gg_distance_size(s->type));
    s->ends = gg_carve<uint32_t>(space, 2);
}

/* The tree and its scratch lie where the engine's arrays were. */
static uint64_t carve_tree(const struct cuda_job *job, struct workspace space,
                           const struct sssp_search *s, struct sssp_outcome *out) {
    *out = sssp_outcome();
    out->distance = s->distance;
    out->ends = s->ends;
    out->tree = gg_carve<uint8_t>(&space, gg_tree_bytes(job, true));
    out->scratch = gg_carve<uint32_t>(&space, gg_path_scratch(job));
    return space.used;
}

/* *open: there is no room for the transpose, or for the search beside it. */
static bool find_transpose(struct cuda_job *job, struct sssp_search *s, bool *open) {
    const enum csr_kind kind = (enum csr_kind)gg_reverse_kind(s->wanted->direction);
    const int64_t search = (int64_t)s->g.n * SEARCH_BYTES;
    *open = gg_device_graph_lacks(job->graph, kind, true) + search > gg_device_room(job);
    if (*open || gg_device_csr(job, kind, true, &s->back))
        return true;
    *open = job->run->status == GPUGRAPH_DEVICE_MEMORY;
    return gg_do_without(job);
}

/* Makes everything that the search reads; *open: there is no room. */
static bool prepare_both_ends(struct cuda_job *job, struct sssp_search *s,
                              struct workspace *space, struct sssp_outcome *out,
                              bool *open) {
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(s->wanted->direction);
    struct sssp_features features;
    if (!gg_device_csr(job, kind, true, &s->g) ||
        !gg_device_features(job, kind, &s->g, &features) ||
        !find_transpose(job, s, open) || *open)
        return gg_going(job);
    gg_path_choose(&features, &s->parameters);
    carve_both_ends(space, s);
    const uint64_t tree = carve_tree(job, *space, s, out);
    space->used += gg_sssp_persistent_bytes(job, s);
    space->used = space->used > tree ? space->used : tree;
    if (!gg_workspace(job, space)) {
        *open = job->run->status == GPUGRAPH_DEVICE_MEMORY;
        return gg_do_without(job);
    }
    carve_both_ends(space, s);
    carve_tree(job, *space, s, out);
    return gg_going(job);
}

bool gg_search_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                              struct sssp_outcome *out, bool *open) {
    struct sssp_search s = sssp_search();
    struct workspace space = {NULL, 0};
    s.wanted = search;
    s.type = job->graph->distance_type;
    s.stop = job->device->device_stop;
    *open = search->bounded || job->graph->n >= 0x80000000u;
    if (*open)
        return true;
    if (!prepare_both_ends(job, &s, &space, out, open) || *open)
        return gg_going(job);
    job->run->used_method = "bidirectional";
    double started = gg_now_ms();
    const uint32_t ends[2] = {search->source[0], search->target[0]};
    if (!gg_upload(job, s.ends, ends, sizeof ends) ||
        !gg_sssp_persistent(job, &s, &space))
        return false;
    out->lost = s.dropped;
    gg_search_phase(job->run, started, (int64_t)s.served, "%s", s.more);
    return gg_going(job);
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
