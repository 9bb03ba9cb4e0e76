/* Compares core numbers with the definition: for each k, remove vertices with fewer than
** k remaining neighbours until there is none. The remaining vertices have a core number
** of at least k. */
#include "expect.h"
#include "suite.h"
#include "tiny_graphs.h"
#include "graphs.h"
#include "share.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

/* Undirected, without loops, each pair once: next[u * n + v]. */
static uint8_t *matrix_of(const shape *s) {
    const size_t n = s->vertices;
    uint8_t *next = calloc(n * n + 1, 1);
    for (int64_t e = 0; e < s->edges; e++)
        if (s->source[e] != s->target[e]) {
            next[(size_t)s->source[e] * n + (size_t)s->target[e]] = 1;
            next[(size_t)s->target[e] * n + (size_t)s->source[e]] = 1;
        }
    return next;
}

static bool strike(const uint8_t *next, uint32_t n, uint32_t k, bool *in) {
    bool struck = false;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t left = 0;
        for (uint32_t u = 0; in[v] && u < n; u++)
            left += in[u] && next[(size_t)v * n + u];
        if (in[v] && left < k) {
            in[v] = false;
            struck = true;
        }
    }
    return struck;
}

static void model(const shape *s, uint32_t *core) {
    uint8_t *next = matrix_of(s);
    bool *in = calloc(s->vertices + 1, sizeof *in), any = true;
    memset(in, 1, s->vertices);
    memset(core, 0, s->vertices * sizeof *core);
    for (uint32_t k = 1; any; k++) {
        while (strike(next, s->vertices, k, in))
            ;
        any = false;
        for (uint32_t v = 0; v < s->vertices; v++)
            if (in[v]) {
                core[v] = k;
                any = true;
            }
    }
    free(in);
    free(next);
}

/* ---- checks ---- */

/* Sets the largest narrow round on a device: the default, none, 3 or 20 vertices. */
static void set_limits(int turn) {
    static const uint32_t narrow[] = {GG_PEEL_NARROW, 0, 3, 20};
    gg_limits.peel_narrow = narrow[turn % 4];
}

static void check(const shape *s, const uint32_t *wanted) {
    gpugraph_graph *graph = shape_graph(s);
    uint32_t *found = malloc((s->vertices + 1) * sizeof *found);
    for (gpugraph_backend on = GPUGRAPH_CPU; on <= GPUGRAPH_CUDA; on++) {
        if (on == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL))
            continue;
        for (int threads = 1; threads <= 4; threads++) {
            set_limits(threads - 1);
            gpugraph_run run = {.backend = on, .threads = threads};
            memset(found, 0xab, s->vertices * sizeof *found);
            ck_assert_int_eq(gpugraph_cores(graph, &run, found), GPUGRAPH_OK);
            for (uint32_t v = 0; v < s->vertices; v++)
                expect(found[v] == wanted[v], "%s on %s, %d thread(s): %u has %u, not %u",
                       s->name, run.used_backend, threads, v, found[v], wanted[v]);
        }
    }
    set_limits(0);
    free(found);
    gpugraph_free(graph);
}

static void check_against_model(const shape *s) {
    uint32_t *core = malloc((s->vertices + 1) * sizeof *core);
    model(s, core);
    check(s, core);
    free(core);
}

START_TEST(every_tiny_graph) {
    tiny_graphs all = {.step = 13};
    for (shape s; next_tiny_graph(&all, &s); shape_free(&s)) {
        check_against_model(&s);
    }
}
END_TEST

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (s.vertices <= 400 && !left_out_of(seed + (uint64_t)i, 3))
                check_against_model(&s);
            shape_free(&s);
        }
}
END_TEST

START_TEST(random_edges) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        shape s = shape_random_edges(120, 60 * (int64_t)(seed * seed), seed);
        check_against_model(&s);
        shape_free(&s);
    }
}
END_TEST

/* Computes core numbers by the simple peel: it removes one vertex after the other, always
** one with the fewest remaining neighbours. */
static void peel_plainly(const shape *s, uint32_t *core) {
    const uint32_t n = s->vertices;
    bool *gone = calloc(n, sizeof *gone);
    uint32_t k = 0;
    uint8_t *next = matrix_of(s);
    for (uint32_t v = 0; v < n; v++) {
        core[v] = 0;
        for (uint32_t u = 0; u < n; u++)
            core[v] += next[(size_t)v * n + u];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t least = GPUGRAPH_NONE;
        for (uint32_t v = 0; v < n; v++)
            if (!gone[v] && (least == GPUGRAPH_NONE || core[v] < core[least]))
                least = v;
        k = core[least] > k ? core[least] : k;
        gone[least] = true;
        for (uint32_t u = 0; u < n; u++)
            core[u] -= !gone[u] && next[(size_t)least * n + u];
        core[least] = k;
    }
    free(gone);
    free(next);
}

START_TEST(skewed_ones) {
    shape s = shape_rmat(SANITIZED_PART > 1 ? 10 : 12, 16, 5);
    uint32_t *core = malloc(s.vertices * sizeof *core);
    peel_plainly(&s, core);
    check(&s, core);
    free(core);
    shape_free(&s);
}
END_TEST

/* Wide passes, which threads share: a grid has core number 2, trees that hang on it 1. */
START_TEST(wide_ones) {
    shape grid = shape_grid(300, 300 / SANITIZED_PART),
          star = shape_star(50000 / SANITIZED_PART);
    const uint32_t at = grid.vertices;
    shape s = shape_beside("grid and star", grid, star);
    shape_add(&s, 0, at);
    uint32_t *core = malloc(s.vertices * sizeof *core);
    for (uint32_t v = 0; v < s.vertices; v++)
        core[v] = v < at ? 2 : 1;
    check(&s, core);
    free(core);
    shape_free(&s);
    shape path = shape_path(200000 / SANITIZED_PART);
    core = malloc(path.vertices * sizeof *core);
    for (uint32_t v = 0; v < path.vertices; v++)
        core[v] = 1;
    check(&path, core);
    free(core);
    shape_free(&path);
}
END_TEST

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

START_TEST(arguments_and_interrupts) {
    shape s = shape_complete(300);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t *core = malloc(s.vertices * sizeof *core);
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "guess"};
    ck_assert_int_eq(gpugraph_cores(graph, &run, core), GPUGRAPH_INVALID);
    run = (gpugraph_run){.backend = GPUGRAPH_CPU, .threads = 2, .interrupted = at_once};
    ck_assert_int_eq(gpugraph_cores(graph, &run, core), GPUGRAPH_INTERRUPTED);
    run.interrupted = NULL;
    ck_assert_int_eq(gpugraph_cores(graph, &run, core), GPUGRAPH_OK);
    for (uint32_t v = 0; v < s.vertices; v++)
        ck_assert_uint_eq(core[v], 299);
    free(core);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "cores",
    {{"cores", .timeout = 120,
      .cases = {{&every_tiny_graph},
                {&small_shapes},
                {&random_edges},
                {&skewed_ones},
                {&wide_ones},
                {&arguments_and_interrupts}}}},
};
