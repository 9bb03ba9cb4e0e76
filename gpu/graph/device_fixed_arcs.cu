/* Fixed arcs: the first 4 or 8 arcs of each vertex, with their weights, at a place that follows from its
** number.
**
**     arc     [ a:3 b:1 c:7 - ][ d:2 - - - ][ e:1 f:4 g:9 LEFT ] ...
**
** A search by weight that goes from vertex to vertex is spared the look for where a row begins, and has
** targets and weights by one load: two or three sectors less for each vertex. Made once for a graph
** and a direction, kept with the device's copy. Not for graphs with long rows. */
#include "device_copy.cuh"
#include "base/limits.h"
#include "fixed_arcs.cuh"
#include "frontier.cuh"
#include "zones.h"

/* One thread per place; spare: of rows with room; longest: arcs of the longest row. */
static __global__ void fix_arcs(const __grid_constant__ device_csr g,
                                const uint32_t *spare, unsigned zone_shift,
                                uint32_t shift, uint64_t *arc, uint32_t *longest) {
    const uint32_t *weight = static_cast<const uint32_t *>(g.weight);
    uint64_t most = 0;
    for (uint64_t i = gg_thread(); i < (uint64_t)g.n << shift;
         i += gg_threads_of_grid()) {
        const uint64_t v = i >> shift, begin = g.offset[v];
        const uint64_t arcs =
            zone_end_of_row(g.offset, spare, zone_shift, g.n, v) - begin;
        most = most > arcs ? most : arcs;
        arc[i] = gg_fixed_arc(g.target + begin, weight + begin, arcs, shift,
                              (uint32_t)(i & ((1u << shift) - 1)));
    }
    if (most > gg_peek(longest))
        atomicMax(longest, (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX));
}

/* ---- what is kept ---- */

struct arcs_part {
    struct device_part part;
    uint64_t places[CSR_KINDS];
    uint64_t *arc[CSR_KINDS]; /* NULL: not made */
    bool unsuitable[CSR_KINDS];
};

static void drop_kind(struct arcs_part *kept, int kind) {
    give(&kept->part, kept->arc[kind], kept->places[kind], sizeof *kept->arc[kind]);
    kept->arc[kind] = NULL;
}

static void drop_arcs(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct arcs_part *kept = (struct arcs_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        drop_kind(kept, kind);
        if (gone & (PART_ON_EDGES | PART_ON_VERTICES))
            kept->unsuitable[kind] = false;
    }
}

static const struct device_part_kind arcs_kind = {
    sizeof(struct arcs_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_arcs};

/* ---- the driver ---- */

static bool make(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 uint64_t *arc, uint32_t *longest) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const uint32_t shift = gg_arc_places(g->n, g->m);
    uint32_t *on_device = static_cast<uint32_t *>(gg_take(job, sizeof *on_device));
    if (on_device && gg_fill(job, on_device, 0, sizeof *on_device)) {
        fix_arcs<<<gg_grid(job, (uint64_t)g->n << shift, 8), GG_BLOCK, 0, job->stream>>>(
            *g, copy->rows[kind].spare, gg_limits.zone_shift, shift, arc, on_device);
        if (gg_launched(job, "fix_arcs"))
            gg_fetch(job, longest, on_device, sizeof *longest);
    }
    if (on_device)
        gg_give(job, on_device, sizeof *on_device);
    return gg_going(job);
}

bool gg_fix_arcs(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 int64_t own) {
    const unsigned shift = gg_arc_places(g->n, g->m);
    const uint64_t places = (uint64_t)g->n << shift;
    const uint64_t arcs = gg_device_copy_of(job->graph)->rows[kind].arcs -
                          gg_device_copy_of(job->graph)->rows[kind].spares;
    struct arcs_part *kept = (struct arcs_part *)gg_device_part(job, &arcs_kind);
    if (!kept)
        return false;
    if (g->n >= GG_FIXED_LEFT || arcs > (uint64_t)g->n << shift ||
        job->graph->distance_type != GPUGRAPH_UINT32)
        return true;
    uint32_t longest = 0;
    uint64_t **arc = &kept->arc[kind];
    if (*arc || kept->unsuitable[kind] ||
        (int64_t)(places * sizeof **arc) + own > gg_device_room(job))
        return true;
    double started = gg_now_ms();
    kept->places[kind] = places;
    if (!take(job, &kept->part, arc, places, sizeof **arc))
        return gg_do_without(job);
    if (!make(job, kind, g, *arc, &longest)) {
        drop_kind(kept, kind);
        return gg_do_without(job);
    }
    kept->unsuitable[kind] = longest > GG_FIXED_LONGEST;
    if (kept->unsuitable[kind])
        drop_kind(kept, kind);
    gg_phase(job->run, "prepare", started, g->n, "%s",
             kept->unsuitable[kind]
                 ? "rows are too long for fixed arcs"
                 : "places for each row's arcs and weights, on the device");
    return gg_going(job);
}

const uint64_t *gg_fixed_arcs(const gpugraph_graph *graph, enum csr_kind kind) {
    const struct arcs_part *kept =
        (struct arcs_part *)gg_device_part_of(graph, &arcs_kind);
    return kept ? kept->arc[kind] : NULL;
}
