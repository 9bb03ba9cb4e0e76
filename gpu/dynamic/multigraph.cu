/* The batches of a multigraph on a device. The operations of a lane: edge_chain.h. */
#include "dynamic.cuh"
#include "multigraph.h"

#include <cub/device/device_radix_sort.cuh>

/* ---- order ---- */

static __global__ void keys_by_id(chain_batch c, uint64_t *key, uint32_t *item) {
    for (uint64_t i = gg_thread(); i < c.count; i += gg_threads_of_grid()) {
        key[i] = chain_key(c.id[i]);
        item[i] = (uint32_t)i;
    }
}

/* item: NULL for items in the order of the batch. */
static __global__ void keys_by_pair(chain_batch c, const uint32_t *item, uint64_t *key,
                                    uint32_t *to) {
    for (uint64_t i = gg_thread(); i < c.count; i += gg_threads_of_grid()) {
        uint32_t at = item ? item[i] : (uint32_t)i;
        key[i] = (uint64_t)c.source[at] << 32 | c.target[at];
        to[i] = at;
    }
}

static cudaError_t sort_pairs(const chain_sort &s, void *scratch, size_t *bytes,
                              uint64_t count, int bits, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortPairs(scratch, *bytes, s.key[0], s.key[1], s.item[0],
                                           s.item[1], count, 0, bits, stream);
}

static void order_cuda(gpugraph_dynamic *d, const chain_sort *s, chain_batch *c) {
    struct cuda_job *job = d->job;
    workspace space = {NULL, 0};
    size_t bytes = 0;
    int bits = 33;
    unsigned grid = gg_grid(job, c->count, GG_DYNAMIC_GRID);
    if (!gg_going(job))
        return;
    while (bits < 64 && (d->slabs.n - 1) >> (bits - 32))
        bits++;
    gg_note(job, sort_pairs(*s, NULL, &bytes, c->count, 64, job->stream),
            "ask what a sort needs");
    gg_carve<unsigned char>(&space, bytes);
    if (!gg_workspace(job, &space))
        return;
    unsigned char *scratch = gg_carve<unsigned char>(&space, bytes);
    if (s->by_id) {
        keys_by_id<<<grid, GG_BLOCK, 0, job->stream>>>(*c, s->key[0], s->item[0]);
        gg_launched(job, "take ids for keys");
        gg_note(job, sort_pairs(*s, scratch, &bytes, c->count, 64, job->stream),
                "sort by id");
    }
    keys_by_pair<<<grid, GG_BLOCK, 0, job->stream>>>(*c, s->by_id ? s->item[1] : NULL,
                                                     s->key[0], s->item[0]);
    gg_launched(job, "take vertices for keys");
    gg_note(job, sort_pairs(*s, scratch, &bytes, c->count, bits, job->stream),
            "sort by vertices");
    job->working = false;
    c->order = s->item[1];
}

/* ---- steps ---- */

template <chain_step step>
static __global__ void each(slab_graph g, chain_batch c, uint64_t items) {
    uint32_t deleted = 0;
    for (uint64_t i = gg_thread(); i < items; i += gg_threads_of_grid())
        deleted += chain_item(&g, &c, step, i);
    if (step == CHAIN_CUT && deleted > 0)
        device_add_64(&g.pool->report.removed, deleted);
}

static void step_cuda(gpugraph_dynamic *d, chain_step step, const chain_batch *c,
                      uint64_t items) {
    struct cuda_job *job = d->job;
    using kernel = void (*)(slab_graph, chain_batch, uint64_t);
    static const kernel kernels[] = {
        each<CHAIN_MARK>,  each<CHAIN_GROUP>,     each<CHAIN_COUNT_NEW>,
        each<CHAIN_LINK>,  each<CHAIN_COUNT_OLD>, each<CHAIN_CUT>,
        each<CHAIN_QUERY>, each<CHAIN_MIRROR>,    each<CHAIN_LENGTH>,
        each<CHAIN_COPY>,  each<CHAIN_OFFSETS>};
    if (items == 0 || !gg_going(job))
        return;
    unsigned grid = gg_grid(job, items, GG_DYNAMIC_GRID);
    kernels[step]<<<grid, GG_BLOCK, 0, job->stream>>>(d->slabs, *c, items);
    gg_launched(job, "step of a multigraph");
}

static const chain_place place = {order_cuda, step_cuda};
extern "C" const chain_place *const gg_cuda_chains = &place;
