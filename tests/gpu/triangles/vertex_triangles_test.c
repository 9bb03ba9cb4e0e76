/* Compares the triangles of each vertex with formulas, and with a model that looks up all
** pairs of the vertex's neighbours in a matrix. */
#include "expect.h"
#include "suite.h"
#include "tiny_graphs.h"
#include "graphs.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

typedef struct counts {
    uint64_t *triangles, *arcs; /* arcs: directed, between two neighbours */
    uint32_t *degree;
    double *coefficient;
} counts;

static counts new_counts(uint32_t n) {
    return (counts){malloc((n + 1) * 8), malloc((n + 1) * 8), malloc((n + 1) * 4),
                    malloc((n + 1) * 8)};
}

static void free_counts(counts c) {
    free(c.triangles);
    free(c.arcs);
    free(c.degree);
    free(c.coefficient);
}

static void by_pairs(const shape *s, counts c) {
    const size_t n = s->vertices;
    uint8_t *arc = calloc(n * n + 1, 1);
    uint32_t *near = malloc((n + 1) * sizeof *near);
    for (int64_t e = 0; e < s->edges; e++)
        arc[(size_t)s->source[e] * n + (size_t)s->target[e]] = 1;
    for (size_t v = 0; v < n; v++) {
        uint32_t k = 0;
        c.triangles[v] = c.arcs[v] = 0;
        for (size_t u = 0; u < n; u++)
            if (u != v && (arc[u * n + v] || arc[v * n + u]))
                near[k++] = (uint32_t)u;
        for (uint32_t i = 0; i < k; i++)
            for (uint32_t j = 0; j < i; j++) {
                const int there = arc[near[i] * n + near[j]],
                          back = arc[near[j] * n + near[i]];
                c.triangles[v] += (uint64_t)(there | back);
                c.arcs[v] += (uint64_t)(there + back);
            }
        c.degree[v] = k;
    }
    free(near);
    free(arc);
}

/* ---- checks ---- */

static void check_run(const shape *s, gpugraph_graph *graph, int direction,
                      gpugraph_run *run, counts wanted, counts found) {
    const gpugraph_triangle_counts asked = {found.triangles, found.degree,
                                            found.coefficient};
    memset(found.triangles, 0xab, s->vertices * sizeof *found.triangles);
    ck_assert_int_eq(
        gpugraph_vertex_triangles(graph, (gpugraph_direction)direction, run, &asked),
        GPUGRAPH_OK);
    for (uint32_t v = 0; v < s->vertices; v++) {
        const uint64_t k = wanted.degree[v], arcs = direction == GPUGRAPH_BOTH
                                                        ? 2 * wanted.triangles[v]
                                                        : wanted.arcs[v];
        const double coefficient =
            k < 2 ? 0 : (double)arcs / ((double)k * ((double)k - 1));
        expect(
            found.triangles[v] == wanted.triangles[v] && found.degree[v] == k,
            "%s, direction %d, %s, %d thread(s): %u has %llu triangles, degree %u; not "
            "%llu, %u",
            s->name, direction, run->used_backend, run->threads, v,
            (unsigned long long)found.triangles[v], found.degree[v],
            (unsigned long long)wanted.triangles[v], wanted.degree[v]);
        expect(found.coefficient[v] == coefficient,
               "%s, direction %d, %s, %d thread(s): %u has %.17g, not %.17g", s->name,
               direction, run->used_backend, run->threads, v, found.coefficient[v],
               coefficient);
    }
}

/* Checks the CPU with one size of team in turn and with sizes that are not left out, then
** the device. */
static void check(const shape *s, counts wanted) {
    static const int teams[] = {1, 2, 3, 16};
    static unsigned turn;
    gpugraph_graph *graph = shape_graph(s);
    counts found = new_counts(s->vertices);
    turn++;
    for (unsigned i = 0; i < 5; i++) {
        if (i < 4 && i != turn % 4 && left_out(turn * 4 + i))
            continue;
        gpugraph_run run = {.backend = i < 4 ? GPUGRAPH_CPU : GPUGRAPH_CUDA,
                            .threads = i < 4 ? teams[i] : 0};
        if (i < 4 || gpugraph_cuda_usable(NULL))
            for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++)
                check_run(s, graph, direction, &run, wanted, found);
    }
    free_counts(found);
    gpugraph_free(graph);
}

static void check_by_pairs(const shape *s) {
    counts wanted = new_counts(s->vertices);
    by_pairs(s, wanted);
    check(s, wanted);
    free_counts(wanted);
}

START_TEST(every_tiny_graph) {
    tiny_graphs all = {.step = 13};
    for (shape s; next_tiny_graph(&all, &s); shape_free(&s)) {
        check_by_pairs(&s);
    }
}
END_TEST

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (!left_out_of(seed + (uint64_t)i, 3))
                check_by_pairs(&s);
            shape_free(&s);
        }
}
END_TEST

/* Rows ahead of many lengths, parallel edges, and edges in both directions. */
START_TEST(random_shapes) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        shape s =
            seed % 2
                ? shape_rmat(10, 4 + 30 * (uint32_t)seed / SANITIZED_PART, seed)
                : shape_random_edges(700, 30000 * (int64_t)seed / SANITIZED_PART, seed);
        check_by_pairs(&s);
        shape_shuffle(&s, seed);
        check_by_pairs(&s);
        shape_free(&s);
    }
}
END_TEST

/* Rows ahead are as long as possible: the rows of n vertices have 0 to n - 1 targets. One
** third of the edges have a reverse edge. */
START_TEST(complete) {
    const uint32_t sizes[] = {140, left_out(1) ? 280 : 1100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t n = sizes[i];
        shape s = shape_complete((uint32_t)n);
        counts wanted = new_counts((uint32_t)n);
        uint64_t twice = 0;
        for (uint64_t v = 0; v < n; v++) {
            wanted.triangles[v] = (n - 1) * (n - 2) / 2;
            wanted.degree[v] = (uint32_t)n - 1;
            wanted.arcs[v] = 0;
        }
        for (uint32_t u = 0; u < n; u++) /* arcs[v]: reverse edges at v */
            for (uint32_t v = u + 1; v < n; v++)
                if ((u + v) % 3 == 0) {
                    shape_add(&s, v, u);
                    wanted.arcs[u]++;
                    wanted.arcs[v]++;
                    twice++;
                }
        for (uint64_t v = 0; v < n; v++)
            wanted.arcs[v] = wanted.triangles[v] + twice - wanted.arcs[v];
        check(&s, wanted);
        free_counts(wanted);
        shape_free(&s);
    }
}
END_TEST

START_TEST(arguments_and_interrupts) {
    shape s = shape_complete(5);
    gpugraph_graph *graph = shape_graph(&s);
    uint64_t triangles[5];
    double coefficient[5];
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_triangle_counts none = {0}, some = {.coefficient = coefficient},
                             others = {.triangles = triangles};
    ck_assert_int_eq(gpugraph_vertex_triangles(graph, GPUGRAPH_OUT, &run, &none),
                     GPUGRAPH_OK);
    ck_assert_int_eq(gpugraph_vertex_triangles(graph, GPUGRAPH_BOTH, &run, &some),
                     GPUGRAPH_OK);
    ck_assert_int_eq(gpugraph_vertex_triangles(graph, GPUGRAPH_IN, &run, &others),
                     GPUGRAPH_OK);
    ck_assert(coefficient[4] == 1 && triangles[4] == 6);
    ck_assert_int_eq(gpugraph_vertex_triangles(graph, (gpugraph_direction)3, &run, &none),
                     GPUGRAPH_INVALID);
    run.method = "guess";
    ck_assert_int_eq(gpugraph_vertex_triangles(graph, GPUGRAPH_BOTH, &run, &none),
                     GPUGRAPH_INVALID);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

START_TEST(interrupts) {
    shape s = shape_complete(300);
    gpugraph_graph *graph = shape_graph(&s);
    uint64_t triangles[300];
    double coefficient[300];
    const gpugraph_triangle_counts counts = {triangles, NULL, coefficient};
    for (int i = 0; i < 8; i++) {
        const gpugraph_direction direction = i % 2 ? GPUGRAPH_OUT : GPUGRAPH_BOTH;
        gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = 1 + i / 2};
        run.interrupted = at_once;
        ck_assert_int_eq(gpugraph_vertex_triangles(graph, direction, &run, &counts),
                         GPUGRAPH_INTERRUPTED);
        run.interrupted = NULL;
        ck_assert_int_eq(gpugraph_vertex_triangles(graph, direction, &run, &counts),
                         GPUGRAPH_OK);
        ck_assert(triangles[299] == 299 * 298 / 2 && coefficient[0] == 1 / (1.0 + i % 2));
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "triangles of each vertex",
    {{"each", .timeout = 250,
      .cases = {{&every_tiny_graph},
                {&small_shapes},
                {&random_shapes},
                {&complete},
                {&arguments_and_interrupts},
                {&interrupts}}}},
};
