/* Searches by regions on a device, of graphs that have many (regions/make.cu): depths,
** distances and trees against those by "persistent", and when `auto` makes regions. */
#include "graph/graph.h"
#include "expect.h"
#include "graphs.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 700, COLUMNS = 750 };

static gpugraph_graph *long_graph(shape *s, uint64_t seed) {
    *s = shape_grid(ROWS, COLUMNS);
    shape_renumber(s, seed);
    return shape_graph(s);
}

/* A long graph with weights, the first of which is `first`. */
static gpugraph_graph *weighed_graph(shape *s, uint64_t seed, int64_t first) {
    *s = shape_grid(ROWS, COLUMNS);
    shape_renumber(s, seed);
    int64_t *weight = malloc((size_t)s->edges * sizeof *weight);
    for (int64_t i = 0; i < s->edges; i++)
        weight[i] = (int64_t)(shape_random(&seed) % 256);
    weight[0] = first;
    gpugraph_graph *graph = shape_weighed(s, true, weight, NULL);
    free(weight);
    return graph;
}

/* A search from one source to everything in both directions. */
static gpugraph_search from(const uint32_t *source) {
    return (gpugraph_search){.source = source,
                             .source_count = 1,
                             .direction = GPUGRAPH_BOTH,
                             .max_depth = GPUGRAPH_NONE};
}

struct found {
    uint32_t *distance, *edge;
    char method[32];
};

static struct found search(gpugraph_graph *graph, const char *method,
                           const gpugraph_search *wanted) {
    struct found f = {malloc(graph->n * sizeof *f.distance),
                      malloc(graph->n * sizeof *f.edge), ""};
    gpugraph_run run = {.method = method, .backend = GPUGRAPH_CUDA};
    if (gg_has_weights(graph))
        gpugraph_sssp(graph, wanted, &run, f.distance, f.edge);
    else
        gpugraph_bfs(graph, wanted, &run, f.distance, f.edge);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    snprintf(f.method, sizeof f.method, "%s", run.used_method);
    return f;
}

static void forget(struct found f) {
    free(f.distance);
    free(f.edge);
}

/* Compares both methods, and checks which one was used. */
static void check(gpugraph_graph *graph, const char *method,
                  const gpugraph_search *wanted, const char *expected) {
    const struct found right = search(graph, "persistent", wanted),
                       is = search(graph, method, wanted);
    ck_assert_str_eq(is.method, expected);
    for (uint32_t v = 0; v < graph->n; v++)
        expect(is.distance[v] == right.distance[v] && is.edge[v] == right.edge[v],
               "%s: %u is at %u by edge %u, not at %u by %u", method, v, is.distance[v],
               is.edge[v], right.distance[v], right.edge[v]);
    forget(right);
    forget(is);
}

START_TEST(many_regions) {
    if (!gpugraph_cuda_usable(NULL))
        return;
    shape s;
    gpugraph_graph *graph = long_graph(&s, 5);
    const uint32_t source[] = {77, graph->n - 1, 77};
    for (int i = 0; i < 4; i++) {
        gpugraph_search wanted = from(source);
        wanted.source_count = i % 2 ? 3 : 1;
        wanted.direction = i < 2 ? GPUGRAPH_BOTH : GPUGRAPH_OUT;
        check(graph, "regions", &wanted, "regions");
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* A bound, targets or a limit end a search early, so that "persistent" is used. */
START_TEST(early_ends) {
    if (!gpugraph_cuda_usable(NULL))
        return;
    shape s;
    gpugraph_graph *graph = long_graph(&s, 6);
    const uint32_t source = 1, target = 2;
    gpugraph_search wanted = from(&source);
    wanted.max_depth = 40;
    check(graph, "regions", &wanted, "persistent");
    wanted.max_depth = GPUGRAPH_NONE;
    wanted.target = &target;
    wanted.target_count = 1;
    struct found f = search(graph, "regions", &wanted);
    ck_assert_str_eq(f.method, "persistent");
    forget(f);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(by_weight) {
    if (!gpugraph_cuda_usable(NULL))
        return;
    for (int heavy = 0; heavy < 2; heavy++) {
        shape s;
        gpugraph_graph *graph = weighed_graph(&s, 9, heavy ? 1 << 20 : 7);
        const uint32_t source[] = {5, graph->n - 9, 5};
        gpugraph_search wanted = from(source);
        const char *expected = heavy ? "persistent" : "regions";
        check(graph, "regions", &wanted, expected);
        wanted.source_count = 3;
        check(graph, "regions", &wanted, expected);
        wanted.direction = GPUGRAPH_OUT;
        check(graph, "regions", &wanted, expected);
        wanted.bounded = true;
        wanted.max_distance = 9000;
        check(graph, "regions", &wanted, "persistent");
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

START_TEST(by_weight_by_itself) {
    if (!gpugraph_cuda_usable(NULL))
        return;
    shape s;
    gpugraph_graph *graph = weighed_graph(&s, 3, 1);
    const uint32_t source = 3;
    const gpugraph_search wanted = from(&source);
    gg_limits.region_vertices =
        ROWS * COLUMNS / 4;       /* by weight `auto` asks for 4 times as many vertices */
    for (int i = 0; i < 6; i++) { /* long searches before regions are made */
        const struct found f = search(graph, "auto", &wanted);
        ck_assert_str_ne(f.method, "regions");
        forget(f);
    }
    check(graph, "auto", &wanted, "regions");
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(by_itself) {
    if (!gpugraph_cuda_usable(NULL))
        return;
    shape s;
    gpugraph_graph *graph = long_graph(&s, 7);
    const uint32_t source = 3;
    const gpugraph_search wanted = from(&source);
    gg_limits.region_vertices = ROWS * COLUMNS + 1;
    for (int i = 0; i < 2 + 3; i++) {
        const struct found f = search(graph, "auto", &wanted);
        ck_assert_str_ne(f.method, "regions");
        forget(f);
        if (i == 1)
            /* from now on long searches count */
            gg_limits.region_vertices = ROWS * COLUMNS;
    }
    check(graph, "auto", &wanted, "regions");
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    .name = "regions",
    .groups = {{.name = "regions",
                .timeout = 120,
                .cases = {{&many_regions},
                          {&early_ends},
                          {&by_itself},
                          {&by_weight},
                          {&by_weight_by_itself}}}},
};
