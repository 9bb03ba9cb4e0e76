/* Rows of a multigraph; its number of vertices.
**
**     rows of pairs -> length of each chain -> its position -> copied */
#include "multigraph.h"
#include "base/run.h"

/* ---- rows ---- */

/* Finds the chains of the batch's vertices, in the memory of the slabs. rows->row_offset
** has offsets in chains, and c->at has offsets in edges. Returns the number of edges, and
** in *pairs the number of chains. */
static uint64_t find_chains(gpugraph_multigraph *m, struct dynamic_batch *rows,
                            struct chain_batch *c, uint64_t *pairs) {
    gpugraph_dynamic *d = m->pairs;
    *pairs = gg_dynamic_count_edges(d, rows);
    if (!gg_dynamic_make_rows(d, *pairs, true, rows))
        return 0;
    const struct chain_batch wanted = *c;
    *c = gg_chain_batch(m);
    c->loopless = wanted.loopless;
    c->rows = rows->count;
    c->row_vertex = rows->vertex;
    c->row_offset = rows->row_offset;
    c->row_target = rows->row_target;
    c->row_value = rows->row_value;
    for (int pass = 0; pass < 2; pass++) {
        char *block = pass ? m->batch.block : NULL;
        uint64_t used = 0;
        c->need = gg_chain_carve(block, &used, *pairs + 1, sizeof *c->need);
        c->at = gg_chain_carve(block, &used, *pairs + 1, sizeof *c->at);
        if (!gg_dynamic_make_room(d, &m->batch, used))
            return 0;
    }
    m->place->step(d, CHAIN_LENGTH, c, *pairs);
    return gg_chain_sum(m, c, *pairs);
}

/* Makes the rows of the batch's vertices in the memory of the slabs: rows->row_offset has
** offsets in edges. filled: c->to_* have the edges. Returns the number of edges. */
static uint64_t make_chain_rows(gpugraph_multigraph *m, struct dynamic_batch *rows,
                                bool filled, struct chain_batch *c) {
    gpugraph_dynamic *d = m->pairs;
    uint64_t pairs, edges = find_chains(m, rows, c, &pairs), used;
    for (int pass = 0; pass < 2 && filled; pass++) {
        char *block = pass ? m->rows.block : NULL;
        used = 0;
        c->to_id = gg_chain_carve(block, &used, edges, sizeof *c->to_id);
        c->to_weight = gg_chain_carve(block, &used, edges, sizeof *c->to_weight);
        c->to_target = gg_chain_carve(block, &used, edges, sizeof *c->to_target);
        if (!gg_dynamic_make_room(d, &m->rows, used))
            return 0;
    }
    if (filled)
        m->place->step(d, CHAIN_COPY, c, pairs);
    m->place->step(d, CHAIN_OFFSETS, c, rows->count + 1);
    return gg_dynamic_going(d) ? edges : 0;
}

/* Makes the rows of a batch that has begun, and downloads the arrays that are not
** NULL. */
static gpugraph_status bring_rows(gpugraph_multigraph *m, struct dynamic_batch *rows,
                                  uint64_t *offset, uint32_t *target, int64_t *id,
                                  int64_t *weight) {
    gpugraph_dynamic *d = m->pairs;
    struct chain_batch c = {0};
    gg_dynamic_start(d);
    uint64_t edges = make_chain_rows(m, rows, target || id || weight, &c);
    gg_dynamic_stop(d);
    if (gg_dynamic_going(d)) {
        d->place->download(d, offset, c.row_offset, (rows->count + 1) * sizeof *offset);
        if (target)
            d->place->download(d, target, c.to_target, edges * sizeof *target);
        if (id)
            d->place->download(d, id, c.to_id, edges * sizeof *id);
        if (weight)
            d->place->download(d, weight, c.to_weight, edges * sizeof *weight);
    }
    return gg_chain_end(m, "rows", edges);
}

gpugraph_status gg_multigraph_list_rows(gpugraph_multigraph *m, uint64_t count,
                                        const uint32_t *vertex, bool loopless,
                                        gpugraph_run *run, struct chain_rows *rows) {
    gpugraph_dynamic *d = m->pairs;
    struct dynamic_batch b;
    struct chain_batch c = {.loopless = loopless};
    if (!gg_dynamic_begin(d, run, count, vertex, NULL, NULL, &b))
        return gg_dynamic_close(d);
    b.vertex = b.source;
    rows->edges = make_chain_rows(m, &b, true, &c);
    rows->offset = c.row_offset;
    rows->target = c.to_target;
    rows->weight = c.to_weight;
    return gg_dynamic_close(d);
}

gpugraph_status gpugraph_multigraph_rows(gpugraph_multigraph *m, gpugraph_run *run,
                                         uint64_t *offset, uint32_t *target, int64_t *id,
                                         int64_t *weight) {
    struct dynamic_batch rows = {.count = m->pairs->slabs.n};
    gg_begin(run);
    if (!gg_needs(run, offset, 1, "offset"))
        return run->status;
    if (!gg_dynamic_open(m->pairs, run))
        return gg_dynamic_close(m->pairs);
    return bring_rows(m, &rows, offset, target, id, weight);
}

gpugraph_status gpugraph_multigraph_rows_of(gpugraph_multigraph *m, uint64_t count,
                                            const uint32_t *vertex, gpugraph_run *run,
                                            uint64_t *offset, uint32_t *target,
                                            int64_t *id, int64_t *weight) {
    struct dynamic_batch rows;
    gg_begin(run);
    if (!gg_needs(run, vertex, count, "vertex") || !gg_needs(run, offset, 1, "offset"))
        return run->status;
    if (!gg_dynamic_begin(m->pairs, run, count, vertex, NULL, NULL, &rows))
        return gg_dynamic_close(m->pairs);
    rows.vertex = rows.source;
    return bring_rows(m, &rows, offset, target, id, weight);
}

/* ---- vertices ---- */

uint32_t gpugraph_multigraph_vertex_count(const gpugraph_multigraph *m) {
    return gpugraph_dynamic_vertex_count(m->pairs);
}

gpugraph_status gpugraph_multigraph_reserve(gpugraph_multigraph *m, uint32_t vertices,
                                            gpugraph_run *run) {
    return gpugraph_dynamic_reserve(m->pairs, vertices, run);
}
