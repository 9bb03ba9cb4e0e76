/* The batches of a multigraph in host memory, on threads. */
#include "multigraph.h"
#include "base/run.h"

typedef struct chain_order {
    const struct chain_batch *c;
    uint64_t *key;
    uint32_t *item;
} chain_order;

static void key_by_id(void *order, uint64_t low, uint64_t high) {
    const chain_order *o = order;
    for (uint64_t i = low; i < high; i++) {
        o->item[i] = (uint32_t)i;
        o->key[i] = chain_key(chain_id(o->c, (uint32_t)i));
    }
}

static void key_by_pair(void *order, uint64_t low, uint64_t high) {
    const chain_order *o = order;
    for (uint64_t i = low; i < high; i++)
        o->key[i] = (uint64_t)o->c->source[o->item[i]] << 32 | o->c->target[o->item[i]];
}

static void order_cpu(gpugraph_dynamic *d, const struct chain_sort *s,
                      struct chain_batch *c) {
    gpugraph_run *run = d->run;
    uint64_t *key = s->key[0];
    uint32_t *item = s->item[0];
    chain_order o = {c, key, item};
    int threads = gg_threads(run, c->count);
    c->order = item;
    if (!gg_dynamic_going(d))
        return;
    gg_slices(threads, c->count, key_by_id, &o);
    if (s->by_id && gg_sort_pairs(run, false, c->count, key, item, s->key[1], s->item[1]))
        return;
    gg_slices(threads, c->count, key_by_pair, &o);
    gg_sort_pairs(run, false, c->count, key, item, s->key[1], s->item[1]);
}

typedef struct chain_job {
    gpugraph_dynamic *d;
    const struct chain_batch *c;
    enum chain_step step;
    bool ends; /* the step must be completed once it has begun */
} chain_job;

static void do_items(void *job, uint64_t low, uint64_t high) {
    chain_job *j = job;
    gpugraph_run *run = j->d->run;
    uint64_t deleted = 0;
    for (uint64_t i = low; i < high; i++) {
        if (!j->ends && (gg_stopping(run) || gg_leave(run, i)))
            break;
        deleted += chain_item(&j->d->slabs, j->c, j->step, i);
    }
    __atomic_fetch_add(&j->d->slabs.pool->report.removed, deleted, __ATOMIC_RELAXED);
}

static void step_cpu(gpugraph_dynamic *d, enum chain_step step,
                     const struct chain_batch *c, uint64_t items) {
    gpugraph_run *run = d->run;
    chain_job job = {d, c, step, step == CHAIN_LINK || step == CHAIN_CUT};
    if (!gg_dynamic_going(d))
        return;
    gg_chunks(gg_threads(run, items * GG_SLAB_WORK), items, GG_SLAB_ITEMS, do_items,
              &job);
    if (gg_stopping(run) && gg_dynamic_going(d))
        gg_stopped(run);
}

const chain_place gg_cpu_chains = {order_cpu, step_cpu};
