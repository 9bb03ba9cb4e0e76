/* Hubs of label propagation on the device: rows too long for a table on chip.
**
**     row of a hub    |  slice 0  |  slice 1  | ...     3072 arcs each, counted on chip
**                          |            |
**     room            |  its table, in memory   |  another hub's  |  ...
**
** A block counts the labels of a slice on chip and then adds each label's count to the
** table of the hub, once for each slice. Counts only grow, so the best vote that any
** block has seen is the final vote. If the room cannot hold all tables at once, hubs take
** turns, in batches. */
#include "labels.cuh"

/* ---- kernels ---- */

/* Adds the count of a label in a slice to the table of the hub. Returns the vote of the
** new count. */
static __device__ __forceinline__ word count_at_hub(const spreading &s, const hub &h,
                                                    uint32_t label, uint32_t times) {
    uint32_t at = (uint32_t)((uint64_t)gg_place_number(s.odd, label) * h.slots >> 32);
    for (uint32_t looks = 0; looks < h.slots; looks++) {
        uint32_t *key = &s.key[h.at + at];
        uint32_t there = gg_peek(key);
        if (there == (uint32_t)NONE)
            there = atomicCAS(key, (uint32_t)NONE, label);
        if (there == (uint32_t)NONE || there == label)
            return vote(label, atomicAdd(&s.count[h.at + at], times) + times);
        at = at + 1 < h.slots ? at + 1 : 0;
    }
    return 0;
}

/* One block for each of the slices from `from` to `to`. */
static __global__ void __launch_bounds__(GG_BLOCK)
    count_hubs(const __grid_constant__ spreading s, uint64_t from, uint64_t to) {
    __shared__ block_table table;
    empty_table(&table);
    for (uint64_t i = from + blockIdx.x; i < to; i += gridDim.x) {
        const uint32_t number = (uint32_t)(s.slice[i] >> 32);
        const hub h = s.hub[number];
        const uint64_t first = s.rows.begin[h.v] + (uint32_t)s.slice[i] * (uint64_t)SLICE,
                       last = s.rows.end[h.v];
        const uint64_t end = last - first > SLICE ? first + SLICE : last;
        const uint32_t bits = slot_bits(end - first, BLOCK_SLOTS);
        word best = 0;
        count_arc_labels(s, h.v, first + threadIdx.x, end, GG_BLOCK, table.key,
                         table.count, bits);
        __syncthreads();
        for (uint32_t at = threadIdx.x; at < 1u << bits; at += GG_BLOCK) {
            const uint32_t label = table.key[at], times = table.count[at];
            table.key[at] = (uint32_t)NONE;
            table.count[at] = 0;
            if (times > 0)
                best = better(best, count_at_hub(s, h, label, times));
        }
        best = best_of_block(&table, best);
        if (threadIdx.x == 0 && best > 0)
            atomicMax(&s.best[number], best);
    }
}

static __global__ void __launch_bounds__(GG_BLOCK)
    settle_hubs(const __grid_constant__ spreading s) {
    for (uint64_t h = gg_thread(); h < s.state->hubs; h += gg_threads_of_grid()) {
        if (settle_label(s, s.hub[h].v, s.best[h]))
            s.state->changed = 1;
        s.best[h] = 0;
    }
}

/* ---- sizes ---- */

/* Each hub has more than SLICE arcs, so there are at most m / SLICE hubs, and twice as
** many slices. */
static uint64_t hubs_at_most(const struct device_csr *rows) {
    return rows->m / SLICE;
}

/* Slots for a row with that number of arcs: a third stays empty. */
static uint64_t hub_slots(const struct device_csr *rows, uint64_t arcs) {
    const uint64_t labels = std::min<uint64_t>(arcs, rows->n);
    return labels + labels / 2 + 1;
}

void gg_carve_hubs(struct workspace *space, struct spreading *s) {
    const uint64_t m = s->rows.m, hubs = hubs_at_most(&s->rows);
    s->hub = gg_carve<struct hub>(space, hubs);
    s->best = gg_carve<word>(space, hubs);
    s->slice = gg_carve<uint64_t>(space, 2 * hubs);
    /* fits the longest row, and a quarter of all arcs */
    s->room = hubs ? std::max(hub_slots(&s->rows, m), m / 4) : 0;
    s->key = gg_carve<uint32_t>(space, s->room);
    s->count = gg_carve<uint32_t>(space, s->room);
}

/* ---- the plan, made on the host ---- */

/* Gives each hub a table and its slices. Before, hub[h].at is the number of arcs. Returns
** the number of slices. */
static uint64_t plan_hubs(const struct spreading *s, struct plan *p, struct hub *hub,
                          uint64_t *slice) {
    struct batch now = {0, 0, 0};
    for (uint32_t h = 0; h < p->hubs; h++) {
        const uint64_t arcs = hub[h].at, slots = hub_slots(&s->rows, arcs);
        if (now.slots + slots > s->room) {
            p->batch[p->batches++] = now;
            now.slice = now.end;
            now.slots = 0;
        }
        hub[h].at = now.slots;
        hub[h].slots = (uint32_t)std::min<uint64_t>(slots, UINT32_MAX);
        now.slots += slots;
        for (uint64_t i = 0; i * SLICE < arcs; i++)
            slice[now.end++] = (uint64_t)h << 32 | i;
    }
    p->batch[p->batches++] = now;
    return now.end;
}

bool gg_plan_hubs(struct cuda_job *job, const struct spreading *s, struct plan *p) {
    const uint64_t hubs = p->hubs, hub_bytes = hubs * sizeof(struct hub),
                   slices = 2 * hubs_at_most(&s->rows);
    if (hubs == 0)
        return true;
    struct hub *hub = (struct hub *)gg_alloc(job->run, hubs, sizeof *hub);
    uint64_t *slice = (uint64_t *)gg_alloc(job->run, slices, sizeof *slice);
    p->batch = (struct batch *)gg_alloc(job->run, hubs, sizeof *p->batch);
    if (hub && slice && p->batch && gg_download(job, hub, s->hub, hub_bytes)) {
        const uint64_t planned = plan_hubs(s, p, hub, slice);
        gg_upload(job, s->hub, hub, hub_bytes);
        gg_upload(job, s->slice, slice, planned * sizeof *slice);
        gg_fill(job, s->best, 0, hubs * sizeof *s->best);
    }
    gg_release(hub);
    gg_release(slice);
    return gg_going(job);
}

/* ---- driver ---- */

void gg_queue_hubs(struct cuda_job *job, const struct spreading *s,
                   const struct plan *p) {
    for (uint32_t b = 0; b < p->batches && gg_going(job); b++) {
        const struct batch *batch = &p->batch[b];
        gg_fill(job, s->key, 0xff, batch->slots * sizeof *s->key);
        if (gg_fill(job, s->count, 0, batch->slots * sizeof *s->count))
            GG_LAUNCH(job, count_hubs,
                      gg_grid(job, (batch->end - batch->slice) * GG_BLOCK, ROW_BLOCKS),
                      *s, batch->slice, batch->end);
    }
    if (p->batches > 0 && gg_going(job))
        GG_LAUNCH(job, settle_hubs, gg_grid(job, p->hubs, ROW_BLOCKS), *s);
}
