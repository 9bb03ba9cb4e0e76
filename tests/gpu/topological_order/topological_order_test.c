/* Topological orders against the simplest possible model: a level is one more than the
** largest level of the predecessors, until nothing changes. A level that still grows
** after n rounds is behind a cycle. A reported cycle must be one. */
#include "expect.h"
#include "suite.h"
#include "tiny_graphs.h"
#include "graphs.h"
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

/* Returns false if there is a cycle. */
static bool levels_of(const shape *s, bool out, uint32_t *level) {
    bool changed = true;
    memset(level, 0, s->vertices * sizeof *level);
    for (uint32_t round = 0; changed; round++) {
        changed = false;
        for (int64_t e = 0; e < s->edges; e++) {
            const int64_t from = out ? s->source[e] : s->target[e];
            const int64_t to = out ? s->target[e] : s->source[e];
            if (level[to] < level[from] + 1) {
                level[to] = level[from] + 1;
                changed = true;
            }
        }
        if (round > s->vertices)
            return false;
    }
    return true;
}

/* The number of vertices with lower levels, or with the same level and smaller
** numbers. */
static uint32_t place_of(const shape *s, const uint32_t *level, uint32_t v) {
    uint32_t before = 0;
    for (uint32_t u = 0; u < s->vertices; u++)
        before += level[u] < level[v] || (level[u] == level[v] && u < v);
    return before;
}

/* ---- checks ---- */

static void check_cycle(const shape *s, const gpugraph_cycle *cycle,
                        const gpugraph_run *run) {
    const uint64_t told =
        cycle->count < GPUGRAPH_CYCLE_EDGES ? cycle->count : GPUGRAPH_CYCLE_EDGES;
    expect(cycle->count > 0, "%s: no cycle is told", s->name);
    for (uint64_t i = 0; i < told; i++) {
        char id[30];
        const uint64_t e = cycle->edge[i], next = cycle->edge[(i + 1) % told];
        expect(e >= cycle->edge[0], "%s: edge %d is smaller than the first", s->name,
               (int)e);
        if (i + 1 < told || told == cycle->count)
            expect(s->target[e] == s->source[next], "%s: edges %d, %d do not meet",
                   s->name, (int)e, (int)next);
        snprintf(id, sizeof id, "%d", (int)e + 1);
        expect(strstr(run->message, id) != NULL, "%s: no edge %s in: %s", s->name, id,
               run->message);
    }
}

static void check(const shape *s, gpugraph_direction direction, bool acyclic,
                  const uint32_t *wanted, bool places) {
    gpugraph_graph *graph = shape_graph(s);
    uint32_t *level = malloc((s->vertices + 1) * sizeof *level);
    uint32_t *position = malloc((s->vertices + 1) * sizeof *position);
    gpugraph_cycle first = {.count = 0}, cycle;
    for (gpugraph_backend on = GPUGRAPH_CPU; on <= GPUGRAPH_CUDA; on++) {
        if (on == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL))
            continue;
        for (int threads = 1; threads <= 4; threads++) {
            gpugraph_run run = {.backend = on, .threads = threads};
            const gpugraph_status status = gpugraph_topological_order(
                graph, direction, &run, level, position, &cycle);
            ck_assert_int_eq(status, acyclic ? GPUGRAPH_OK : GPUGRAPH_INVALID);
            for (uint32_t v = 0; acyclic && v < s->vertices; v++) {
                expect(level[v] == wanted[v],
                       "%s on %s, %d thread(s): %u has level %u, not %u", s->name,
                       run.used_backend, threads, v, level[v], wanted[v]);
                if (places)
                    expect(position[v] == place_of(s, wanted, v),
                           "%s on %s, %d thread(s): %u is number %u", s->name,
                           run.used_backend, threads, v, position[v]);
            }
            if (acyclic) {
                ck_assert_uint_eq(cycle.count, 0);
                continue;
            }
            check_cycle(s, &cycle, &run);
            if (first.count == 0)
                first = cycle;
            ck_assert_int_eq(memcmp(&first, &cycle, sizeof cycle), 0);
        }
    }
    free(level);
    free(position);
    gpugraph_free(graph);
}

static void check_against_model(const shape *s) {
    uint32_t *level = malloc((s->vertices + 1) * sizeof *level);
    for (int out = 0; out <= 1; out++) {
        const bool acyclic = levels_of(s, out, level);
        check(s, out ? GPUGRAPH_OUT : GPUGRAPH_IN, acyclic, level, s->vertices <= 3000);
    }
    free(level);
}

/* Turns each edge to the larger number, and removes loops. */
static void orient(shape *s) {
    int64_t kept = 0;
    for (int64_t e = 0; e < s->edges; e++) {
        const int64_t a = s->source[e], b = s->target[e];
        if (a == b)
            continue;
        s->source[kept] = a < b ? a : b;
        s->target[kept++] = a < b ? b : a;
    }
    s->edges = kept;
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
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            check_against_model(&s);
            orient(&s);
            check_against_model(&s);
            shape_free(&s);
        }
}
END_TEST

/* With few edges there usually is an order, with more edges a cycle. */
START_TEST(random_arcs) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        shape s = shape_random_edges(150, 20 * (int64_t)seed, seed);
        check_against_model(&s);
        orient(&s);
        shape_renumber(&s, seed);
        shape_shuffle(&s, seed + 1);
        check_against_model(&s);
        shape_free(&s);
    }
}
END_TEST

/* Wide and narrow levels, hubs, and one long chain beside them. */
START_TEST(large_ones) {
    shape s = shape_beside("R-MAT and a chain", shape_rmat(14, 8, 4), shape_path(5000));
    uint32_t *level = malloc(s.vertices * sizeof *level);
    orient(&s);
    ck_assert(levels_of(&s, true, level));
    check(&s, GPUGRAPH_OUT, true, level, false);
    shape_add(&s, s.vertices - 1, s.vertices - 3000);
    check(&s, GPUGRAPH_OUT, false, level, false);
    free(level);
    shape_free(&s);
}
END_TEST

START_TEST(positions_are_a_permutation) {
    shape s = shape_rmat(16, 8, 9);
    orient(&s);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t *level = malloc(s.vertices * sizeof *level);
    uint32_t *position = malloc(s.vertices * sizeof *position);
    uint32_t *at = malloc(s.vertices * sizeof *at);
    for (int threads = 1; threads <= 3; threads++) {
        gpugraph_run run = {.threads = threads};
        memset(at, 0xff, s.vertices * sizeof *at);
        ck_assert_int_eq(
            gpugraph_topological_order(graph, GPUGRAPH_OUT, &run, level, position, NULL),
            GPUGRAPH_OK);
        for (uint32_t v = 0; v < s.vertices; v++) {
            ck_assert_uint_lt(position[v], s.vertices);
            at[position[v]] = v;
        }
        for (uint32_t i = 0; i < s.vertices; i++)
            ck_assert_uint_ne(at[i], UINT32_MAX);
        for (uint32_t i = 1; i < s.vertices; i++)
            ck_assert(level[at[i - 1]] < level[at[i]] ||
                      (level[at[i - 1]] == level[at[i]] && at[i - 1] < at[i]));
    }
    free(level);
    free(position);
    free(at);
    gpugraph_free(graph);
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
    uint32_t *level = malloc(s.vertices * sizeof *level);
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "guess"};
    ck_assert_int_eq(
        gpugraph_topological_order(graph, GPUGRAPH_OUT, &run, level, NULL, NULL),
        GPUGRAPH_INVALID);
    run.method = NULL;
    ck_assert_int_eq(
        gpugraph_topological_order(graph, GPUGRAPH_BOTH, &run, level, NULL, NULL),
        GPUGRAPH_INVALID);
    run = (gpugraph_run){.backend = GPUGRAPH_CPU, .threads = 2, .interrupted = at_once};
    ck_assert_int_eq(
        gpugraph_topological_order(graph, GPUGRAPH_OUT, &run, level, NULL, NULL),
        GPUGRAPH_INTERRUPTED);
    run.interrupted = NULL;
    ck_assert_int_eq(
        gpugraph_topological_order(graph, GPUGRAPH_OUT, &run, level, NULL, NULL),
        GPUGRAPH_OK);
    for (uint32_t v = 0; v < s.vertices; v++)
        ck_assert_uint_eq(level[v], v);
    free(level);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "topological_order",
    {{"topological_order", .timeout = 120,
      .cases = {{&every_tiny_graph},
                {&small_shapes},
                {&random_arcs},
                {&large_ones},
                {&positions_are_a_permutation},
                {&arguments_and_interrupts}}}},
};
