/* Updates graphs with vertices that need no edge, and compares them with graphs made of
** equal edges and vertices.
**
**     edges    1 -> 2   2 -> 3          - 2 -> 3         1 -> 2
**     lone     2  7                     - 7  + 9         2  9
**     kept     2, whose last edges may go; loose 7
**
** The tests apply random batches to graphs with each kind of ids and weights, and random
** choices of CSRs. */
/* ctest: serial */
#include "edge_model.h"

#include "expect.h"
#include "share.h"
#include "suite.h"
#include <stdlib.h>
#include <string.h>

enum { UNIVERSE = 40 };

/* Edges, and vertices without edges. */
typedef struct state {
    edge_model model;
    bool lone[UNIVERSE];
} state;

static state state_copy(const state *s) {
    state copy = *s;
    copy.model = model_copy(&s->model);
    return copy;
}

/* ---- columns: loops stand for lone vertices, behind the edges ---- */

typedef struct columns {
    model_columns all;
    gpugraph_edges edges;
    uint8_t lone_text[UNIVERSE / 8 + 1];
} columns;

static bool is_text(const gpugraph_id_column *column, int64_t i) {
    return column->is_text && column->is_text[i / 8] >> i % 8 & 1;
}

static void columns_make(columns *c, const edge_model *model, const model_edge *edge,
                         int64_t count, const bool *lone) {
    model_edge *list = malloc((size_t)(count + UNIVERSE) * sizeof *list);
    int64_t more = 0;
    if (count)
        memcpy(list, edge, (size_t)count * sizeof *list);
    for (uint32_t v = 0; v < UNIVERSE; v++)
        if (lone[v])
            list[count + more++] = (model_edge){.id = 1, .source = v, .target = v};
    memset(c, 0, sizeof *c);
    c->all = model_columns_of(model, list, count + more);
    c->edges = c->all.edges;
    c->edges.count = count;
    c->edges.vertex_count = more;
    c->edges.vertex = (gpugraph_id_column){c->all.source + count, c->lone_text};
    for (int64_t i = 0; i < more; i++)
        if (is_text(&c->all.edges.source, count + i))
            c->lone_text[i / 8] |= (uint8_t)(1 << i % 8);
    free(list);
}

static gpugraph_graph *graph_of(const state *s, int threads) {
    columns c;
    gpugraph_run run = {.threads = threads};
    gpugraph_graph *graph = NULL;
    columns_make(&c, &s->model, s->model.edge, s->model.count, s->lone);
    expect(gpugraph_create(&c.edges, &run, &graph) == GPUGRAPH_OK, "%s", run.message);
    model_columns_free(&c.all);
    return graph;
}

/* ---- batches ---- */

/* The numbers of these vertices in the graph. */
static int64_t numbers_of(const gpugraph_graph *graph, const state *s, const bool *some,
                          uint32_t *number) {
    columns c;
    columns_make(&c, &s->model, NULL, 0, some);
    const gpugraph_texts *texts = &c.edges.texts;
    for (int64_t i = 0; i < c.edges.vertex_count; i++) {
        int64_t id = c.edges.vertex.value[i];
        number[i] = is_text(&c.edges.vertex, i)
                        ? gpugraph_find_text(graph, texts->bytes + texts->offset[id],
                                             texts->offset[id + 1] - texts->offset[id])
                        : gpugraph_find_integer(graph, id);
        expect(number[i] != GPUGRAPH_NONE, "a lone vertex is not there");
    }
    int64_t count = c.edges.vertex_count;
    model_columns_free(&c.all);
    return count;
}

static gpugraph_status update_to(gpugraph_graph *graph, const state *before,
                                 const state *after, gpugraph_run *run) {
    model_batch batch = model_batch_of(&before->model, &after->model);
    model_edge *added = malloc((size_t)(after->model.count + 1) * sizeof *added);
    uint32_t kept[UNIVERSE], loose[UNIVERSE];
    bool stay[UNIVERSE], go[UNIVERSE], come[UNIVERSE];
    int64_t count = 0;
    for (int64_t i = 0; i < after->model.count; i++)
        for (int64_t k = 0; k < batch.added.edges.count; k++)
            if (batch.added.edge_id[k] == after->model.edge[i].id)
                added[count++] = after->model.edge[i];
    for (int v = 0; v < UNIVERSE; v++) {
        stay[v] = before->lone[v] && after->lone[v];
        go[v] = before->lone[v] && !after->lone[v];
        come[v] = !before->lone[v] && after->lone[v];
    }
    columns c;
    columns_make(&c, &after->model, added, count, come);
    gpugraph_changes changes = {.removed = batch.removed,
                                .removed_count = batch.changes.removed_count,
                                .added = &c.edges,
                                .kept = kept,
                                .loose = loose};
    changes.kept_count = numbers_of(graph, before, stay, kept);
    changes.loose_count = numbers_of(graph, before, go, loose);
    gpugraph_status status = gpugraph_update(graph, &changes, run);
    model_columns_free(&c.all);
    model_batch_free(&batch);
    free(added);
    return status;
}

static void change(state *s, int changes) {
    model_change(&s->model, changes);
    for (int i = 0; i < changes; i++) {
        uint64_t v = model_below(&s->model, UNIVERSE);
        s->lone[v] = !s->lone[v];
    }
}

static void change_many_times(state s, int batches, int most, int threads) {
    gpugraph_graph *graph = graph_of(&s, threads);
    for (int i = 0; i < batches; i++) {
        state before = state_copy(&s);
        gpugraph_run run = {.threads = threads};
        if (i % 8 == 0)
            model_make_slots(graph, model_below(&s.model, 1 << MODEL_SLOTS));
        change(&s, (int)model_below(&s.model, (uint64_t)most));
        expect(update_to(graph, &before, &s, &run) == GPUGRAPH_OK, "%s", run.message);
        gpugraph_graph *wanted = graph_of(&s, threads);
        const char *differs = same_graph(graph, wanted);
        if (!differs)
            differs = same_answers(graph, wanted, s.model.random);
        expect(!differs, "%s: ids %d, weights %d, batch %d", differs, s.model.ids,
               s.model.weights, i);
        gpugraph_free(wanted);
        model_free(&before.model);
    }
    gpugraph_free(graph);
    model_free(&s.model);
}

START_TEST(random_batches) {
    const int ids = _i % MODEL_IDS, weights = _i / MODEL_IDS;
    for (uint64_t seed = 0; seed < 12; seed++) {
        if (left_out(seed + (uint64_t)_i))
            continue;
        state s = {.model = model_make((enum model_ids)ids, (enum model_weights)weights,
                                       UNIVERSE, (int64_t)(seed % 5 * 12),
                                       seed * 1000 + (uint64_t)_i)};
        change_many_times(s, 30, 2 + (int)(seed % 3) * 6, 1 + (int)(seed % 3));
    }
}
END_TEST

/* ---- weights of another type ---- */

/* REAL weights change the type: 1 loses its edges and is kept, 2 loses them, 5 is loose
** and vanishes, 6 is loose and has an edge, 7 does not change, 8 and 9 are new. */
START_TEST(weights_that_change_their_type) {
    static const int64_t source[] = {1, 2, 3, 6}, target[] = {2, 1, 4, 3},
                         lone[] = {1, 5, 6, 7}, weight[] = {1, 2, 3, 4},
                         removed[] = {1, 2}, id[] = {9}, from[] = {3}, to[] = {8},
                         come[] = {9};
    static const double real[] = {2.5};
    static const int64_t left[] = {1, 3, 4, 6, 7, 8, 9};
    gpugraph_edges edges = {.count = 4,
                            .source = {source, NULL},
                            .target = {target, NULL},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = weight,
                            .vertex_count = 4,
                            .vertex = {lone, NULL}};
    gpugraph_edges added = {.count = 1,
                            .source = {from, NULL},
                            .target = {to, NULL},
                            .weight_type = GPUGRAPH_REAL_WEIGHTS,
                            .weight = real,
                            .edge_id = id,
                            .vertex_count = 1,
                            .vertex = {come, NULL}};
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    uint32_t kept = gpugraph_find_integer(graph, 1);
    uint32_t loose[] = {gpugraph_find_integer(graph, 6), gpugraph_find_integer(graph, 5)};
    gpugraph_changes changes = {.removed = removed,
                                .removed_count = 2,
                                .added = &added,
                                .kept = &kept,
                                .kept_count = 1,
                                .loose = loose,
                                .loose_count = 2};
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_OK);
    ck_assert_int_eq(gpugraph_weights(graph), GPUGRAPH_REAL_WEIGHTS);
    ck_assert_int_eq(gpugraph_compact(graph, &run), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_vertex_count(graph), sizeof left / sizeof *left);
    for (uint32_t v = 0; v < sizeof left / sizeof *left; v++)
        ck_assert_uint_eq(gpugraph_find_integer(graph, left[v]), v);
    gpugraph_free(graph);
}
END_TEST

START_TEST(vertices_that_are_none) {
    static const int64_t ends[] = {1, 2};
    gpugraph_edges edges = {.count = 2, .source = {ends, NULL}, .target = {ends, NULL}};
    const uint32_t two = 2;
    gpugraph_changes changes[] = {{.kept = &two, .kept_count = 1},
                                  {.loose = &two, .loose_count = 1},
                                  {.loose_count = -1}};
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(gpugraph_update(graph, &changes[i], &run), GPUGRAPH_INVALID);
    ck_assert_uint_eq(gpugraph_vertex_count(graph), 2);
    gpugraph_free(graph);
}
END_TEST

const struct suite suite = {
    "update_lone",
    {{"all", .timeout = 120,
      .cases = {{&random_batches, MODEL_IDS *MODEL_WEIGHTS},
                {&weights_that_change_their_type},
                {&vertices_that_are_none}}}},
};
