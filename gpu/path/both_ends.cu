/* One shortest path on the device, searched for from both ends: method
** "bidirectional". both_ends.c has the CPU's.
**
**     rows, transpose  ->  engine "persistent" on both at once  ->  distances, or depths,
**                          (sssp/persistent_ends.cuh)               of all that lies on
**                                                                   shortest ways
**
** The transpose comes with edge numbers (numbered_rows.cu), along which the path is
** then walked back; where edge numbers are wide, or in BOTH, which is its own
** transpose, these are plain rows. By depth the same engine finds paths, with weights
** that are all 1. */
#include "path.cuh"
#include "base/limits.h"
#include "tree/tree.cuh"

#include <string.h>

/* The transpose, as the search reads it. False: it is not there, or the job must end. */
static bool transposed_rows(struct cuda_job *job, gpugraph_direction direction,
                            bool weighted, struct device_csr *back) {
    struct device_arcs_to arcs[2];
    if (direction == GPUGRAPH_BOTH || job->graph->wide)
        return gg_device_csr(job, (enum csr_kind)gg_reverse_kind(direction), weighted,
                             back);
    if (gg_device_arcs_to(job, direction, arcs) == 0)
        return false;
    *back = gg_packed_rows(job->graph->n, job->graph->m, arcs->offset, arcs->other,
                           arcs->weight);
    return true;
}

/* By depth nobody knows of hubs but a search that had a use for them, or one by weight. */
static bool look_at_shape(struct cuda_job *job, gpugraph_direction direction,
                          bool by_depth, const struct device_csr *g,
                          struct sssp_features *features) {
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(direction);
    const struct sssp_features *known = gg_features_known(job->graph, kind);
    *features = sssp_features();
    if (!by_depth)
        return gg_device_features(job, kind, g, features);
    if (known)
        *features = *known;
    features->degree = (double)g->m / g->n;
    if (gg_bfs_explodes(job->graph, kind))
        features->most_degree = g->n;
    return true;
}

static void carve_both_ends(struct workspace *space, struct sssp_search *s) {
    s->distance =
        gg_carve<unsigned char>(space, 2 * (uint64_t)s->g.n * gg_distance_size(s->type));
    s->ends = gg_carve<uint32_t>(space, 2);
}

/* What the way back takes lies where the engine's arrays were. */
static uint64_t carve_tree(const struct cuda_job *job, struct workspace space,
                           const struct sssp_search *s, struct path_search *found) {
    const uint64_t room = gg_tree_bytes(job, true) + PATH_HEAD * sizeof(uint64_t);
    uint8_t *tree = gg_carve<uint8_t>(&space, room);
    if (s->by_depth) {
        const uint64_t scratch = gg_depth_tree_scratch(s->g.n);
        /* Depths may be deeper by the width of a bucket than the target is. */
        found->by_depth =
            bfs_outcome{static_cast<uint32_t *>(s->distance), tree, GPUGRAPH_NONE - 1,
                        gg_carve<uint8_t>(&space, scratch)};
    } else {
        const uint64_t scratch = gg_distance_tree_scratch(job);
        found->by_weight = sssp_outcome{s->distance, s->ends, tree,
                                        gg_carve<uint32_t>(&space, scratch), false};
    }
    return space.used;
}

/* Makes and gives all that the search reads; *open: there is no room. */
static bool prepare_both_ends(struct cuda_job *job, struct sssp_search *s,
                              struct workspace *space, struct path_search *found,
                              bool *open) {
    const gpugraph_direction direction = s->wanted->direction;
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(direction);
    const bool weighted = !s->by_depth;
    *open = false;
    struct sssp_features features;
    if (!gg_device_csr(job, kind, weighted, &s->g) ||
        !look_at_shape(job, direction, s->by_depth, &s->g, &features) ||
        !gg_make_numbered_rows(job, direction))
        return false;
    gg_path_choose(&features, s->by_depth, &s->parameters);
    *open = !transposed_rows(job, direction, weighted, &s->back);
    if (*open || !gg_going(job))
        return gg_going(job);
    carve_both_ends(space, s);
    uint64_t tree = carve_tree(job, *space, s, found);
    space->used += gg_sssp_persistent_bytes(s);
    space->used = space->used > tree ? space->used : tree;
    if (!gg_workspace(job, space)) {
        *open = job->run->status == GPUGRAPH_DEVICE_MEMORY;
        return gg_do_without(job);
    }
    /* The rows may have been given back for such a block. */
    *open = !transposed_rows(job, direction, weighted, &s->back);
    carve_both_ends(space, s);
    carve_tree(job, *space, s, found);
    return gg_going(job);
}

bool gg_search_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                              bool weighted, struct path_search *found, bool *open) {
    struct sssp_search s = sssp_search();
    struct workspace space = {NULL, 0};
    s.wanted = search;
    s.by_depth = !weighted;
    s.type = weighted ? job->graph->distance_type : GPUGRAPH_UINT32;
    s.stop = job->device->device_stop;
    found->wanted = search;
    found->weighted = weighted;
    found->both_ends = true;
    *open = (weighted && search->bounded) || job->graph->n >= 0x80000000u;
    if (*open)
        return true;
    if (!prepare_both_ends(job, &s, &space, found, open) || *open)
        return gg_going(job);
    job->run->used_method = "bidirectional";
    double started = gg_now_ms();
    const uint32_t ends[2] = {search->source[0], search->target[0]};
    if (!gg_upload(job, s.ends, ends, sizeof ends) ||
        !gg_sssp_persistent(job, &s, &space) ||
        !gg_look_at_target(job, s.type, s.distance, found))
        return false;
    /* A sum left the range, and that may be why there is no way. */
    *open = s.dropped && !found->found;
    if (!*open)
        gg_search_phase(job->run, started, (int64_t)s.served, s.more);
    return gg_going(job);
}

bool gg_way_is_long(const struct cuda_job *job, gpugraph_direction direction) {
    const struct sssp_features *known =
        gg_features_known(job->graph, gg_forward_kind(direction));
    return known && gg_path_is_thin(known);
}

/* Vertices of a thin graph from which `auto` searches by depth from both ends: 1.3
** times as fast on a road network of 24 million vertices, no faster on one of a
** million. */
#define LONG_VERTICES ((uint32_t)1 << 22)

bool gg_both_ends_suit(struct cuda_job *job, const gpugraph_search *search,
                       bool weighted) {
    const gpugraph_graph *graph = job->graph;
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(search->direction);
    struct sssp_features features;
    struct device_csr g;
    if (!gg_method_is_auto(job->run) ||
        gg_searches(graph) <= gg_limits.path_prepare_after ||
        (weighted ? gg_knows(&graph->known.ways_tie) || search->bounded
                  : graph->n < LONG_VERTICES) ||
        !gg_device_csr(job, kind, weighted, &g) ||
        !look_at_shape(job, search->direction, !weighted, &g, &features))
        return false;
    return gg_path_is_thin(&features) != weighted;
}
