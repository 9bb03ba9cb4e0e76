/* Rows on a device after a batch: changed rows are read from the slab tables, to which
** the batch was applied, and written to the pool of their kind (row_pool.h).
**
**     OUT, IN    one part, from the tables of that side
**     BOTH       two parts: leaving arcs, then entering arcs; loops only in the first
**     SIMPLE     both parts sorted together, without loops and repeats
**
** The first change of a kind gives its rows a pool. Rows that cannot be written are
** freed, and rebuilt from the edges on need. */
#include "patch.cuh"
#include "row_pool.h"

/* Entries behind all rows of a new pool, in addition to a share of the arcs. */
enum { POOL_SPARE = 4096 };

/* Some kernels use 32 bits for positions of rows. */
#define POOL_MOST (UINT32_MAX - (uint64_t)65536)

/* ---- steps of row_pool.h ---- */

static __global__ void find_places(const __grid_constant__ row_pool pool,
                                   const __grid_constant__ new_rows rows) {
    for (uint64_t i = gg_thread(); i < rows.count; i += gg_threads_of_grid())
        pool_find_place(&pool, &rows, i);
}

static __global__ void write_arcs(const __grid_constant__ row_pool pool,
                                  const __grid_constant__ new_rows rows, int part) {
    const uint64_t arcs = rows.part[part].offset[rows.count];
    for (uint64_t k = gg_thread(); k < arcs; k += gg_threads_of_grid())
        pool_write_arc(&pool, &rows, part, pool_row_of(&rows, part, k), k);
}

static __global__ void begin_rows(const __grid_constant__ row_pool pool,
                                  const __grid_constant__ new_rows rows) {
    for (uint64_t i = gg_thread(); i < rows.count; i += gg_threads_of_grid())
        pool_begin_row(&pool, &rows, i);
}

/* ---- the pool ---- */

/* Copies packed rows into larger arrays. False: memory is short, or the job must end. */
static bool make_pool(struct there *t, struct device_rows *rows) {
    struct cuda_job *job = &t->job;
    struct device_copy *copy = t->copy;
    const uint64_t n = t->u->n, before = copy->n;
    struct device_rows made = {};
    made.offset_room = n + n / GG_ROOM_SHARE + 1;
    made.room = rows->arcs + rows->arcs / GG_ROOM_SHARE + POOL_SPARE;
    made.used = made.arcs = rows->arcs;
    const uint64_t bytes = made.offset_room * (8 + 8 + 4) +
                           made.room * (4 + (rows->weight ? copy->weight_size : 0));
    if (made.room > POOL_MOST || (int64_t)bytes > gg_device_room(job))
        return false;
    const bool done =
        take(job, &copy->part, &made.offset, made.offset_room, sizeof *made.offset) &&
        take(job, &copy->part, &made.end, made.offset_room, sizeof *made.end) &&
        take(job, &copy->part, &made.spare, made.offset_room, sizeof *made.spare) &&
        take(job, &copy->part, &made.target, made.room, sizeof *made.target) &&
        (!rows->weight ||
         take(job, &copy->part, &made.weight, made.room, copy->weight_size)) &&
        gg_fill(job, made.spare, 0, made.offset_room * sizeof *made.spare) &&
        gg_copy_there(job, made.offset, rows->offset, before * sizeof *made.offset) &&
        gg_copy_there(job, made.end, rows->offset + 1, before * sizeof *made.end) &&
        gg_copy_there(job, made.target, rows->target, rows->arcs * sizeof *made.target) &&
        (!rows->weight ||
         gg_copy_there(job, made.weight, rows->weight, rows->arcs * copy->weight_size)) &&
        gg_wait(job);
    if (!done) {
        gg_free_device_rows(copy, &made);
        return false;
    }
    made.made = true;
    gg_free_device_rows(copy, rows);
    *rows = made;
    t->moved += bytes;
    return true;
}

/* Adds empty rows for the new vertices. False: no slack, or the job must end. */
static bool add_rows(struct there *t, struct device_rows *rows) {
    struct cuda_job *job = &t->job;
    const uint64_t before = t->copy->n, after = t->u->n;
    if (after > rows->offset_room)
        return false;
    if (after <= before)
        return true;
    gg_fill(job, rows->offset + before, 0, (after - before) * sizeof *rows->offset);
    gg_fill(job, rows->end + before, 0, (after - before) * sizeof *rows->end);
    gg_fill(job, rows->spare + before, 0, (after - before) * sizeof *rows->spare);
    return gg_going(job);
}

/* ---- rows that change ---- */

/* Arrays that rewriting needs beside the pool, in the workspace. */
struct rewriting {
    new_rows rows;
    uint32_t *vertex;
    uint64_t *sums; /* entries taken, growth */
    uint64_t arcs;
    /* For SIMPLE: both parts, sorted. */
    struct arc_keys keys;
    uint64_t *offset;
    uint32_t *target;
};

static void carve_rewriting(struct workspace *space, enum csr_kind kind,
                            struct rewriting *r) {
    const uint64_t count = r->rows.count;
    r->rows.vertex = r->vertex = gg_carve<uint32_t>(space, count);
    r->rows.place = gg_carve<uint64_t>(space, count);
    r->sums = gg_carve<uint64_t>(space, 2);
    r->rows.taken = &r->sums[0];
    r->rows.longer = &r->sums[1];
    if (kind != CSR_SIMPLE)
        return;
    r->offset = gg_carve<uint64_t>(space, count + 1);
    r->target = gg_carve<uint32_t>(space, r->arcs);
    gg_carve_keys(space, &r->keys);
}

/* A key for each arc: its row's index among the changed rows, then its target. */
static __global__ void make_row_keys(const __grid_constant__ new_rows rows, int bits,
                                     uint64_t *key) {
    const uint64_t first = rows.part[0].offset[rows.count],
                   arcs = first + rows.part[1].offset[rows.count];
    for (uint64_t k = gg_thread(); k < arcs; k += gg_threads_of_grid()) {
        const int part = k < first ? 0 : 1;
        const uint64_t from = part == 0 ? k : k - first,
                       i = pool_row_of(&rows, part, from);
        key[k] = i << bits | rows.part[part].target[from];
    }
}

/* Merges two parts into one. */
static bool sort_parts(struct there *t, struct rewriting *r) {
    struct cuda_job *job = &t->job;
    struct arc_keys *keys = &r->keys;
    uint64_t left = 0;
    make_row_keys<<<gg_grid(job, r->arcs, 8), GG_BLOCK, 0, job->stream>>>(
        r->rows, keys->bits, keys->key);
    if (!gg_launched(job, "make_row_keys") || !gg_sort_keys(job, keys) ||
        !gg_offsets_of_keys(job, keys, (uint32_t)r->rows.count, r->offset, &left) ||
        !gg_targets_of_keys(job, keys, left, r->target))
        return false;
    r->rows.part[0] = {r->offset, r->target, NULL};
    r->rows.part[1] = {};
    return true;
}

/* Reads the parts of these vertices' rows. False: no tables, or the job must end. */
static bool list_parts(struct there *t, enum csr_kind kind, const uint32_t *vertex,
                       struct rewriting *r) {
    const bool two = kind == CSR_BOTH || kind == CSR_SIMPLE;
    for (int part = 0; part < (two ? 2 : 1); part++) {
        const gpugraph_direction side =
            kind == CSR_IN || part == 1 ? GPUGRAPH_IN : GPUGRAPH_OUT;
        struct chain_rows listed;
        if (!gg_rows_of_tables(t, side, r->rows.count, vertex,
                               kind == CSR_SIMPLE || part == 1, &listed))
            return false;
        r->rows.part[part] = {listed.offset, listed.target, listed.weight};
        r->arcs += listed.edges;
    }
    return true;
}

/* *fits: the rows were written. False when the job must end. */
static bool write_rows(struct there *t, struct device_rows *rows, struct rewriting *r,
                       bool *fits) {
    struct cuda_job *job = &t->job;
    const new_rows *of = &r->rows;
    const row_pool pool = {rows->offset, rows->end,    rows->spare,
                           rows->target, rows->weight, t->copy->weight_size};
    uint64_t sums[2] = {rows->used, 0};
    const unsigned by_row = gg_grid(job, of->count, 8);
    if (!gg_upload(job, r->sums, sums, sizeof sums))
        return false;
    find_places<<<by_row, GG_BLOCK, 0, job->stream>>>(pool, *of);
    if (!gg_launched(job, "find_places") || !gg_fetch(job, sums, r->sums, sizeof sums))
        return false;
    *fits = sums[0] <= rows->room;
    if (!*fits)
        return true;
    for (int part = 0; part < ROW_PARTS; part++)
        if (of->part[part].offset) {
            write_arcs<<<gg_grid(job, rows->arcs, 8), GG_BLOCK, 0, job->stream>>>(
                pool, *of, part);
            gg_launched(job, "write_arcs");
        }
    begin_rows<<<by_row, GG_BLOCK, 0, job->stream>>>(pool, *of);
    rows->used = sums[0];
    rows->arcs += sums[1];
    return gg_launched(job, "begin_rows");
}

/* *written: the rows are up to date. False when the job must end. */
static bool rewrite_kind(struct there *t, enum csr_kind kind, const uint32_t *vertex,
                         uint64_t count, bool *written) {
    struct cuda_job *job = &t->job;
    struct device_rows *rows = &t->copy->rows[kind];
    struct rewriting r = {};
    *written = false;
    if ((!rows->end && !make_pool(t, rows)) || !add_rows(t, rows))
        return gg_going(job);
    if (count == 0) {
        *written = true;
        return true;
    }
    r.rows.count = count;
    if (!list_parts(t, kind, vertex, &r))
        return gg_going(job);
    r.keys = {r.arcs, gg_key_bits(t->u->n)};
    auto carve = [&](struct workspace *space) { carve_rewriting(space, kind, &r); };
    if (!gg_take_arrays(job, carve) || !gg_has_tables(t))
        return gg_going(job);
    return gg_upload(job, r.vertex, vertex, count * sizeof *vertex) &&
           (kind != CSR_SIMPLE || sort_parts(t, &r)) &&
           write_rows(t, rows, &r, written) && gg_wait(job);
}

/* True if the rows of this kind do not change. */
static bool rows_stay(const struct there *t, enum csr_kind kind) {
    return gg_same_ends(t->u) && (kind == CSR_SIMPLE || !t->copy->rows[kind].weight);
}

bool gg_change_rows(struct there *t) {
    update *u = t->u;
    uint32_t *vertex = (uint32_t *)gg_alloc(
        t->job.run, 2 * (u->removed_count + u->added_count), sizeof *vertex);
    for (int k = CSR_OUT; k < CSR_KINDS && gg_going(&t->job); k++) {
        const enum csr_kind kind = (enum csr_kind)k;
        bool written = false;
        if (!t->copy->rows[kind].made || rows_stay(t, kind))
            continue;
        if (t->tables)
            rewrite_kind(t, kind, vertex, gg_touched_rows(u, kind, vertex), &written);
        if (!written)
            gg_free_device_rows(t->copy, &t->copy->rows[kind]);
        t->rewritten += written;
        t->dropped += !written;
        t->job.working = false;
    }
    gg_release(vertex);
    return gg_going(&t->job);
}
