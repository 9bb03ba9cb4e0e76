/* A graph whose copies lie on two devices: each search finds its own device's, answers are those of the
** CPU, both devices work at the same time, a change keeps one copy, and what is given back is all of
** it. Skipped where there are fewer than two devices. */
#include "backend.h"
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

/* Neither search takes the other's copy away. */
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

/* memory_limit bounds each device by itself. */
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
    gpugraph_run run = run_on(device);
    gpugraph_update(graph, &batch.changes, &run);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    model_batch_free(&batch);
}

/* The copy on the device of the run that changes the graph is patched, the other one goes. */
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

const struct suite suite = {
    "several_copies",
    {{"several_copies", .timeout = 120,
      .cases = {{&each_has_its_own},
                {&limits_are_of_one_device},
                {&at_the_same_time},
                {&a_change_keeps_one}}}},
    .needs_devices = 2,
    .no_forks = true,
};
