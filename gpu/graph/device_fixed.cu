/* Fixed rows: the first 8 targets of each vertex at a place that follows from its number.
**
**     target    [ a b c - - - - - ][ d - - - - - - - ][ e f g h i j k MORE ] ...
**
** A search that goes from vertex to vertex is spared the look for where a row begins; on graphs of
** short rows in no order it reads no more for that, as a sector of 32 bytes is the least that comes.
** Made once for a graph and a direction, kept with the device's copy. Not for graphs with longer
** rows, of which much would lie elsewhere. Most places of a road map's rows are empty: the caller says
** from which mean degree on rows are worth their memory. */
#include "device_copy.cuh"
#include "base/limits.h"
#include "fixed_rows.cuh"
#include "frontier.cuh"
#include "zones.h"

enum { PLACES = GG_FIXED_PLACES };

/* One thread per place; spare: of rows with room; longest: arcs of the longest row. */
static __global__ void fix(const __grid_constant__ device_csr g, const uint32_t *spare,
                           unsigned shift, uint32_t *target, uint32_t *longest) {
    const uint64_t places = (uint64_t)g.n * PLACES;
    uint64_t most = 0;
    for (uint64_t i = gg_thread(); i < places; i += gg_threads_of_grid()) {
        const uint32_t v = (uint32_t)(i / PLACES), k = (uint32_t)(i % PLACES);
        const uint64_t begin = g.offset[v];
        const uint64_t arcs = zone_end_of_row(g.offset, spare, shift, g.n, v) - begin;
        most = most > arcs ? most : arcs;
        target[i] = gg_fixed_target(g.target + begin, arcs, k);
    }
    if (most > gg_peek(longest))
        atomicMax(longest, (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX));
}

/* ---- what is kept ---- */

struct fixed_part {
    struct device_part part;
    uint64_t places[CSR_KINDS];
    uint32_t *target[CSR_KINDS]; /* NULL: not made */
    bool unsuitable[CSR_KINDS];
};

static void drop_rows(struct fixed_part *kept, int kind) {
    give(&kept->part, kept->target[kind], kept->places[kind], sizeof *kept->target[kind]);
    kept->target[kind] = NULL;
}

static void drop_fixed(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct fixed_part *kept = (struct fixed_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        drop_rows(kept, kind);
        if (gone & (PART_ON_EDGES | PART_ON_VERTICES))
            kept->unsuitable[kind] = false;
    }
}

static const struct device_part_kind fixed_kind = {
    sizeof(struct fixed_part), PART_ON_EDGES | PART_ON_VERTICES | PART_ON_ROOM,
    drop_fixed};

/* ---- the driver ---- */

static bool make(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 uint32_t *target, uint32_t *longest) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    uint32_t *on_device = static_cast<uint32_t *>(gg_take(job, sizeof *on_device));
    if (on_device && gg_fill(job, on_device, 0, sizeof *on_device)) {
        fix<<<gg_grid(job, (uint64_t)g->n * PLACES, 8), GG_BLOCK, 0, job->stream>>>(
            *g, copy->rows[kind].spare, gg_limits.zone_shift, target, on_device);
        if (gg_launched(job, "fix"))
            gg_fetch(job, longest, on_device, sizeof *longest);
    }
    if (on_device)
        gg_give(job, on_device, sizeof *on_device);
    return gg_going(job);
}

bool gg_fix_rows(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 uint32_t degree, int64_t own) {
    const uint64_t places = (uint64_t)g->n * PLACES;
    const uint64_t arcs = gg_device_copy_of(job->graph)->rows[kind].arcs -
                          gg_device_copy_of(job->graph)->rows[kind].spares;
    if (g->n >= GG_FIXED_MORE || arcs <= degree * (uint64_t)g->n ||
        arcs > (uint64_t)g->n * PLACES)
        return true;
    struct fixed_part *kept = (struct fixed_part *)gg_device_part(job, &fixed_kind);
    if (!kept)
        return false;
    uint32_t longest = 0, **target = &kept->target[kind];
    if (*target || kept->unsuitable[kind] ||
        (int64_t)(places * sizeof **target) + own > gg_device_room(job))
        return true;
    double started = gg_now_ms();
    kept->places[kind] = places;
    if (!take(job, &kept->part, target, places, sizeof **target))
        return gg_do_without(job);
    if (!make(job, kind, g, *target, &longest)) {
        drop_rows(kept, kind);
        return gg_do_without(job);
    }
    kept->unsuitable[kind] = longest > GG_FIXED_LONGEST;
    if (kept->unsuitable[kind])
        drop_rows(kept, kind);
    gg_phase(job->run, "prepare", started, g->n, "%s",
             kept->unsuitable[kind] ? "rows are too long for fixed places"
                                    : "places for each row, on the device");
    return gg_going(job);
}

const uint32_t *gg_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind) {
    const struct fixed_part *kept =
        (struct fixed_part *)gg_device_part_of(graph, &fixed_kind);
    return kept ? kept->target[kind] : NULL;
}

void gg_drop_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind) {
    struct fixed_part *kept = (struct fixed_part *)gg_device_part_of(graph, &fixed_kind);
    if (kept)
        drop_rows(kept, kind);
}
