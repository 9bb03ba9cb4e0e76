/* Rows of the copy, read from the tables that have taken a batch first: those that it touches, while the
** others move into other arrays, or all, in place (dynamic/multigraph_touched.c). The arrays that this
** leaves are those that the next batch writes to. */
#include "patch_store.cuh"
#include "base/limits.h"
#include "tuning.h"

void gg_free_touched(struct kept_tables *k, bool arrays) {
    for (int side = 0; side < 2; side++) {
        struct touched_rows *r = &k->touched[side];
        gg_release(r->row);
        r->row = NULL;
        if (!arrays)
            continue;
        give(&k->part, r->next.offset, r->next.offset_room, sizeof *r->next.offset);
        give(&k->part, r->next.target, r->next.room, sizeof *r->next.target);
        give(&k->part, r->next.weight, r->next.room, k->weight_size);
        r->next = device_rows();
    }
}

/* ---- the choice ---- */

/* The arrays have room for the rows afterwards. */
static bool make_next(struct there *t, struct kept_tables *k, enum csr_kind kind) {
    struct cuda_job *job = &t->job;
    const struct device_rows *rows = &t->copy->rows[kind];
    struct device_rows *next = &k->touched[kind].next;
    uint64_t n = t->p->vertices->after + 1, m = t->p->edges->after;
    k->weight_size = t->copy->weight_size;
    if (next->offset_room < n) {
        give(&k->part, next->offset, next->offset_room, sizeof *next->offset);
        next->offset_room = n + n / GG_ROOM_SHARE;
        if (!take(job, &k->part, &next->offset, next->offset_room, sizeof *next->offset))
            next->offset_room = 0;
    }
    if (!rows->weight) { /* the copy would get it for weights */
        give(&k->part, next->weight, next->room, k->weight_size);
        next->weight = NULL;
    }
    if (next->room < m || (rows->weight && !next->weight)) {
        give(&k->part, next->target, next->room, sizeof *next->target);
        give(&k->part, next->weight, next->room, k->weight_size);
        next->target = NULL;
        next->weight = NULL;
        next->room = m + m / GG_ROOM_SHARE;
        if (!take(job, &k->part, &next->target, next->room, sizeof *next->target))
            next->room = 0;
        if (rows->weight)
            take(job, &k->part, &next->weight, next->room, k->weight_size);
    }
    return gg_going(job);
}

static bool choose_touched(struct there *t, struct kept_tables *k, enum csr_kind kind,
                           const store_changes *changes) {
    struct cuda_job *job = &t->job;
    struct touched_rows *r = &k->touched[kind];
    if (gg_store_touched(changes, (gpugraph_direction)kind, job->run, &r->row, &r->count))
        return false;
    if (r->count > 0 && make_next(t, k, kind))
        return true;
    gg_release(r->row);
    r->row = NULL;
    gg_do_without(job); /* rows are patched */
    return false;
}

/* Where nothing but weights changes nothing moves, and an order of arcs that is known stays. */
void gg_choose_rows(struct there *t, struct kept_tables *k,
                    const store_changes *changes) {
    const patch *p = t->p;
    for (int kind = CSR_OUT; kind <= CSR_IN; kind++) {
        const struct device_rows *rows = &t->copy->rows[kind];
        if (!rows->made || t->roomy[kind] || !k->store.side[kind] || p->same_ends)
            continue;
        if (p->changes >= gg_limits.store.remade_from)
            t->remade[kind] =
                p->vertices->after < rows->offset_room && p->edges->after <= rows->room;
        else if (!changes->renumbered && p->changes <= gg_limits.store.touched_to)
            t->remade[kind] = choose_touched(t, k, (enum csr_kind)kind, changes);
    }
}

/* ---- rows ---- */

static void all_rows(struct there *t, struct kept_tables *k, enum csr_kind kind) {
    struct device_rows *rows = &t->copy->rows[kind];
    struct chain_rows to = {t->copy->n, rows->offset, rows->target, rows->weight,
                            t->copy->weight_size};
    gg_store_rows(&k->store, (gpugraph_direction)kind, &to, t->job.run);
}

static void touched_rows(struct there *t, struct kept_tables *k, enum csr_kind kind) {
    const struct device_rows *rows = &t->copy->rows[kind];
    const struct touched_rows *r = &k->touched[kind];
    const struct chain_touched before = {.count = r->count,
                                         .row = r->row,
                                         .rows = t->p->vertices->before,
                                         .arcs = rows->arcs,
                                         .offset = rows->offset,
                                         .target = rows->target,
                                         .weight = rows->weight,
                                         .arcs_after = t->copy->m};
    struct chain_rows to = {t->copy->n, r->next.offset, r->next.target,
                            rows->weight ? r->next.weight : NULL, t->copy->weight_size};
    gg_store_touch_rows(&k->store, (gpugraph_direction)kind, &before, &to, t->job.run);
}

static int64_t bytes_of(const struct device_rows *rows, size_t weight_size) {
    uint64_t bytes =
        rows->offset ? block_bytes(rows->offset_room, sizeof *rows->offset) : 0;
    bytes += rows->target ? block_bytes(rows->room, sizeof *rows->target) : 0;
    bytes += rows->weight ? block_bytes(rows->room, weight_size) : 0;
    return (int64_t)bytes;
}

template <typename type> static void swap(type *a, type *b) {
    type c = *a;
    *a = *b;
    *b = c;
}

/* The arrays change places, and owners. */
static void exchange(struct there *t, struct kept_tables *k, enum csr_kind kind) {
    struct device_rows *rows = &t->copy->rows[kind], *next = &k->touched[kind].next;
    int64_t more = bytes_of(next, k->weight_size) - bytes_of(rows, k->weight_size);
    swap(&rows->offset, &next->offset);
    swap(&rows->offset_room, &next->offset_room);
    swap(&rows->target, &next->target);
    swap(&rows->room, &next->room);
    swap(&rows->weight, &next->weight);
    add_bytes(&t->copy->part, more);
    add_bytes(&k->part, -more);
}

static bool read_rows(struct there *t, struct kept_tables *k, enum csr_kind kind) {
    struct cuda_job *job = &t->job;
    struct device_rows *rows = &t->copy->rows[kind];
    const bool touched = k->touched[kind].row != NULL;
    if (touched)
        touched_rows(t, k, kind);
    else
        all_rows(t, k, kind);
    if (!gg_going(job) || !gg_wait(job))
        return false;
    if (touched)
        exchange(t, k, kind);
    rows->arcs = t->copy->m;
    t->moved +=
        ((uint64_t)t->copy->n + 1) * sizeof *rows->offset +
        rows->arcs * (sizeof *rows->target + (rows->weight ? t->copy->weight_size : 0));
    return true;
}

bool gg_remake_rows(struct there *t) {
    struct kept_tables *k = gg_tables_there(t->p->graph);
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
        done = done && read_rows(t, k, (enum csr_kind)kind);
        k->busy = false;
        gg_tell_of_tables(k);
    }
    run->phase = phase;
    return done;
}
