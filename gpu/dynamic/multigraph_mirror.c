/* The transpose of a multigraph: a table of reversed pairs, whose values are the same
** chains.
**
**     graph    source -> target: first slot ----+
**                                               v
**     mirror   target -> source: first slot --> [ id weight next ] ...
**
** The lane that changes the first slot of a pair changes both entries. So a mirror costs
** a batch one more insertion for each pair, and the transpose has no edges of its own. */
#include "multigraph.h"

bool gg_mirror_open(gpugraph_multigraph *m, gpugraph_run *run) {
    if (!m->mirror)
        return true;
    if (gg_dynamic_open(m->mirror->pairs, run))
        return true;
    gg_dynamic_close(m->mirror->pairs);
    return false;
}

/* The graph and the mirror have lost the same number of pairs. */
void gg_mirror_close(gpugraph_multigraph *m) {
    if (!m->mirror)
        return;
    m->mirror->pairs->edges = m->pairs->edges;
    gg_dynamic_close(m->mirror->pairs);
}

void gg_mirror_put(gpugraph_multigraph *m, const struct dynamic_batch *pairs) {
    struct dynamic_batch b = *pairs;
    if (!m->mirror || !gg_dynamic_going(m->pairs))
        return;
    b.source = pairs->target;
    b.target = pairs->source;
    b.ordered = false;
    gg_dynamic_new_report(m->mirror->pairs);
    gg_dynamic_put(m->mirror->pairs, &b);
    m->pairs->ms += m->mirror->pairs->ms;
}

void gg_mirror_name(const gpugraph_multigraph *m, struct chain_batch *c) {
    c->mirrored = m->mirror != NULL;
    if (m->mirror)
        c->mirror = m->mirror->pairs->slabs;
}

uint64_t gg_multigraph_pairs(gpugraph_multigraph *m, gpugraph_run *run) {
    gpugraph_dynamic *d = m->pairs;
    const struct dynamic_batch all = {.count = d->slabs.n};
    uint64_t pairs = 0;
    if (gg_dynamic_open(d, run))
        pairs = gg_dynamic_count_edges(d, &all);
    gg_dynamic_close(d);
    return pairs;
}

/* Inserts every pair of the graph with an empty chain. The pairs come from rows in the
** memory of the slabs. */
static void put_all(gpugraph_dynamic *d, gpugraph_dynamic *mirror,
                    struct dynamic_batch *rows) {
    const uint64_t bytes = (d->edges * sizeof(uint32_t) + 255) / 256 * 256;
    if (!gg_dynamic_make_rows(d, d->edges, true, rows) ||
        !gg_dynamic_make_room(mirror, &mirror->scratch, 2 * bytes))
        return;
    char *scratch = mirror->scratch.block;
    struct dynamic_batch pairs = {.count = d->edges,
                                  .source = rows->row_target,
                                  .target = rows->row_value,
                                  .value = (uint32_t *)scratch,
                                  .result = (uint32_t *)(scratch + bytes),
                                  .keep = true};
    d->place->fill(d, scratch, 0xff, bytes);
    gg_dynamic_new_report(mirror);
    gg_dynamic_put(mirror, &pairs);
}

static void reflect_all(gpugraph_multigraph *m, gpugraph_run *run) {
    gpugraph_dynamic *d = m->pairs;
    struct dynamic_batch rows = {.count = d->slabs.n, .name_rows = true};
    struct chain_batch c = gg_chain_batch(m);
    if (gg_dynamic_open(d, run) && gg_mirror_open(m, run)) {
        if (d->edges > 0)
            put_all(d, m->mirror->pairs, &rows);
        if (d->edges > 0 && gg_dynamic_going(d)) {
            c.pair_source = rows.row_value;
            c.pair_target = rows.row_target;
            gg_mirror_name(m, &c);
            m->place->step(d, CHAIN_MIRROR, &c, d->edges);
        }
        gg_dynamic_end(m->mirror->pairs, "mirror", d->edges);
    }
    gg_chain_end(m, "rows", d->edges);
}

gpugraph_status gg_multigraph_mirror(gpugraph_multigraph *m, gpugraph_run *run,
                                     gpugraph_multigraph **made) {
    const gpugraph_dynamic_options options = {.vertices = m->pairs->slabs.n,
                                              .valued = true};
    if (gg_multigraph_new(&options, m->pairs->place, m->pairs->lent, run, made))
        return run->status;
    (*made)->of = m;
    m->mirror = *made;
    reflect_all(m, run);
    return run->status;
}
