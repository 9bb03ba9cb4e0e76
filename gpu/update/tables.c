/* The store of a graph's edges in this process's memory, and what is asked of any store.
**
**     gpugraph_keep_tables   where they are to be
**     gpugraph_make_tables   made of the edges: here, and where a device's copy lies (patch_store.cu)
**     gpugraph_update        deletions, then insertions, before anything else of the graph changes
**     gpugraph_check_tables  compared with the edges
**
** A store that cannot be made, or follow a batch, or that fails, is refused while the graph lasts: one of which
** edges with the same ends share an id, say. */
#include "update.h"

struct kept_here {
    struct graph_tables frame;
    edge_store store;
    bool filled, refused;
};

static struct kept_here *here(const gpugraph_graph *graph) {
    return (struct kept_here *)graph->tables;
}

static void tell(struct kept_here *k, int64_t bytes) {
    __atomic_store_n(&k->frame.bytes, bytes, __ATOMIC_RELAXED);
}

static void empty(struct kept_here *k) {
    gg_store_free(&k->store);
    k->filled = false;
    tell(k, 0);
}

static void free_tables(struct graph_tables *tables) {
    empty((struct kept_here *)tables);
    gg_release(tables);
}

/* Their errors are no errors of the graph's; an interrupt is. */
static void give_up(gpugraph_graph *graph, const gpugraph_run *own, gpugraph_run *run) {
    empty(here(graph));
    here(graph)->refused = own->status != GPUGRAPH_INTERRUPTED;
    if (own->status == GPUGRAPH_INTERRUPTED)
        gg_stopped(run);
}

static gpugraph_run quiet(const gpugraph_run *run) {
    gpugraph_run own = *run;
    own.phase = NULL; /* one phase tells of all */
    return own;
}

/* Both sides, of the edges as they are. */
static void fill(gpugraph_graph *graph, gpugraph_run *run) {
    struct kept_here *k = here(graph);
    const struct chain_edges edges = {
        .count = graph->m,
        .source = graph->source,
        .target = graph->target,
        .id = graph->edge_id,
        .weight = graph->weight,
        .weight_size = graph->weight ? gg_distance_size(graph->distance_type) : 0};
    if (!gg_store_fill(&k->store, graph->n, &edges, &gg_cpu_dynamic, NULL, run))
        gg_store_mirror(&k->store, run);
    k->filled = !run->status;
    tell(k, gg_store_bytes(&k->store));
}

/* Tables that are filled; NULL: there are none to be, or the run must end. */
static struct kept_here *filled(gpugraph_graph *graph, gpugraph_run *run) {
    gpugraph_run own = quiet(run);
    if (gg_tables_kept(graph) < GPUGRAPH_ALL_TABLES || !gg_store_holds(graph))
        return NULL;
    if (!graph->tables) {
        struct kept_here *k = gg_alloc_zero(&own, 1, sizeof *k);
        if (!k)
            return NULL;
        k->frame.free = free_tables;
        __atomic_store_n(&graph->tables, &k->frame, __ATOMIC_RELEASE);
    }
    if (here(graph)->refused)
        return NULL;
    if (!here(graph)->filled)
        fill(graph, &own);
    if (own.status) {
        give_up(graph, &own, run);
        return NULL;
    }
    return here(graph);
}

void gpugraph_keep_tables(gpugraph_graph *graph, gpugraph_tables where) {
    __atomic_store_n(&graph->tables_kept, where, __ATOMIC_RELAXED);
}

gpugraph_status gpugraph_make_tables(gpugraph_graph *graph, gpugraph_run *run) {
    bool nested;
    gg_enter_graph(graph, run);
    gg_count_for(NULL);
    if (gg_tables_kept(graph) &&
        !__atomic_load_n(&graph->tables_settled, __ATOMIC_RELAXED) &&
        __atomic_load_n(&graph->device, __ATOMIC_ACQUIRE) && gg_patches.make)
        gg_patches.make(graph, run);
    if (gg_tables_kept(graph) == GPUGRAPH_ALL_TABLES && !gg_bring_edges(graph, run) &&
        gg_begin_making(graph, run, &nested)) {
        if (!nested)
            filled(graph, run);
        if (!nested)
            gg_end_making(graph);
    }
    return gg_leave_graph(graph, run);
}

void gg_tables_first(update *u) {
    gpugraph_graph *graph = u->graph;
    gpugraph_run own = quiet(u->run);
    const bool kept = gg_tables_kept(graph) == GPUGRAPH_ALL_TABLES;
    struct kept_here *k = here(graph);
    store_changes changes;
    const bool follows = gg_store_follows(u);
    if (k && (!kept || !follows))
        empty(k);
    if (k && kept && !follows)
        k->refused = true;
    if (!kept || !follows)
        return;
    k = filled(graph, u->run);
    if (!k)
        return;
    gpugraph_run *run = u->run;
    u->run = &own;
    if (!gg_store_changes(u, &k->store, &changes)) {
        gg_store_change(&k->store, &changes, &own);
        gg_store_changes_free(&changes);
    }
    u->run = run;
    if (own.status)
        give_up(graph, &own, run);
    tell(k, gg_store_bytes(&k->store));
    u->tables_ahead = k->filled;
}

void gg_tables_behind(update *u) {
    if (u->tables_ahead)
        empty(here(u->graph));
    u->tables_ahead = false;
}

gpugraph_status gpugraph_check_tables(gpugraph_graph *graph, gpugraph_run *run) {
    gg_begin(run);
    struct kept_here *k = here(graph);
    if ((!graph->device && !k) || gg_bring_edges(graph, run))
        return run->status;
    if (k && k->filled) {
        gpugraph_run own = quiet(run);
        if (gg_store_check(&k->store, graph, &own) == GPUGRAPH_INVALID)
            return gg_fail(run, GPUGRAPH_INVALID, "%s", own.message);
        run->status = own.status;
    }
    if (run->status || !graph->device || !gg_patches.check)
        return run->status;
    return gg_patches.check(graph, run);
}

void gpugraph_tables_memory(const gpugraph_graph *graph, int64_t *host_bytes,
                            int64_t *device_bytes) {
    *host_bytes = gg_tables_bytes(graph);
    *device_bytes = graph->device && gg_patches.held ? gg_patches.held(graph) : 0;
}
