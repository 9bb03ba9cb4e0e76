/* The copy of a graph on a device, played in memory: random batches are planned as for
** gpugraph_update, the copy is patched by the arithmetic of gpu/update/patch.h, and compared with
** the graph that is made of the edges afterwards. Rows of the copy begin in any order.
**
** A warp is one lane wide; with TEST_WIDE_WARPS, 32. */
/* ctest: serial */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif

#include "update/patch.h"

#include "as_warp.h"
#include "edge_model.h"
#include "expect.h"
#include "share.h"
#include "suite.h"
#include "update/update.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = MODEL_IDS * MODEL_WEIGHTS, TILE = 5, SHOWN = CSR_KINDS };

typedef struct copied_rows {
    uint64_t *offset;
    uint32_t *target;
    char *weight; /* NULL: none */
} copied_rows;

typedef struct copy {
    const patch *p;
    size_t size; /* of a weight; 0: there are none */
    patch_rows made[CSR_KINDS];
    copied_rows rows[SHOWN];
    uint32_t *source, *target;
    char *weight;
} copy;

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

static void swap_bytes(char *a, char *b, size_t size) {
    char kept[8];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

static void shuffle_rows(const copied_rows *r, uint32_t n, size_t size,
                         edge_model *dice) {
    for (uint32_t v = 0; v < n; v++)
        for (uint64_t k = r->offset[v]; k < r->offset[v + 1]; k++) {
            uint64_t left = r->offset[v + 1] - k, other = k + model_below(dice, left);
            swap_bytes((char *)&r->target[k], (char *)&r->target[other], 4);
            if (r->weight)
                swap_bytes(r->weight + k * size, r->weight + other * size, size);
        }
}

/* Some of the rows, some of those with weights. */
static void make_copy(copy *c, gpugraph_graph *graph, bool simple, edge_model *dice) {
    gpugraph_run run = {.threads = 1};
    uint64_t which = model_below(dice, 256);
    memset(c, 0, sizeof *c);
    c->size = graph->weight ? gg_distance_size(graph->distance_type) : 0;
    c->source = copy_of(graph->source, graph->m, sizeof *c->source);
    c->target = copy_of(graph->target, graph->m, sizeof *c->target);
    if (c->size && which % 3)
        c->weight = copy_of(graph->weight, graph->m, c->size);
    for (int kind = 0; kind < SHOWN; kind++, which >>= 2) {
        csr view;
        copied_rows *r = &c->rows[kind];
        bool weighted = (which & 2) && c->size && kind != CSR_SIMPLE;
        if (!(which & 1) || (kind == CSR_SIMPLE && !simple))
            continue;
        ck_assert_int_eq(gg_csr(graph, (enum csr_kind)kind, weighted, false, &run, &view),
                         0);
        r->offset = copy_of(view.offset, view.n + (uint64_t)1, sizeof *r->offset);
        r->target = copy_of(view.target, view.m, sizeof *r->target);
        if (weighted)
            r->weight = copy_of(view.weight, view.m, c->size);
        if (kind != CSR_SIMPLE)
            shuffle_rows(r, view.n, c->size, dice);
        c->made[kind] = (patch_rows){true, weighted, view.m};
    }
}

static void free_copy(copy *c) {
    for (int kind = 0; kind < SHOWN; kind++) {
        free(c->rows[kind].offset);
        free(c->rows[kind].target);
        free(c->rows[kind].weight);
    }
    free(c->source);
    free(c->target);
    free(c->weight);
}

/* ---- a warp ---- */

typedef struct search {
    const copied_rows *rows;
    size_t size;
    const arc_question *question;
    patch_effort effort;
    uint64_t found;
} search;

static void search_row(void *of) {
    search *s = of;
    uint64_t found =
        patch_find_arc(s->rows->offset, s->rows->target, s->rows->weight,
                       s->rows->weight ? s->size : 0, s->question, &s->effort);
    if (warp_lane() == 0)
        s->found = found;
}

static uint64_t ask_warp(search s) {
    run_as_warp(search_row, &s);
    return s.found;
}

static bool find(void *there, const row_questions *q) {
    const copy *c = there;
    const copied_rows *r = &c->rows[q->kind];
    uint64_t looked = 0;
    for (uint64_t i = 0; i < q->goings; i++)
        q->going_at[i] =
            ask_warp((search){r, c->size, &q->going[i], {&looked, UINT64_MAX}, 0});
    for (uint64_t k = 0; k < q->comings; k++)
        q->coming_at[k] =
            patch_find_place(r->offset, r->target, q->coming[k],
                             q->coming_target ? q->coming_target[k] : PATCH_ANY);
    return true;
}

/* ---- the steps ---- */

/* In tiles, of which each knows its own pieces. */
static void *move_array(const splice *s, void *from, size_t size,
                        const patch_numbers *numbers, uint64_t count,
                        const uint64_t *place, const void *put) {
    bool renumber = numbers && numbers->change;
    char *to = room_for(s->after, size);
    uint64_t first = renumber ? 0 : patch_first_moved(s);
    uint64_t alike = first < s->before ? first : s->before;
    memcpy(to, from, alike * size);
    for (uint64_t tile = first; tile < s->after; tile += TILE) {
        uint64_t last = tile + TILE < s->after ? tile + TILE : s->after;
        uint64_t begin = patch_first_piece(s->piece, s->pieces, tile);
        uint64_t end = patch_pieces_to(s->piece, s->pieces, last - 1);
        for (uint64_t j = tile; j < last; j++) {
            uint64_t old = patch_old_place(s->piece + begin, end - begin, j);
            if (old == PATCH_NEW)
                continue;
            memcpy(to + j * size, (char *)from + old * size, size);
            if (renumber)
                ((uint32_t *)to)[j] = patch_number(numbers, ((uint32_t *)to)[j]);
        }
    }
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + place[i] * size, (const char *)put + i * size, size);
    free(from);
    return to;
}

static uint64_t *move_offsets(const patch *p, const row_patch *r, uint64_t *from) {
    const splice *s = p->vertices;
    uint64_t *to = room_for(s->after + 1, sizeof *to);
    for (uint64_t v = 0; v <= s->after; v++) {
        uint64_t old =
            v == s->after ? s->before : patch_old_place(s->piece, s->pieces, v);
        if (old != PATCH_NEW)
            to[v] = from[old] + patch_growth(r->event_at, r->event_sum, r->events, old);
    }
    for (uint64_t f = 0; f < p->fresh; f++)
        to[p->fresh_new[f]] =
            from[p->fresh_at[f]] +
            patch_growth(r->event_at, r->event_sum, r->events, p->fresh_at[f]) -
            r->fresh_back[f];
    free(from);
    return to;
}

static bool change_rows(void *there, const row_patch *r) {
    copy *c = there;
    copied_rows *rows = &c->rows[r->kind];
    patch_numbers numbers = patch_numbers_of(c->p->vertices, c->p->vertices->piece);
    rows->target = move_array(r->arcs, rows->target, sizeof *rows->target, &numbers,
                              r->inserted, r->place, r->target);
    if (rows->weight)
        rows->weight = move_array(r->arcs, rows->weight, c->size, NULL, r->inserted,
                                  r->place, r->weight);
    rows->offset = move_offsets(c->p, r, rows->offset);
    c->made[r->kind].arcs = r->arcs->after;
    return true;
}

static bool change_edges(void *there) {
    copy *c = there;
    const patch *p = c->p;
    patch_numbers numbers = patch_numbers_of(p->vertices, p->vertices->piece);
    c->source = move_array(p->edges, c->source, sizeof *c->source, &numbers, p->added,
                           p->added_edge, p->source);
    c->target = move_array(p->edges, c->target, sizeof *c->target, &numbers, p->added,
                           p->added_edge, p->target);
    if (c->weight)
        c->weight = move_array(p->edges, c->weight, c->size, NULL, p->added,
                               p->added_edge, p->weight);
    return true;
}

static const patch_place memory = {find, change_rows, change_edges};

/* ---- what it must be ---- */

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

static void same_rows(const copied_rows *got, const csr *want, size_t size) {
    ck_assert_int_eq(memcmp(got->offset, want->offset, (want->n + (uint64_t)1) * 8), 0);
    for (uint32_t v = 0; v < want->n; v++) {
        uint64_t begin = want->offset[v], end = want->offset[v + (uint64_t)1];
        arc *a = sorted_row(got->target, got->weight, size, begin, end);
        arc *b = sorted_row(want->target, want->weight, size, begin, end);
        for (uint64_t k = 0; k < end - begin; k++)
            expect(compare(&a[k], &b[k]) == 0, "row %u differs", v);
        free(a);
        free(b);
    }
}

static void same_copy(const copy *c, gpugraph_graph *want) {
    gpugraph_run run = {.threads = 1};
    size_t ends = want->m * sizeof(uint32_t);
    ck_assert_int_eq(memcmp(c->source, want->source, ends), 0);
    ck_assert_int_eq(memcmp(c->target, want->target, ends), 0);
    if (c->weight)
        ck_assert_int_eq(memcmp(c->weight, want->weight, want->m * c->size), 0);
    for (int kind = 0; kind < SHOWN; kind++) {
        csr view;
        if (!c->made[kind].made)
            continue;
        ck_assert_int_eq(
            gg_csr(want, (enum csr_kind)kind, c->made[kind].weighted, false, &run, &view),
            0);
        ck_assert_uint_eq(view.m, c->made[kind].arcs);
        same_rows(&c->rows[kind], &view, c->size);
        if (kind == CSR_SIMPLE) /* in order */
            ck_assert_int_eq(
                memcmp(c->rows[kind].target, view.target, view.m * sizeof *view.target),
                0);
    }
}

/* ---- tests ---- */

/* Batches that a copy could follow; with SIMPLE rows; with gaps on the host. */
static int patched, undirected, gapped;

/* SIMPLE rows follow where arcs by ids say which vertices are joined. */
static bool make_arcs(gpugraph_graph *graph) {
    gpugraph_run run = {.threads = 1};
    gg_begin(&run);
    if (gpugraph_keeps_arcs(graph))
        gg_adjacency(graph, GPUGRAPH_OUT, &run);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    return gg_patches_simple(graph);
}

static int64_t
    lost; /* an id that a batch has taken out of the graph, so that there is a gap; 0: none */

/* The graph of `before`, in half of all cases as a batch has left it: with gaps, perhaps. */
static gpugraph_graph *changed_graph(edge_model *before) {
    edge_model older = model_copy(before);
    gpugraph_run run = {.threads = 1};
    if (lost)
        model_insert(&older, lost);
    else if (model_below(before, 2))
        model_change(&older, 1 + (int)model_below(before, 3));
    gpugraph_graph *graph = model_graph(&older, 1);
    make_arcs(graph); /* who makes them later closes the gaps */
    model_batch batch = model_batch_of(&older, before);
    if (batch.added.edges.count)
        batch.changes.added = &batch.added.edges;
    gpugraph_update(graph, &batch.changes, &run);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    model_batch_free(&batch);
    model_free(&older);
    return graph;
}

/* From one state of the model to the next. */
static void step(edge_model *before, const edge_model *after) {
    model_batch batch = model_batch_of(before, after);
    gpugraph_graph *fresh = model_graph(before, 1), *want = model_graph(after, 1);
    gpugraph_graph *graph = changed_graph(before);
    gpugraph_run run = {.threads = 1};
    copy c;
    make_copy(&c, fresh, make_arcs(graph), before);
    undirected += c.made[CSR_SIMPLE].made;
    update u = {.graph = graph,
                .added = &batch.added.edges,
                .run = &run,
                .removed_id = batch.removed,
                .changes = &batch.changes,
                .removed_count = (uint64_t)batch.changes.removed_count,
                .added_count = (uint64_t)batch.added.edges.count};
    gg_begin(&run);
    gg_update_edges(&u);
    gg_update_prepare(&u);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    if (u.distance_type == graph->distance_type) {
        patch p = gg_patch_of(&u);
        c.p = &p;
        ck_assert(gg_patch(&p, c.made, &memory, &c));
        same_copy(&c, want);
        patched++;
        gapped += u.gapped;
    }
    gg_update_free(&u);
    free_copy(&c);
    gpugraph_free(fresh);
    gpugraph_free(graph);
    gpugraph_free(want);
    model_batch_free(&batch);
}

static void change_many_times(int i, uint32_t universe, int64_t edges, int batches,
                              int changes, uint64_t seed) {
    edge_model model =
        model_make((enum model_ids)(i % MODEL_IDS), (enum model_weights)(i / MODEL_IDS),
                   universe, edges, seed * 1000 + (uint64_t)i);
    patched = undirected = 0;
    for (int k = 0; k < batches; k++) {
        edge_model before = model_copy(&model);
        model_change(&model, 1 + (int)model_below(&model, (uint64_t)changes));
        step(&before, &model);
        model_free(&before);
    }
    ck_assert_int_gt(patched, 0);
    model_free(&model);
}

/* All questions together look at no more arcs than they may, but for a last look each. */
START_TEST(long_rows) {
    enum { ARCS = 20000, MOST = 3 * ARCS };
    uint64_t offset[] = {0, ARCS}, looked = 0;
    copied_rows r = {offset, room_for(ARCS, sizeof *r.target), NULL};
    for (uint32_t k = 0; k < ARCS; k++)
        r.target[k] = k;
    uint64_t found = 0, step = PATCH_STEPS * warp_width;
    for (uint32_t k = 0; k < 100; k++) {
        arc_question q = {0, 0, ARCS - 1 - k, 0};
        uint64_t at = ask_warp((search){&r, 0, &q, {&looked, MOST}, 0});
        expect(at == UINT64_MAX || at == ARCS - 1 - k, "arc %u is not at %llu", k,
               (unsigned long long)at);
        expect((at == UINT64_MAX) == (looked > MOST), "question %u after %llu arcs", k,
               (unsigned long long)looked);
        found += at != UINT64_MAX;
    }
    ck_assert_uint_ge(found, MOST / ARCS);
    ck_assert_uint_le(looked, MOST + 100 * step);
    free(r.target);
}
END_TEST

START_TEST(random_batches) {
    for (uint64_t seed = 0; seed < 3; seed++) {
        if (left_out(seed + (uint64_t)_i))
            continue;
        change_many_times(_i, 3, 4, 20, 3, seed);
        change_many_times(_i, 9, 30, 20, 8, seed);
        change_many_times(_i, 40, 60, 20, 30, seed);
        change_many_times(_i, 6, 300, 6, 20, seed);
    }
}
END_TEST

/* The host has gaps between its edges, in blocks of 2 to 16 places. */
START_TEST(edges_with_gaps) {
    gg_limits.room_arcs = 0;
    gapped = 0;
    for (unsigned shift = 1; shift <= 4; shift++) {
        gg_limits.gap_shift = shift;
        change_many_times(_i, 5, 30, 20, 3, shift);
        change_many_times(_i, 9, 60, 20, 8, shift);
        change_many_times(_i, 6, 300, 10, 20, shift);
    }
    ck_assert_int_gt(gapped, 10);
    gg_limits.gap_shift = gg_usual_limits.gap_shift;
    gg_limits.room_arcs = gg_usual_limits.room_arcs;
}
END_TEST

/* Edges get the targets of others: no edge moves. */
START_TEST(edges_in_their_places) {
    gg_limits.room_arcs = 0;
    gapped = 0;
    edge_model model =
        model_make((enum model_ids)(_i % MODEL_IDS), (enum model_weights)(_i / MODEL_IDS),
                   6, 60, (uint64_t)_i);
    lost = model.edge[20].id;
    model_remove(&model, 20);
    for (int k = 0; k < 20; k++) {
        edge_model before = model_copy(&model);
        for (uint64_t more = 1 + model_below(&model, 4); more > 0; more--) {
            const uint64_t at = model_below(&model, (uint64_t)model.count);
            const uint64_t of = model_below(&model, (uint64_t)model.count);
            model.edge[at].target = model.edge[of].target;
        }
        gg_limits.gap_shift = 1 + (unsigned)k % 4;
        step(&before, &model);
        model_free(&before);
    }
    model_free(&model);
    lost = 0;
    ck_assert_int_gt(gapped, 5);
    gg_limits.gap_shift = gg_usual_limits.gap_shift;
    gg_limits.room_arcs = gg_usual_limits.room_arcs;
}
END_TEST

/* Vertices come behind all others, with edges to any. */
START_TEST(vertices_at_the_end) {
    for (uint64_t seed = 90; seed < 94; seed++) {
        edge_model model = model_make(MODEL_DENSE, (enum model_weights)_i, 7, 60, seed);
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
            step(&before, &model);
            model_free(&before);
        }
        model_free(&model);
    }
}
END_TEST

/* Undirected rows without repeats, where edges are parallel, go both ways and are loops. */
START_TEST(simple_rows) {
    int all = 0;
    for (uint64_t seed = 31; seed < 35; seed++) {
        change_many_times(MODEL_GAPS, 4, 30, 20, 4, seed);
        all += undirected;
        change_many_times(MODEL_GAPS, 30, 60, 20, 30, seed);
        all += undirected;
    }
    ck_assert_int_gt(all, 20);
}
END_TEST

/* An arc that is in none of the rows: the copy is damaged, and nobody goes on with it. */
START_TEST(damage_is_seen) {
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 5, 20, 1);
    edge_model after = model_copy(&model);
    gpugraph_graph *graph = model_graph(&model, 1);
    gpugraph_run run = {.threads = 1};
    while (after.count > 1)
        model_remove(&after, 0);
    model_batch batch = model_batch_of(&model, &after);
    update u = {.graph = graph,
                .added = &batch.added.edges,
                .run = &run,
                .removed_id = batch.removed,
                .changes = &batch.changes,
                .removed_count = (uint64_t)batch.changes.removed_count};
    copy c;
    do {
        make_copy(&c, graph, false, &model);
        if (!c.made[CSR_OUT].made)
            free_copy(&c);
    } while (!c.made[CSR_OUT].made);
    for (uint64_t k = 0; k < c.made[CSR_OUT].arcs; k++)
        c.rows[CSR_OUT].target[k] = GPUGRAPH_NONE;
    gg_begin(&run);
    gg_update_edges(&u);
    gg_update_prepare(&u);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    patch p = gg_patch_of(&u);
    c.p = &p;
    ck_assert(!gg_patch(&p, c.made, &memory, &c));
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    gg_update_free(&u);
    free_copy(&c);
    gpugraph_free(graph);
    model_batch_free(&batch);
    model_free(&after);
    model_free(&model);
}
END_TEST

const struct suite suite = {
    "patch",
    {{"all", .timeout = 240,
      .cases = {{&long_rows},
                {&random_batches, KINDS},
                {&edges_with_gaps, KINDS},
                {&edges_in_their_places, KINDS},
                {&vertices_at_the_end, MODEL_WEIGHTS},
                {&simple_rows},
                {&damage_is_seen}}}},
};
