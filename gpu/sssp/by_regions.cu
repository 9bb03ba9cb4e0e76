/* Shortest paths on the device by regions, the engine "regions": buckets of a long graph, which wait for each other
** by "persistent", are gone through by each block for its region. regions/search.cu does it. */
#include "sssp.cuh"
#include "base/limits.h"
#include "regions/regions.cuh"

/* Distances of 32 bits of all that can be reached: what regions serve. */
static bool fits_regions(const struct sssp_search *s) {
    const gpugraph_search *wanted = s->wanted;
    return s->type == GPUGRAPH_UINT32 && wanted->source_count > 0 &&
           wanted->target_count == 0 && wanted->limit == 0 && !wanted->bounded;
}

static enum csr_kind kind_of(const struct sssp_search *s) {
    return (enum csr_kind)gg_forward_kind(s->wanted->direction);
}

bool gg_sssp_find_regions(struct cuda_job *job, const struct sssp_search *s, int64_t own,
                          bool *there) {
    struct device_regions regions;
    *there = false;
    if (!fits_regions(s))
        return true;
    if (!gg_make_regions(job, kind_of(s), &s->g, true, own))
        return false;
    *there = gg_regions(job->graph, kind_of(s), true, &regions);
    return true;
}

/* By weight regions save a road network of 24 million vertices a tenth, one of 4
** million a twelfth, and smaller ones nothing: so many times as many vertices as by
** depth. (H200) */
#define TIMES_VERTICES 4
/* Meetings of a search that may have been shorter by regions. */
#define LONG_MEETINGS 50

void gg_sssp_note_long_way(struct cuda_job *job, const struct sssp_search *s) {
    if (s->meetings >= LONG_MEETINGS && fits_regions(s) &&
        s->g.n / TIMES_VERTICES >= gg_limits.region_vertices)
        gg_note_long_way(job, &s->g, true);
}

uint64_t gg_sssp_regions_bytes(struct cuda_job *job, const struct sssp_search *s) {
    struct device_regions regions;
    return gg_regions(job->graph, kind_of(s), true, &regions) ? gg_regions_bytes(&regions)
                                                              : 0;
}

bool gg_sssp_regions(struct cuda_job *job, struct sssp_search *s,
                     struct workspace *space) {
    struct device_regions regions;
    struct regions_outcome found;
    const double delta = s->parameters.delta;
    const uint32_t width = delta < 1            ? 1
                           : delta < UINT32_MAX ? (uint32_t)delta
                                                : UINT32_MAX;
    if (!gg_regions(job->graph, kind_of(s), true, &regions) ||
        !gg_search_regions(job, &regions, s->ends, s->wanted->source_count, width,
                           static_cast<uint32_t *>(s->distance), space, &found))
        return false;
    s->dropped = found.lost;
    s->served = found.reached;
    gg_tell_regions(job, &regions, &found, s->more, sizeof s->more);
    return gg_going(job);
}
