/* The batches of a multigraph in host memory, by threads. */
#include "multigraph.h"
#include "tuning.h"

static void order_cpu(gpugraph_dynamic *d, const struct chain_sort *s,
                      struct chain_batch *c) {
    gpugraph_run *run = d->run;
    uint64_t *key = s->key[0];
    uint32_t *item = s->item[0];
    int threads = gg_threads(run, c->count);
    c->order = item;
    if (!gg_dynamic_going(d))
        return;
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < c->count; i++) {
        item[i] = (uint32_t)i;
        key[i] = chain_key(c->id[i]);
    }
    if (s->by_id && gg_sort_pairs(run, c->count, key, item, s->key[1], s->item[1]))
        return;
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < c->count; i++)
        key[i] = (uint64_t)c->source[item[i]] << 32 | c->target[item[i]];
    gg_sort_pairs(run, c->count, key, item, s->key[1], s->item[1]);
}

static void step_cpu(gpugraph_dynamic *d, enum chain_step step,
                     const struct chain_batch *c, uint64_t items) {
    gpugraph_run *run = d->run;
    bool ends = step == CHAIN_LINK || step == CHAIN_CUT;
    uint64_t gone = 0;
    if (!gg_dynamic_going(d))
        return;
    int threads = gg_threads(run, items * GG_SLAB_WORK);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) reduction(+ : gone)
    for (uint64_t i = 0; i < items; i++) {
        if (!ends && (gg_stopping(run) || (i % GG_POLL_ITEMS == 0 && gg_pause(run))))
            continue;
        gone += chain_item(&d->slabs, c, step, i);
    }
    d->slabs.pool->report.removed += gone;
    if (gg_stopping(run) && gg_dynamic_going(d))
        gg_stopped(run);
}

const chain_place gg_cpu_chains = {order_cpu, step_cpu};
