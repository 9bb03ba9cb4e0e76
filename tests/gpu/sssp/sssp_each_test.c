/* Shortest paths from many sources by one call: those of a call for each source, with their trees,
** whatever the weights, targets and bounds; an error of one source is the call's; every allocation may
** fail. */
/* ctest: wrap=memory */
#include "graph_data.h"
#include "expect.h"
#include "failing_memory.h"
#include "graphs.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES = 9 };

struct rows {
    void *distance[SOURCES], *tree[SOURCES];
};

static struct rows room_for(const gpugraph_graph *graph) {
    struct rows r;
    for (int i = 0; i < SOURCES; i++) {
        r.distance[i] = calloc(graph->n + 1, 8);
        r.tree[i] = calloc(graph->n + 1, 8);
    }
    return r;
}

static void free_rows(struct rows *r) {
    for (int i = 0; i < SOURCES; i++) {
        free(r->distance[i]);
        free(r->tree[i]);
    }
}

static gpugraph_search search_from(const uint32_t *source) {
    return (gpugraph_search){
        .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
}

static gpugraph_graph *weighed(const shape *s, uint64_t seed, bool real, int64_t most) {
    int64_t *whole = calloc((size_t)s->edges + 1, sizeof *whole);
    double *fraction = calloc((size_t)s->edges + 1, sizeof *fraction);
    for (int64_t e = 0; e < s->edges; e++) {
        whole[e] = (int64_t)(shape_random(&seed) % (uint64_t)most);
        fraction[e] = (double)whole[e] / 7;
    }
    gpugraph_graph *graph =
        shape_weighed(s, false, real ? NULL : whole, real ? fraction : NULL);
    free(whole);
    free(fraction);
    return graph;
}

static void as_one_by_one(gpugraph_graph *graph, const gpugraph_search *search,
                          const char *name) {
    struct rows got = room_for(graph), right = room_for(graph);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_search one = *search;
    one.source_count = 1;
    gpugraph_sssp_each(graph, search, &run, got.distance, got.tree);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s: %s", name, run.message);
    for (int i = 0; i < SOURCES; i++) {
        one.source = search->source + i;
        gpugraph_sssp(graph, &one, &run, right.distance[i], right.tree[i]);
        expect(memcmp(got.distance[i], right.distance[i], 8 * (size_t)graph->n) == 0,
               "%s: other distances from source %d", name, i);
        expect(memcmp(got.tree[i], right.tree[i], 8 * (size_t)graph->n) == 0,
               "%s: another tree from source %d", name, i);
    }
    memset(got.distance[SOURCES - 1], 0, 8 * (size_t)graph->n);
    gpugraph_sssp_each(graph, search, &run, got.distance, NULL);
    expect(memcmp(got.distance[SOURCES - 1], right.distance[SOURCES - 1],
                  8 * (size_t)graph->n) == 0,
           "%s: other distances without trees", name);
    free_rows(&got);
    free_rows(&right);
}

START_TEST(rows_of_each) {
    shape shapes[] = {shape_rmat(9, 8, 5), shape_grid(20, 30), shape_star(100)};
    for (int i = 0; i < 3; i++)
        for (int kind = 0; kind < 3; kind++) {
            gpugraph_graph *graph = weighed(&shapes[i], 7 + (uint64_t)kind, kind == 2,
                                            kind == 1 ? INT64_C(1) << 40 : 10);
            uint32_t source[SOURCES], target[] = {1, graph->n / 2};
            for (uint32_t k = 0; k < SOURCES; k++)
                source[k] = k * 7 % graph->n; /* one of them twice in a small graph */
            source[SOURCES - 1] = source[0];
            gpugraph_search search = search_from(source);
            as_one_by_one(graph, &search, shapes[i].name);
            search.direction = GPUGRAPH_BOTH;
            search.target = target;
            search.target_count = 2;
            as_one_by_one(graph, &search, shapes[i].name);
            search.target_count = 0;
            search.bounded = true;
            search.max_distance = 12;
            search.max_real_distance = 2.5;
            as_one_by_one(graph, &search, shapes[i].name);
            gpugraph_free(graph);
        }
    for (int i = 0; i < 3; i++)
        shape_free(&shapes[i]);
}
END_TEST

/* From the last source alone a sum leaves the range. */
START_TEST(one_source_fails) {
    shape s = shape_path(12);
    int64_t whole[11] = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2};
    gpugraph_graph *graph = shape_weighed(&s, false, whole, NULL);
    struct rows rows = room_for(graph);
    uint32_t source[SOURCES];
    for (uint32_t i = 0; i < SOURCES; i++)
        source[i] = 3 + i;
    gpugraph_search search = search_from(source);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_sssp_each(graph, &search, &run, rows.distance, rows.tree);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    source[SOURCES - 1] = 0;
    gpugraph_sssp_each(graph, &search, &run, rows.distance, rows.tree);
    ck_assert_int_eq(run.status, GPUGRAPH_RANGE);
    ck_assert_uint_gt(strlen(run.message), 0);
    free_rows(&rows);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int always(void *listener) {
    (void)listener;
    return 1;
}

START_TEST(arguments_and_interrupts) {
    shape s = shape_grid(100, 100);
    gpugraph_graph *graph = weighed(&s, 3, false, 10), *bare = shape_graph(&s);
    struct rows rows = room_for(graph);
    uint32_t source[SOURCES] = {0};
    gpugraph_search search = search_from(source);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_sssp_each(bare, &search, &run, rows.distance, NULL);
    ck_assert_int_eq(run.status, GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "need weights"));
    source[4] = graph->n;
    gpugraph_sssp_each(graph, &search, &run, rows.distance, NULL);
    ck_assert_int_eq(run.status, GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "source number 4"));
    source[4] = 1;
    run.interrupted = always;
    gpugraph_sssp_each(graph, &search, &run, rows.distance, NULL);
    ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
    run.interrupted = NULL;
    as_one_by_one(graph, &search, "after an interrupt");
    free_rows(&rows);
    gpugraph_free(graph);
    gpugraph_free(bare);
    shape_free(&s);
}
END_TEST

START_TEST(allocations) {
    shape s = shape_rmat(7, 6, 5);
    const uint32_t source[SOURCES] = {1, 2, 3, 5, 8, 13, 21, 34, 55};
    const gpugraph_search search = search_from(source);
    bool hit = true;
    for (int n = 1; hit; n++) {
        gpugraph_graph *graph = weighed(&s, 9, false, 10);
        struct rows rows = room_for(graph);
        gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = 1};
        fail_from(n, n % 2);
        gpugraph_sssp_each(graph, &search, &run, rows.distance, rows.tree);
        hit = fail_no_more();
        ck_assert_int_eq(run.status, hit ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK);
        free_rows(&rows);
        gpugraph_free(graph);
    }
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "sssp_each",
    {{"sssp_each", .timeout = 60,
      .cases = {{&rows_of_each},
                {&one_source_fails},
                {&arguments_and_interrupts},
                {&allocations}}}},
};
