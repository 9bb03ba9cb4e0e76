/* Trees by weight on a device where edges of weight 0 tie, against the CPU's. The phase
** "parents" tells whether the host or the device settles ties. Skipped without a
** device. */
#include "expect.h"
#include "graphs.h"
#include "suite.h"
#include "graph_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const there = "passes over the edges, on the device";
/* detail if the host settles ties */
static const char *const here = "one pass over the edges";

static void *need(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    ck_assert_ptr_nonnull(block);
    return block;
}

/* One edge in `of` has a positive weight. The others have the weight 0, or for REAL one
** that a sum loses. */
static gpugraph_graph *weigh(const shape *s, gpugraph_distance_type type, uint64_t of,
                             uint64_t seed) {
    int64_t *whole = need((size_t)s->edges, sizeof *whole);
    double *tenths = need((size_t)s->edges, sizeof *tenths);
    for (int64_t e = 0; e < s->edges; e++) {
        const uint64_t dice = shape_random(&seed) % of ? 0 : 1 + shape_random(&seed) % 3;
        whole[e] = (int64_t)(type == GPUGRAPH_UINT64 ? dice << 40 : dice);
        tenths[e] = dice == 2 ? 1e-20 : (double)dice * 1000;
    }
    gpugraph_graph *graph =
        shape_weighed(s, false, type == GPUGRAPH_REAL ? NULL : whole, tenths);
    free(whole);
    free(tenths);
    return graph;
}

static void listen(void *listener, const char *name, double ms, int64_t items,
                   const char *detail) {
    (void)ms;
    (void)items;
    if (strcmp(name, "parents") == 0)
        snprintf(listener, 100, "%s", detail);
}

static void tree_on(gpugraph_graph *graph, const gpugraph_search *search,
                    gpugraph_backend backend, void *edge, char heard[100]) {
    void *distance = need(graph->n, 8);
    gpugraph_run run = {.backend = backend, .phase = listen, .listener = heard};
    heard[0] = '\0';
    gpugraph_sssp(graph, search, &run, distance, edge);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    free(distance);
}

/* who: a phrase of the detail; NULL: any. */
static void check(gpugraph_graph *graph, const gpugraph_search *search, const char *who) {
    char heard[100];
    void *right = need(graph->n, 8), *got = need(graph->n, 8);
    tree_on(graph, search, GPUGRAPH_CPU, right, heard);
    tree_on(graph, search, GPUGRAPH_CUDA, got, heard);
    expect(!who || strcmp(heard, who) == 0, "parents: %s", heard);
    for (uint32_t v = 0; v < graph->n; v++) {
        const uint64_t edge = gg_edge_at(got, graph->wide, v),
                       wanted = gg_edge_at(right, graph->wide, v);
        expect(edge == wanted, "direction %d, type %d: edge %lld to %u, not %lld",
               (int)search->direction, (int)graph->distance_type, (long long)edge, v,
               (long long)wanted);
    }
    free(right);
    free(got);
}

START_TEST(random_edges) {
    uint64_t seed = 5 + (uint64_t)_i;
    for (int i = 0; i < 20; i++) {
        const uint32_t n = (uint32_t)(shape_random(&seed) % 400) + 1;
        shape s =
            shape_random_edges(n, (int64_t)(n + shape_random(&seed) % (4 * n)), seed);
        gpugraph_graph *graph =
            weigh(&s, (gpugraph_distance_type)_i, 2 + (uint64_t)i % 5, seed);
        for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++) {
            const uint32_t source[2] = {(uint32_t)(shape_random(&seed) % n),
                                        (uint32_t)(shape_random(&seed) % n)};
            for (uint32_t sources = 1; sources <= 2; sources++)
                check(graph,
                      &(gpugraph_search){.source = source,
                                         .source_count = sources,
                                         .direction = (gpugraph_direction)d},
                      NULL);
        }
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

/* The device settles short paths over edges of weight 0, the host long ones. */
START_TEST(who_settles_ties) {
    const uint32_t source = 0;
    for (uint32_t steps = 5; steps <= 500; steps *= 10) {
        shape s = shape_path(steps);
        gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)_i, UINT32_MAX, 3);
        check(graph, &(gpugraph_search){.source = &source, .source_count = 1},
              steps <= 50 ? there : here);
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

/* A path leads over ties. */
START_TEST(paths_over_ties) {
    uint64_t seed = 11;
    const uint32_t source = 0;
    shape s = shape_grid(40, 40);
    gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)_i, 3, 9);
    for (int i = 0; i < 40; i++) {
        const uint32_t target = (uint32_t)(shape_random(&seed) % graph->n);
        const gpugraph_search search = {
            .source = &source, .source_count = 1, .target = &target, .target_count = 1};
        uint32_t count[2];
        void *edge[2];
        for (int on = 0; on < 2; on++) {
            gpugraph_run run = {.backend = on ? GPUGRAPH_CUDA : GPUGRAPH_CPU};
            edge[on] = need(graph->n, 8);
            gpugraph_path(graph, &search, true, &run, edge[on], &count[on]);
            ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        }
        ck_assert_uint_eq(count[0], count[1]);
        if (count[0] != GPUGRAPH_NONE)
            ck_assert_mem_eq(edge[0], edge[1], count[0] * gpugraph_edge_size(graph));
        free(edge[0]);
        free(edge[1]);
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "ties_device",
    {{"ties_device", .timeout = 240,
      .cases = {{&random_edges, 3}, {&who_settles_ties, 3}, {&paths_over_ties, 3}}}},
    .needs_device = true,
};
