/* The tables of a graph's edges on its device (store/store.h): a batch of changes reaches them first.
**
**     edges of the copy  --with the first batch-->  tables OUT, and IN where there are rows of it
**     batch              --------------------->     tables  --rows that are made anew--> the copy
**
** They save time, so they go when memory is short, and where they fail the copy is patched without
** them. */
#include "patch.cuh"
#include "store_batch.h"

struct kept_tables {
    struct device_part part;
    edge_store store;
    int64_t told;      /* bytes that the part has been told of */
    bool filled, busy; /* busy: they are at work, and stay */
    bool refused;      /* they have failed: not tried again while the copy stays */
};

static void tell(struct kept_tables *k) {
    int64_t bytes = gg_store_bytes(&k->store);
    add_bytes(&k->part, bytes - k->told);
    k->told = bytes;
}

static void empty(struct kept_tables *k) {
    gg_store_lend(&k->store, NULL);
    gg_store_free(&k->store);
    k->filled = false;
    tell(k);
}

static void drop_tables(gpugraph_graph *, struct device_part *part, unsigned) {
    struct kept_tables *k = (struct kept_tables *)part;
    if (!k->busy)
        empty(k);
}

static const struct device_part_kind tables_kind = {sizeof(struct kept_tables),
                                                    PART_ON_ROOM, drop_tables};

static struct kept_tables *tables_of(const gpugraph_graph *graph) {
    return (struct kept_tables *)gg_device_part_of(graph, &tables_kind);
}

/* ---- fill ---- */

/* Ids as they are before the batch, for the time that it takes to fill. */
static int64_t *send_ids(struct cuda_job *job, const gpugraph_graph *graph) {
    uint64_t bytes = block_bytes(graph->m, sizeof(int64_t));
    int64_t *id = (int64_t *)gg_take(job, bytes);
    if (id && gg_upload(job, id, graph->edge_id, graph->m * sizeof *id))
        return id;
    if (id)
        gg_give(job, id, bytes);
    return NULL;
}

static void fill_side(struct there *t, struct kept_tables *k, gpugraph_direction side) {
    struct cuda_job *job = &t->job;
    const gpugraph_graph *graph = t->p->graph;
    const struct device_copy *copy = t->copy;
    if (!gg_going(job) || k->store.side[side])
        return;
    int64_t *id = graph->edge_id ? send_ids(job, graph) : NULL;
    struct chain_edges edges = {copy->m, copy->source, copy->target,
                                id,      copy->weight, copy->weight_size};
    if (gg_going(job))
        gg_store_fill(&k->store, side, copy->n, &edges, gg_cuda_dynamic, job, job->run);
    if (id) {
        if (!gg_wait(job))
            cudaStreamSynchronize(job->stream);
        gg_give(job, id, block_bytes(graph->m, sizeof *id));
    }
}

/* Weights that are not on the device yet cannot be put into tables there. */
static bool can_fill(const struct there *t) {
    const struct device_copy *copy = t->copy;
    return copy->source && copy->target && (copy->weight || !gg_has_weights(t->p->graph));
}

/* ---- a batch ---- */

static void take_batch(struct there *t, struct kept_tables *k) {
    struct cuda_job *job = &t->job;
    store_changes changes;
    if (!gg_going(job) || gg_store_changes(t->p->of, &changes))
        return;
    gg_store_change(&k->store, &changes, job->run);
    gg_store_changes_free(&changes);
    t->stored = gg_going(job);
}

/* As long as the arrays hold what comes. */
static bool can_remake(const struct there *t, enum csr_kind kind) {
    const struct device_rows *rows = &t->copy->rows[kind];
    return t->stored && rows->made && t->p->changes >= gg_store_ways.remade_from &&
           t->p->vertices->after < rows->offset_room && t->p->edges->after <= rows->room;
}

/* Interrupts end the job; whatever else has failed, the copy does without tables. */
static void give_up(struct there *t, struct kept_tables *k) {
    struct cuda_job *job = &t->job;
    cudaStreamSynchronize(job->stream);
    empty(k);
    k->refused = true;
    t->stored = false;
    if (job->run->status == GPUGRAPH_INVALID)
        gg_begin(job->run);
    gg_do_without(job);
}

void gg_store_first(struct there *t) {
    struct cuda_job *job = &t->job;
    gpugraph_run *run = job->run;
    if (!gg_store_ways.kept)
        return;
    struct kept_tables *k = (struct kept_tables *)gg_device_part(job, &tables_kind);
    if (!k || k->refused || (!k->filled && !can_fill(t)))
        return;
    if (!gg_store_follows(t->p->of)) {
        empty(k);
        return;
    }
    double started = gg_now_ms();
    auto phase = run->phase;
    bool fresh = !k->filled;
    run->phase = NULL; /* one phase tells of all */
    k->busy = true;
    gg_store_lend(&k->store, job);
    if (fresh)
        fill_side(t, k, GPUGRAPH_OUT);
    if (t->copy->rows[CSR_IN].made && can_fill(t))
        fill_side(t, k, GPUGRAPH_IN);
    k->filled = true;
    take_batch(t, k);
    run->phase = phase;
    k->busy = false;
    tell(k);
    if (!t->stored) {
        give_up(t, k);
        return;
    }
    t->remade[CSR_OUT] = can_remake(t, CSR_OUT);
    t->remade[CSR_IN] = k->store.side[GPUGRAPH_IN] && can_remake(t, CSR_IN);
    gg_phase(run, "tables", started, (int64_t)t->p->changes,
             "%s a batch on device %d: %lld bytes in all", fresh ? "made, and" : "take",
             job->device->ordinal, (long long)k->told);
}

/* ---- rows ---- */

static bool remake(struct there *t, struct kept_tables *k, enum csr_kind kind) {
    struct cuda_job *job = &t->job;
    struct device_rows *rows = &t->copy->rows[kind];
    struct chain_rows to = {t->copy->n, rows->offset, rows->target, rows->weight,
                            t->copy->weight_size};
    gg_store_rows(&k->store, (gpugraph_direction)kind, &to, job->run);
    rows->arcs = t->copy->m;
    t->moved +=
        ((uint64_t)t->copy->n + 1) * sizeof *rows->offset +
        rows->arcs * (sizeof *rows->target + (rows->weight ? t->copy->weight_size : 0));
    return gg_going(job) && gg_wait(job);
}

bool gg_remake_rows(struct there *t) {
    struct kept_tables *k = tables_of(t->p->graph);
    gpugraph_run *run = t->job.run;
    auto phase = run->phase;
    bool done = true;
    run->phase = NULL;
    for (int kind = CSR_OUT; kind <= CSR_IN && done; kind++) {
        if (!t->remade[kind])
            continue;
        if (!k->filled)
            done = false; /* given back meanwhile, where memory is short */
        k->busy = true;
        done = done && remake(t, k, (enum csr_kind)kind);
        k->busy = false;
        tell(k);
    }
    run->phase = phase;
    return done;
}

/* ---- against the graph ---- */

extern "C" gpugraph_status gg_cuda_check_store(gpugraph_graph *graph, gpugraph_run *run) {
    struct cuda_job job;
    const int device = run->device;
    struct kept_tables *k = graph->device ? tables_of(graph) : NULL;
    if (!k || !k->filled)
        return run->status;
    run->device = graph->device->ordinal;
    if (gg_job_open(&job, graph, run)) {
        auto phase = run->phase;
        run->phase = NULL;
        k->busy = true;
        gg_store_lend(&k->store, &job);
        gg_store_check(&k->store, graph, run);
        k->busy = false;
        tell(k);
        run->phase = phase;
        gg_job_close(&job);
    }
    run->device = device;
    return run->status;
}
