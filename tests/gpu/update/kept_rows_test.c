/* Tests rows with slack, which a change keeps, on the CPU: functions of the whole graph
** read the rows in place, rebuild none, and give the answers of a new graph. */
#include "base/limits.h"
#include "edge_model.h"

#include "expect.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { VERTICES = 300, EDGES = 1500, ROUNDS = 12, LARGEST = 8 }; /* bytes of an item */

static gpugraph_status weak(gpugraph_graph *g, gpugraph_run *run, void *to) {
    return gpugraph_components(g, GPUGRAPH_WEAK, run, to);
}

static gpugraph_status strong(gpugraph_graph *g, gpugraph_run *run, void *to) {
    return gpugraph_components(g, GPUGRAPH_STRONG, run, to);
}

static gpugraph_status labels(gpugraph_graph *g, gpugraph_run *run, void *to) {
    return gpugraph_label_propagation(g, 10, GPUGRAPH_BOTH, run, to);
}

static gpugraph_status order(gpugraph_graph *g, gpugraph_run *run, void *to) {
    return gpugraph_topological_order(g, GPUGRAPH_OUT, run, to, NULL, NULL);
}

static gpugraph_status ranks(gpugraph_graph *g, gpugraph_run *run, void *to) {
    const gpugraph_pagerank_options how = {
        .direction = GPUGRAPH_OUT, .damping = 0.85, .iterations = 7};
    return gpugraph_pagerank(g, &how, run, to);
}

static gpugraph_status weighted_ranks(gpugraph_graph *g, gpugraph_run *run, void *to) {
    const gpugraph_pagerank_options how = {
        .direction = GPUGRAPH_BOTH, .damping = 0.85, .iterations = 7, .weighted = true};
    return gpugraph_pagerank(g, &how, run, to);
}

static gpugraph_status cores(gpugraph_graph *g, gpugraph_run *run, void *to) {
    return gpugraph_cores(g, run, to);
}

static gpugraph_status triangles(gpugraph_graph *g, gpugraph_run *run, void *to) {
    return gpugraph_triangles(g, run, to);
}

static gpugraph_status clustering(gpugraph_graph *g, gpugraph_run *run, void *to) {
    const gpugraph_triangle_counts counts = {.coefficient = to};
    return gpugraph_vertex_triangles(g, GPUGRAPH_OUT, run, &counts);
}

static gpugraph_status members(gpugraph_graph *g, gpugraph_run *run, void *to) {
    return gpugraph_mis(g, GPUGRAPH_BY_DEGREE, 1, run, to);
}

static gpugraph_status depths(gpugraph_graph *g, gpugraph_run *run, void *to) {
    const uint32_t source = 5;
    const gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    return gpugraph_bfs(g, &search, run, to, NULL);
}

static gpugraph_status distances(gpugraph_graph *g, gpugraph_run *run, void *to) {
    const uint32_t source = 5;
    const gpugraph_search search = {.source = &source, .source_count = 1};
    return gpugraph_sssp(g, &search, run, to, NULL);
}

static gpugraph_status matrix(gpugraph_graph *g, gpugraph_run *run, void *to) {
    const uint32_t source[] = {5, 6, 7}, target[] = {8, 9, 10, 11};
    const gpugraph_search search = {
        .source = source, .source_count = 3, .target = target, .target_count = 4};
    return gpugraph_matrix(g, &search, true, run, to);
}

static gpugraph_status many_depths(gpugraph_graph *g, gpugraph_run *run, void *to) {
    enum { SOURCES = 4 };
    static uint32_t row[SOURCES][VERTICES];
    uint32_t *const depth[SOURCES] = {row[0], row[1], row[2], row[3]};
    const uint32_t source[SOURCES] = {1, 2, 3, 4};
    const gpugraph_search search = {
        .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
    run->method = "multi-source";
    gpugraph_bfs_each(g, &search, run, depth, NULL);
    memcpy(to, row[SOURCES - 1], sizeof row[0]);
    return run->status;
}

static const struct question {
    const char *name;
    gpugraph_status (*ask)(gpugraph_graph *, gpugraph_run *, void *to);
} questions[] = {{"weak components", weak},  {"strong components", strong},
                 {"labels", labels},         {"topological order", order},
                 {"ranks", ranks},           {"ranks by weight", weighted_ranks},
                 {"cores", cores},           {"triangles", triangles},
                 {"clustering", clustering}, {"members", members},
                 {"depths", depths},         {"distances", distances},
                 {"matrix", matrix},         {"depths of many", many_depths}};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static void hear(void *rows, const char *name, double ms, int64_t items,
                 const char *detail) {
    (void)ms, (void)items, (void)detail;
    *(int *)rows += strcmp(name, "csr") == 0;
}

static int ask(const struct question *q, gpugraph_graph *graph, uint8_t *to,
               gpugraph_status *status) {
    int rows = 0;
    gpugraph_run run = {
        .backend = GPUGRAPH_CPU, .threads = 2, .phase = hear, .listener = &rows};
    memset(to, 0, VERTICES * LARGEST);
    *status = q->ask(graph, &run, to);
    return rows;
}

static void same(const struct question *q, gpugraph_graph *graph, gpugraph_graph *fresh,
                 bool changed) {
    static uint8_t is[VERTICES * LARGEST], should[VERTICES * LARGEST];
    gpugraph_status status[2];
    const int rows = ask(q, graph, is, &status[0]);
    ask(q, fresh, should, &status[1]);
    expect(status[0] == status[1], "%s: status %d, not %d", q->name, status[0],
           status[1]);
    expect(status[0] || memcmp(is, should, sizeof is) == 0, "%s differ", q->name);
    expect(!changed || rows == 0, "%s make rows after a change", q->name);
}

/* Makes edges lead to larger numbers, so that a topological order exists. */
static void make_acyclic(edge_model *model) {
    for (int64_t e = 0; e < model->count; e++) {
        model_edge *edge = &model->edge[e];
        const uint32_t a = edge->source, b = edge->target;
        edge->source = a < b ? a : b;
        edge->target = a < b ? b : a;
        if (a == b)
            edge->target = (a + 1) % model->universe,
            edge->source = a < edge->target ? a : 0;
    }
}

START_TEST(rows_stay) {
    const uint64_t usual = gg_limits.room_arcs;
    gg_limits.room_arcs = 0;
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, VERTICES, EDGES, 11);
    if (_i)
        make_acyclic(&model);
    gpugraph_graph *graph = model_graph(&model, 1);
    for (int round = 0; round < ROUNDS; round++) {
        gpugraph_graph *fresh = model_graph(&model, 1);
        for (int q = 0; q < QUESTIONS; q++)
            same(&questions[q], graph, fresh, round > 0);
        gpugraph_free(fresh);
        edge_model before = model_copy(&model);
        model_change(&model, 1 + round % 3);
        if (_i)
            make_acyclic(&model);
        model_batch batch = model_batch_of(&before, &model);
        gpugraph_run run = {.threads = 1};
        if (batch.added.edges.count)
            batch.changes.added = &batch.added.edges;
        expect(!gpugraph_update(graph, &batch.changes, &run), "%s", run.message);
        model_batch_free(&batch);
        model_free(&before);
    }
    gpugraph_free(graph);
    model_free(&model);
    gg_limits.room_arcs = usual;
}
END_TEST

const struct suite suite = {"kept_rows", {{"rows", .cases = {{&rows_stay, 2}}}}};
