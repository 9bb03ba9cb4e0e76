/* The tables of a graph's edges on its device (store/store.h). An update first applies
** its batch to the tables.
**
**     edges of the copy  --once, after a search-->  tables OUT, and IN if rows need it
**     batch              ------->   tables  --rows that change (rewrite.cu)--> the copy
**
** Tables only save time. If memory is short or an operation on the tables fails, they are
** freed, and rows are rebuilt from the edges. */
#include "patch.cuh"
#include "graph/graph.h"

/* Device bytes that must stay free when weights are uploaded for the tables. */
#define SPARE_ROOM ((int64_t)64 << 20)

struct kept_tables {
    struct device_part part;
    edge_store store;
    int64_t counted;   /* bytes that the part's account includes */
    bool filled, busy; /* busy: in use, not to be dropped */
    bool refused;      /* tables have failed: not made again while the copy stays */
};

static void account_for_tables(struct kept_tables *k) {
    int64_t bytes = gg_store_bytes(&k->store);
    add_bytes(&k->part, bytes - k->counted);
    k->counted = bytes;
}

static void empty(gpugraph_graph *graph, struct kept_tables *k) {
    gg_store_lend(&k->store, NULL);
    gg_store_free(&k->store);
    k->filled = false;
    __atomic_store_n(&graph->derived.tables_settled, k->refused, __ATOMIC_RELAXED);
    account_for_tables(k);
}

static void drop_tables(gpugraph_graph *graph, struct device_part *part, unsigned) {
    struct kept_tables *k = (struct kept_tables *)part;
    if (!k->busy)
        empty(graph, k);
}

static const struct device_part_kind tables_kind = {
    "slab tables", sizeof(struct kept_tables), PART_ON_ROOM, drop_tables};

/* Calls use(), during which tables are not dropped and no phase is reported: the caller
** reports one phase for all. */
template <typename work>
static void use_tables(struct cuda_job *job, struct kept_tables *k, const work &use) {
    auto phase = job->run->phase;
    job->run->phase = NULL;
    k->busy = true;
    gg_store_lend(&k->store, job);
    use();
    k->busy = false;
    account_for_tables(k);
    job->run->phase = phase;
}

/* Returns NULL if there are no tables. */
static struct kept_tables *tables_there(const gpugraph_graph *graph) {
    return (struct kept_tables *)gg_device_part_of(graph, &tables_kind);
}

/* Frees the tables after an error. An interrupt or a device failure ends the job; after
** any other error the job continues without tables. */
static void give_up(struct cuda_job *job, struct kept_tables *k) {
    const gpugraph_status status = job->run->status;
    cudaStreamSynchronize(job->stream);
    k->refused = status != GPUGRAPH_INTERRUPTED;
    empty(job->graph, k);
    if (status != GPUGRAPH_INTERRUPTED && status != GPUGRAPH_DEVICE_FAILED &&
        status != GPUGRAPH_DEVICE_MEMORY)
        gg_begin(job->run);
    gg_do_without(job);
}

/* ---- fill ---- */

/* Fills the tables; the host's edges must have no gaps. */
static void fill_tables(struct cuda_job *job, struct kept_tables *k) {
    const gpugraph_graph *graph = job->graph;
    const uint64_t bytes = graph->m * sizeof(int64_t);
    struct device_copy *copy = gg_device_copy_of(graph);
    int64_t *id = graph->edge_id ? (int64_t *)gg_take(job, bytes) : NULL;
    struct chain_edges edges = {copy->m, copy->source, copy->target,
                                id,      copy->weight, copy->weight_size};
    if (id)
        gg_upload(job, id, graph->edge_id, bytes);
    if (gg_going(job))
        gg_store_fill(&k->store, copy->n, &edges, gg_cuda_dynamic, job, job->run);
    if (id) {
        if (!gg_wait(job))
            cudaStreamSynchronize(job->stream);
        gg_give(job, id, bytes);
    }
}

/* True if the copy has rows that hold incoming arcs. */
static bool has_entering_arcs(const gpugraph_graph *graph) {
    const struct device_rows *rows = gg_device_copy_of(graph)->rows;
    return rows[CSR_IN].made || rows[CSR_BOTH].made || rows[CSR_SIMPLE].made;
}

static void mirror_tables(struct cuda_job *job, struct kept_tables *k) {
    if (gg_going(job) && !k->store.side[GPUGRAPH_IN] && has_entering_arcs(job->graph))
        gg_multigraph_mirror(k->store.side[GPUGRAPH_OUT], job->run,
                             &k->store.side[GPUGRAPH_IN]);
}

/* ---- making the tables ---- */

/* Uploads the edges and their weights. Returns false if memory is short. */
static bool bring_weights(struct cuda_job *job) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const bool weighted = gg_has_weights(job->graph);
    struct device_edges edges;
    if (weighted && !copy->weight &&
        (int64_t)(copy->m * copy->weight_size) + SPARE_ROOM > gg_device_room(job))
        return false;
    return gg_device_edges(job, weighted, &edges);
}

/* Returns false if there is no copy yet, so that a later call may try again. */
static bool make_patch_store(struct cuda_job *job) {
    gpugraph_graph *graph = job->graph;
    double started = gg_now_ms();
    if (!gg_device_copy_of(graph))
        return false;
    if (!gg_store_holds(graph->n, graph->m) || !bring_weights(job))
        return true;
    struct kept_tables *k = (struct kept_tables *)gg_device_part(job, &tables_kind);
    if (!k || k->refused || k->filled)
        return true;
    /* a graph in use permits this: any thread may close gaps at any time */
    gg_close_gaps(graph, gg_threads(job->run, graph->m));
    use_tables(job, k, [&] {
        fill_tables(job, k);
        mirror_tables(job, k);
        k->filled = gg_going(job) && gg_wait(job);
    });
    if (!gg_going(job))
        give_up(job, k);
    else
        gg_phase(job->run, "tables", started, (int64_t)graph->m,
                 "made on device %d: %lld bytes", job->device->ordinal,
                 (long long)k->counted);
    return true;
}

extern "C" void gg_cuda_make_store(gpugraph_graph *graph, gpugraph_run *run) {
    gpugraph_run own = *run; /* the search succeeds even if this run fails */
    struct cuda_job job;
    bool settled = true;
    own.device = graph->device->ordinal;
    if (gg_job_open(&job, graph, &own)) {
        settled = make_patch_store(&job);
        gg_job_close(&job);
    }
    if (own.status == GPUGRAPH_INTERRUPTED)
        gg_stopped(run);
    else if (settled)
        __atomic_store_n(&graph->derived.tables_settled, true, __ATOMIC_RELAXED);
}

/* ---- a batch ---- */

static void take_batch(struct there *t, struct kept_tables *k) {
    struct cuda_job *job = &t->job;
    store_changes changes;
    if (!gg_going(job) || gg_store_changes(t->u, &changes))
        return;
    gg_store_change(&k->store, &changes, job->run);
    if (gg_going(job))
        t->tables = k;
    gg_release(changes.come_weight);
}

void gg_store_first(struct there *t) {
    struct cuda_job *job = &t->job;
    struct kept_tables *k = tables_there(job->graph);
    if (!k || !k->filled)
        return;
    if (!gg_store_follows(t->u)) {
        k->refused = true;
        empty(job->graph, k);
        return;
    }
    double started = gg_now_ms();
    use_tables(job, k, [&] {
        mirror_tables(job, k);
        take_batch(t, k);
    });
    if (!t->tables) {
        give_up(job, k);
        return;
    }
    gg_phase(job->run, "tables", started,
             (int64_t)(t->u->removed_count + t->u->added_count),
             "updated by a batch on device %d: %lld bytes in all", job->device->ordinal,
             (long long)k->counted);
}

/* ---- rows ---- */

bool gg_has_tables(const struct there *t) {
    return t->tables && t->tables->filled;
}

bool gg_rows_of_tables(struct there *t, gpugraph_direction side, uint64_t count,
                       const uint32_t *vertex, bool loopless, struct chain_rows *rows) {
    if (!gg_has_tables(t))
        return false;
    use_tables(&t->job, t->tables, [&] {
        gg_multigraph_list_rows(t->tables->store.side[side], count, vertex, loopless,
                                t->job.run, rows);
    });
    return gg_going(&t->job);
}

/* ---- comparison with the graph ---- */

extern "C" gpugraph_status gg_cuda_check_copy(gpugraph_graph *graph, gpugraph_run *run) {
    struct cuda_job job;
    const int device = run->device;
    struct kept_tables *k = tables_there(graph);
    run->device = graph->device->ordinal;
    if (gg_job_open(&job, graph, run)) {
        auto phase = run->phase;
        run->phase = NULL;
        if (gg_check_device_copy(&job) && k && k->filled)
            use_tables(&job, k, [&] { gg_store_check(&k->store, graph, run); });
        run->phase = phase;
        gg_job_close(&job);
    }
    run->device = device;
    return run->status;
}
