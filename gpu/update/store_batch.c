/* Converts a batch of changes for a store of edges (store/store.h): to ends and ids. */
#include "update.h"

bool gg_store_holds(const gpugraph_graph *graph) {
    return graph->m < UINT32_MAX - 1 && graph->n <= SLAB_MOST_VERTICES;
}

bool gg_store_follows(const update *u) {
    return gg_store_holds(u->graph) && u->edges.after < UINT32_MAX - 1 &&
           (uint64_t)u->graph->n + u->fresh <= SLAB_MOST_VERTICES && !u->changes->before;
}

void gg_store_changes_free(store_changes *c) {
    void *blocks[] = {c->gone_source, c->gone_target, c->gone_id,    c->come_source,
                      c->come_target, c->come_id,     c->come_weight};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
    *c = (store_changes){0};
}

static void take_store_batch(update *u, store_changes *c) {
    gpugraph_run *run = u->run;
    c->gone_source = gg_alloc(run, c->gone, sizeof *c->gone_source);
    c->gone_target = gg_alloc(run, c->gone, sizeof *c->gone_target);
    c->gone_id = gg_alloc(run, c->gone, sizeof *c->gone_id);
    c->come_source = gg_alloc(run, c->come, sizeof *c->come_source);
    c->come_target = gg_alloc(run, c->come, sizeof *c->come_target);
    c->come_id = gg_alloc(run, c->come, sizeof *c->come_id);
    if (u->weight)
        c->come_weight = gg_alloc(run, c->come, sizeof *c->come_weight);
}

/* ---- the batch ---- */

gpugraph_status gg_store_changes(update *u, store_changes *c) {
    const bool narrow = gg_distance_size(u->distance_type) == sizeof(uint32_t);
    *c = (store_changes){
        .gone = u->removed_count, .come = u->added_count, .vertices = u->n};
    take_store_batch(u, c);
    if (u->run->status) {
        gg_store_changes_free(c);
        return u->run->status;
    }
    for (uint64_t i = 0; i < c->gone; i++) {
        c->gone_source[i] = gg_removed_end(u, (end_ref)(2 * i));
        c->gone_target[i] = gg_removed_end(u, (end_ref)(2 * i + 1));
        c->gone_id[i] = u->removed_id[i];
    }
    for (uint64_t i = 0; i < c->come; i++) {
        c->come_source[i] = u->new_source[i];
        c->come_target[i] = u->new_target[i];
        c->come_id[i] = u->added->edge_id[i];
        if (c->come_weight)
            c->come_weight[i] = narrow ? ((const uint32_t *)u->weight)[i]
                                       : ((const int64_t *)u->weight)[i];
    }
    return GPUGRAPH_OK;
}
