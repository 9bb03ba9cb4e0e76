/* The first tables of a graph, of a batch that comes in order; how: slab_founding.h. */
#include "dynamic.h"
#include "tuning.h"

/* Tiles are named at the end of the array whose beginning lists chunks; each has half of it. */
static bool tiles_fit(const struct dynamic_batch *b, uint64_t sectors) {
    return sectors <= b->count / 2 * SLAB_TILE_SECTORS;
}

bool gg_dynamic_found(gpugraph_dynamic *d, struct dynamic_batch *b) {
    if (b->unfit || b->unsorted || b->count == 0 ||
        b->count < d->slabs.n / GG_SLAB_SPREAD)
        return false;
    b->unfit = true; /* whatever comes of it, it is not tried again */
    gg_dynamic_step(d, STEP_MARK_ROWS, b);
    gg_dynamic_step(d, STEP_LAY_OUT, b);
    const struct slab_report report = gg_dynamic_pool(d).report;
    if (!gg_dynamic_going(d) || report.unsorted || !tiles_fit(b, report.sectors)) {
        gg_dynamic_new_report(d);
        gg_dynamic_forget(d);
        return false;
    }
    d->founding = true;
    gg_dynamic_first_arena(d, b, report.sectors + report.long_sectors, report.sectors);
    b->tile_sectors = (uint32_t)report.sectors;
    b->tiles = (b->tile_sectors + SLAB_TILE_SECTORS - 1) / SLAB_TILE_SECTORS;
    b->tile = b->result + b->count - b->tiles;
    gg_dynamic_step(d, STEP_FOUND, b);
    gg_dynamic_step(d, STEP_FILL_TILES, b);
    if (report.long_sectors > 0)
        gg_dynamic_step(d, STEP_INSERT_LATER, b);
    gg_dynamic_step(d, STEP_SETTLE, b);
    return true;
}
