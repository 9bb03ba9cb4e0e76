/* One path against the chain of the whole search's tree: by depth and by weight, every
** method on every available backend, all directions. */
/* ctest: wide-addresses=0 */
#include "base/limits.h"
#include "edge_numbers.h"
#include "expect.h"
#include "suite.h"
#include "graphs.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

enum weights { NO_WEIGHTS, SMALL, SMALL_REAL, POSITIVE, POSITIVE_REAL, LARGE, KINDS };

/* Weights with many ties; in some graphs some are zero, in one they have all sizes. */
static gpugraph_graph *weighted_graph(const shape *s, enum weights weights,
                                      uint64_t seed) {
    int64_t *integer = malloc((size_t)(s->edges + 1) * sizeof *integer);
    double *real = malloc((size_t)(s->edges + 1) * sizeof *real);
    int64_t *vertex = malloc((s->vertices + 1) * sizeof *vertex);
    for (int64_t e = 0; e < s->edges; e++) {
        integer[e] = (int64_t)(shape_random(&seed) % 4);
        if (weights == LARGE)
            integer[e] = (int64_t)1 << shape_random(&seed) % 50;
        else if (weights == POSITIVE || weights == POSITIVE_REAL)
            integer[e]++;
        real[e] = (double)integer[e] * 0.1;
    }
    gpugraph_edges edges = shape_edges(s, vertex);
    if (weights != NO_WEIGHTS) {
        bool is_real = weights == SMALL_REAL || weights == POSITIVE_REAL;
        edges.weight_type = is_real ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
        edges.weight = is_real ? (const void *)real : integer;
    }
    gpugraph_run run = {0};
    gpugraph_graph *graph = NULL;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    free(integer);
    free(real);
    free(vertex);
    return graph;
}

/* The whole search's tree, on the CPU; NULL: the target is not reached. */
static uint32_t *whole_tree(gpugraph_graph *graph, const gpugraph_search *search,
                            bool weighted) {
    uint32_t n = gpugraph_vertex_count(graph), target = search->target[0];
    gpugraph_search all = *search;
    all.target_count = 0;
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    uint64_t *value = malloc((n + 1) * sizeof *value);
    uint32_t *tree = malloc((n + 1) * sizeof(uint64_t));
    if (weighted)
        gpugraph_sssp(graph, &all, &run, value, tree);
    else
        gpugraph_bfs(graph, &all, &run, (uint32_t *)value, tree);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    narrow_edges(graph, tree, n);
    free(value);
    if (tree[target] == GPUGRAPH_NONE && target != search->source[0]) {
        free(tree);
        return NULL;
    }
    return tree;
}

static void check_path(const shape *s, gpugraph_graph *graph,
                       const gpugraph_search *search, const uint32_t *tree,
                       void *edge_numbers, uint32_t count, const char *how) {
    const uint32_t *edge = edge_numbers;
    uint32_t v = search->target[0];
    if (!tree) {
        expect(count == GPUGRAPH_NONE, "%s, %s: a path to what is not reached", s->name,
               how);
        return;
    }
    expect(count != GPUGRAPH_NONE, "%s, %s: no path", s->name, how);
    narrow_edges(graph, edge_numbers, count);
    for (uint32_t i = count; i > 0; i--) {
        expect(edge[i - 1] == tree[v], "%s, %s: edge %u at step %u, not %u", s->name, how,
               edge[i - 1], i, tree[v]);
        v = gpugraph_other_end(graph, edge[i - 1], v);
    }
    expect(tree[v] == GPUGRAPH_NONE && v == search->source[0],
           "%s, %s: the path begins at %u", s->name, how, v);
}

/* Methods of a device are many and slow, so they take turns at the pairs. No kind of pair
** recurs after so many. */
enum { TURNS = 7 };

static void check_pair(const shape *s, gpugraph_graph *graph,
                       const gpugraph_search *search, bool weighted) {
    static int turn;
    uint32_t *tree = whole_tree(graph, search, weighted), count;
    uint64_t *edge = malloc((s->vertices + 1) * sizeof *edge);
    const gpugraph_method *method;
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++) {
        bool cuda = strcmp(method->backend, "cuda") == 0;
        const char *function = weighted ? "sssp" : "bfs";
        if ((strcmp(method->function, function) != 0 &&
             strcmp(method->function, "path") != 0) ||
            (cuda && ((i + turn) % TURNS != 0 || !gpugraph_cuda_usable(NULL))))
            continue;
        gpugraph_run run = {.method = method->name,
                            .backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU};
        gpugraph_path(graph, search, weighted, &run, edge, &count);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s: %s", method->name, run.message);
        check_path(s, graph, search, tree, edge, count, method->name);
    }
    turn++;
    for (int cuda = 0; cuda < (gpugraph_cuda_usable(NULL) ? 2 : 1); cuda++) {
        gpugraph_run automatic = {.backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU};
        gpugraph_path(graph, search, weighted, &automatic, edge, &count);
        ck_assert_msg(automatic.status == GPUGRAPH_OK, "%s", automatic.message);
        check_path(s, graph, search, tree, edge, count, "auto");
    }
    free(tree);
    free(edge);
}

static void check_shape(const shape *s, uint64_t seed) {
    for (int weights = NO_WEIGHTS; weights < KINDS; weights++) {
        gpugraph_graph *graph = weighted_graph(s, (enum weights)weights, seed);
        for (int i = 0; i < 9; i++) {
            uint32_t source = (uint32_t)(shape_random(&seed) % s->vertices);
            uint32_t target = (uint32_t)(shape_random(&seed) % s->vertices);
            gpugraph_search search = {.source = &source,
                                      .source_count = 1,
                                      .target = &target,
                                      .target_count = 1,
                                      .direction = (gpugraph_direction)(i % 3),
                                      .max_depth = GPUGRAPH_NONE};
            check_pair(s, graph, &search, weights != NO_WEIGHTS);
            target = source;
            check_pair(s, graph, &search, weights != NO_WEIGHTS);
        }
        gpugraph_free(graph);
    }
}

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (s.vertices > 0 && !left_out_of(seed + (uint64_t)i, 3))
                check_shape(&s, seed);
            shape_free(&s);
        }
}
END_TEST

START_TEST(random_shapes) {
    uint64_t seed = 11;
    for (int i = 0; i < 60; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 90) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (4 * n)), seed);
        if (!left_out_of((uint64_t)i, 15))
            check_shape(&s, seed);
        shape_free(&s);
    }
}
END_TEST

/* Distance between pairs that a device searches from both ends, which is slow. */
enum { STRIDE = 5 };

static void check_both_ends(const shape *s, gpugraph_graph *graph,
                            const gpugraph_search *search, bool weighted, bool zeros,
                            gpugraph_backend backend) {
    uint32_t *tree = whole_tree(graph, search, weighted), count;
    uint64_t edge[64];
    gpugraph_run run = {.method = "bidirectional", .backend = backend};
    gpugraph_path(graph, search, weighted, &run, edge, &count);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    if (!zeros && (weighted || backend == GPUGRAPH_CPU))
        ck_assert_str_eq(run.used_method, "bidirectional");
    check_path(s, graph, search, tree, edge, count, run.used_backend);
    free(tree);
}

/* Every pair of small graphs, from both ends, with ties everywhere, parallel edges and
** loops. By weight zeros make ties that are left to the search. By depth a device always
** searches from the source. */
START_TEST(from_both_ends) {
    uint64_t seed = 5;
    for (int i = 0; i < 300; i++) {
        const uint64_t turn = (uint64_t)(i / KINDS + i % KINDS); /* takes each kind */
        enum weights weights = (enum weights)(i % KINDS);
        const bool weighted = weights != NO_WEIGHTS;
        const bool zeros = weights == SMALL || weights == SMALL_REAL;
        uint32_t n = (uint32_t)(shape_random(&seed) % 40) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (5 * n)), seed);
        gpugraph_graph *graph = weighted_graph(&s, weights, seed);
        for (uint32_t pair = 0; pair < n * n && !left_out_of(turn, 21); pair++) {
            uint32_t source = pair / n, target = pair % n;
            gpugraph_search search = {.source = &source,
                                      .source_count = 1,
                                      .target = &target,
                                      .target_count = 1,
                                      .direction = (gpugraph_direction)(i / KINDS % 3),
                                      .max_depth = GPUGRAPH_NONE};
            check_both_ends(&s, graph, &search, weighted, zeros, GPUGRAPH_CPU);
            if (pair % STRIDE == 0 && gpugraph_cuda_usable(NULL))
                check_both_ends(&s, graph, &search, weighted, zeros, GPUGRAPH_CUDA);
        }
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

static int always(void *listener) {
    (void)listener;
    return 1;
}

static void check_range(gpugraph_graph *graph, uint32_t end, gpugraph_backend backend) {
    uint32_t first = 0, count;
    uint64_t edge[4];
    gpugraph_search search = {.source = &first,
                              .source_count = 1,
                              .target = &end,
                              .target_count = 1,
                              .max_depth = GPUGRAPH_NONE};
    gpugraph_run run = {.method = "bidirectional", .backend = backend};
    gpugraph_path(graph, &search, true, &run, edge, &count);
    ck_assert_int_eq(run.status, end == 3 ? GPUGRAPH_RANGE : GPUGRAPH_OK);
    if (end < 3)
        ck_assert_uint_eq(count, end);
    search.bounded = true; /* no path is that short */
    search.max_distance = 5;
    gpugraph_path(graph, &search, true, &run, edge, &count);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    ck_assert_uint_eq(count, end == 0 ? 0 : GPUGRAPH_NONE);
}

/* The sum of three weights exceeds the INTEGER range: an error, unless a path is
** nearer. */
START_TEST(range_from_both_ends) {
    int64_t source[] = {0, 1, 2}, target[] = {1, 2, 3};
    int64_t weight[] = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2};
    gpugraph_edges edges = {.count = 3,
                            .source = {.value = source},
                            .target = {.value = target},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = weight};
    gpugraph_run made = {0};
    gpugraph_graph *graph;
    ck_assert_int_eq(gpugraph_create(&edges, &made, &graph), GPUGRAPH_OK);
    for (uint32_t end = 0; end < 4; end++) {
        check_range(graph, end, GPUGRAPH_CPU);
        if (gpugraph_cuda_usable(NULL))
            check_range(graph, end, GPUGRAPH_CUDA);
    }
    gpugraph_free(graph);
}
END_TEST

/* By depth a bound is one for both balls together. */
START_TEST(depth_from_both_ends) {
    shape s = shape_path(40);
    gpugraph_graph *graph = shape_graph(&s);
    const gpugraph_backend on[] = {GPUGRAPH_CPU, GPUGRAPH_CUDA};
    uint32_t source = 0, target = 31, count;
    uint64_t edge[40];
    gpugraph_search search = {
        .source = &source, .source_count = 1, .target = &target, .target_count = 1};
    for (int i = 0; i < (gpugraph_cuda_usable(NULL) ? 2 : 1); i++)
        for (search.max_depth = 0; search.max_depth < 40; search.max_depth++) {
            gpugraph_run run = {.method = "bidirectional", .backend = on[i]};
            gpugraph_path(graph, &search, false, &run, edge, &count);
            ck_assert_int_eq(run.status, GPUGRAPH_OK);
            ck_assert_uint_eq(count, search.max_depth < 31 ? GPUGRAPH_NONE : 31);
        }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* `auto` finds the same paths after some searches. */
START_TEST(automatic) {
    const uint32_t before = gg_limits.path_prepare_after;
    gg_limits.path_prepare_after = 0;
    shape shapes[] = {shape_rmat(10, 16, 3), shape_grid(40, 50), shape_rmat(9, 3, 4)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], i);
        shape_free(&shapes[i]);
    }
    gg_limits.path_prepare_after = before;
}
END_TEST

/* Loop: by depth, by weight; on the CPU, on a device. */
START_TEST(interrupt_leaves_a_usable_graph) {
    shape s = shape_path(400000);
    gpugraph_graph *graph = weighted_graph(&s, POSITIVE, 1);
    uint32_t source = 0, target = 399999, count;
    uint64_t *edge = malloc(s.vertices * sizeof *edge);
    gpugraph_search search = {.source = &source,
                              .source_count = 1,
                              .target = &target,
                              .target_count = 1,
                              .max_depth = GPUGRAPH_NONE};
    gpugraph_run run = {.method = "bidirectional",
                        .backend = _i < 2 ? GPUGRAPH_CPU : GPUGRAPH_CUDA};
    for (int i = 0; i < (_i < 2 || gpugraph_cuda_usable(NULL) ? 2 : 0); i++) {
        run.interrupted = NULL;
        ck_assert_int_eq(gpugraph_path(graph, &search, _i % 2 > 0, &run, edge, &count),
                         GPUGRAPH_OK);
        ck_assert_uint_eq(count, 399999);
        run.interrupted = always;
        run.next_poll_ms = 0;
        ck_assert_int_eq(gpugraph_path(graph, &search, _i % 2 > 0, &run, edge, &count),
                         GPUGRAPH_INTERRUPTED);
    }
    free(edge);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* Long paths, some of which a device leaves to the host, and many ties. */
START_TEST(large_shapes) {
    shape shapes[] = {shape_grid(120, 150 / SANITIZED_PART),
                      shape_path(70000 / SANITIZED_PART),
                      shape_rmat(SANITIZED_PART > 1 ? 9 : 11, 8, 5)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], i);
        shape_free(&shapes[i]);
    }
}
END_TEST

START_TEST(wrong_arguments) {
    shape s = shape_path(5);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t source[] = {0, 1}, target = 4, count = 7;
    uint64_t edge[5];
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_search search = {.source = source,
                              .source_count = 1,
                              .target = &target,
                              .target_count = 1,
                              .max_depth = GPUGRAPH_NONE};
    ck_assert_int_eq(gpugraph_path(graph, &search, true, &run, edge, &count),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "weights"));
    ck_assert_uint_eq(count, GPUGRAPH_NONE);
    search.source_count = 2;
    ck_assert_int_eq(gpugraph_path(graph, &search, false, &run, edge, &count),
                     GPUGRAPH_INVALID);
    search.source_count = 1;
    search.target_count = 0;
    ck_assert_int_eq(gpugraph_path(graph, &search, false, &run, edge, &count),
                     GPUGRAPH_INVALID);
    search.target_count = 1;
    search.max_depth = 3;
    ck_assert_int_eq(gpugraph_path(graph, &search, false, &run, edge, &count),
                     GPUGRAPH_OK);
    ck_assert_uint_eq(count, GPUGRAPH_NONE);
    search.max_depth = 4;
    ck_assert_int_eq(gpugraph_path(graph, &search, false, &run, edge, &count),
                     GPUGRAPH_OK);
    ck_assert_uint_eq(count, 4);
    run.method = "delta-stepping"; /* is by weight */
    ck_assert_int_eq(gpugraph_path(graph, &search, false, &run, edge, &count),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "path has no method 'delta-stepping'; its "
                                              "methods are: auto, bidirectional, and "
                                              "those of bfs by depth or of sssp by "
                                              "weight"));
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "path",
    {{"path", .timeout = 240,
      .cases = {{&interrupt_leaves_a_usable_graph, 4}, {&large_shapes}}},
     {"no thread", .tags = "serial", .timeout = 240,
      .cases = {{&small_shapes},
                {&random_shapes},
                {&from_both_ends},
                {&range_from_both_ends},
                {&depth_from_both_ends},
                {&automatic},
                {&wrong_arguments}}}},
};
