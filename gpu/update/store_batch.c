/* A batch of changes as a store of edges takes it (store/store.h): by ends and ids. */
#include "update.h"

bool gg_store_holds(const gpugraph_graph *graph) {
    return graph->m < UINT32_MAX - 1 && graph->n <= SLAB_MOST_VERTICES;
}

/* Vertices keep their numbers, but for those that come behind all others. */
bool gg_store_follows(const update *u) {
    return gg_store_holds(u->graph) && u->edges.after < UINT32_MAX - 1 &&
           u->vertices.after <= SLAB_MOST_VERTICES && !u->changes->before &&
           !gg_renumbers(&u->vertices);
}

void gg_store_changes_free(store_changes *c) {
    void *blocks[] = {c->gone_source, c->gone_target, c->gone_id,    c->come_source,
                      c->come_target, c->come_id,     c->come_weight};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
    *c = (store_changes){0};
}

static void take(update *u, store_changes *c) {
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

static int64_t old_id(const gpugraph_graph *graph, uint64_t e) {
    return graph->edge_id ? graph->edge_id[e] : (int64_t)e + 1;
}

/* Edges that get another weight follow the others in both lists, and stay where they are. */
gpugraph_status gg_store_changes(update *u, store_changes *c) {
    const gpugraph_graph *graph = u->graph;
    const bool narrow = gg_distance_size(u->distance_type) == sizeof(uint32_t);
    *c = (store_changes){.gone = u->removed_count,
                         .come = u->added_count + u->reweighted,
                         .vertices = (uint32_t)u->vertices.after};
    take(u, c);
    if (u->run->status) {
        gg_store_changes_free(c);
        return u->run->status;
    }
    for (uint64_t i = 0; i < c->gone; i++) {
        c->gone_source[i] = graph->source[u->removed[i]];
        c->gone_target[i] = graph->target[u->removed[i]];
        c->gone_id[i] = old_id(graph, u->removed[i]);
    }
    for (uint64_t i = 0; i < c->come; i++) {
        const bool added = i < u->added_count;
        const uint64_t e = added ? 0 : u->removed[u->removed_count + i - u->added_count];
        c->come_source[i] = added ? u->new_source[i] : graph->source[e];
        c->come_target[i] = added ? u->new_target[i] : graph->target[e];
        c->come_id[i] = added ? u->added->edge_id[i] : old_id(graph, e);
        if (c->come_weight)
            c->come_weight[i] = narrow ? ((const uint32_t *)u->weight)[i]
                                       : ((const int64_t *)u->weight)[i];
    }
    return GPUGRAPH_OK;
}
