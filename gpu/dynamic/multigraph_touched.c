/* Rows of which a few are read again from a multigraph, while the others move as they are.
**
**     before    | 0 ....... | 1 .... | 2 .......... | 3 .. |        1 and 3 are touched
**                    |                     |
**     tables         |        1 ......     |          3               <- chains of 1 and 3
**                    v          v          v          v
**     after     | 0 ....... | 1 ...... | 2 .......... | 3 |
**
** An arc moves by what touched rows before it have grown. */
#include "multigraph.h"
#include "tuning.h"

/* What the touched rows were: arrays in one block. */
static bool carve_before(gpugraph_multigraph *m, uint64_t count, struct chain_batch *c) {
    for (int pass = 0; pass < 2; pass++) {
        char *block = pass ? m->rows.block : NULL;
        uint64_t used = 0;
        c->was_begin = gg_chain_carve(block, &used, count + 1, sizeof *c->was_begin);
        c->was_at = gg_chain_carve(block, &used, count + 1, sizeof *c->was_at);
        c->was_long = gg_chain_carve(block, &used, count + 1, sizeof *c->was_long);
        if (!gg_dynamic_make_room(m->pairs, &m->rows, used))
            return false;
    }
    return true;
}

/* Arcs that the touched rows had. */
static uint64_t count_before(gpugraph_multigraph *m, struct chain_batch *c) {
    gpugraph_dynamic *d = m->pairs;
    struct dynamic_batch sums = {
        .count = c->touched, .row_count = c->was_long, .row_offset = c->was_at};
    uint64_t sum = 0;
    m->place->step(d, CHAIN_BEFORE, c, c->touched);
    if (gg_dynamic_going(d))
        d->place->offsets(d, &sums);
    d->place->download(d, &sum, c->was_at + c->touched, sizeof sum);
    return gg_dynamic_going(d) ? sum : 0;
}

static void name_arrays(const struct chain_touched *t, const struct chain_rows *rows,
                        struct chain_batch *c) {
    const bool wide = rows->weight_size == sizeof(int64_t);
    c->touched = t->count;
    c->before_rows = t->rows;
    c->before_offset = t->offset;
    c->before_target = t->target;
    c->number_of = rows->number;
    c->to_offset = rows->offset;
    c->to_target = rows->target;
    if (!rows->weight)
        return;
    c->before_weight = wide ? t->weight : NULL;
    c->before_weight_32 = wide ? NULL : t->weight;
    c->to_weight = wide ? rows->weight : NULL;
    c->to_weight_32 = wide ? NULL : rows->weight;
}

/* Edges of the touched rows. */
static uint64_t touch(gpugraph_multigraph *m, struct dynamic_batch *b,
                      const struct chain_touched *t, const struct chain_rows *rows) {
    gpugraph_dynamic *d = m->pairs;
    struct chain_batch c;
    uint64_t pairs, edges = gg_find_chains(m, b, &c, &pairs), before;
    if (!gg_dynamic_going(d) || !carve_before(m, t->count, &c))
        return 0;
    name_arrays(t, rows, &c);
    c.touched_vertex = b->target;
    m->place->step(d, CHAIN_OFFSETS, &c, t->count + 1);
    before = count_before(m, &c);
    if (gg_dynamic_going(d) && t->arcs - before + edges != t->arcs_after)
        gg_fail(d->run, GPUGRAPH_INVALID, "rows of %llu edges, and the graph has %llu",
                (unsigned long long)(t->arcs - before + edges),
                (unsigned long long)t->arcs_after);
    m->place->step(d, CHAIN_BEGIN, &c, rows->rows + 1);
    m->place->step(d, CHAIN_MOVE, &c, t->arcs);
    m->place->step(d, CHAIN_SET, &c, pairs);
    return edges;
}

gpugraph_status gg_multigraph_touch_rows(gpugraph_multigraph *m,
                                         const struct chain_touched *before,
                                         const struct chain_rows *rows,
                                         gpugraph_run *run) {
    gpugraph_dynamic *d = m->pairs;
    struct dynamic_batch b;
    if (!gg_dynamic_begin(d, run, before->count, before->vertex, before->row, NULL, &b))
        return gg_dynamic_close(d);
    b.vertex = b.source;
    d->place->mark(d, 0);
    uint64_t edges = touch(m, &b, before, rows);
    d->place->mark(d, 1);
    return gg_chain_end(m, "rows", d->place->elapsed(d), edges);
}

/* Room for what is there, and for more to come. */
static bool has_room(gpugraph_dynamic *d, struct held *h, uint64_t entries) {
    const uint64_t bytes = entries * sizeof(uint32_t);
    if (bytes > h->bytes)
        gg_dynamic_enlarge(d, h, bytes + bytes / GG_ROOM_SHARE + 256, 0);
    return gg_dynamic_going(d);
}

gpugraph_status gg_multigraph_number(gpugraph_multigraph *m, uint64_t count,
                                     const uint32_t *slot, uint64_t slots, uint64_t known,
                                     struct chain_rows *rows, gpugraph_run *run) {
    gpugraph_dynamic *d = m->pairs;
    struct chain_batch c = {.slot_of = slot, .numbered = known};
    if (!gg_dynamic_open(d, run))
        return gg_dynamic_close(d);
    if (has_room(d, &m->numbers, slots) && !d->place->host &&
        has_room(d, &m->slots, count)) {
        uint32_t *there = m->slots.block;
        d->place->upload(d, there + known, slot + known, (count - known) * sizeof *slot);
        c.slot_of = there;
    }
    c.to_number = m->numbers.block;
    if (gg_dynamic_going(d) && known < count)
        m->place->step(d, CHAIN_NUMBER, &c, count - known);
    rows->slot = c.slot_of;
    rows->number = c.to_number;
    return gg_dynamic_close(d);
}
