/* What a batch changes in a copy of the graph, wherever that lies: the order of things. */
#include "patch.h"
#include "update.h"

/* Growth of offsets as sums; rows of fresh vertices by their distance from the row they are
** put before. */
static void add_up(const patch *p, row_plan *plan) {
    for (uint64_t i = 1; i < plan->events; i++)
        plan->event_by[i] += plan->event_by[i - 1];
    for (uint64_t f = p->fresh; f-- > 0;)
        if (f + 1 < p->fresh && p->fresh_at[f + 1] == p->fresh_at[f])
            plan->fresh_start[f] += plan->fresh_start[f + 1];
}

static bool patch_kind(const patch *p, enum csr_kind kind, const patch_rows *rows,
                       const patch_place *place, void *there) {
    row_plan plan;
    bool done = gg_plan_rows_there(p->of, kind, rows, place, there, &plan);
    if (done) {
        add_up(p, &plan);
        row_patch to = {.kind = kind,
                        .arcs = &plan.arcs,
                        .inserted = plan.inserted,
                        .place = plan.place,
                        .target = plan.target,
                        .weight = plan.weight,
                        .events = plan.events,
                        .event_at = plan.event_at,
                        .event_sum = (const uint64_t *)plan.event_by,
                        .fresh_back = plan.fresh_start};
        done = place->rows(there, &to);
    }
    gg_free_row_plan(&plan);
    return done;
}

bool gg_patch(const patch *p, const patch_rows rows[CSR_KINDS], const patch_place *place,
              void *there) {
    for (int kind = CSR_OUT; kind <= CSR_BOTH; kind++)
        if (rows[kind].made &&
            !patch_kind(p, (enum csr_kind)kind, &rows[kind], place, there))
            return false;
    return place->edges(there);
}

patch gg_patch_of(update *u) {
    return (patch){.graph = u->graph,
                   .run = u->run,
                   .of = u,
                   .changes = u->removed_count + u->added_count + 2 * u->reweighted +
                              u->fresh + u->vanished,
                   .edges = &u->edges,
                   .vertices = &u->vertices,
                   .added = u->added_count,
                   .reweighted = u->reweighted,
                   .added_edge = u->added_edge,
                   .source = u->new_source,
                   .target = u->new_target,
                   .weight = u->weight,
                   .fresh = u->fresh,
                   .fresh_at = u->fresh_at,
                   .fresh_new = u->fresh_new,
                   .same_ends = gg_same_ends(u)};
}

void gg_patch_device(update *u) {
    if (!u->graph->device)
        return;
    if (u->distance_type != u->graph->distance_type) {
        gpugraph_release_device(u->graph);
        return;
    }
    double started = gg_now_ms();
    patch p = gg_patch_of(u);
    gg_patches.follow(&p);
    u->patch_ms = gg_now_ms() - started;
}
