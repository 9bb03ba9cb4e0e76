/* Trees by weight on a device against the CPU's. Skipped without a device. */
#include "expect.h"
#include "graphs.h"
#include "suite.h"
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    ck_assert_ptr_nonnull(block);
    return block;
}

enum { FAR = 1000 };

/* Weights of that type, `least` or more; FAR more if an arc has one of the first
** vertices. */
static gpugraph_graph *weigh_heavy(const shape *s, gpugraph_distance_type type,
                                   uint64_t least, int64_t heavy, uint64_t seed) {
    int64_t *whole = need((size_t)s->edges, sizeof *whole);
    double *tenths = need((size_t)s->edges, sizeof *tenths);
    for (int64_t e = 0; e < s->edges; e++) {
        uint64_t dice = least + shape_random(&seed) % 9;
        dice += s->source[e] < heavy || s->target[e] < heavy ? FAR : 0;
        whole[e] = (int64_t)(type == GPUGRAPH_UINT64 ? dice << 33 : dice);
        tenths[e] = (double)dice / 10;
    }
    gpugraph_graph *graph =
        shape_weighed(s, least > 0, type == GPUGRAPH_REAL ? NULL : whole, tenths);
    ck_assert_int_eq(gpugraph_distance_type_of(graph), type);
    free(whole);
    free(tenths);
    return graph;
}

static gpugraph_graph *weigh(const shape *s, gpugraph_distance_type type, uint64_t least,
                             uint64_t seed) {
    return weigh_heavy(s, type, least, 0, seed);
}

/* ---- a search on both ---- */

struct found {
    void *distance, *edge;
};

static struct found search_on(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_backend backend) {
    struct found f = {need(graph->n, 8), need(graph->n, 8)};
    gpugraph_run run = {.backend = backend};
    gpugraph_sssp(graph, search, &run, f.distance, f.edge);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    return f;
}

static void check(gpugraph_graph *graph, const char *name,
                  const gpugraph_search *search) {
    struct found right = search_on(graph, search, GPUGRAPH_CPU);
    struct found got = search_on(graph, search, GPUGRAPH_CUDA);
    for (uint32_t v = 0; v < graph->n; v++) {
        uint64_t edge = gg_edge_at(got.edge, graph->wide, v);
        uint64_t wanted = gg_edge_at(right.edge, graph->wide, v);
        expect(edge == wanted, "%s, direction %d, type %d: edge %lld to %u, not %lld",
               name, (int)search->direction, (int)graph->distance_type, (long long)edge,
               v, (long long)wanted);
    }
    expect(memcmp(got.distance, right.distance,
                  graph->n * gg_distance_size(graph->distance_type)) == 0,
           "%s: distances", name);
    free(right.distance);
    free(right.edge);
    free(got.distance);
    free(got.edge);
}

/* One source and three sources. */
static void check_sources(gpugraph_graph *graph, const char *name,
                          const uint32_t source[3], int direction) {
    for (uint32_t sources = 1; sources <= 3; sources += 2) {
        gpugraph_search search = {.source = source,
                                  .source_count = sources,
                                  .direction = (gpugraph_direction)direction};
        check(graph, name, &search);
    }
}

/* Every direction. */
static void check_all(gpugraph_graph *graph, const char *name, uint64_t seed) {
    for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++) {
        uint32_t source[3];
        for (int i = 0; i < 3; i++)
            source[i] = (uint32_t)(shape_random(&seed) % graph->n);
        check_sources(graph, name, source, d);
    }
}

/* ---- the cases ---- */

/* Zero weights make ties. */
START_TEST(multigraphs) {
    uint64_t seed = 31;
    for (uint64_t i = 0; i < 60; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 300) + 1;
        int64_t edges = (int64_t)(4 * n + shape_random(&seed) % (8 * n));
        shape s = shape_random_edges(n, edges, seed);
        shape_sort(&s);
        for (int type = GPUGRAPH_UINT32; type <= GPUGRAPH_REAL; type++) {
            uint64_t least = i % 2;
            gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)type, least, i);
            check_all(graph, s.name, i);
            gpugraph_free(graph);
        }
        shape_free(&s);
    }
}
END_TEST

/* Many warps, hubs, and vertices without arcs. */
START_TEST(large_shapes) {
    for (int type = GPUGRAPH_UINT32; type <= GPUGRAPH_REAL; type++) {
        shape s = shape_rmat(16, 16, (uint64_t)type + 1);
        shape_sort(&s);
        gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)type, 1, 7);
        check_all(graph, s.name, 3);
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

START_TEST(edges_in_no_order) {
    for (int64_t edges = 1; edges < 6000; edges = 3 * edges + 1) {
        shape s = shape_random_edges(200, edges, 5);
        gpugraph_graph *graph = weigh(&s, GPUGRAPH_UINT32, 1, 1);
        check_all(graph, s.name, 1);
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

/* Distances that a bound cuts off. */
START_TEST(bounds) {
    uint64_t seed = 3;
    shape s = shape_rmat(12, 8, 9);
    gpugraph_graph *graph = weigh(&s, GPUGRAPH_UINT32, 1, 2);
    for (int i = 0; i < 20; i++) {
        uint32_t source = (uint32_t)(shape_random(&seed) % graph->n);
        gpugraph_search search = {.source = &source,
                                  .source_count = 1,
                                  .direction = (gpugraph_direction)(i % 3),
                                  .bounded = true,
                                  .max_distance = (uint64_t)i};
        check(graph, s.name, &search);
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* Sources with only heavy arcs, one and three, also with weights of 0 beyond them. */
START_TEST(far_sources) {
    for (int i = 0; i < 18; i++) {
        uint64_t least = i % 2;
        shape s = shape_random_edges(300, 2000 + 400 * i, (uint64_t)i);
        gpugraph_graph *graph =
            weigh_heavy(&s, (gpugraph_distance_type)(i % 3), least, 3, (uint64_t)i);
        uint32_t source[3];
        for (int64_t k = 0; k < 3; k++)
            source[k] = gpugraph_find_integer(graph, k);
        for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++)
            check_sources(graph, s.name, source, d);
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

/* All distances are 0. */
START_TEST(nothing_but_the_source) {
    shape s = shape_path(100);
    for (int type = GPUGRAPH_UINT32; type <= GPUGRAPH_REAL; type++) {
        gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)type, 1, 1);
        for (uint32_t v = 0; v < graph->n; v++)
            for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_IN; d++) {
                gpugraph_search search = {
                    .source = &v, .source_count = 1, .direction = (gpugraph_direction)d};
                check(graph, s.name, &search);
            }
        gpugraph_free(graph);
    }
    shape_free(&s);
}
END_TEST

/* A search from one vertex of a small graph. */
struct small {
    shape s;
    gpugraph_graph *graph;
    uint32_t source;
    gpugraph_search search;
};

static void begin_small(struct small *small) {
    small->s = shape_random_edges(200, 2000, 6);
    small->graph = weigh(&small->s, GPUGRAPH_UINT32, 1, 1);
    small->source = gpugraph_find_integer(small->graph, small->s.source[0]);
    small->search = (gpugraph_search){
        .source = &small->source, .source_count = 1, .direction = GPUGRAPH_OUT};
}

static void check_small(const struct small *small) {
    check(small->graph, small->s.name, &small->search);
}

static void end_small(struct small *small) {
    gpugraph_free(small->graph);
    shape_free(&small->s);
}

/* A changed weight must reach the device's copy. */
START_TEST(weights_that_change) {
    struct small small;
    begin_small(&small);
    for (int64_t id = 1; id <= 20; id++) {
        int64_t weight = id % 4 + 1;
        gpugraph_run run = {0};
        gpugraph_edges added = {.count = 1, .edge_id = &id, .weight = &weight};
        added.weight_type = GPUGRAPH_INTEGER_WEIGHTS;
        added.source.value = &small.s.source[id - 1];
        added.target.value = &small.s.target[id - 1];
        gpugraph_changes changes = {.removed = &id, .removed_count = 1, .added = &added};
        check_small(&small);
        ck_assert_msg(gpugraph_update(small.graph, &changes, &run) == GPUGRAPH_OK, "%s",
                      run.message);
    }
    check_small(&small);
    end_small(&small);
}
END_TEST

const struct suite suite = {
    "distance_tree_device",
    {{"distance_tree_device", .timeout = 240,
      .cases = {{&multigraphs},
                {&large_shapes},
                {&edges_in_no_order},
                {&bounds},
                {&far_sources},
                {&nothing_but_the_source},
                {&weights_that_change}}}},
    .needs_device = true,
};
