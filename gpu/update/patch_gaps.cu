/* A device's list of edges with gaps between them (graph/device_gaps.cu) takes a small batch: the blocks
** that change are gathered anew in a spare array and put back, and nothing else is touched.
**
**     host                                     device
**     gap_blocks.c: which places of a   -->    spare   | a b d x e |      by what stays, what comes
**     block go, which come, in what block      block   | a b d x e 0 0 0 |  a gap is a loop at vertex 0 */
#include "patch.cuh"

template <typename type> struct block_lists {
    uint32_t *source, *target;
    type *weight; /* NULL: there are none */
};

struct block_work {
    const block_change *change;
    uint64_t changes;
    const uint32_t *removed, *put;
    unsigned shift;
};

/* One thread to a place of a block that changes. */
template <typename type>
static __global__ void gather_blocks(const block_work w, const block_lists<type> from,
                                     const block_lists<type> put,
                                     const block_lists<type> to) {
    const uint32_t mask = ((uint32_t)1 << w.shift) - 1;
    for (uint64_t i = gg_thread(); i < w.changes << w.shift; i += gg_threads_of_grid()) {
        const block_change c = w.change[i >> w.shift];
        const uint32_t j = (uint32_t)i & mask;
        uint64_t which = 0, at = 0;
        if (j < c.after)
            at = patch_block_place(&c, w.removed, w.put, j, &which);
        const bool gap = j >= c.after, comes = at == PATCH_NEW;
        to.source[i] = gap ? 0 : comes ? put.source[which] : from.source[at];
        to.target[i] = gap ? 0 : comes ? put.target[which] : from.target[at];
        if (to.weight)
            to.weight[i] = gap ? (type)0 : comes ? put.weight[which] : from.weight[at];
    }
}

/* The same. Places beyond both counts have nothing yet. */
template <typename type>
static __global__ void put_blocks(const block_work w, const block_lists<type> from,
                                  const block_lists<type> to) {
    const uint32_t mask = ((uint32_t)1 << w.shift) - 1;
    for (uint64_t i = gg_thread(); i < w.changes << w.shift; i += gg_threads_of_grid()) {
        const block_change *c = &w.change[i >> w.shift];
        const uint32_t j = (uint32_t)i & mask;
        const uint64_t at = c->first + j;
        if (j >= c->before && j >= c->after)
            continue;
        to.source[at] = from.source[i];
        to.target[at] = from.target[i];
        if (to.weight)
            to.weight[at] = from.weight[i];
    }
}

/* One thread to an edge, which stays in its place. */
template <typename type>
static __global__ void put_edges(const uint64_t *place, const block_lists<type> put,
                                 uint64_t count, const block_lists<type> to) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        to.source[place[i]] = put.source[i];
        to.target[place[i]] = put.target[i];
        if (to.weight)
            to.weight[place[i]] = put.weight[i];
    }
}

/* The same, where it gets another weight. */
template <typename type>
static __global__ void put_weights(const uint64_t *place, const type *put, uint64_t count,
                                   type *weight) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        weight[place[i]] = put[i];
}

template <typename type>
static bool change_typed(struct there *t, const struct block_work *w,
                         const uint64_t *reweighted, const uint64_t *stay,
                         const uint32_t *source, const uint32_t *target,
                         const type *weight) {
    struct cuda_job *job = &t->job;
    const patch *p = t->p;
    struct device_copy *copy = t->copy;
    const uint64_t places = w->changes << w->shift;
    const uint64_t words = (places + 63) / 64 * 64,
                   size = copy->weight ? sizeof *weight : 0;
    unsigned char *spare = (unsigned char *)gg_spare(
        t, words * (2 * sizeof(uint32_t) + size) + sizeof(type));
    if (!spare)
        return false;
    const block_lists<type> all = {copy->source, copy->target, (type *)copy->weight},
                            put = {(uint32_t *)source, (uint32_t *)target,
                                   (type *)weight},
                            next = {(uint32_t *)spare, (uint32_t *)spare + words,
                                    copy->weight ? (type *)((uint32_t *)spare + 2 * words)
                                                 : NULL};
    const unsigned grid = gg_grid(job, places, 8);
    if (places > 0) {
        gather_blocks<type><<<grid, GG_BLOCK, 0, job->stream>>>(*w, all, put, next);
        gg_launched(job, "gather_blocks");
        put_blocks<type><<<grid, GG_BLOCK, 0, job->stream>>>(*w, next, all);
        gg_launched(job, "put_blocks");
    }
    if (stay) {
        put_edges<type><<<gg_grid(job, p->added, 8), GG_BLOCK, 0, job->stream>>>(
            stay, put, p->added, all);
        gg_launched(job, "put_edges");
    }
    if (copy->weight && p->reweighted > 0) {
        put_weights<type><<<gg_grid(job, p->reweighted, 8), GG_BLOCK, 0, job->stream>>>(
            reweighted, weight + p->added, p->reweighted, (type *)copy->weight);
        gg_launched(job, "put_weights");
    }
    t->moved += 2 * places * (2 * sizeof(uint32_t) + size);
    return gg_going(job);
}

/* The copy's blocks become those that the host has before the batch. */
static bool open_blocks(struct there *t) {
    const gap_patch *g = t->p->gaps;
    struct device_gaps *here = &t->copy->gaps;
    const bool agree = here->start && g->made && here->age == g->before->age;
    if (!agree && !gg_close_device_gaps(&t->job))
        return false;
    if (!agree && !gg_open_device_gaps(&t->job, g->before->start, g->before->blocks,
                                       g->before->shift))
        return false;
    here->age = g->before->age;
    return true;
}

bool gg_change_blocks(struct there *t) {
    const patch *p = t->p;
    const gap_patch *g = p->gaps;
    const uint64_t last = g->after->blocks - 1;
    const uint64_t places =
        (last << g->after->shift) + g->after->start[last + 1] - g->after->start[last];
    if (!open_blocks(t) || !gg_device_edge_room(&t->job, places))
        return false;
    const uint64_t size = t->copy->weight ? t->copy->weight_size : 0;
    const struct block_work w = {
        pack(t, g->change, g->changes), g->changes, pack(t, g->removed, g->removals),
        pack(t, g->put, g->stay ? 0 : p->added), g->after->shift};
    const uint64_t *reweighted = pack(t, g->reweighted, p->reweighted),
                   *stay = g->stay ? pack(t, g->stay, p->added) : NULL;
    const uint32_t *source = pack(t, p->source, p->added),
                   *target = pack(t, p->target, p->added);
    const char *weight =
        pack(t, (const char *)p->weight, (p->added + p->reweighted) * size);
    if (!send(t))
        return false;
    const bool changed = size == sizeof(uint64_t)
                             ? change_typed(t, &w, reweighted, stay, source, target,
                                            (const uint64_t *)weight)
                             : change_typed(t, &w, reweighted, stay, source, target,
                                            (const uint32_t *)weight);
    return changed &&
           gg_send_starts(&t->job, g->after->start, g->after->blocks, g->after->shift);
}
