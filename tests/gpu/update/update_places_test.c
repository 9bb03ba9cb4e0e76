/* Batches by positions, for graphs whose edges have no ids but their numbers, compared
** with graphs made of the same edges.
**
**     model     ids    3  5  9 12           5 is removed, 9 reweighted, 7 added
**     graph     edges  0  1  2  3
**     batch     removed 2 3 (edges 1 and 2)     added: one before edge 2, and edge 2
**
** The model's ids have gaps; the graph is made without them. */
#include "edge_model.h"

#include "expect.h"
#include "share.h"
#include "suite.h"
#include <stdlib.h>
#include <string.h>

static gpugraph_graph *graph_of(const edge_model *model, int threads) {
    gpugraph_run run = {.threads = threads};
    gpugraph_graph *graph = NULL;
    model_columns c = model_columns_of(model, model->edge, model->count);
    c.edges.edge_id = NULL;
    ck_assert_int_eq(gpugraph_create(&c.edges, &run, &graph), GPUGRAPH_OK);
    model_columns_free(&c);
    return graph;
}

/* Number of edges whose ids are less than this id. */
static int64_t edges_below(const edge_model *model, int64_t id) {
    int64_t low = 0;
    while (low < model->count && model->edge[low].id < id)
        low++;
    return low;
}

static bool has(const edge_model *model, int64_t id) {
    int64_t e = edges_below(model, id);
    return e < model->count && model->edge[e].id == id;
}

typedef struct place_arrays {
    uint64_t *before;
    int64_t *removed, *id;
} place_arrays;

/* Converts a batch by ids to a batch by positions. */
static place_arrays by_places(const edge_model *model, model_batch *batch) {
    gpugraph_edges *added = &batch->added.edges;
    gpugraph_changes *changes = &batch->changes;
    place_arrays made = {malloc(((size_t)added->count + 1) * sizeof(uint64_t)),
                         malloc(((size_t)changes->removed_count + 1) * sizeof(int64_t)),
                         malloc(((size_t)added->count + 1) * sizeof(int64_t))};
    for (int64_t i = 0; i < changes->removed_count; i++)
        made.removed[i] = edges_below(model, changes->removed[i]) + 1;
    for (int64_t i = 0; i < added->count; i++) {
        int64_t e = edges_below(model, added->edge_id[i]);
        made.before[i] = (uint64_t)e;
        made.id[i] = has(model, added->edge_id[i]) ? e + 1 : 0;
    }
    changes->removed = made.removed;
    changes->before = made.before;
    added->edge_id = made.id;
    changes->added = added->count ? added : NULL;
    return made;
}

static void free_places(place_arrays *made) {
    free(made->before);
    free(made->removed);
    free(made->id);
}

START_TEST(random_batches) {
    const enum model_ids ids = _i % MODEL_IDS;
    const enum model_weights weights = _i / MODEL_IDS;
    for (uint64_t seed = 0; seed < 40; seed++) {
        if (left_out(seed))
            continue;
        edge_model model = model_make(ids, weights, 30, 60, seed);
        for (int64_t i = 0; i < model.count; i++) /* free ids between any two */
            model.edge[i].id *= 10;
        gpugraph_graph *graph = graph_of(&model, 2);
        model_make_slots(graph, seed * 1657 % (1 << MODEL_SLOTS));
        for (int round = 0; round < 6; round++) {
            gpugraph_run run = {.threads = 2};
            edge_model after = model_copy(&model);
            model_change(&after, 1 + (int)model_below(&after, 20));
            for (int k = 0; k < 4; k++) {
                int64_t id = (int64_t)model_below(&after, 700);
                if (!has(&after, id))
                    model_insert(&after, id);
            }
            model_batch batch = model_batch_of(&model, &after);
            place_arrays places = by_places(&model, &batch);
            ck_assert_msg(gpugraph_update(graph, &batch.changes, &run) == GPUGRAPH_OK,
                          "%s", run.message);
            gpugraph_graph *wanted = graph_of(&after, 2);
            const char *differs = same_graph(graph, wanted);
            expect(!differs, "ids %d, weights %d, seed %llu, round %d: %s", ids, weights,
                   (unsigned long long)seed, round, differs);
            gpugraph_free(wanted);
            free_places(&places);
            model_batch_free(&batch);
            model_free(&model);
            model = after;
        }
        gpugraph_free(graph);
        model_free(&model);
    }
}
END_TEST

/* Invalid batches; the graph does not change. */
START_TEST(refusals) {
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 5, 6, 1);
    gpugraph_graph *graph = graph_of(&model, 1);
    const int64_t value[] = {1, 2}, weight[] = {3, 4}, none[] = {0, 0};
    const uint64_t falling[] = {4, 3}, beyond[] = {2, 7}, fine[] = {6, 6};
    const gpugraph_edges added = {.count = 2,
                                  .source = {value, NULL},
                                  .target = {value, NULL},
                                  .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                                  .weight = weight,
                                  .edge_id = none};
    gpugraph_run run = {.threads = 1};
    gpugraph_changes changes = {.added = &added, .before = falling};
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "not ascending"));
    changes.before = beyond;
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_INVALID);
    ck_assert_uint_eq(gpugraph_edge_count(graph), 6);
    changes.before = fine;
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_edge_count(graph), 8);
    gpugraph_free(graph);

    model.edge[5].id = 70; /* now edges have ids */
    graph = model_graph(&model, 1);
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "have ids"));
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

const struct suite suite = {
    "update_places",
    {{"places", .timeout = 120,
      .cases = {{&random_batches, MODEL_IDS *MODEL_WEIGHTS}, {&refusals}}}},
};
