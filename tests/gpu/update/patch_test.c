/* Simulates a device's copy of a graph in host memory. The test plans random batches as
** gpugraph_update does. It changes the copy by the functions of gpu/update/patch.h, by
** slab tables, and by the pools of gpu/update/row_pool.h. After each batch it compares
** the copy with the graph. */
#include "update/patch.h"

#include "edge_model.h"
#include "expect.h"
#include "share.h"
#include "suite.h"
#include "update/row_pool.h"
#include "update/update.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = MODEL_IDS * MODEL_WEIGHTS, TILE = 5, POOL_SPARE = 40 };

typedef struct copied_rows {
    bool made;
    row_pool pool;
    uint64_t arcs, room, used;
} copied_rows;

typedef struct copy {
    uint64_t n;
    size_t size; /* bytes of a weight; 0: no weights */
    copied_rows rows[CSR_KINDS];
    uint32_t *source, *target;
    char *weight; /* NULL: no weights */
    edge_store store;
    bool stored;
} copy;

/* Counts over all batches of a test. */
static int written, moved, remade, gapped;

static void *room_for(uint64_t count, size_t size) {
    void *block = calloc(count + 1, size ? size : 1);
    ck_assert_ptr_nonnull(block);
    return block;
}

static void *copy_of(const void *from, uint64_t count, size_t size) {
    void *to = room_for(count, size);
    if (count && size)
        memcpy(to, from, count * size);
    return to;
}

/* ---- the copy ---- */

static void free_pool(copied_rows *r) {
    free(r->pool.begin);
    free(r->pool.end);
    free(r->pool.spare);
    free(r->pool.target);
    free(r->pool.weight);
    *r = (copied_rows){0};
}

/* Rows of the graph as it is, with little slack behind them. */
static void make_rows(copy *c, gpugraph_graph *graph, enum csr_kind kind, bool weighted) {
    gpugraph_run run = {.threads = 1};
    csr view;
    copied_rows *r = &c->rows[kind];
    ck_assert_int_eq(gg_rows(graph, kind, weighted, false, &run, &view), 0);
    *r = (copied_rows){true, {0}, view.m, view.m + POOL_SPARE, view.m};
    r->pool.begin = room_for(view.n, sizeof *r->pool.begin);
    r->pool.end = room_for(view.n, sizeof *r->pool.end);
    r->pool.spare = room_for(view.n, sizeof *r->pool.spare);
    r->pool.target = room_for(r->room, sizeof *r->pool.target);
    r->pool.weight = weighted ? room_for(r->room, c->size) : NULL;
    r->pool.weight_size = c->size;
    uint64_t at = 0;
    for (uint32_t v = 0; v < view.n; v++) { /* the graph's rows may have slack */
        const uint64_t begin = view.begin[v], count = view.end[v] - begin;
        memcpy(r->pool.target + at, view.target + begin, count * sizeof *view.target);
        if (weighted)
            memcpy((char *)r->pool.weight + at * c->size,
                   (const char *)view.weight + begin * c->size, count * c->size);
        r->pool.begin[v] = at;
        r->pool.end[v] = at += count;
    }
}

/* Makes some of the rows, some with weights. */
static void make_some_rows(copy *c, gpugraph_graph *graph, edge_model *dice) {
    uint64_t which = model_below(dice, 256);
    for (int kind = 0; kind < CSR_KINDS; kind++, which >>= 2)
        if ((which & 1) && !c->rows[kind].made)
            make_rows(c, graph, (enum csr_kind)kind,
                      (which & 2) && c->size && kind != CSR_SIMPLE);
}

static void make_store(copy *c, gpugraph_graph *graph) {
    gpugraph_run run = {.threads = 1};
    int64_t *id = room_for(graph->m, sizeof *id);
    for (uint64_t e = 0; e < graph->m; e++)
        id[e] = gg_edge_id(graph, e);
    const struct chain_edges edges = {graph->m, c->source, c->target,
                                      id,       c->weight, c->size};
    gg_begin(&run);
    gg_store_fill(&c->store, graph->n, &edges, &gg_cpu_dynamic, NULL, &run);
    gg_multigraph_mirror(c->store.side[GPUGRAPH_OUT], &run, &c->store.side[GPUGRAPH_IN]);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    c->stored = true;
    free(id);
}

static void make_copy(copy *c, gpugraph_graph *graph) {
    memset(c, 0, sizeof *c);
    c->n = graph->n;
    c->size = graph->weight ? gg_distance_size(graph->distance_type) : 0;
    c->source = copy_of(graph->source, graph->m, sizeof *c->source);
    c->target = copy_of(graph->target, graph->m, sizeof *c->target);
    if (c->size)
        c->weight = copy_of(graph->weight, graph->m, c->size);
    make_store(c, graph);
}

static void free_copy(copy *c) {
    for (int kind = 0; kind < CSR_KINDS; kind++)
        free_pool(&c->rows[kind]);
    free(c->source);
    free(c->target);
    free(c->weight);
    if (c->stored)
        gg_store_free(&c->store);
    memset(c, 0, sizeof *c);
}

/* ---- edges ---- */

/* Moves an array in tiles, each with its own pieces. */
static void *move_array(const splice *s, void *from, size_t size, uint64_t count,
                        const uint64_t *place, const void *put) {
    char *to = room_for(s->after, size);
    uint64_t first = patch_first_moved(s);
    uint64_t alike = first < s->before ? first : s->before;
    memcpy(to, from, alike * size);
    for (uint64_t tile = first; tile < s->after; tile += TILE) {
        uint64_t last = tile + TILE < s->after ? tile + TILE : s->after;
        uint64_t begin = patch_first_piece(s->piece, s->pieces, tile);
        uint64_t end = patch_pieces_to(s->piece, s->pieces, last - 1);
        for (uint64_t j = tile; j < last; j++) {
            uint64_t old = patch_old_place(s->piece + begin, end - begin, j);
            if (old != PATCH_NEW)
                memcpy(to + j * size, (char *)from + old * size, size);
        }
    }
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + place[i] * size, (const char *)put + i * size, size);
    free(from);
    return to;
}

static void change_edges(copy *c, const update *u) {
    c->source = move_array(&u->edges, c->source, sizeof *c->source, u->added_count,
                           u->added_edge, u->added_ends.source);
    c->target = move_array(&u->edges, c->target, sizeof *c->target, u->added_count,
                           u->added_edge, u->added_ends.target);
    if (c->weight)
        c->weight = move_array(&u->edges, c->weight, c->size, u->added_count,
                               u->added_edge, u->weight);
}

/* ---- rows ---- */

static int compare_keys(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts both parts together, without repeats, as rewrite.cu does on a device. */
static row_part sort_parts(const new_rows *rows) {
    uint64_t arcs = 0, left = 0;
    for (int part = 0; part < ROW_PARTS; part++)
        arcs += rows->part[part].offset[rows->count];
    uint64_t *key = room_for(arcs, sizeof *key), *at = key;
    for (int part = 0; part < ROW_PARTS; part++)
        for (uint64_t k = 0; k < rows->part[part].offset[rows->count]; k++)
            *at++ = pool_row_of(rows, part, k) << 32 | rows->part[part].target[k];
    qsort(key, arcs, sizeof *key, compare_keys);
    uint64_t *offset = room_for(rows->count + 1, sizeof *offset);
    uint32_t *target = room_for(arcs, sizeof *target);
    for (uint64_t k = 0; k < arcs; k++)
        if (k == 0 || key[k] != key[k - 1]) {
            target[left++] = (uint32_t)key[k];
            offset[(key[k] >> 32) + 1] = left;
        }
    for (uint64_t i = 1; i <= rows->count; i++) /* rows without arcs */
        if (offset[i] < offset[i - 1])
            offset[i] = offset[i - 1];
    free(key);
    return (row_part){offset, target, NULL};
}

static void list_parts(copy *c, enum csr_kind kind, new_rows *rows) {
    const bool two = kind == CSR_BOTH || kind == CSR_SIMPLE;
    gpugraph_run run = {.threads = 1};
    gg_begin(&run);
    for (int part = 0; part < (two ? ROW_PARTS : 1); part++) {
        struct chain_rows listed;
        gg_multigraph_list_rows(
            c->store.side[kind == CSR_IN || part == 1 ? GPUGRAPH_IN : GPUGRAPH_OUT],
            rows->count, rows->vertex, kind == CSR_SIMPLE || part == 1, &run, &listed);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        rows->part[part] = (row_part){listed.offset, listed.target, listed.weight};
    }
}

/* Writes rows in any order, like the threads of a device. */
static bool write_rows(copied_rows *r, const new_rows *rows) {
    for (uint64_t i = rows->count; i-- > 0;)
        pool_find_place(&r->pool, rows, i);
    if (*rows->taken > r->room)
        return false;
    moved += *rows->taken > r->used;
    for (int part = ROW_PARTS; part-- > 0;)
        if (rows->part[part].offset)
            for (uint64_t k = rows->part[part].offset[rows->count]; k-- > 0;)
                pool_write_arc(&r->pool, rows, part, pool_row_of(rows, part, k), k);
    for (uint64_t i = rows->count; i-- > 0;)
        pool_begin_row(&r->pool, rows, i);
    r->used = *rows->taken;
    r->arcs += *rows->longer;
    return true;
}

static bool rewrite_kind(copy *c, update *u, enum csr_kind kind, uint32_t *vertex) {
    copied_rows *r = &c->rows[kind];
    uint64_t taken = r->used, longer = 0;
    new_rows rows = {.count = gg_touched_rows(u, kind, vertex),
                     .vertex = vertex,
                     .taken = &taken,
                     .longer = &longer};
    if (rows.count == 0)
        return true;
    rows.place = room_for(rows.count, sizeof *rows.place);
    list_parts(c, kind, &rows);
    row_part sorted = {0};
    if (kind == CSR_SIMPLE) {
        sorted = sort_parts(&rows);
        rows.part[0] = sorted;
        rows.part[1] = (row_part){0};
    }
    const bool done = write_rows(r, &rows);
    free((void *)sorted.offset);
    free((void *)sorted.target);
    free(rows.place);
    return done;
}

/* Adds empty rows of new vertices. */
static void add_rows(copied_rows *r, uint64_t before, uint64_t after) {
    if (after <= before)
        return;
    r->pool.begin = realloc(r->pool.begin, (after + 1) * sizeof *r->pool.begin);
    r->pool.end = realloc(r->pool.end, (after + 1) * sizeof *r->pool.end);
    r->pool.spare = realloc(r->pool.spare, (after + 1) * sizeof *r->pool.spare);
    for (uint64_t v = before; v < after; v++)
        r->pool.begin[v] = r->pool.end[v] = r->pool.spare[v] = 0;
}

static void change_rows(copy *c, update *u) {
    uint32_t *vertex = room_for(2 * (u->removed_count + u->added_count), sizeof *vertex);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        copied_rows *r = &c->rows[kind];
        if (!r->made || (gg_same_ends(u) && (kind == CSR_SIMPLE || !r->pool.weight)))
            continue;
        bool done = c->stored;
        if (done) {
            add_rows(r, c->n, u->n);
            done = rewrite_kind(c, u, (enum csr_kind)kind, vertex);
        }
        if (!done)
            free_pool(r);
        written += done;
        remade += !done;
    }
    free(vertex);
}

/* ---- a batch ---- */

static void change_store(copy *c, update *u) {
    gpugraph_run *run = u->run;
    store_changes changes;
    if (!gg_store_follows(u)) {
        gg_store_free(&c->store);
        c->stored = false;
        return;
    }
    ck_assert_int_eq(gg_store_changes(u, &changes), 0);
    gg_store_change(&c->store, &changes, run);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    gg_release(changes.come_weight);
}

/* Applies the batch to the copy; the graph does not change. */
static void change_copy(copy *c, gpugraph_graph *graph, const model_batch *batch) {
    gpugraph_run run = {.threads = 1};
    update u = {.graph = graph,
                .added = &batch->added.edges,
                .run = &run,
                .removed_id = batch->removed,
                .changes = &batch->changes,
                .removed_count = (uint64_t)batch->changes.removed_count,
                .added_count = (uint64_t)batch->added.edges.count};
    gg_begin(&run);
    gg_update_edges(&u);
    gg_update_prepare(&u);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    gapped += u.gapped;
    if (u.distance_type == graph->distance_type) {
        if (c->stored)
            change_store(c, &u);
        change_edges(c, &u);
        change_rows(c, &u);
        c->n = u.n;
    } else {
        free_copy(c);
    }
    gg_update_free(&u);
}

/* ---- the expected copy ---- */

typedef struct arc {
    uint32_t target;
    uint64_t weight;
} arc;

static int compare(const void *a, const void *b) {
    const arc *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static arc *sorted_row(const uint32_t *target, const char *weight, size_t size,
                       uint64_t begin, uint64_t end) {
    arc *row = room_for(end - begin, sizeof *row);
    for (uint64_t k = begin; k < end; k++) {
        row[k - begin].target = target[k];
        if (weight)
            memcpy(&row[k - begin].weight, weight + k * size, size);
    }
    qsort(row, end - begin, sizeof *row, compare);
    return row;
}

static void same_rows(const copied_rows *got, const csr *want, size_t size, bool sorted) {
    ck_assert_uint_eq(want->m, got->arcs);
    for (uint32_t v = 0; v < want->n; v++) {
        const uint64_t begin = want->begin[v], end = want->end[v],
                       first = got->pool.begin[v];
        expect_equal(got->pool.end[v] - first, end - begin);
        if (sorted)
            expect(memcmp(got->pool.target + first, want->target + begin,
                          (end - begin) * sizeof *want->target) == 0,
                   "row %u is in another order", v);
        arc *a =
            sorted_row(got->pool.target, got->pool.weight, size, first, got->pool.end[v]);
        arc *b = sorted_row(want->target, got->pool.weight ? want->weight : NULL, size,
                            begin, end);
        for (uint64_t k = 0; k < end - begin; k++)
            expect(compare(&a[k], &b[k]) == 0, "row %u differs", v);
        free(a);
        free(b);
    }
}

/* Rows with their slack do not overlap. */
static void rows_are_apart(const copied_rows *r, uint64_t n) {
    uint8_t *taken = room_for(r->room, 1);
    for (uint64_t v = 0; v < n; v++)
        for (uint64_t k = r->pool.begin[v]; k < r->pool.end[v] + r->pool.spare[v]; k++) {
            expect(k < r->used && !taken[k], "a place of row %llu is not its own",
                   (unsigned long long)v);
            taken[k] = 1;
        }
    free(taken);
}

static void same_copy(const copy *c, gpugraph_graph *want) {
    gpugraph_run run = {.threads = 1};
    gg_close_gaps(want, 1);
    const size_t ends = want->m * sizeof(uint32_t);
    ck_assert_uint_eq(c->n, want->n);
    ck_assert_int_eq(memcmp(c->source, want->source, ends), 0);
    ck_assert_int_eq(memcmp(c->target, want->target, ends), 0);
    if (c->weight)
        ck_assert_int_eq(memcmp(c->weight, want->weight, want->m * c->size), 0);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        csr view;
        if (!c->rows[kind].made)
            continue;
        ck_assert_int_eq(gg_rows(want, (enum csr_kind)kind,
                                 c->rows[kind].pool.weight != NULL, false, &run, &view),
                         0);
        same_rows(&c->rows[kind], &view, c->size, kind == CSR_SIMPLE);
        rows_are_apart(&c->rows[kind], c->n);
    }
    if (c->stored)
        ck_assert_msg(!gg_store_check((edge_store *)&c->store, want, &run), "%s",
                      run.message);
}

/* ---- tests ---- */

/* Takes graph and copy to the next state of the model, and compares them. */
static void step(copy *c, gpugraph_graph *graph, edge_model *before,
                 const edge_model *after) {
    gpugraph_run run = {.threads = 1};
    model_batch batch = model_batch_of(before, after);
    make_some_rows(c, graph, before);
    change_copy(c, graph, &batch);
    if (batch.added.edges.count)
        batch.changes.added = &batch.added.edges;
    gpugraph_update(graph, &batch.changes, &run);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    if (!c->source) { /* weights have another width */
        gg_close_gaps(graph, 1);
        make_copy(c, graph);
    }
    same_copy(c, graph);
    model_batch_free(&batch);
}

static void change_many_times(int i, uint32_t universe, int64_t edges, int batches,
                              int changes, uint64_t seed) {
    edge_model model =
        model_make((enum model_ids)(i % MODEL_IDS), (enum model_weights)(i / MODEL_IDS),
                   universe, edges, seed * 1000 + (uint64_t)i);
    gpugraph_graph *graph = model_graph(&model, 1);
    copy c;
    make_copy(&c, graph);
    for (int k = 0; k < batches; k++) {
        edge_model before = model_copy(&model);
        model_change(&model, 1 + (int)model_below(&model, (uint64_t)changes));
        step(&c, graph, &before, &model);
        model_free(&before);
    }
    free_copy(&c);
    gpugraph_free(graph);
    model_free(&model);
}

START_TEST(random_batches) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        if (left_out(seed / 2 + (uint64_t)_i))
            continue;
        written = moved = remade = 0;
        change_many_times(_i, 3, 4, 20, 3, seed);
        change_many_times(_i, 9, 30, 20, 8, seed);
        change_many_times(_i, 40, 60, 20, 30, seed);
        change_many_times(_i, 40, 400, 20, 3, seed);
        change_many_times(_i, 6, 300, 6, 20, seed);
        ck_assert_int_gt(written, 10);
        ck_assert_int_gt(moved, 0);
        ck_assert_int_gt(remade, 0);
    }
}
END_TEST

/* The host has gaps between its edges, in blocks of 2 to 16 entries. */
START_TEST(edges_with_gaps) {
    gg_limits.room_arcs = 0;
    gapped = 0;
    for (unsigned shift = 1; shift <= 4; shift++) {
        gg_limits.gap_shift = shift;
        change_many_times(_i, 5, 30, 20, 3, shift);
        change_many_times(_i, 9, 60, 20, 8, shift);
        change_many_times(_i, 6, 300, 10, 20, shift);
    }
    ck_assert_int_gt(gapped, 5);
    gg_limits.gap_shift = gg_usual_limits.gap_shift;
    gg_limits.room_arcs = gg_usual_limits.room_arcs;
}
END_TEST

/* Edges get other targets: no edge moves, and no vertex gets another number. */
START_TEST(edges_in_their_places) {
    gg_limits.room_arcs = 0;
    written = 0;
    edge_model model =
        model_make((enum model_ids)(_i % MODEL_IDS), (enum model_weights)(_i / MODEL_IDS),
                   6, 60, (uint64_t)_i);
    gpugraph_graph *graph = model_graph(&model, 1);
    copy c;
    make_copy(&c, graph);
    for (int k = 0; k < 20; k++) {
        edge_model before = model_copy(&model);
        for (uint64_t more = 1 + model_below(&model, 4); more > 0; more--) {
            const uint64_t at = model_below(&model, (uint64_t)model.count);
            const uint64_t of = model_below(&model, (uint64_t)model.count);
            model.edge[at].target = model.edge[of].target;
        }
        gg_limits.gap_shift = 1 + (unsigned)k % 4;
        step(&c, graph, &before, &model);
        model_free(&before);
    }
    free_copy(&c);
    gpugraph_free(graph);
    model_free(&model);
    ck_assert_int_gt(written, 10);
    gg_limits.gap_shift = gg_usual_limits.gap_shift;
    gg_limits.room_arcs = gg_usual_limits.room_arcs;
}
END_TEST

/* New vertices follow all others, and have edges to any vertex. */
START_TEST(vertices_at_the_end) {
    written = 0;
    for (uint64_t seed = 90; seed < 94; seed++) {
        edge_model model = model_make(MODEL_DENSE, (enum model_weights)_i, 7, 60, seed);
        gpugraph_graph *graph = model_graph(&model, 1);
        copy c;
        make_copy(&c, graph);
        for (int k = 0; k < 30; k++) {
            edge_model before = model_copy(&model);
            model.universe += 1 + (uint32_t)model_below(&model, 6);
            for (uint32_t v = before.universe; v < model.universe; v++) {
                model_insert(&model, model.edge[model.count - 1].id + 1);
                if (v % 2)
                    model.edge[model.count - 1].source = v;
                else
                    model.edge[model.count - 1].target = v;
            }
            step(&c, graph, &before, &model);
            model_free(&before);
        }
        free_copy(&c);
        gpugraph_free(graph);
        model_free(&model);
    }
    ck_assert_int_gt(written, 20);
}
END_TEST

const struct suite suite = {
    "patch",
    {{"all", .timeout = 240,
      .cases = {{&random_batches, KINDS},
                {&edges_with_gaps, KINDS},
                {&edges_in_their_places, KINDS},
                {&vertices_at_the_end, MODEL_WEIGHTS}}}},
};
