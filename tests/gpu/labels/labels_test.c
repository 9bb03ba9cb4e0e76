/* Label propagation against a model that sorts a list of votes. */
#include "expect.h"
#include "suite.h"
#include "tiny_graphs.h"
#include "graphs.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

static int ascending(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The votes of an iteration, voter << 32 | label, ascending. */
static size_t list_votes(const shape *s, gpugraph_direction direction,
                         const uint32_t *label, uint64_t *vote) {
    size_t votes = 0;
    for (int64_t e = 0; e < s->edges; e++) {
        const uint64_t u = (uint64_t)s->source[e], v = (uint64_t)s->target[e];
        if (u == v)
            continue;
        if (direction != GPUGRAPH_IN)
            vote[votes++] = u << 32 | label[v];
        if (direction != GPUGRAPH_OUT)
            vote[votes++] = v << 32 | label[u];
    }
    qsort(vote, votes, sizeof *vote, ascending);
    return votes;
}

static void spread(const shape *s, gpugraph_direction direction, uint32_t iterations,
                   uint32_t *label) {
    uint64_t *vote = malloc((2 * (size_t)s->edges + 1) * sizeof *vote);
    for (uint32_t v = 0; v < s->vertices; v++)
        label[v] = v;
    for (uint32_t i = 0; i < iterations; i++) {
        const size_t votes = list_votes(s, direction, label, vote);
        size_t most = 0;
        for (size_t first = 0, end; first < votes; first = end) {
            for (end = first; end < votes && vote[end] == vote[first];)
                end++;
            const bool new_voter =
                first == 0 || vote[first - 1] >> 32 != vote[first] >> 32;
            if (new_voter || end - first > most) {
                label[vote[first] >> 32] = (uint32_t)vote[first];
                most = end - first;
            }
        }
    }
    free(vote);
}

/* ---- checks ---- */

static void check_graph(const shape *s, gpugraph_graph *graph,
                        gpugraph_direction direction, uint32_t iterations,
                        const uint32_t *wanted) {
    static const int teams[] = {1, 2, 3, 16};
    uint32_t *found = malloc((s->vertices + 1) * sizeof *found);
    for (int i = 0; i < 5; i++) {
        gpugraph_run run = {.backend = i < 4 ? GPUGRAPH_CPU : GPUGRAPH_CUDA,
                            .threads = i < 4 ? teams[i] : 0};
        if (i == 4 && !gpugraph_cuda_usable(NULL))
            continue;
        memset(found, 0xab, s->vertices * sizeof *found);
        ck_assert_int_eq(
            gpugraph_label_propagation(graph, iterations, direction, &run, found),
            GPUGRAPH_OK);
        for (uint32_t v = 0; v < s->vertices; v++)
            expect(found[v] == wanted[v],
                   "%s, direction %d, %u iterations on %s, %d thread(s): %u has %u, not "
                   "%u",
                   s->name, (int)direction, iterations, run.used_backend, run.threads, v,
                   found[v], wanted[v]);
    }
    free(found);
}

static void check(const shape *s, uint32_t iterations) {
    gpugraph_graph *graph = shape_graph(s);
    uint32_t *wanted = malloc((s->vertices + 1) * sizeof *wanted);
    for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++) {
        spread(s, (gpugraph_direction)d, iterations, wanted);
        check_graph(s, graph, (gpugraph_direction)d, iterations, wanted);
    }
    free(wanted);
    gpugraph_free(graph);
}

START_TEST(every_tiny_graph) {
    tiny_graphs all = {.step = 29};
    for (shape s; next_tiny_graph(&all, &s); shape_free(&s)) {
        check(&s, 1 + all.bits % 4);
    }
}
END_TEST

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (!left_out_of(seed + (uint64_t)i, 3))
                check(&s, (uint32_t)(i + 2 * (int)seed) % 6);
            shape_free(&s);
        }
}
END_TEST

START_TEST(random_shapes) {
    for (uint64_t seed = 1; seed <= 6; seed++) {
        shape s = seed % 2 ? shape_rmat(10, 8, seed)
                           : shape_random_edges(400, 100 * (int64_t)seed, seed);
        check(&s, 10);
        shape_shuffle(&s, seed);
        check(&s, 3);
        shape_free(&s);
    }
}
END_TEST

/* Adds a center with that many edges, parallel edges and loops among them. In the first
** iteration the ends have as many labels as possible, and few after some iterations. */
static void add_center(shape *s, uint32_t arcs, uint32_t ends, uint64_t *seed) {
    const uint32_t center = s->vertices;
    *s = shape_beside("rows of every length", *s, shape_empty(1 + ends));
    for (uint32_t i = 0; i < arcs; i++) {
        const uint32_t end = center + 1 + (uint32_t)(shape_random(seed) % ends);
        if (i % 2)
            shape_add(s, center, end);
        else
            shape_add(s, end, center);
    }
    shape_add(s, center, center);
    if (center > 0)
        shape_add(s, center, (uint32_t)(shape_random(seed) % center));
}

/* Rows as long as those at which the way of counting changes, and a little longer. */
START_TEST(rows_of_every_length) {
    static const uint32_t lengths[] = {6,    7,     8,     9,     30,   31,
                                       32,   383,   384,   385,   3070, 3071,
                                       3072, 16382, 16383, 16385, 40000};
    uint64_t seed = 5;
    for (uint32_t spread_over = 1; spread_over <= 3; spread_over++) {
        if (SANITIZED_PART > 1 && spread_over != 2)
            continue;
        shape s = shape_empty(0);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            const uint32_t ends = spread_over == 1   ? 1 + lengths[i] / 50
                                  : spread_over == 2 ? lengths[i]
                                                     : 3 * lengths[i];
            add_center(&s, lengths[i], ends, &seed);
        }
        check(&s, spread_over == 1 ? 5 : 2);
        shape_renumber(&s, 7 + spread_over);
        shape_shuffle(&s, 3);
        check(&s, 1);
        shape_free(&s);
    }
}
END_TEST

/* Hubs that depend on each other. Their tables may not all fit at once. */
START_TEST(many_hubs) {
    shape s = shape_empty(4000);
    for (uint32_t hub = 0; hub < 12; hub++)
        for (uint32_t v = 0; v < 4000; v++)
            for (uint32_t times = 0; times < 1 + (hub + v) % 3; times++)
                shape_add(&s, hub, v);
    check(&s, 4);
    shape_free(&s);
}
END_TEST

/* The search ends when nothing changes, and says so. With no iteration each vertex keeps
** its own label. */
START_TEST(ends) {
    shape s = shape_complete(5);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t label[5], settled[5];
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_label_propagation(graph, 0, GPUGRAPH_BOTH, &run, label),
                     GPUGRAPH_OK);
    for (uint32_t v = 0; v < 5; v++)
        ck_assert_uint_eq(label[v], v);
    ck_assert_int_eq(
        gpugraph_label_propagation(graph, UINT32_MAX, GPUGRAPH_BOTH, &run, settled),
        GPUGRAPH_OK);
    spread(&s, GPUGRAPH_BOTH, 20, label);
    ck_assert_int_eq(memcmp(label, settled, sizeof label), 0);
    ck_assert_int_eq(
        gpugraph_label_propagation(graph, 1, (gpugraph_direction)3, &run, label),
        GPUGRAPH_INVALID);
    run.method = "guess";
    ck_assert_int_eq(gpugraph_label_propagation(graph, 1, GPUGRAPH_BOTH, &run, label),
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
    shape s = shape_rmat(13, 8, 3), star = shape_star(200000);
    const shape *const asked[] = {&s, &star};
    for (int i = 0; i < 2; i++) {
        gpugraph_graph *graph = shape_graph(asked[i]);
        uint32_t *label = malloc(asked[i]->vertices * sizeof *label);
        for (int threads = 1; threads <= 4; threads++) {
            gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = threads};
            run.interrupted = at_once;
            ck_assert_int_eq(
                gpugraph_label_propagation(graph, 50, GPUGRAPH_BOTH, &run, label),
                GPUGRAPH_INTERRUPTED);
            run.interrupted = NULL;
            ck_assert_int_eq(
                gpugraph_label_propagation(graph, 2, GPUGRAPH_BOTH, &run, label),
                GPUGRAPH_OK);
        }
        free(label);
        gpugraph_free(graph);
    }
    shape_free(&star);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "labels",
    {{"labels", .timeout = 180,
      .cases = {{&every_tiny_graph},
                {&small_shapes},
                {&random_shapes},
                {&rows_of_every_length},
                {&many_hubs},
                {&ends},
                {&interrupts}}}},
};
