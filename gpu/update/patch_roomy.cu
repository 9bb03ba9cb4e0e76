/* Rows of a device's copy that have room (graph/zones.h) take a small batch: the zones of its vertices
** change, and nothing else is touched.
**
**     host                                        device
**     arcs that go and come, by zones  -------->  a block to a zone: its warps look up what goes,
**     (zone_batch.h)                              one of them moves arcs
**     are there zones without room?    <--------
**
** Rows get room with the first small batch. Where a zone has none left they are made anew, of the tables
** or when they are next asked for, and get room again. */
#include "base/limits.h"
#include "graph/fixed_rows.cuh"
#include "patch.cuh"

/* Changes up to which rows with slack take a batch: beyond, moving all rows takes about
** as long. */
enum { ZONE_BATCH = 65536 };

enum { ZONE_BLOCK = 128, NO_ROOM = 1, NOT_THERE = 2 };

struct zone_work {
    struct zone_rows rows;
    const arc_question *going;
    const zone_coming *coming;
    const zone_change *change;
    patch_effort effort;
    uint32_t *failed;
};

struct zone_share {
    uint64_t at[GG_ZONE_MOST], in_order[GG_ZONE_MOST];
    uint32_t which[GG_ZONE_MOST], failed;
};

/* One warp to a growth. */
static __global__ void grow_zones(const zone_rows rows, uint64_t before,
                                  const zone_growth *growth, uint64_t count) {
    for (uint64_t i = gg_thread() / GG_WARP; i < count;
         i += gg_threads_of_grid() / GG_WARP)
        zone_grow(&rows, before, &growth[i]);
}

/* One block. Where what goes lies, the last one first. */
static __device__ void find_goings(const zone_work &w, const zone_change &c,
                                   zone_share *s) {
    const zone z = zone_at(&w.rows, c.zone);
    for (uint32_t i = threadIdx.x / GG_WARP; i < c.goings; i += ZONE_BLOCK / GG_WARP) {
        const arc_question *q = &w.going[c.going + i];
        const uint64_t at = patch_find_among(
            w.rows.offset[q->row], zone_row_end(&w.rows, &z, q->row), w.rows.target,
            w.rows.weight, w.rows.weight ? w.rows.size : 0, q, &w.effort);
        if (threadIdx.x % GG_WARP == 0)
            s->at[i] = at;
        if (at == UINT64_MAX)
            s->failed = NOT_THERE;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < c.goings; i += ZONE_BLOCK) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < c.goings; k++)
            before += s->at[k] > s->at[i] || (s->at[k] == s->at[i] && k < i);
        s->in_order[before] = s->at[i];
        s->which[before] = i;
    }
    if (threadIdx.x == 0 && c.comings > c.goings + w.rows.spare[c.zone])
        s->failed = NO_ROOM;
    __syncthreads();
}

/* One block to a zone. */
static __global__ void __launch_bounds__(ZONE_BLOCK)
    change_zones(const __grid_constant__ zone_work w, uint64_t count) {
    __shared__ zone_share s;
    for (uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
        const zone_change c = w.change[i];
        if (threadIdx.x == 0)
            s.failed = 0;
        __syncthreads();
        find_goings(w, c, &s);
        if (s.failed) {
            if (threadIdx.x == 0)
                atomicOr(w.failed, s.failed);
            __syncthreads();
            continue;
        }
        if (threadIdx.x < GG_WARP)
            zone_apply(&w.rows, &c, w.going, w.coming, s.in_order, s.which);
        __syncthreads();
    }
}

/* ---- which rows have room, or get it ---- */

static bool is_small(const patch *p, const struct device_rows *rows) {
    return p->changes <= ZONE_BATCH && rows->arcs >= gg_limits.room_arcs &&
           (p->changes <= rows->arcs / GG_ROOM_BATCH || gg_limits.room_arcs == 0) &&
           rows->arcs < UINT32_MAX / 8 * 7;
}

static bool has_room(const struct there *t, const struct device_rows *rows,
                     const zone_batch *b) {
    const uint64_t n = t->p->vertices->after;
    return b->fits && b->places <= rows->room && n < rows->offset_room &&
           gg_zones_of(n) <= rows->zone_room;
}

/* Is it too early for rows that had to be packed? */
static bool waits(const patch *p, struct device_rows *rows) {
    if (gg_renumbers(p->vertices))
        rows->waits = GG_ZONE_WAITS;
    else if (rows->waits > 0)
        return rows->waits-- > 0 && gg_limits.room_arcs > 0;
    return false;
}

/* SIMPLE rows ascend no longer then. */
static bool may_have_room(const patch *p, const struct device_rows *rows,
                          enum csr_kind kind) {
    return kind != CSR_SIMPLE || (rows->takes_room && gg_patches_simple(p->graph));
}

static bool suits(struct there *t, enum csr_kind kind) {
    const patch *p = t->p;
    struct device_rows *rows = &t->copy->rows[kind];
    zone_batch *b = &t->zones[kind];
    if (!may_have_room(p, rows, kind) || (!rows->spare && waits(p, rows)))
        return false;
    if (gg_renumbers(p->vertices) || !is_small(p, rows) ||
        (!rows->spare && (p->same_ends || !gg_give_device_room(&t->job, kind))))
        return false;
    return gg_list_zones(p->of, kind, rows->weight != NULL, rows->arcs, b) &&
           has_room(t, rows, b);
}

/* Rows with room for which the batch is too much: or else they are made anew. */
static void take_room_back(struct there *t, enum csr_kind kind) {
    if (kind == CSR_SIMPLE)
        gg_free_device_rows(t->copy, kind);
    else if (!gg_pack_device_rows(&t->job, kind))
        gg_do_without(&t->job);
}

void gg_choose_room(struct there *t) {
    for (int kind = 0; kind < CSR_KINDS && gg_going(&t->job); kind++) {
        const struct device_rows *rows = &t->copy->rows[kind];
        t->roomy[kind] = rows->made && suits(t, (enum csr_kind)kind);
        if (!t->roomy[kind] && rows->spare && gg_going(&t->job))
            take_room_back(t, (enum csr_kind)kind);
    }
}

void gg_free_zones(struct there *t) {
    for (int kind = 0; kind < CSR_KINDS; kind++)
        gg_free_zone_batch(&t->zones[kind]);
}

/* ---- the change ---- */

static struct zone_work work_of(struct there *t, enum csr_kind kind) {
    const struct device_rows *rows = &t->copy->rows[kind];
    const zone_batch *b = &t->zones[kind];
    const uint64_t n = t->p->vertices->after;
    struct zone_work w = {};
    w.rows = {n,
              rows->offset,
              rows->target,
              rows->weight,
              t->copy->weight_size,
              rows->spare,
              gg_limits.zone_shift};
    w.going = pack(t, b->going, b->goings);
    w.coming = pack(t, b->coming, b->comings);
    w.change = pack(t, b->change, b->changes);
    w.failed = t->failed + kind;
    return w;
}

static bool change_kind(struct there *t, enum csr_kind kind) {
    struct cuda_job *job = &t->job;
    struct device_rows *rows = &t->copy->rows[kind];
    const zone_batch *b = &t->zones[kind];
    if (b->changes == 0)
        return true; /* of SIMPLE, whose arcs have no weights, or join what is joined */
    gg_drop_fixed_rows(t->p->graph, kind); /* arcs may lie in another order */
    t->used = t->sent = t->kept;
    struct zone_work w = work_of(t, kind);
    const zone_growth *growth = pack(t, b->growth, b->growths);
    w.effort = pack_effort(t, rows->arcs);
    if (!send(t))
        return false;
    if (b->growths > 0) {
        grow_zones<<<gg_grid(job, b->growths * GG_WARP, 8), GG_BLOCK, 0, job->stream>>>(
            w.rows, t->p->vertices->before, growth, b->growths);
        gg_launched(job, "grow_zones");
    }
    if (b->changes > 0 && gg_going(job)) {
        const uint64_t most = (uint64_t)job->device->processors * 64;
        change_zones<<<(unsigned)(b->changes < most ? b->changes : most), ZONE_BLOCK, 0,
                       job->stream>>>(w, b->changes);
        gg_launched(job, "change_zones");
    }
    rows->spares += b->places - rows->arcs + b->goings - b->comings;
    rows->arcs = b->places;
    rows->order = ORDER_UNKNOWN;
    t->moved += (b->goings + b->comings) * sizeof *rows->target;
    return gg_going(job);
}

bool gg_change_zones(struct there *t) {
    for (int kind = 0; kind < CSR_KINDS; kind++)
        if (t->roomy[kind] && !change_kind(t, (enum csr_kind)kind))
            return false;
    return true;
}

/* A zone had no room: rows are made of the tables where there are such. */
static void give_up_rows(struct there *t, enum csr_kind kind) {
    struct device_copy *copy = t->copy;
    struct device_rows *rows = &copy->rows[kind];
    const bool tables = t->stored && kind <= CSR_IN && gg_tables_have(t, kind) &&
                        t->p->vertices->after < rows->offset_room &&
                        t->p->edges->after <= rows->room;
    if (!tables) {
        gg_free_device_rows(copy, kind);
        return;
    }
    give(&copy->part, rows->spare, rows->zone_room, sizeof *rows->spare);
    rows->spare = NULL;
    rows->zone_room = rows->spares = 0;
    t->remade[kind] = true;
}

bool gg_settle_zones(struct there *t) {
    uint32_t failed[CSR_KINDS] = {0};
    if (!gg_fetch(&t->job, failed, t->failed, sizeof failed))
        return false;
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        if (failed[kind] & NOT_THERE)
            return false;
        if (failed[kind])
            give_up_rows(t, (enum csr_kind)kind);
    }
    return true;
}
