/* A graph with copies on two devices: each search uses its own device's copy, answers
** equal those of the CPU, both devices work at the same time, a change keeps one copy,
** and all memory is freed. Skipped with fewer than two devices. */
#include "graph_data.h"
#include "edge_model.h"
#include "graph/copy.h"
#include "graphs.h"
#include "suite.h"
#include "workers.h"

#include <stdlib.h>
#include <string.h>

enum { SCALE = 12, FACTOR = 8, ROUNDS = 30 };

static gpugraph_run run_on(int device) {
    return (gpugraph_run){.backend = GPUGRAPH_CUDA, .device = device, .threads = 2};
}

static uint32_t *depths(gpugraph_graph *graph, uint32_t source, gpugraph_run *run) {
    const gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    uint32_t *depth = malloc(gpugraph_vertex_count(graph) * sizeof *depth);
    gpugraph_bfs(graph, &search, run, depth, NULL);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    return depth;
}

static void same_depths(gpugraph_graph *graph, uint32_t source, int device) {
    gpugraph_run cpu = {.backend = GPUGRAPH_CPU}, cuda = run_on(device);
    uint32_t *right = depths(graph, source, &cpu), *got = depths(graph, source, &cuda);
    ck_assert_int_eq(cuda.used_devices, 1);
    ck_assert_int_eq(cpu.used_devices, 0);
    ck_assert_mem_eq(got, right, gpugraph_vertex_count(graph) * sizeof *right);
    free(right);
    free(got);
}

static int64_t held_on(const gpugraph_graph *graph, int device) {
    return graph->device ? gg_copies.held_on(graph, device) : 0;
}

static int64_t held(const gpugraph_graph *graph) {
    int64_t host, device;
    gpugraph_memory(graph, &host, &device);
    return device;
}

static gpugraph_graph *rmat(void) {
    shape s = shape_rmat(SCALE, FACTOR, 7);
    gpugraph_graph *graph = shape_graph(&s);
    shape_free(&s);
    return graph;
}

/* Neither search frees the other's copy. */
START_TEST(each_has_its_own) {
    gpugraph_graph *graph = rmat();
    same_depths(graph, 1, 0);
    const int64_t first = held_on(graph, 0);
    ck_assert_int_gt(first, 0);
    ck_assert_int_eq(held_on(graph, 1), 0);
    same_depths(graph, 2, 1);
    ck_assert_int_eq(held_on(graph, 0), first);
    ck_assert_int_gt(held_on(graph, 1), 0);
    ck_assert_int_eq(held(graph), first + held_on(graph, 1));
    same_depths(graph, 3, 0);
    gpugraph_release_device(graph);
    ck_assert_int_eq(held(graph), 0);
    same_depths(graph, 4, 1);
    ck_assert_int_eq(held_on(graph, 0), 0);
    gpugraph_free(graph);
}
END_TEST

/* memory_limit bounds each device separately. */
START_TEST(limits_are_of_one_device) {
    gpugraph_graph *graph = rmat();
    const uint32_t source = 1;
    const gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    uint32_t *depth = malloc(gpugraph_vertex_count(graph) * sizeof *depth);
    same_depths(graph, source, 0);
    gpugraph_run run = run_on(0);
    run.memory_limit = 1;
    run.device = 1;
    gpugraph_bfs(graph, &search, &run, depth, NULL);
    ck_assert_int_eq(run.status, GPUGRAPH_DEVICE_MEMORY);
    same_depths(graph, source, 0);
    run.memory_limit = held_on(graph, 0) + ((int64_t)64 << 20);
    gpugraph_bfs(graph, &search, &run, depth, NULL);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    free(depth);
    gpugraph_free(graph);
}
END_TEST

static void search_often(void *memory, uint32_t number) {
    gpugraph_graph *graph = memory;
    for (uint32_t i = 0; i < ROUNDS; i++)
        same_depths(graph, number * ROUNDS + i, (int)(number % 2));
}

START_TEST(at_the_same_time) {
    gpugraph_graph *graph = rmat();
    run_workers(4, search_often, graph, NULL, 0);
    ck_assert_int_gt(held_on(graph, 0), 0);
    ck_assert_int_gt(held_on(graph, 1), 0);
    gpugraph_free(graph);
}
END_TEST

static void update(gpugraph_graph *graph, const edge_model *before,
                   const edge_model *after, int device) {
    model_batch batch = model_batch_of(before, after);
    if (batch.added.edges.count)
        batch.changes.added = &batch.added.edges;
    gpugraph_run run = run_on(device);
    gpugraph_update(graph, &batch.changes, &run);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    model_batch_free(&batch);
}

/* A change patches the copy on its run's device and frees the other one. */
START_TEST(a_change_keeps_one) {
    edge_model model = model_make(MODEL_GAPS, MODEL_SMALL, 500, 5000, 3);
    gpugraph_graph *graph = model_graph(&model, 1);
    for (int i = 0; i < 8; i++) {
        edge_model before = model_copy(&model);
        const int device = i / 2 % 2;
        same_depths(graph, 1, 0);
        same_depths(graph, 1, 1);
        model_change(&model, 20);
        update(graph, &before, &model, device);
        ck_assert_int_gt(held_on(graph, device), 0);
        ck_assert_int_eq(held_on(graph, 1 - device), 0);
        same_depths(graph, 2, device);
        same_depths(graph, 2, 1 - device);
        model_free(&before);
    }
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* ---- many sources ---- */

enum { SOURCES = 20 };

static gpugraph_run run_on_both(void) {
    static const int both[] = {0, 1};
    gpugraph_run run = run_on(0);
    run.devices = both;
    run.device_count = 2;
    run.all_devices = true;
    return run;
}

struct rows { /* of SOURCES searches */
    uint32_t *depth[SOURCES];
    void *tree[SOURCES];
};

static struct rows search_each(gpugraph_graph *graph, const uint32_t *source,
                               gpugraph_run *run) {
    const gpugraph_search search = {
        .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
    struct rows rows;
    for (int i = 0; i < SOURCES; i++) {
        rows.depth[i] = malloc(graph->n * sizeof *rows.depth[i]);
        rows.tree[i] = malloc(graph->n * gpugraph_edge_size(graph));
    }
    gpugraph_bfs_each(graph, &search, run, rows.depth, rows.tree);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    return rows;
}

static void same_rows(const gpugraph_graph *graph, struct rows *a, struct rows *b) {
    for (int i = 0; i < SOURCES; i++) {
        ck_assert_mem_eq(a->depth[i], b->depth[i], graph->n * sizeof *a->depth[i]);
        ck_assert_mem_eq(a->tree[i], b->tree[i], graph->n * gpugraph_edge_size(graph));
        free(b->depth[i]);
        free(b->tree[i]);
    }
}

START_TEST(sources_are_shared) {
    static const char *const methods[] = {NULL, "persistent"};
    gpugraph_graph *graph = rmat();
    uint32_t source[SOURCES];
    for (uint32_t i = 0; i < SOURCES; i++)
        source[i] = 13 * i;
    gpugraph_run cpu = {.backend = GPUGRAPH_CPU}, one = run_on(1);
    struct rows right = search_each(graph, source, &cpu);
    for (int i = 0; i < 2; i++) {
        gpugraph_run both = run_on_both();
        both.method = one.method = methods[i];
        struct rows got = search_each(graph, source, &both);
        ck_assert_int_eq(both.used_devices, 2);
        same_rows(graph, &right, &got);
        got = search_each(graph, source, &one);
        ck_assert_int_eq(one.used_devices, 1);
        same_rows(graph, &right, &got);
    }
    ck_assert_int_gt(held_on(graph, 0), 0);
    ck_assert_int_gt(held_on(graph, 1), 0);
    for (int i = 0; i < SOURCES; i++) {
        free(right.depth[i]);
        free(right.tree[i]);
    }
    gpugraph_free(graph);
}
END_TEST

/* Depths are downloaded during the next search, on each device. */
START_TEST(long_rows_are_shared) {
    shape s = shape_rmat(19, 4, 7);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t source[SOURCES], *row[3][SOURCES];
    for (uint32_t i = 0; i < SOURCES; i++)
        source[i] = 131 * i;
    const gpugraph_search search = {
        .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
    gpugraph_run run[3] = {{.backend = GPUGRAPH_CPU}, run_on(1), run_on_both()};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < SOURCES; i++)
            row[k][i] = malloc(graph->n * sizeof **row[k]);
        for (int times = 0; times < 2; times++)
            gpugraph_bfs_each(graph, &search, &run[k], row[k], NULL);
        ck_assert_msg(run[k].status == GPUGRAPH_OK, "%s", run[k].message);
        ck_assert_int_eq(run[k].used_devices, k);
        for (int i = 0; i < SOURCES; i++)
            ck_assert_mem_eq(row[k][i], row[0][i], graph->n * sizeof **row[k]);
    }
    for (int i = 0; i < 3 * SOURCES; i++)
        free(row[i / SOURCES][i % SOURCES]);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static void same_cells(gpugraph_graph *graph, uint32_t sources, uint32_t targets,
                       bool weighted) {
    uint32_t end[64];
    for (uint32_t i = 0; i < 64; i++)
        end[i] = 7 * i;
    const gpugraph_search search = {.source = end,
                                    .source_count = sources,
                                    .target = end + 64 - targets,
                                    .target_count = targets,
                                    .max_depth = GPUGRAPH_NONE};
    const size_t bytes = sizeof(uint64_t) * sources * targets;
    gpugraph_run cpu = {.backend = GPUGRAPH_CPU}, both = run_on_both();
    void *right = calloc(1, bytes), *got = calloc(1, bytes);
    gpugraph_matrix(graph, &search, weighted, &cpu, right);
    gpugraph_matrix(graph, &search, weighted, &both, got);
    ck_assert_msg(cpu.status == GPUGRAPH_OK, "%s", cpu.message);
    ck_assert_msg(both.status == GPUGRAPH_OK, "%s", both.message);
    ck_assert_int_eq(both.used_devices, 2);
    ck_assert_mem_eq(right, got, bytes);
    free(right);
    free(got);
}

/* Devices share the rows of a matrix or, if there are fewer targets, its columns. */
START_TEST(matrices_are_shared) {
    for (int weights = MODEL_SMALL; weights < MODEL_WEIGHTS; weights++) {
        edge_model model = model_make(MODEL_DENSE, weights, 500, 5000, 3);
        gpugraph_graph *graph = model_graph(&model, 1);
        for (int weighted = 0; weighted < 2; weighted++) {
            same_cells(graph, 5, 9, weighted);
            same_cells(graph, 9, 5, weighted);
            same_cells(graph, 30, 30, weighted);
        }
        gpugraph_free(graph);
        model_free(&model);
    }
}
END_TEST

/* The call requests both devices, and memory_limit leaves too little memory on each. */
START_TEST(a_limit_for_both) {
    gpugraph_graph *graph = rmat();
    const uint32_t source[] = {1, 2};
    const gpugraph_search search = {
        .source = source, .source_count = 2, .max_depth = GPUGRAPH_NONE};
    uint32_t *depth[2] = {malloc(graph->n * sizeof **depth),
                          malloc(graph->n * sizeof **depth)};
    gpugraph_run both = run_on_both();
    both.memory_limit = 1000;
    gpugraph_bfs_each(graph, &search, &both, depth, NULL);
    ck_assert_int_eq(both.status, GPUGRAPH_DEVICE_MEMORY);
    ck_assert_ptr_nonnull(strstr(both.message, "on each of several devices"));
    free(depth[0]);
    free(depth[1]);
    gpugraph_free(graph);
}
END_TEST

static int soon(void *listener) {
    return ++*(int *)listener > 2;
}

START_TEST(an_interrupt_ends_both) {
    shape s = shape_rmat(18, 8, 7);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t source[SOURCES] = {0};
    const gpugraph_search search = {
        .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
    uint32_t *depth[SOURCES];
    int asked = 0;
    for (int i = 0; i < SOURCES; i++)
        depth[i] = malloc(graph->n * sizeof *depth[i]);
    gpugraph_run both = run_on_both();
    both.interrupted = soon;
    both.listener = &asked;
    gpugraph_bfs_each(graph, &search, &both, depth, NULL);
    ck_assert(both.status == GPUGRAPH_OK || both.status == GPUGRAPH_INTERRUPTED);
    for (int i = 0; i < SOURCES; i++)
        free(depth[i]);
    same_depths(graph, 1, 0);
    same_depths(graph, 1, 1);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "several_copies",
    {{"several_copies", .timeout = 120,
      .cases = {{&each_has_its_own},
                {&limits_are_of_one_device},
                {&at_the_same_time},
                {&a_change_keeps_one},
                {&sources_are_shared},
                {&long_rows_are_shared},
                {&matrices_are_shared},
                {&a_limit_for_both},
                {&an_interrupt_ends_both}}}},
    .needs_devices = 2,
    .no_forks = true,
};
