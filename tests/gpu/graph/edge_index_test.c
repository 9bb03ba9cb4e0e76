/* Edges by their ends and by their ids, compared with a pass over all edges. */
/* ctest: serial wide-addresses=0 */
#include "edge_model.h"
#include "graph/graph.h"

#include "expect.h"
#include "suite.h"
#include <stdlib.h>

enum { KINDS = MODEL_IDS };

/* The position of an edge in order of (target, number) among the edges that leave v. */
static uint64_t key_of(const gpugraph_edge_list *edges, uint64_t e) {
    return (uint64_t)edges->target[e] << 32 | e;
}

static uint64_t next_from(const gpugraph_graph *graph, uint32_t v, uint64_t after) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    uint64_t best = UINT64_MAX;
    for (uint64_t e = 0; e < gpugraph_edge_count(graph); e++) {
        uint64_t key = key_of(edges, e);
        if (edges->source[e] == v && key >= after && key < best)
            best = key;
    }
    return best;
}

static void check_vertex(gpugraph_graph *graph, uint32_t v) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    gpugraph_run run = {.threads = 1};
    const void *edge, *between;
    uint64_t count, some, seen = 0;
    ck_assert_int_eq(gpugraph_edges_from(graph, v, &run, &edge, &count), GPUGRAPH_OK);
    uint64_t key = next_from(graph, v, 0);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t e = gpugraph_edge_at(graph, edge, i);
        expect(key == key_of(edges, e), "edge %llu of vertex %u", (unsigned long long)e,
               v);
        key = next_from(graph, v, key + 1);
    }
    expect(key == UINT64_MAX, "an edge of vertex %u is missing", v);
    for (uint32_t to = 0; to < gpugraph_vertex_count(graph); to++) {
        gpugraph_edges_between(graph, v, to, &run, &between, &some);
        const char *begin = (const char *)edge + seen * gpugraph_edge_size(graph);
        expect(between == begin || !some, "edges from %u to %u", v, to);
        for (uint64_t i = 0; i < some; i++)
            expect(edges->target[gpugraph_edge_at(graph, between, i)] == to,
                   "edges from %u to %u", v, to);
        seen += some;
    }
    expect(seen == count, "vertex %u: %llu edges, %llu by their ends", v,
           (unsigned long long)count, (unsigned long long)seen);
}

/* Compares the edges that enter v with its incoming arcs. */
static void check_arcs_back(gpugraph_graph *graph, uint32_t v) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    gpugraph_run run = {.threads = 1};
    gpugraph_arcs arcs;
    uint64_t entering = 0;
    ck_assert_int_eq(gpugraph_arcs_into(graph, v, &run, &arcs), GPUGRAPH_OK);
    for (uint64_t e = 0; e < gpugraph_edge_count(graph); e++)
        entering += edges->target[e] == v;
    expect(arcs.count == entering, "%llu of %llu edges enter vertex %u",
           (unsigned long long)arcs.count, (unsigned long long)entering, v);
    for (uint64_t i = 0; i < arcs.count; i++) {
        const int64_t id = arcs.id[i] + arcs.first_id;
        const uint64_t e = gpugraph_find_edge(graph, id);
        expect(
            e != GPUGRAPH_NO_EDGE && edges->target[e] == v &&
                edges->source[e] == arcs.target[i] &&
                (i == 0 || arcs.target[i - 1] < arcs.target[i] ||
                 (arcs.target[i - 1] == arcs.target[i] && arcs.id[i - 1] < arcs.id[i])),
            "edge %lld into vertex %u", (long long)id, v);
    }
}

/* Changes the model and the graph `changes` times. */
static void change_edges(gpugraph_graph *graph, edge_model *model, int changes) {
    gpugraph_run run = {.threads = 1};
    edge_model before = model_copy(model);
    model_change(model, changes);
    model_batch batch = model_batch_of(&before, model);
    batch.changes.added = &batch.added.edges;
    ck_assert_int_eq(gpugraph_update(graph, &batch.changes, &run), GPUGRAPH_OK);
    model_batch_free(&batch);
    model_free(&before);
}

/* Compares the arcs with the edges, in order. */
static void check_arcs(gpugraph_graph *graph, uint32_t v) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    gpugraph_run run = {.threads = 1};
    gpugraph_arcs arcs, between;
    const uint32_t n = gpugraph_vertex_count(graph);
    ck_assert_int_eq(gpugraph_arcs_from(graph, v, &run, &arcs), GPUGRAPH_OK);
    uint64_t key = next_from(graph, v, 0), seen = 0;
    for (uint64_t i = 0; i < arcs.count; i++) {
        const int64_t id = arcs.id[i] + arcs.first_id;
        const uint64_t e = gpugraph_find_edge(graph, id);
        expect(e != GPUGRAPH_NO_EDGE && key == key_of(edges, e), "edge %lld of vertex %u",
               (long long)id, v);
        expect(arcs.target[i] == edges->target[e], "where edge %lld leads",
               (long long)id);
        key = next_from(graph, v, key + 1);
    }
    expect(key == UINT64_MAX, "an arc of vertex %u is missing", v);
    for (uint32_t to = 0; to < n; to++) {
        ck_assert_int_eq(gpugraph_arcs_between(graph, v, to, &run, &between),
                         GPUGRAPH_OK);
        expect(!between.count || between.id == arcs.id + seen, "arcs from %u to %u", v,
               to);
        for (uint64_t i = 0; i < between.count; i++)
            expect(between.target[i] == to, "arcs from %u to %u", v, to);
        seen += between.count;
    }
    expect(seen == arcs.count, "vertex %u: %llu arcs, %llu by their ends", v,
           (unsigned long long)arcs.count, (unsigned long long)seen);
}

/* Looks up several ids at once, of existing and missing edges. */
static void check_ids_together(const gpugraph_graph *graph, const edge_model *model) {
    enum { MOST = 100 };
    int64_t id[MOST], count = 0, from = model->count ? model->edge[0].id - 2 : 0;
    uint64_t number[MOST];
    gpugraph_edge edge[MOST];
    while (count < MOST)
        id[count++] = from++;
    gpugraph_find_edges(graph, id, count, number, edge);
    for (int64_t i = 0, e = 0; i < count; i++) {
        while (e < model->count && model->edge[e].id < id[i])
            e++;
        const bool there = e < model->count && model->edge[e].id == id[i];
        expect(number[i] == (there ? (uint64_t)e : GPUGRAPH_NO_EDGE), "edge id %lld",
               (long long)id[i]);
        if (!there)
            continue;
        const gpugraph_edge alone = gpugraph_edge_of(graph, (uint64_t)e);
        expect(edge[i].id == id[i] && edge[i].source == alone.source &&
                   edge[i].target == alone.target && edge[i].weight == alone.weight &&
                   edge[i].real == alone.real,
               "what edge id %lld is", (long long)id[i]);
    }
}

static void check_ids(const gpugraph_graph *graph, const edge_model *model) {
    check_ids_together(graph, model);
    int64_t last = model->count ? model->edge[model->count - 1].id : 0;
    int64_t first = model->count ? model->edge[0].id : 0;
    for (int64_t e = 0; e < model->count; e++)
        expect(gpugraph_find_edge(graph, model->edge[e].id) == (uint64_t)e,
               "edge id %lld", (long long)model->edge[e].id);
    for (int64_t id = first - 2, e = 0; id <= last + 2; id++) {
        while (e < model->count && model->edge[e].id < id)
            e++;
        if (e == model->count || model->edge[e].id != id)
            expect(gpugraph_find_edge(graph, id) == GPUGRAPH_NO_EDGE, "no edge %lld",
                   (long long)id);
    }
    expect(gpugraph_find_edge(graph, INT64_MIN) == GPUGRAPH_NO_EDGE, "the smallest id");
    expect(gpugraph_find_edge(graph, INT64_MAX) == GPUGRAPH_NO_EDGE, "the largest id");
}

static void check_all(gpugraph_graph *graph, const edge_model *model) {
    for (uint32_t v = 0; v < gpugraph_vertex_count(graph); v++)
        check_vertex(graph, v);
    for (uint32_t v = 0; gpugraph_keeps_arcs(graph) && v < gpugraph_vertex_count(graph);
         v++) {
        check_arcs(graph, v);
        check_arcs_back(graph, v);
    }
    check_ids(graph, model);
    gpugraph_run run = {.threads = 1};
    uint64_t e;
    expect(!gpugraph_check_arcs(graph, &run, &e), "%s", run.message);
}

/* The check detects arcs that are not those of the edges: a wrong target, a wrong id, a
** missing arc, an extra arc. */
START_TEST(wrong_arcs) {
    edge_model model = model_make(MODEL_GAPS, MODEL_SMALL, 20, 90, 3);
    gpugraph_graph *graph = model_graph(&model, 1);
    gpugraph_run run = {.threads = 1};
    uint64_t e;
    model_make_slots(graph, 0x7fff);
    for (int side = 0; side < 2; side++) {
        struct adjacency *a = &graph->derived.adjacency[side];
        gg_begin(&run);
        gg_give_slack(&run, &a->rows, graph->n, sizeof(uint32_t), 0);
        for (int turn = 0; turn < 60; turn++) {
            const uint32_t v = (uint32_t)model_below(&model, graph->n);
            const uint64_t k = model_below(&model, graph->m), end = a->rows.end[v];
            uint32_t *target = &a->rows.target[k], *id = (uint32_t *)a->rows.weight + k;
            const uint32_t was[2] = {*target, *id};
            ck_assert_int_eq(gpugraph_check_arcs(graph, &run, &e), GPUGRAPH_OK);
            if (turn % 4 == 0)
                *target ^= 1;
            else if (turn % 4 == 1)
                *id ^= 1;
            else if (end == graph->m || (turn % 4 == 2 && end > a->rows.offset[v]))
                a->rows.end[v]--;
            else
                a->rows.end[v]++;
            ck_assert_int_eq(gpugraph_check_arcs(graph, &run, &e), GPUGRAPH_INVALID);
            *target = was[0];
            *id = was[1];
            a->rows.end[v] = end;
        }
    }
    ck_assert_int_eq(gpugraph_check_arcs(graph, &run, &e), GPUGRAPH_OK);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* The check detects a wrong degree. */
START_TEST(wrong_degrees) {
    edge_model model = model_make(MODEL_GAPS, MODEL_SMALL, 20, 90, 3);
    gpugraph_graph *graph = model_graph(&model, 1);
    gpugraph_run run = {.threads = 1};
    const int64_t id = gpugraph_edge_of(graph, 7).id;
    uint64_t e;
    ck_assert(!graph->derived.degree);
    gpugraph_update(graph, &(gpugraph_changes){.removed = &id, .removed_count = 1}, &run);
    ck_assert_int_eq(gpugraph_check_arcs(graph, &run, &e), GPUGRAPH_OK);
    ck_assert(graph->derived.degree);
    graph->derived.degree[3]++;
    ck_assert_int_eq(gpugraph_check_arcs(graph, &run, &e), GPUGRAPH_INVALID);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

START_TEST(random_graphs) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        edge_model model =
            model_make((enum model_ids)_i, MODEL_SMALL, 1 + (uint32_t)seed * 6,
                       (int64_t)seed * 25, seed * 10 + (uint64_t)_i);
        gpugraph_graph *graph = model_graph(&model, 1);
        for (int round = 0; round < 5; round++) {
            check_all(graph, &model);
            change_edges(graph, &model, 12);
        }
        gpugraph_free(graph);
        model_free(&model);
    }
}
END_TEST

/* A hub and hundreds of parallel edges. */
START_TEST(long_rows) {
    edge_model model = model_make(MODEL_DENSE, MODEL_UNWEIGHTED, 4, 900, 5);
    gpugraph_graph *graph = model_graph(&model, 2);
    check_all(graph, &model);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* Changes use up the slack behind the rows, so that they are packed again. A row that is
** requested always equals the edge list. */
START_TEST(room_runs_out) {
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 60, 400, 9);
    gpugraph_graph *graph = model_graph(&model, 1);
    const struct csr_slot *rows = &graph->derived.adjacency[GPUGRAPH_OUT].rows;
    gpugraph_run run = {.threads = 1};
    gpugraph_arcs arcs;
    bool packed = false;
    gg_limits.room_arcs = 0;
    ck_assert_int_eq(gpugraph_arcs_from(graph, 0, &run, &arcs), GPUGRAPH_OK);
    for (int round = 0; round < 40; round++) {
        const uint64_t used = rows->used;
        change_edges(graph, &model, 20);
        ck_assert(gg_adjacency_made(graph, GPUGRAPH_OUT));
        packed |= rows->used < used;
        check_all(graph, &model);
    }
    ck_assert(packed);
    gg_limits.room_arcs = gg_usual_limits.room_arcs;
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* Ids too far apart are not kept as arcs; a new id that is too far drops the arcs. */
START_TEST(ids_far_apart) {
    int64_t ends[] = {1, 2}, id[] = {INT64_MIN, INT64_MIN + 7}, far = INT64_MAX;
    const gpugraph_edges edges = {
        .count = 2, .source = {ends, NULL}, .target = {ends, NULL}, .edge_id = id};
    const gpugraph_edges more = {
        .count = 1, .source = {ends, NULL}, .target = {ends, NULL}, .edge_id = &far};
    const gpugraph_changes changes = {.added = &more},
                           back = {.removed = &far, .removed_count = 1};
    gpugraph_run run = {.threads = 1};
    gpugraph_graph *graph;
    gpugraph_arcs arcs;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    for (int round = 0; round < 2; round++) {
        ck_assert(gpugraph_keeps_arcs(graph));
        check_arcs(graph, 0);
        check_arcs(graph, 1);
        ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_OK);
        ck_assert(!gpugraph_keeps_arcs(graph) && !gg_adjacency_made(graph, GPUGRAPH_OUT));
        ck_assert_int_eq(gpugraph_arcs_from(graph, 0, &run, &arcs), GPUGRAPH_INVALID);
        ck_assert_int_eq(gpugraph_update(graph, &back, &run), GPUGRAPH_OK);
    }
    gpugraph_free(graph);
}
END_TEST

static int stop_at_once(void *listener) {
    (void)listener;
    return 1;
}

START_TEST(refused) {
    edge_model model = model_make(MODEL_DENSE, MODEL_UNWEIGHTED, 4, 9, 5);
    gpugraph_graph *graph = model_graph(&model, 1);
    const void *edge;
    uint64_t count;
    gpugraph_run run = {.interrupted = stop_at_once};
    ck_assert_int_eq(gpugraph_edges_from(graph, 0, &run, &edge, &count),
                     GPUGRAPH_INTERRUPTED);
    run.interrupted = NULL;
    ck_assert_int_eq(gpugraph_edges_from(graph, 4, &run, &edge, &count),
                     GPUGRAPH_INVALID);
    ck_assert_int_eq(gpugraph_edges_between(graph, GPUGRAPH_NONE, 0, &run, &edge, &count),
                     GPUGRAPH_INVALID);
    ck_assert_int_eq(gpugraph_edges_between(graph, 0, GPUGRAPH_NONE, &run, &edge, &count),
                     GPUGRAPH_OK);
    ck_assert_uint_eq(count, 0);
    check_all(graph, &model);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

const struct suite suite = {
    "edge_index",
    {{"all", .timeout = 240,
      .cases = {{&random_graphs, KINDS},
                {&long_rows},
                {&wrong_arcs},
                {&wrong_degrees},
                {&room_runs_out},
                {&ids_far_apart},
                {&refused}}}},
};
