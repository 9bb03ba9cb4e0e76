/* PageRank against a power iteration in long double that pushes rank along a list of
** edges. All backends and threads must give the same bits. */
#include "expect.h"
#include "suite.h"
#include "graphs.h"
#include "pagerank/fixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

typedef struct model_edge {
    uint32_t from, to;
    long double weight;
} model_edge;

/* Arcs of the shape's edges in that direction. A loop is one arc. */
static uint64_t list_arcs(const shape *s, const double *weight,
                          gpugraph_direction direction, model_edge *arc) {
    uint64_t count = 0;
    for (int64_t e = 0; e < s->edges; e++) {
        const uint32_t u = (uint32_t)s->source[e], v = (uint32_t)s->target[e];
        const long double w = weight ? (long double)weight[e] : 1;
        if (direction != GPUGRAPH_IN)
            arc[count++] = (model_edge){u, v, w};
        if (direction == GPUGRAPH_IN || (direction == GPUGRAPH_BOTH && u != v))
            arc[count++] = (model_edge){v, u, w};
    }
    return count;
}

static void push_ranks(const shape *s, const double *weight,
                       const gpugraph_pagerank_options *how, uint32_t iterations,
                       long double *rank) {
    const uint32_t n = s->vertices, places = how->source_count ? how->source_count : n;
    model_edge *arc = malloc((2 * (size_t)s->edges + 1) * sizeof *arc);
    const uint64_t arcs = list_arcs(s, weight, how->direction, arc);
    long double *out = calloc(n + 1, sizeof *out), *next = calloc(n + 1, sizeof *next);
    uint8_t *place = calloc(n + 1, 1);
    memset(place, how->source_count == 0, n);
    for (uint32_t i = 0; i < how->source_count; i++)
        place[how->source[i]] = 1;
    for (uint64_t a = 0; a < arcs; a++)
        out[arc[a].from] += arc[a].weight;
    for (uint32_t v = 0; v < n; v++)
        rank[v] = place[v] ? 1.0L / places : 0;
    for (uint32_t i = 0; i < iterations; i++) {
        long double lost = 0;
        memset(next, 0, n * sizeof *next);
        for (uint32_t v = 0; v < n; v++)
            lost += out[v] > 0 ? 0 : rank[v];
        for (uint64_t a = 0; a < arcs; a++)
            if (out[arc[a].from] > 0)
                next[arc[a].to] += rank[arc[a].from] * arc[a].weight / out[arc[a].from];
        for (uint32_t v = 0; v < n; v++)
            rank[v] = (long double)how->damping * next[v] +
                      (place[v] ? ((1 - (long double)how->damping) +
                                   (long double)how->damping * lost) /
                                      places
                                : 0);
    }
    free(place);
    free(next);
    free(out);
    free(arc);
}

/* ---- checks ---- */

static gpugraph_graph *graph_of(const shape *s, const double *weight) {
    return weight ? shape_weighed(s, false, NULL, weight) : shape_graph(s);
}

/* The ranks of one thread of the CPU, and the same bits from all other backends and
** threads. */
static void rank_everywhere(const shape *s, const double *weight,
                            const gpugraph_pagerank_options *how, double *rank) {
    static const int teams[] = {1, 2, 3, 16};
    gpugraph_graph *graph = graph_of(s, weight);
    double *other = malloc((s->vertices + 1) * sizeof *other);
    for (int i = 0; i < 5; i++) {
        gpugraph_run run = {.backend = i < 4 ? GPUGRAPH_CPU : GPUGRAPH_CUDA,
                            .threads = i < 4 ? teams[i] : 0};
        if (i == 4 && !gpugraph_cuda_usable(NULL))
            continue;
        double *to = i == 0 ? rank : other;
        ck_assert_int_eq(gpugraph_pagerank(graph, how, &run, to), GPUGRAPH_OK);
        for (uint32_t v = 0; v < s->vertices && i > 0; v++)
            expect(memcmp(&rank[v], &other[v], sizeof *rank) == 0,
                   "%s: rank of %u is %.17g on %s by %d threads, not %.17g", s->name, v,
                   other[v], run.used_backend, run.threads, rank[v]);
    }
    free(other);
    gpugraph_free(graph);
}

static void check(const shape *s, const double *weight,
                  const gpugraph_pagerank_options *how) {
    double *rank = malloc((s->vertices + 1) * sizeof *rank), sum = 0;
    long double *model = malloc((s->vertices + 1) * sizeof *model);
    rank_everywhere(s, weight, how, rank);
    push_ranks(s, weight, how, how->iterations, model);
    for (uint32_t v = 0; v < s->vertices; v++) {
        sum += rank[v];
        expect(fabsl((long double)rank[v] - model[v]) <= 1e-12L * model[v] + 1e-21L,
               "%s: rank of %u is %.17g, not %.17Lg", s->name, v, rank[v], model[v]);
    }
    expect(s->vertices == 0 || fabs(sum - 1) < 1e-12, "%s: ranks sum to %.17g", s->name,
           sum);
    free(model);
    free(rank);
}

static void draw_weights(const shape *s, uint64_t seed, double *weight) {
    for (int64_t e = 0; e < s->edges; e++) {
        const uint64_t drawn = shape_random(&seed);
        weight[e] =
            drawn % 7 == 0 ? 0 : ldexp((double)(drawn >> 40), (int)(drawn % 40) - 60);
    }
}

static void check_all_ways(const shape *s, uint64_t seed) {
    double *weight = malloc(((size_t)s->edges + 1) * sizeof *weight);
    const uint32_t ends[] = {0, s->vertices - 1};
    gpugraph_pagerank_options how = {.damping = 0.85,
                                     .iterations = 1 + (uint32_t)(seed % 9)};
    draw_weights(s, seed, weight);
    for (int way = 0; way < 6; way++) {
        how.direction = (gpugraph_direction)(way % 3);
        how.weighted = way >= 3;
        how.source = ends;
        how.source_count = s->vertices > 1 && way % 2 ? 2 : 0;
        check(s, how.weighted ? weight : NULL, &how);
    }
    free(weight);
}

START_TEST(small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, 3, &s); i++) {
        check_all_ways(&s, 17 + (uint64_t)i);
        shape_free(&s);
    }
}
END_TEST

START_TEST(random_shapes) {
    for (uint64_t seed = 1; seed <= 6; seed++) {
        shape s = shape_rmat(9, 6, seed);
        check_all_ways(&s, seed);
        shape_free(&s);
    }
}
END_TEST

/* Rows of each length, hubs among them, whose arcs many threads add up. */
START_TEST(hubs) {
    shape s = shape_rmat(12, 30, 5);
    for (uint32_t v = 1; v < 40000; v++)
        shape_add(&s, v % s.vertices, 0);
    gpugraph_pagerank_options how = {.damping = 0.9, .iterations = 12};
    check(&s, NULL, &how);
    double *before = malloc(s.vertices * sizeof *before),
           *after = malloc(s.vertices * sizeof *after);
    rank_everywhere(&s, NULL, &how, before);
    shape_shuffle(&s, 8);
    rank_everywhere(&s, NULL, &how, after);
    ck_assert_int_eq(memcmp(before, after, s.vertices * sizeof *before), 0);
    free(after);
    free(before);
    shape_free(&s);
}
END_TEST

/* Sums by weight are in fixed point. With all weights 1 they equal those of rows without
** weights, which are added up in other ways if they are short, long, or few at the
** end. */
START_TEST(weights_of_one) {
    const gpugraph_pagerank_options plain = {
        .damping = 0.85, .iterations = 9, .direction = GPUGRAPH_BOTH};
    gpugraph_pagerank_options weighted = plain;
    weighted.weighted = true;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        shape s = shape_rmat(7 + seed % 5, 1 << seed % 4, seed);
        for (uint32_t v = 1; v < s.vertices && seed % 3 == 0; v++)
            shape_add(&s, v, 3);
        double *weight = malloc((size_t)s.edges * sizeof *weight),
               *fixed = malloc(s.vertices * sizeof *fixed),
               *rank = malloc(s.vertices * sizeof *rank);
        for (int64_t e = 0; e < s.edges; e++)
            weight[e] = 1;
        rank_everywhere(&s, weight, &weighted, fixed);
        rank_everywhere(&s, NULL, &plain, rank);
        for (uint32_t v = 0; v < s.vertices; v++)
            expect(rank[v] == fixed[v], "%s: rank of %u is %.17g, and by weight %.17g",
                   s.name, v, rank[v], fixed[v]);
        free(rank);
        free(fixed);
        free(weight);
        shape_free(&s);
    }
}
END_TEST

/* Ranks that become so small far from a source that fixed point cuts them, beside
** others. */
START_TEST(faint_ranks) {
    const uint32_t source = 0;
    shape s = shape_beside("faint", shape_path(700), shape_comb(40, 9));
    double *weight = malloc((size_t)s.edges * sizeof *weight);
    draw_weights(&s, 11, weight);
    for (uint32_t v = 0; v < 300; v++)
        shape_add(&s, 5, v * 2);
    gpugraph_pagerank_options how = {
        .damping = 0.9, .iterations = 400, .source = &source, .source_count = 1};
    check(&s, NULL, &how);
    how.direction = GPUGRAPH_BOTH;
    check(&s, NULL, &how);
    s.edges -= 300;
    how.weighted = true;
    for (int64_t e = 0; e < s.edges; e++)
        weight[e] += 0x1p-60;
    check(&s, weight, &how);
    free(weight);
    shape_free(&s);
}
END_TEST

/* The search ends at a tolerance, after a number of iterations, or at once. */
START_TEST(ends) {
    shape s = shape_path(3); /* 0 -> 1 -> 2 */
    gpugraph_graph *graph = shape_graph(&s);
    gpugraph_pagerank_options how = {.damping = 0.5, .iterations = 0};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    double rank[3], settled[3];
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_OK);
    ck_assert(rank[0] == 1.0 / 3 && rank[1] == 1.0 / 3 && rank[2] == 1.0 / 3);
    how.iterations = 1000;
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, settled), GPUGRAPH_OK);
    how.tolerance = 1e-3;
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_OK);
    ck_assert(rank[0] != settled[0] && fabs(rank[0] - settled[0]) < 1e-3);
    how.damping = 1.5;
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_INVALID);
    how.damping = 0.5;
    how.weighted = true;
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_INVALID);
    how.weighted = false;
    how.tolerance = NAN;
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_INVALID);
    how.tolerance = 0;
    const uint32_t twice[] = {1, 1}, far = 3;
    how.source = twice;
    how.source_count = 2;
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_INVALID);
    how.source = &far;
    how.source_count = 1;
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_INVALID);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

START_TEST(interrupts) {
    shape s = shape_rmat(13, 8, 3);
    gpugraph_graph *graph = shape_graph(&s);
    double *rank = malloc(s.vertices * sizeof *rank);
    gpugraph_pagerank_options how = {.damping = 0.85, .iterations = 50};
    for (int threads = 1; threads <= 4; threads++) {
        gpugraph_run run = {
            .backend = GPUGRAPH_CPU, .threads = threads, .interrupted = at_once};
        ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank),
                         GPUGRAPH_INTERRUPTED);
    }
    free(rank);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* Fixed point preserves whole numbers and powers of two. A sum between two doubles goes
** to the nearest one, ties to even. */
START_TEST(fixed_point) {
    uint64_t seed = 4;
    for (int exponent = -96 + 52; exponent < 30; exponent++) {
        const double x =
            ldexp(1 + (double)(shape_random(&seed) >> 12) * 0x1p-52, exponent);
        ck_assert(gg_unfix(gg_fix(x)) == x);
    }
    ck_assert(gg_fix(0x1p-97) == 0 && gg_fix(0x1p-96) == 1 && gg_fix(0) == 0 &&
              gg_fix(5e-324) == 0);
    const gg_fixed one = (gg_fixed)1 << FIXED_BITS, last = one >> 52;
    ck_assert(gg_unfix(one + last / 2) == 1);
    ck_assert(gg_unfix(one + last / 2 + 1) == 1 + 0x1p-52);
    ck_assert(gg_unfix(one + last + last / 2) == 1 + 0x1p-51);
    ck_assert(gg_unfix(2 * one - 1) == 2);
}
END_TEST

const struct suite suite = {
    "pagerank",
    {{"pagerank", .timeout = 120,
      .cases = {{&small_shapes},
                {&random_shapes},
                {&hubs},
                {&weights_of_one},
                {&faint_ranks},
                {&ends},
                {&interrupts},
                {&fixed_point}}}},
};
