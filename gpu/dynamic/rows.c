/* Rows of all or of some vertices of a dynamic graph, and counts that come from rows. */
#include "dynamic.h"
#include "base/run.h"

static uint64_t aligned(uint64_t bytes) {
    return (bytes + 255) / 256 * 256;
}

bool gg_dynamic_make_rows(gpugraph_dynamic *d, uint64_t edges, bool values,
                          struct dynamic_batch *b) {
    uint64_t n = b->count, entry = sizeof(uint32_t);
    uint64_t counts = aligned((n + 1) * entry), offsets = aligned((n + 1) * 8);
    uint64_t targets = aligned(edges * entry);
    if (!gg_dynamic_make_room(d, &d->rows,
                              counts + offsets + targets + (values ? targets : 0)))
        return false;
    char *at = d->rows.block;
    b->row_offset = (uint64_t *)at;
    b->row_count = (uint32_t *)(at + offsets);
    b->row_target = (uint32_t *)(at + offsets + counts);
    b->row_value = values ? (uint32_t *)(at + offsets + counts + targets) : NULL;
    gg_dynamic_step(d, STEP_COUNT_ROWS, b);
    d->place->offsets(d, b);
    if (edges > 0)
        gg_dynamic_step(d, STEP_FILL_ROWS, b);
    return gg_dynamic_going(d);
}

uint64_t gg_dynamic_count_edges(gpugraph_dynamic *d, const struct dynamic_batch *b) {
    struct dynamic_batch rows = *b;
    uint64_t sum = 0;
    if (gg_dynamic_make_rows(d, 0, false, &rows))
        d->place->download(d, &sum, rows.row_offset + b->count, sizeof sum);
    return sum;
}

/* Makes the rows of a batch, with `edges` edges in all, and downloads the arrays that are
** not NULL. */
static gpugraph_status download_rows(gpugraph_dynamic *d, struct dynamic_batch *b,
                                     uint64_t edges, uint64_t *offset, uint32_t *target,
                                     uint32_t *value) {
    const bool values = value && target && d->valued;
    gg_dynamic_start(d);
    if (gg_dynamic_going(d) && gg_dynamic_make_rows(d, edges, values, b)) {
        gg_dynamic_stop(d);
        d->place->download(d, offset, b->row_offset, (b->count + 1) * sizeof *offset);
        if (target)
            d->place->download(d, target, b->row_target, edges * sizeof *target);
        if (values)
            d->place->download(d, value, b->row_value, edges * sizeof *value);
    }
    return gg_dynamic_end(d, "rows", edges);
}

gpugraph_status gpugraph_dynamic_rows(gpugraph_dynamic *d, gpugraph_run *run,
                                      uint64_t *offset, uint32_t *target,
                                      uint32_t *value) {
    struct dynamic_batch b = {.count = d->slabs.n};
    gg_begin(run);
    if (!gg_needs(run, offset, 1, "offset"))
        return run->status;
    if (!gg_dynamic_open(d, run))
        return gg_dynamic_close(d);
    return download_rows(d, &b, target ? d->edges : 0, offset, target, value);
}

gpugraph_status gpugraph_dynamic_rows_of(gpugraph_dynamic *d, uint64_t count,
                                         const uint32_t *vertex, gpugraph_run *run,
                                         uint64_t *offset, uint32_t *target,
                                         uint32_t *value) {
    struct dynamic_batch b;
    gg_begin(run);
    if (!gg_needs(run, vertex, count, "vertex") || !gg_needs(run, offset, 1, "offset"))
        return run->status;
    if (!gg_dynamic_begin(d, run, count, vertex, NULL, NULL, &b))
        return gg_dynamic_close(d);
    b.vertex = b.source;
    return download_rows(d, &b, target ? gg_dynamic_count_edges(d, &b) : 0, offset,
                         target, value);
}

/* ---- triangles ---- */

gpugraph_status gpugraph_dynamic_triangles(gpugraph_dynamic *d, gpugraph_run *run,
                                           uint64_t *count) {
    struct dynamic_batch b = {.count = d->slabs.n};
    gg_begin(run);
    if (!gg_needs(run, count, 1, "count"))
        return run->status;
    *count = 0;
    if (!gg_dynamic_open(d, run))
        return gg_dynamic_close(d);
    gg_dynamic_new_report(d);
    gg_dynamic_start(d);
    if (gg_dynamic_make_rows(d, d->edges, false, &b)) {
        gg_dynamic_step(d, STEP_TRIANGLES, &b);
        gg_dynamic_stop(d);
        *count = gg_dynamic_pool(d).report.triangles;
    }
    return gg_dynamic_end(d, "triangles", d->edges);
}
