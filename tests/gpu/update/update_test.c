/* Updates graphs by random batches, and compares them with graphs made of the same edges.
** The tests use each kind of ids and weights, and random choices of CSRs. */
/* ctest: wide-addresses=40 */
#include "edge_model.h"

#include "expect.h"
#include "share.h"
#include "suite.h"
#include "graph/graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gpugraph_status apply(gpugraph_graph *graph, model_batch *batch, int threads,
                             gpugraph_run *run) {
    *run = (gpugraph_run){.threads = threads};
    if (batch->added.edges.count)
        batch->changes.added = &batch->added.edges;
    return gpugraph_update(graph, &batch->changes, run);
}

static int loose; /* number of batches that left tombstones or later vertices */

static int refuse_transfer(void *context, void *bytes, size_t count, uint64_t at) {
    (void)context, (void)bytes, (void)count, (void)at;
    return 1;
}

static void refuse_pack(gpugraph_graph *graph) {
    const gpugraph_stream nowhere = {refuse_transfer, NULL};
    gpugraph_run run = {.threads = 1};
    ck_assert_int_eq(gpugraph_pack(graph, &run, &nowhere), GPUGRAPH_INVALID);
    ck_assert(strstr(run.message, "gpugraph_compact"));
}

static void compact(gpugraph_graph *graph, int threads) {
    gpugraph_run run = {.threads = threads};
    expect(!gpugraph_compact(graph, &run), "%s", run.message);
    ck_assert(!model_is_loose(graph));
}

/* Sorts all vertices, then every third vertex, by id, and checks the order. */
static void check_order(const gpugraph_graph *graph, const gpugraph_graph *wanted) {
    const uint32_t n = gpugraph_vertex_count(graph), less = gpugraph_vertex_count(wanted);
    uint32_t *some = malloc((n + 1) * sizeof *some), *at = malloc((n + 1) * sizeof *at);
    gpugraph_run run = {.threads = 1};
    for (uint32_t step = 1; step <= 3; step += 2) {
        uint32_t count = 0, before = 0;
        for (uint32_t v = step - 1; v < n; v += step)
            some[count++] = v;
        ck_assert(!gpugraph_sort_by_id(graph, step > 1 ? some : NULL, count, &run, at));
        for (uint32_t i = 0; i < count; i++) {
            const gpugraph_id id =
                gpugraph_id_of(gpugraph_vertex_ids(graph), some[at[i]]);
            const uint32_t v = id.is_text ? gpugraph_find_text(wanted, id.text, id.length)
                                          : gpugraph_find_integer(wanted, id.integer);
            if (v == GPUGRAPH_NONE) /* a tombstone */
                continue;
            ck_assert(before == 0 || v >= before);
            before = v + 1;
        }
        ck_assert(step > 1 || before == less);
    }
    free(some);
    free(at);
}

/* Updates the graph to the next state of the model, and compares it with a new graph. */
static void step(gpugraph_graph *graph, const edge_model *before, const edge_model *after,
                 int threads, bool search, bool keep) {
    model_batch batch = model_batch_of(before, after);
    gpugraph_run run;
    expect(apply(graph, &batch, threads, &run) == GPUGRAPH_OK, "%s", run.message);
    gpugraph_graph *wanted = model_graph(after, threads);
    if (model_is_loose(graph)) {
        loose++;
        refuse_pack(graph);
        check_order(graph, wanted);
    }
    const char *differs = kept_texts_differ(graph);
    if (!differs)
        differs = same_graph(graph, wanted);
    if (!differs && search)
        differs = same_answers(graph, wanted, after->random);
    if (!differs && !keep) {
        compact(graph, threads);
        differs = same_graph(graph, wanted);
    }
    expect(!differs, "%s: ids %d, weights %d, %lld removed, %lld added, %lld edges left",
           differs, after->ids, after->weights, (long long)batch.changes.removed_count,
           (long long)batch.added.edges.count, (long long)after->count);
    gpugraph_free(wanted);
    model_batch_free(&batch);
}

static void change_many_times(edge_model model, int batches, int changes, int threads) {
    gpugraph_graph *graph = model_graph(&model, threads);
    static int turn;
    const bool keep = turn % 2 > 0;
    turn++;
    for (int i = 0; i < batches; i++) {
        edge_model before = model_copy(&model);
        if (i % 8 == 0)
            model_make_slots(graph, model_below(&model, 1 << MODEL_SLOTS));
        model_change(&model, 1 + (int)model_below(&model, (uint64_t)changes));
        step(graph, &before, &model, threads, i % 4 == 3, keep && i % 6 < 5);
        model_free(&before);
    }
    gpugraph_free(graph);
    model_free(&model);
}

enum { KINDS = MODEL_IDS * MODEL_WEIGHTS };

static edge_model kind_of(int i, uint32_t universe, int64_t count, uint64_t seed) {
    return model_make((enum model_ids)(i % MODEL_IDS),
                      (enum model_weights)(i / MODEL_IDS), universe, count,
                      seed * 1000 + (uint64_t)i);
}

START_TEST(tiny_graphs) {
    int graphs = 0;
    loose = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        if (left_out(seed + (uint64_t)_i))
            continue;
        graphs++;
        change_many_times(kind_of(_i, 3, 4, seed), 30, 3, 1);
        change_many_times(kind_of(_i, 9, 12, seed), 30, 6, 1);
        change_many_times(kind_of(_i, 40, 60, seed), 30, 20, 1);
    }
    ck_assert(graphs < 6 || loose > 0);
}
END_TEST

START_TEST(from_nothing_and_back) {
    for (uint64_t seed = 0; seed < 10; seed++) {
        if (left_out(seed + (uint64_t)_i))
            continue;
        edge_model model = kind_of(_i, 20, 0, seed), before;
        gpugraph_graph *graph = model_graph(&model, 1);
        for (int round = 0; round < 6; round++) {
            before = model_copy(&model);
            if (round % 2 == 0)
                model_change(&model, 30);
            while (round % 2 && model.count)
                model_remove(&model, model.count - 1);
            if (round != 2)
                model_make_slots(graph, model_below(&model, 1 << MODEL_SLOTS));
            step(graph, &before, &model, 1, true, round % 4 > 1);
            model_free(&before);
        }
        gpugraph_free(graph);
        model_free(&model);
    }
}
END_TEST

START_TEST(larger_graphs) {
    uint64_t turn = 3 * (uint64_t)_i;
    if (!left_out(turn))
        change_many_times(kind_of(_i, 900, 3000, 7), 4, 40, 1);
    if (!left_out(turn + 1))
        change_many_times(kind_of(_i, 900, 3000, 8), 3, 3000, 2);
    if (!left_out(turn + 2))
        change_many_times(kind_of(_i, 5000, 70000, 9), 3, 100, 2);
}
END_TEST

/* Applies many small batches. Most of them leave the graph loose. */
static void come_between(edge_model model, int batches) {
    gpugraph_graph *graph = model_graph(&model, 1);
    gpugraph_run run = {.threads = 1};
    for (int i = 0; i < batches; i++) {
        edge_model before = model_copy(&model);
        if (i % 8 == 0)
            model_make_slots(graph, model_below(&model, 1 << MODEL_SLOTS));
        if (i % 5 == 0 && gpugraph_keeps_arcs(graph))
            ck_assert(!gg_adjacency(graph, GPUGRAPH_OUT, &run));
        model_change(&model, 1 + (int)model_below(&model, 3));
        step(graph, &before, &model, 1, i % 4 == 3, i % 40 != 39);
        model_free(&before);
    }
    gpugraph_free(graph);
    model_free(&model);
}

START_TEST(ids_between_others) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        if (left_out(seed + (uint64_t)_i))
            continue;
        come_between(kind_of(_i, 60, 40, seed), 80);
        come_between(kind_of(_i, 400, 500, seed), 60);
    }
}
END_TEST

/* Edges are appended to full arrays. The arrays grow, and gaps between edges remain. */
START_TEST(arrays_grow) {
    const uint64_t room = gg_limits.room_arcs;
    const unsigned shift = gg_limits.gap_shift;
    edge_model model = model_make(MODEL_DENSE, (enum model_weights)_i, 60, 900, 5);
    gpugraph_graph *graph = model_graph(&model, 1);
    int grown = 0;
    gg_limits.room_arcs = 0;
    gg_limits.gap_shift = 3;
    for (int i = 0; i < 400; i++) {
        edge_model last = model_copy(&model);
        const uint64_t places = graph->gaps.made ? graph->gaps.places : UINT64_MAX;
        gpugraph_run run;
        if (i % 10 == 0)
            model_remove(&model, (int64_t)model_below(&model, (uint64_t)model.count));
        model_insert(&model, model.edge[model.count - 1].id + 1);
        model_batch batch = model_batch_of(&last, &model);
        expect(apply(graph, &batch, 1, &run) == GPUGRAPH_OK, "%s", run.message);
        grown += graph->gaps.made && graph->gaps.places > places;
        model_batch_free(&batch);
        model_free(&last);
    }
    ck_assert_int_gt(grown, 3);
    gpugraph_graph *wanted = model_graph(&model, 1);
    const char *differs = same_graph(graph, wanted);
    expect(!differs, "%s", differs);
    gg_limits.room_arcs = room;
    gg_limits.gap_shift = shift;
    gpugraph_free(wanted);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* ---- errors ---- */

static gpugraph_graph *refused(const gpugraph_changes *changes, gpugraph_run *run) {
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 5, 6, 1);
    gpugraph_graph *graph = model_graph(&model, 1), *wanted = model_graph(&model, 1);
    model_make_slots(graph, (1 << MODEL_SLOTS) - 1);
    *run = (gpugraph_run){.threads = 1};
    ck_assert_int_eq(gpugraph_update(graph, changes, run), GPUGRAPH_INVALID);
    expect(!same_graph(graph, wanted), "the graph has changed");
    gpugraph_free(wanted);
    gpugraph_free(graph);
    model_free(&model);
    return NULL;
}

static const int64_t two_ids[] = {2, 3}, falling[] = {3, 3}, absent[] = {2, 7},
                     new_ids[] = {9, 10}, negative[] = {1, -5};
static const double reals[] = {0.5, 1e300 * 1e300};

/* ---- vertices after all others ---- */

enum { CHAIN = 700 };

/* Makes a graph of the chain's first edges. */
static gpugraph_graph *chain(const int64_t *id, const int64_t *edge, int64_t edges) {
    const gpugraph_edges all = {
        .count = edges, .source = {id, NULL}, .target = {id + 1, NULL}, .edge_id = edge};
    gpugraph_run run = {.threads = 1};
    gpugraph_graph *graph;
    expect(!gpugraph_create(&all, &run, &graph), "%s", run.message);
    return graph;
}

/* A chain grows at its end. Ids grow by 1 to `stride`, and one late id by 2^40, which is
** too much for a bitmap. Sometimes the last edge is removed and added again. */
static void check_chain(uint64_t seed, int64_t stride, bool keep) {
    int64_t id[CHAIN + 1], edge[CHAIN];
    edge_model dice = {.random = seed};
    for (int i = 0; i <= CHAIN; i++) {
        const int64_t by = 1 + (int64_t)model_below(&dice, (uint64_t)stride);
        id[i] = i == 0 ? -7 : id[i - 1] + (i == CHAIN - 40 ? INT64_C(1) << 40 : by);
    }
    for (int i = 0; i < CHAIN; i++)
        edge[i] = i + 1;
    int64_t have = 30;
    gpugraph_graph *graph = chain(id, edge, have);
    while (have < CHAIN) {
        const bool back = model_below(&dice, 4) == 0;
        int64_t more = back ? -1 : 1 + (int64_t)model_below(&dice, 3);
        more = have + more > CHAIN ? CHAIN - have : more;
        const gpugraph_edges added = {.count = more,
                                      .source = {id + have, NULL},
                                      .target = {id + have + 1, NULL},
                                      .edge_id = edge + have};
        const gpugraph_changes changes = {.removed = back ? edge + have - 1 : NULL,
                                          .removed_count = back,
                                          .added = back ? NULL : &added};
        gpugraph_run run = {.threads = 1};
        expect(!gpugraph_update(graph, &changes, &run), "%s", run.message);
        have += more;
        gpugraph_graph *wanted = chain(id, edge, have);
        const char *differs = same_graph(graph, wanted);
        if (!differs && !keep) {
            compact(graph, 1);
            differs = same_graph(graph, wanted);
        }
        expect(!differs, "%s: %lld edges", differs, (long long)have);
        for (int i = 0; i <= CHAIN; i++)
            ck_assert((gpugraph_find_integer(graph, id[i]) == GPUGRAPH_NONE) ==
                      (i > have));
        gpugraph_free(wanted);
    }
    gpugraph_free(graph);
}

START_TEST(vertices_come_behind) {
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int keep = 0; keep < 2 && (seed == 1 || !left_out(seed)); keep++) {
            check_chain(seed, 1, keep);
            check_chain(seed, 3, keep);
            check_chain(seed, 200, keep);
            check_chain(seed, INT64_C(1) << 50, keep);
        }
}
END_TEST

/* ---- one row with most arcs ---- */

enum { SPOKES = 30000, MORE_SPOKES = 5 };

/* Makes a graph of edges 1 -> 2, 1 -> 3, ..., then repeats of 1 -> 2. */
static gpugraph_graph *star(int64_t *column, int64_t spokes) {
    int64_t *source = column, *target = source + SPOKES + MORE_SPOKES,
            *edge = target + SPOKES + MORE_SPOKES;
    gpugraph_run run = {.threads = 1};
    gpugraph_graph *graph;
    for (int64_t i = 0; i < SPOKES + MORE_SPOKES; i++) {
        source[i] = 1;
        target[i] = i < SPOKES ? i + 2 : 2;
        edge[i] = i + 1;
    }
    gpugraph_edges edges = {.count = spokes,
                            .source = {source, NULL},
                            .target = {target, NULL},
                            .edge_id = edge};
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    return graph;
}

/* The row moves to the end of its pool; the next batch packs the pool, and then the row
** needs slack again. */
START_TEST(a_row_moves_after_packing) {
    int64_t *column = malloc(3 * (SPOKES + MORE_SPOKES) * sizeof *column);
    gpugraph_graph *graph = star(column, SPOKES);
    model_make_slots(graph, 1);
    for (int64_t i = SPOKES; i < SPOKES + MORE_SPOKES; i++) {
        const int64_t *source = column, *target = source + SPOKES + MORE_SPOKES,
                      *edge = target + SPOKES + MORE_SPOKES;
        gpugraph_run run = {.threads = 1};
        gpugraph_edges added = {.count = 1,
                                .source = {source + i, NULL},
                                .target = {target + i, NULL},
                                .edge_id = edge + i};
        const gpugraph_changes changes = {.added = &added};
        expect(!gpugraph_update(graph, &changes, &run), "%s", run.message);
        gpugraph_graph *wanted = star(column, i + 1);
        const struct csr_slot *rows = &graph->csr[CSR_OUT];
        ck_assert(rows->made &&
                  rows->used * sizeof *rows->target <= gg_room(rows->target));
        expect(!same_graph(graph, wanted), "%s", same_graph(graph, wanted));
        gpugraph_free(wanted);
    }
    gpugraph_free(graph);
    free(column);
}
END_TEST

START_TEST(bad_changes) {
    gpugraph_run run;
    gpugraph_changes changes = {.removed = absent, .removed_count = 2};
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "edge 7 cannot be removed"));
    changes.removed = falling;
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "not ascending at 3"));

    gpugraph_edges added = {.count = 2,
                            .source = {two_ids, NULL},
                            .target = {new_ids, NULL},
                            .edge_id = two_ids,
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = two_ids};
    changes = (gpugraph_changes){.added = &added};
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "edge 2 cannot be added"));
    changes = (gpugraph_changes){.removed = two_ids, .removed_count = 1, .added = &added};
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "edge 3 cannot be added"));
    added.edge_id = falling;
    refused(&changes, &run);
    added.edge_id = new_ids;
    added.weight = negative;
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "edge 10 has the negative weight -5"));
    added.weight_type = GPUGRAPH_REAL_WEIGHTS;
    added.weight = reals;
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "edge 10 has an infinite weight"));
    added.weight_type = GPUGRAPH_UNWEIGHTED;
    added.weight = NULL;
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "weights"));
    static const uint8_t text = 1;
    added.source.is_text = &text;
    added.weight_type = GPUGRAPH_INTEGER_WEIGHTS;
    added.weight = new_ids;
    refused(&changes, &run);
    ck_assert_ptr_nonnull(strstr(run.message, "text number 2"));
}
END_TEST

/* A batch changes the type of weights if old and new weights can be mixed. */
START_TEST(types_of_weights) {
    static const gpugraph_weight_type types[] = {
        GPUGRAPH_UNWEIGHTED, GPUGRAPH_INTEGER_WEIGHTS, GPUGRAPH_REAL_WEIGHTS};
    static const enum model_weights kinds[] = {MODEL_UNWEIGHTED, MODEL_TURNING,
                                               MODEL_REAL};
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++)
            for (int all = 0; all < 2; all++) {
                edge_model model = model_make(MODEL_GAPS, kinds[from], 7, 9, 3);
                edge_model after = model_copy(&model);
                while (all && after.count)
                    model_remove(&after, 0);
                after.weights = kinds[to];
                for (int i = 0; i < 3; i++)
                    model_insert(&after, 20 + i);
                gpugraph_graph *graph = model_graph(&model, 1);
                model_make_slots(graph, model_below(&model, 1 << MODEL_SLOTS));
                model_batch batch = model_batch_of(&model, &after);
                gpugraph_run run;
                gpugraph_status status = apply(graph, &batch, 1, &run);
                bool mixes = all || from == to || (from && to);
                ck_assert_int_eq(status, mixes ? GPUGRAPH_OK : GPUGRAPH_INVALID);
                if (mixes) {
                    int real = !all && from == 2 ? 2 : to;
                    after.weights = kinds[real];
                    for (int64_t i = 0; i < after.count; i++)
                        if (!all && i < 9 && from == 1 && to == 2)
                            after.edge[i].real = (double)after.edge[i].weight;
                        else if (!all && i >= 9 && from == 2 && to == 1)
                            after.edge[i].real = (double)after.edge[i].weight;
                    gpugraph_graph *wanted = model_graph(&after, 1);
                    const char *differs = same_graph(graph, wanted);
                    expect(!differs, "%d to %d, %d: %s", from, to, all, differs);
                    ck_assert_int_eq(gpugraph_weights(graph), types[real]);
                    gpugraph_free(wanted);
                }
                model_batch_free(&batch);
                gpugraph_free(graph);
                model_free(&after);
                model_free(&model);
            }
}
END_TEST

START_TEST(edge_ids_that_are_there_twice) {
    static const int64_t ends[] = {1, 2, 3}, twice[] = {5, 5, 6};
    gpugraph_edges edges = {.count = 3, .source = {ends, NULL}, .target = {ends, NULL}};
    gpugraph_changes changes = {.removed_count = 1};
    gpugraph_graph *graph;
    gpugraph_run run = {0};
    edges.edge_id = twice;
    changes.removed = twice;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "edge 5"));
    changes.removed = &twice[2];
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_vertex_count(graph), 3);
    ck_assert_uint_eq(gpugraph_tombstones(graph, NULL), 1);
    gpugraph_free(graph);
}
END_TEST

/* ---- clones ---- */

START_TEST(clones) {
    edge_model model = kind_of(_i, 12, 40, 2), after = model_copy(&model);
    model_change(&after, 10);
    gpugraph_graph *graph = model_graph(&model, 1), *wanted = model_graph(&model, 1);
    gpugraph_graph *copy;
    gpugraph_run run = {0};
    model_make_slots(graph, model_below(&model, 1 << MODEL_SLOTS));
    ck_assert_int_eq(gpugraph_clone(graph, &run, &copy), GPUGRAPH_OK);
    step(graph, &model, &after, 1, true, false);
    gpugraph_free(graph);
    expect(!same_graph(copy, wanted), "the copy differs: %s", same_graph(copy, wanted));
    step(copy, &model, &after, 1, true, true);
    gpugraph_free(copy);
    gpugraph_free(wanted);
    model_free(&model);
    model_free(&after);
}
END_TEST

const struct suite suite = {
    "update",
    {{"all", .timeout = 240, .cases = {{&larger_graphs, KINDS}}},
     {"no thread", .tags = "serial", .timeout = 240,
      .cases = {{&tiny_graphs, KINDS},
                {&ids_between_others, KINDS},
                {&from_nothing_and_back, KINDS},
                {&arrays_grow, MODEL_WEIGHTS},
                {&vertices_come_behind},
                {&a_row_moves_after_packing},
                {&bad_changes},
                {&types_of_weights},
                {&edge_ids_that_are_there_twice},
                {&clones, KINDS}}}},
};
