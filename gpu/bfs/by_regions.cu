/* Breadth-first search on the device by regions: method "regions". In "persistent" all
** blocks wait for each other after each level. Here each block goes through the levels of
** its own region. regions/search.cu has the search. */
#include "bfs.cuh"
#include "regions/regions.cuh"
#include "tree/tree.cuh"
#include "graph/graph.h"

enum {
    WIDTH = 16
}; /* Levels that count as equal when a block chooses its next region. 32 are as fast. */

bool gg_fits_regions(const gpugraph_search *search) {
    return search->source_count > 0 && search->target_count == 0 && search->limit == 0 &&
           search->max_depth == GPUGRAPH_NONE;
}

/* Finds or makes the regions. *there: the graph has them. False: the job must end. */
static bool find_regions(cuda_job *job, const gpugraph_search *search,
                         const device_csr *g, device_regions *regions, bool *there) {
    const enum csr_kind kind = gg_forward_kind(search->direction);
    const int64_t own = (int64_t)g->n * 20 + (int64_t)gg_tree_bytes(job, true) + 65536;
    *there = gg_fits_regions(search);
    if (*there && !gg_make_regions(job, kind, g, false, own))
        return false;
    *there = *there && gg_regions(job->graph, kind, false, regions);
    return true;
}

bool gg_bfs_regions(cuda_job *job, const gpugraph_search *search, bool tree,
                    bfs_outcome *out) {
    const enum csr_kind kind = gg_forward_kind(search->direction);
    device_csr g;
    device_regions regions;
    regions_outcome found;
    workspace rest;
    uint32_t *ends;
    bool there;
    char more[160];
    if (!gg_device_csr(job, kind, false, &g) ||
        !find_regions(job, search, &g, &regions, &there))
        return false;
    const double started = gg_now_ms();
    if (there && !gg_take_arrays(job, [&](workspace *space) {
            out->depth = gg_carve<uint32_t>(space, g.n);
            ends = gg_carve<uint32_t>(space, search->source_count);
            out->tree = gg_carve<uint8_t>(space, gg_tree_bytes(job, tree));
            out->scratch =
                gg_carve<uint8_t>(space, tree ? gg_depth_tree_scratch(g.n) : 0);
            rest = *space;
            space->used += gg_regions_bytes(&regions);
        }))
        return false;
    /* The workspace may have taken the memory of the regions. */
    if (!there || !gg_regions(job->graph, kind, false, &regions)) {
        job->run->used_method = "persistent";
        return gg_bfs_levels(job, search, false, tree, out);
    }
    gg_upload(job, ends, search->source, (uint64_t)search->source_count * sizeof *ends);
    if (!gg_search_regions(job, &regions, ends, search->source_count, WIDTH, out->depth,
                           &rest, &found))
        return false;
    gg_tell_regions(job, &regions, &found, more, sizeof more);
    out->deepest = found.deepest;
    gg_search_phase(job->run, started, (int64_t)found.reached, "%s", more);
    return gg_going(job);
}
