/* The store of a graph's edges, in memory: it takes each random batch first, and then has
** the graph's edges and rows. Every allocation of its life fails once. */
/* ctest: serial whole-batches wrap=memory */
#include "store/store.h"

#include "edge_model.h"
#include "expect.h"
#include "failing_memory.h"
#include "share.h"
#include "suite.h"
#include "update/update.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = MODEL_IDS * MODEL_WEIGHTS };

/* Batches that stores have taken; stores that were filled. */
static int followed, made;

/* ---- a store ---- */

static size_t weight_size(const gpugraph_graph *graph) {
    return graph->weight ? gg_distance_size(graph->distance_type) : 0;
}

static gpugraph_status fill(edge_store *store, const gpugraph_graph *graph,
                            gpugraph_run *run) {
    const struct chain_edges edges = {.count = graph->m,
                                      .source = graph->source,
                                      .target = graph->target,
                                      .id = graph->edge_id,
                                      .weight = graph->weight,
                                      .weight_size = weight_size(graph)};
    made++;
    if (!gg_store_fill(store, graph->n, &edges, &gg_cpu_dynamic, NULL, run))
        gg_multigraph_mirror(store->side[GPUGRAPH_OUT], run, &store->side[GPUGRAPH_IN]);
    return run->status;
}

/* ---- rows ---- */

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

static arc *sorted_row(const uint32_t *target, const void *weight, size_t size,
                       uint64_t begin, uint64_t end) {
    arc *row = calloc(end - begin + 1, sizeof *row);
    for (uint64_t k = begin; k < end; k++) {
        row[k - begin].target = target[k];
        if (weight)
            memcpy(&row[k - begin].weight, (const char *)weight + k * size, size);
    }
    qsort(row, end - begin, sizeof *row, compare);
    return row;
}

static void compare_rows(const struct chain_rows *rows, gpugraph_graph *graph,
                         gpugraph_direction side) {
    gpugraph_run run = {.threads = 1};
    const size_t size = weight_size(graph);
    csr want;
    ck_assert_int_eq(
        gg_rows(graph, (enum csr_kind)side, graph->weight != NULL, false, &run, &want),
        0);
    for (uint32_t v = 0; v < graph->n; v++) {
        const uint64_t begin = want.begin[v], end = want.end[v];
        const uint64_t first = rows->offset[v], last = rows->offset[v + (uint64_t)1];
        expect_equal(last - first, end - begin);
        arc *a = sorted_row(rows->target, size ? rows->weight : NULL, 8, first, last);
        arc *b = sorted_row(want.target, want.weight, size, begin, end);
        for (uint64_t k = 0; k < end - begin; k++)
            expect(compare(&a[k], &b[k]) == 0, "row %u differs", v);
        free(a);
        free(b);
    }
}

static void same_rows(edge_store *store, gpugraph_graph *graph, gpugraph_direction side) {
    gpugraph_run run = {.threads = 1};
    struct chain_rows rows;
    gg_begin(&run);
    uint32_t *vertex = calloc(graph->n + (size_t)1, sizeof *vertex);
    for (uint32_t v = 0; v < graph->n; v++)
        vertex[v] = v;
    gg_multigraph_list_rows(store->side[side], graph->n, vertex, false, &run, &rows);
    free(vertex);
    expect(run.status == GPUGRAPH_OK, "%s", run.message);
    compare_rows(&rows, graph, side);
}

static void same_edges(edge_store *store, gpugraph_graph *graph) {
    gpugraph_run run = {.threads = 1};
    gg_store_check(store, graph, &run);
    expect(run.status == GPUGRAPH_OK, "%s", run.message);
    same_rows(store, graph, GPUGRAPH_OUT);
    same_rows(store, graph, GPUGRAPH_IN);
}

/* ---- changes ---- */

/* Applies the batch like gpugraph_update; false: the store must be rebuilt. */
static bool follow(edge_store *store, gpugraph_graph *graph, const model_batch *batch,
                   gpugraph_run *run) {
    store_changes changes;
    update u = {.graph = graph,
                .added = &batch->added.edges,
                .run = run,
                .removed_id = batch->removed,
                .changes = &batch->changes,
                .removed_count = (uint64_t)batch->changes.removed_count,
                .added_count = (uint64_t)batch->added.edges.count};
    gg_update_edges(&u);
    if (!run->status)
        gg_update_prepare(&u);
    bool can =
        !run->status && u.distance_type == graph->distance_type && gg_store_follows(&u);
    if (can && !gg_store_changes(&u, &changes)) {
        if (!run->status)
            gg_store_change(store, &changes, run);
        gg_release(changes.come_weight);
    }
    gg_update_free(&u);
    return can && !run->status;
}

static void step(edge_store *store, gpugraph_graph *graph, edge_model *was,
                 const edge_model *after) {
    gpugraph_run run = {.threads = 1};
    model_batch batch = model_batch_of(was, after);
    if (batch.added.edges.count)
        batch.changes.added = &batch.added.edges;
    bool taken = follow(store, graph, &batch, &run);
    expect(run.status == GPUGRAPH_OK, "%s", run.message);
    gpugraph_update(graph, &batch.changes, &run);
    expect(run.status == GPUGRAPH_OK, "%s", run.message);
    followed += taken;
    if (!taken) {
        gg_store_free(store);
        ck_assert_int_eq(fill(store, graph, &run), GPUGRAPH_OK);
    }
    same_edges(store, graph);
    model_batch_free(&batch);
}

static void change_many_times(int i, uint32_t universe, int64_t edges, int batches,
                              int changes, uint64_t seed) {
    edge_model model =
        model_make((enum model_ids)(i % MODEL_IDS), (enum model_weights)(i / MODEL_IDS),
                   universe, edges, seed * 1000 + (uint64_t)i);
    gpugraph_graph *graph = model_graph(&model, 1);
    gpugraph_run run = {.threads = 1};
    edge_store store = {.side = {NULL, NULL}};
    ck_assert_int_eq(fill(&store, graph, &run), GPUGRAPH_OK);
    same_edges(&store, graph);
    for (int k = 0; k < batches; k++) {
        edge_model was = model_copy(&model);
        model_change(&model, 1 + (int)model_below(&model, (uint64_t)changes));
        step(&store, graph, &was, &model);
        model_free(&was);
    }
    gg_store_free(&store);
    gpugraph_free(graph);
    model_free(&model);
}

START_TEST(random_batches) {
    followed = made = 0;
    int seeds = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        if (left_out(seed + (uint64_t)_i))
            continue;
        seeds++;
        change_many_times(_i, 3, 40, 20, 3, seed);
        change_many_times(_i, 9, 12, 30, 6, seed);
        change_many_times(_i, 40, 60, 30, 6, seed);
        change_many_times(_i, 9, 90, 20, 8, seed);
        change_many_times(_i, 40, 900, 12, 60, seed);
        change_many_times(_i, 6, 300, 6, 20, seed);
        ck_assert_int_gt(followed, 0);
        ck_assert_int_gt(made, 0);
    }
}
END_TEST

/* ---- comparisons ---- */

/* The check detects tables that differ from the edges by one edge. */
static void differ(edge_store *store, const gpugraph_graph *graph, int kind,
                   gpugraph_run *run) {
    uint32_t from = graph->source[7], to = graph->target[7];
    int64_t id = kind == 2 ? 1000 : 8, weight = 1 << 20;
    if (kind == 0)
        gpugraph_multigraph_delete(store->side[0], 1, &from, &to, &id, run, NULL);
    else
        gpugraph_multigraph_insert(store->side[0], 1, &from, &to, &id, &weight, run,
                                   NULL);
}

/* A vertex to which no edge leads from `from`. */
static uint32_t unjoined(const gpugraph_graph *graph, uint32_t from) {
    for (uint32_t to = 0; to < graph->n; to++) {
        bool joined = false;
        for (uint64_t e = 0; e < graph->m; e++)
            joined |= graph->source[e] == from && graph->target[e] == to;
        if (!joined)
            return to;
    }
    ck_abort_msg("all are joined");
    return 0;
}

/* A pair that the mirror lacks, a pair with another pair's edges, an extra pair. */
static void differ_in_mirror(edge_store *store, const gpugraph_graph *graph, int kind,
                             gpugraph_run *run) {
    gpugraph_dynamic *pairs = store->side[1]->pairs;
    uint32_t from = graph->source[7], to = graph->target[7],
             other = unjoined(graph, from);
    uint32_t slot = 0;
    if (kind == 0)
        gpugraph_dynamic_delete(pairs, 1, &to, &from, run, NULL);
    else
        gpugraph_dynamic_insert(pairs, 1, kind == 1 ? &to : &other, &from, &slot, run,
                                NULL);
}

START_TEST(differences) {
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 12, 80, 5);
    gpugraph_graph *graph = model_graph(&model, 1);
    for (int kind = 0; kind < 3; kind++)
        for (int side = 0; side < 2; side++) {
            gpugraph_run run = {.threads = 1};
            edge_store store = {.side = {NULL, NULL}};
            ck_assert_int_eq(fill(&store, graph, &run), GPUGRAPH_OK);
            (side ? differ_in_mirror : differ)(&store, graph, kind, &run);
            ck_assert_int_eq(run.status, GPUGRAPH_OK);
            ck_assert_int_eq(gg_store_check(&store, graph, &run), GPUGRAPH_INVALID);
            gg_store_free(&store);
        }
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* Removing edges that the tables do not have is an error. */
START_TEST(removed_twice) {
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 12, 80, 5);
    gpugraph_graph *graph = model_graph(&model, 1);
    gpugraph_run run = {.threads = 1};
    edge_store store = {.side = {NULL, NULL}};
    int64_t id = 8;
    ck_assert_int_eq(fill(&store, graph, &run), GPUGRAPH_OK);
    const store_changes once = {.gone = 1,
                                .gone_source = &graph->source[7],
                                .gone_target = &graph->target[7],
                                .gone_id = &id,
                                .vertices = graph->n};
    ck_assert_int_eq(gg_store_change(&store, &once, &run), GPUGRAPH_OK);
    ck_assert_int_eq(gg_store_change(&store, &once, &run), GPUGRAPH_INVALID);
    gg_store_free(&store);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* ---- memory ---- */

/* Fill, a batch, rows: after a failed allocation, a repetition from the start works. */
START_TEST(memory_is_short) {
    edge_model model = model_make(MODEL_GAPS, MODEL_SMALL, 30, 400, 5), after;
    after = model_copy(&model);
    model_change(&after, 40);
    model_batch batch = model_batch_of(&model, &after);
    if (batch.added.edges.count)
        batch.changes.added = &batch.added.edges;
    bool done = false;
    for (int nth = 1; !done; nth++) {
        gpugraph_graph *graph = model_graph(&model, 1);
        gpugraph_run run = {.threads = 1};
        edge_store store = {.side = {NULL, NULL}};
        fail_from(nth, false);
        bool taken = !fill(&store, graph, &run) && follow(&store, graph, &batch, &run);
        done = !fail_no_more();
        expect(run.status == (done ? GPUGRAPH_OK : GPUGRAPH_NO_MEMORY), "%s",
               run.message);
        if (taken) {
            ck_assert_int_eq(gpugraph_update(graph, &batch.changes, &run), GPUGRAPH_OK);
            same_edges(&store, graph);
        }
        gg_store_free(&store);
        gpugraph_free(graph);
    }
    model_batch_free(&batch);
    model_free(&model);
    model_free(&after);
}
END_TEST

const struct suite suite = {
    "store",
    {{"all", .timeout = 240,
      .cases = {{&random_batches, KINDS},
                {&differences},
                {&removed_twice},
                {&memory_is_short}}}},
};
