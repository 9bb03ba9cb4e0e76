/* Triangles against three loops over a matrix of neighbours, and against formulas. */
#include "expect.h"
#include "suite.h"
#include "graphs.h"

#include <stdlib.h>
#include <string.h>

static uint64_t by_three_loops(const shape *s) {
    uint32_t n = s->vertices;
    uint8_t *near = calloc((size_t)n * n + 1, 1);
    uint64_t count = 0;
    for (int64_t e = 0; e < s->edges; e++) {
        near[s->source[e] * n + s->target[e]] = 1;
        near[s->target[e] * n + s->source[e]] = 1;
    }
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++)
            for (uint32_t w = v + 1; near[u * n + v] && w < n; w++)
                count += near[u * n + w] & near[v * n + w];
    free(near);
    return count;
}

static void check_count(const shape *s, uint64_t wanted) {
    gpugraph_graph *graph = shape_graph(s);
    const gpugraph_method *method;
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++) {
        bool cuda = strcmp(method->backend, "cuda") == 0;
        if (strcmp(method->function, "triangles") != 0 ||
            (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        for (int threads = 1; threads <= 4; threads *= 2) {
            gpugraph_run run = {.method = method->name,
                                .backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU,
                                .threads = threads};
            uint64_t count = 77;
            ck_assert_int_eq(gpugraph_triangles(graph, &run, &count), GPUGRAPH_OK);
            expect(count == wanted, "%s, %s: %llu triangles, not %llu", s->name,
                   method->name, (unsigned long long)count, (unsigned long long)wanted);
        }
    }
    gpugraph_free(graph);
}

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            check_count(&s, by_three_loops(&s));
            shape_free(&s);
        }
}
END_TEST

START_TEST(large_shapes) {
    shape s = shape_rmat(11, 16, 3);
    check_count(&s, by_three_loops(&s));
    shape_free(&s);
    s = shape_complete(400);
    check_count(&s, 400ull * 399 * 398 / 6);
    shape_free(&s);
    s = shape_grid(200, 200);
    check_count(&s, 0);
    /* One diagonal in each square: two triangles each. */
    for (uint32_t v = 0; v < 200 * 199; v++)
        if (v % 200 != 199)
            shape_add(&s, v + 201, v);
    shape_renumber(&s, 4);
    check_count(&s, 2 * 199 * 199);
    shape_free(&s);
    s = shape_star(50000); /* a wheel: a triangle for each edge of the rim */
    for (uint32_t v = 1; v <= 50000; v++)
        shape_add(&s, v, v % 50000 + 1);
    check_count(&s, 50000);
    shape_free(&s);
}
END_TEST

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

START_TEST(arguments_and_interrupts) {
    shape s = shape_complete(300);
    gpugraph_graph *graph = shape_graph(&s);
    uint64_t count;
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "guess"};
    ck_assert_int_eq(gpugraph_triangles(graph, &run, &count), GPUGRAPH_INVALID);
    for (int threads = 1; threads <= 4; threads++) {
        run = (gpugraph_run){.backend = GPUGRAPH_CPU, .threads = threads};
        run.interrupted = at_once;
        ck_assert_int_eq(gpugraph_triangles(graph, &run, &count), GPUGRAPH_INTERRUPTED);
        run.interrupted = NULL;
        ck_assert_int_eq(gpugraph_triangles(graph, &run, &count), GPUGRAPH_OK);
        ck_assert_uint_eq(count, 300 * 299 * 298 / 6);
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "triangles",
    {{"triangles", .timeout = 250,
      .cases = {{&small_shapes}, {&large_shapes}, {&arguments_and_interrupts}}}},
};
