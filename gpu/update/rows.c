/* What a batch changes in the CSRs that were made.
**
**     arcs that go      sorted by (old row, old target, weight), found in their rows
**     arcs that come    sorted by (new row, new target); both walk over the rows together
**
** Old and new numbers of vertices have the same order, so a place in a row of old targets
** can be found for a new one. Nothing is changed here: the plan says which arcs go and
** what is put where, and by how much offsets grow. */
#include "rows.h"

/* ---- lists of arcs ---- */

/* The weight of an arc that goes, as the slot has it. */
static uint64_t going_weight(const row_walk *w, end_ref ref) {
    uint64_t e = w->u->removed[ref / 2];
    if (!w->slot->weight)
        return 0;
    return w->p->numbers ? e
                         : gg_weight_at(w->u->graph->weight, e, gg_old_weight_size(w));
}

/* Arcs of the batch's edges in a kind of CSR: 2 * i leaves the source of edge i, 2 * i + 1
** its target. */
static uint64_t list_arcs(end_ref *ref, uint64_t edges, enum csr_kind kind,
                          const update *u, bool removed) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < edges; i++) {
        end_ref from = (end_ref)(2 * i);
        bool loop = removed ? gg_removed_end(u, from) == gg_removed_end(u, from + 1)
                            : u->end[from].new == u->end[from + 1].new;
        if (kind != CSR_IN)
            ref[count++] = from;
        if (kind == CSR_IN || (kind == CSR_BOTH && !loop))
            ref[count++] = from + 1;
    }
    return count;
}

/* In CSR_SIMPLE each edge listed stands for both its arcs. */
static uint64_t both_arcs(end_ref *ref, uint64_t count) {
    for (uint64_t i = count; i-- > 0;) {
        ref[2 * i + 1] = ref[i] + 1;
        ref[2 * i] = ref[i];
    }
    return 2 * count;
}

static void list_all(row_walk *w, enum csr_kind kind) {
    update *u = w->u;
    if (kind == CSR_SIMPLE) {
        gg_update_simple(u, &w->goings, &w->comings);
        w->goings = both_arcs(u->going, w->goings);
        w->comings = both_arcs(u->coming, w->comings);
    } else {
        uint64_t more = w->slot->weight && !w->p->numbers ? u->reweighted : 0;
        w->goings = list_arcs(u->going, u->removed_count + more, kind, u, true);
        w->comings = list_arcs(u->coming, u->added_count + more, kind, u, false);
    }
}

static void sort_all(row_walk *w) {
    update *u = w->u;
    if (w->slot->weight && !w->p->numbers && w->goings > 1) {
        for (uint64_t i = 0; i < w->goings; i++)
            u->key[i] = going_weight(w, w->going[i]);
        gg_update_sort(u, w->going, w->goings);
    }
    for (uint64_t i = 0; i < w->goings; i++)
        u->key[i] =
            (uint64_t)gg_going_row(w, i) << 32 | gg_removed_end(u, w->going[i] ^ 1);
    gg_update_sort(u, w->going, w->goings);
    for (uint64_t i = 0; i < w->goings; i++) {
        w->column[i] = (uint32_t)u->key[i];
        w->weight[i] = going_weight(w, w->going[i]);
    }
    for (uint64_t k = 0; k < w->comings; k++)
        u->key[k] =
            (uint64_t)u->end[w->coming[k]].new << 32 | u->end[w->coming[k] ^ 1].new;
    gg_update_sort(u, w->coming, w->comings);
}

/* ---- a walk ---- */

static bool take_arrays(row_walk *w) {
    gpugraph_run *run = w->u->run;
    row_plan *p = w->p;
    uint64_t go = w->goings, come = w->comings;
    w->column = gg_alloc(run, go, sizeof *w->column);
    w->weight = w->column ? gg_alloc(run, go, sizeof *w->weight) : NULL;
    w->matched = w->weight ? gg_alloc_zero(run, go, sizeof *w->matched) : NULL;
    p->removed_at = w->matched ? gg_alloc(run, go, sizeof *p->removed_at) : NULL;
    p->inserted_at = p->removed_at ? gg_alloc(run, come, sizeof *p->inserted_at) : NULL;
    p->place = p->inserted_at ? gg_alloc(run, come, sizeof *p->place) : NULL;
    p->target = p->place ? gg_alloc(run, come, sizeof *p->target) : NULL;
    p->weight = p->target ? gg_alloc(run, come, p->weight_size) : NULL;
    p->event_at = p->weight ? gg_alloc(run, go + come, sizeof *p->event_at) : NULL;
    p->event_by = p->event_at ? gg_alloc(run, go + come, sizeof *p->event_by) : NULL;
    p->fresh_start =
        p->event_by ? gg_alloc_zero(run, w->u->fresh, sizeof *p->fresh_start) : NULL;
    return p->fresh_start != NULL;
}

void gg_end_walk(row_walk *w) {
    gg_release(w->column);
    gg_release(w->weight);
    gg_release(w->matched);
    gg_release(w->going_at);
    gg_release(w->coming_at);
}

bool gg_begin_walk(row_walk *w, enum csr_kind kind) {
    list_all(w, kind);
    if (gg_stopping(w->u->run) || !take_arrays(w))
        return false;
    sort_all(w);
    return !gg_stopping(w->u->run);
}

/* ---- a plan ---- */

static void plan_moves(update *u, row_plan *p) {
    struct csr_slot *slot = p->slot;
    array_move move = {.array = (void **)&slot->target,
                       .size = sizeof *slot->target,
                       .s = &p->arcs,
                       .count = p->inserted,
                       .place = p->place,
                       .put = p->target,
                       .numbers = &u->vertices};
    gg_plan_move(u, move);
    if (slot->weight) {
        move.array = &slot->weight;
        move.size = p->weight_size;
        move.put = p->weight;
        move.numbers = p->numbers ? &u->edges : NULL;
        if (!p->numbers && u->distance_type != u->graph->distance_type)
            move.how = u->distance_type == GPUGRAPH_UINT32 ? NARROW : WIDEN;
        gg_plan_move(u, move);
    }
    uint64_t entries = u->vertices.after + 1;
    if (!gg_stopping(u->run) && entries * sizeof *slot->offset > gg_room(slot->offset))
        p->offset = gg_alloc_roomy(u->run, entries, sizeof *slot->offset);
}

static void plan_rows(update *u, enum csr_kind kind, struct csr_slot *slot,
                      bool numbers) {
    row_plan *p = &u->rows[u->row_plans++];
    row_walk w = {.u = u, .p = p, .slot = slot, .going = u->going, .coming = u->coming};
    *p = (row_plan){.slot = slot, .numbers = numbers};
    if (slot->weight)
        p->weight_size =
            numbers ? gg_edge_size(u->graph->wide) : gg_distance_size(u->distance_type);
    if (gg_begin_walk(&w, kind))
        gg_fill_row_plan(&w);
    if (!gg_stopping(u->run) &&
        !gg_splice_make(u->run, &p->arcs, slot->m, p->removed_at, p->removed,
                        p->inserted_at, p->inserted, p->place))
        plan_moves(u, p);
    gg_end_walk(&w);
}

void gg_free_row_plan(row_plan *p) {
    void *blocks[] = {p->removed_at, p->inserted_at, p->place,       p->target, p->weight,
                      p->event_at,   p->event_by,    p->fresh_start, p->offset};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        gg_release(blocks[k]);
    gg_splice_free(&p->arcs);
}

void gg_update_rows(update *u) {
    gpugraph_graph *graph = u->graph;
    bool same_ends = gg_same_ends(u); /* SIMPLE has no weights */
    for (int kind = 0; kind < CSR_KINDS && !gg_stopping(u->run); kind++)
        if (graph->csr[kind].made && !(same_ends && kind == CSR_SIMPLE))
            plan_rows(u, (enum csr_kind)kind, &graph->csr[kind], false);
    if (gg_keeps_edge_rows(u) && !gg_stopping(u->run))
        plan_rows(u, CSR_OUT, &graph->edge_rows, true);
}
