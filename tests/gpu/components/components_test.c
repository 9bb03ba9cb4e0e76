/* Compares connected components with simple models: labels that spread until nothing
** changes, and a matrix that shows which vertices a vertex reaches. */
#include "expect.h"
#include "suite.h"
#include "tiny_graphs.h"
#include "graph/graph.h"
#include "graphs.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

/* ---- models ---- */

/* The smallest label spreads along each edge, both ways. */
static void spread_labels(const shape *s, uint32_t *label) {
    bool changed = true;
    for (uint32_t v = 0; v < s->vertices; v++)
        label[v] = v;
    while (changed) {
        changed = false;
        for (int64_t e = 0; e < s->edges; e++) {
            uint32_t *a = &label[s->source[e]], *b = &label[s->target[e]];
            changed |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

/* reach[u][v] by Warshall's three loops, over rows of bits. */
static void reach_matrix(const shape *s, uint32_t *label) {
    const size_t n = s->vertices, words = n / 64 + 1;
    uint64_t *reach = calloc(n * words + 1, sizeof *reach);
#define ROW(v)      (reach + (v)*words)
#define HAS(row, v) ((row)[(v) / 64] >> (v) % 64 & 1)
    for (size_t v = 0; v < n; v++)
        ROW(v)[v / 64] |= (uint64_t)1 << v % 64;
    for (int64_t e = 0; e < s->edges; e++)
        ROW((size_t)s->source[e])[s->target[e] / 64] |= (uint64_t)1 << s->target[e] % 64;
    for (size_t by = 0; by < n; by++)
        for (size_t v = 0; v < n; v++)
            for (size_t i = 0; HAS(ROW(v), by) && i < words; i++)
                ROW(v)[i] |= ROW(by)[i];
    for (size_t v = 0; v < n; v++) {
        size_t u = 0;
        while (!HAS(ROW(v), u) || !HAS(ROW(u), v))
            u++;
        label[v] = (uint32_t)u;
    }
    free(reach);
#undef ROW
#undef HAS
}

/* ---- checks ---- */

static void check_graph(const shape *s, gpugraph_graph *graph,
                        gpugraph_component_kind kind, const uint32_t *wanted) {
    uint32_t *found = malloc((s->vertices + 1) * sizeof *found);
    for (gpugraph_backend on = GPUGRAPH_CPU; on <= GPUGRAPH_CUDA; on++) {
        if (on == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL))
            continue;
        for (int threads = 1; threads <= (on == GPUGRAPH_CPU ? 4 : 1); threads++) {
            gpugraph_run run = {.backend = on, .threads = threads};
            memset(found, 0xab, s->vertices * sizeof *found);
            ck_assert_int_eq(gpugraph_components(graph, kind, &run, found), GPUGRAPH_OK);
            for (uint32_t v = 0; v < s->vertices; v++)
                expect(found[v] == wanted[v],
                       "%s, %s on %s, %d thread(s): %u is in %u, not %u", s->name,
                       kind == GPUGRAPH_STRONG ? "strong" : "weak", run.used_backend,
                       threads, v, found[v], wanted[v]);
        }
    }
    free(found);
}

/* Repeats the search for weak components after rows of both directions exist, because the
** search then walks these rows. */
static void check(const shape *s, gpugraph_component_kind kind, const uint32_t *wanted) {
    gpugraph_graph *graph = shape_graph(s);
    check_graph(s, graph, kind, wanted);
    if (kind == GPUGRAPH_WEAK) {
        gpugraph_run run = {.backend = GPUGRAPH_CPU};
        csr rows;
        ck_assert_int_eq(gg_rows(graph, CSR_BOTH, false, false, &run, &rows),
                         GPUGRAPH_OK);
        check_graph(s, graph, kind, wanted);
    }
    gpugraph_free(graph);
}

static void check_against_models(const shape *s) {
    uint32_t *label = malloc((s->vertices + 1) * sizeof *label);
    spread_labels(s, label);
    check(s, GPUGRAPH_WEAK, label);
    if (s->vertices <= 2000) {
        reach_matrix(s, label);
        check(s, GPUGRAPH_STRONG, label);
    }
    free(label);
}

START_TEST(every_tiny_graph) {
    tiny_graphs all = {.step = 13};
    for (shape s; next_tiny_graph(&all, &s); shape_free(&s)) {
        check_against_models(&s);
    }
}
END_TEST

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (!left_out_of(seed + (uint64_t)i, 3))
                check_against_models(&s);
            shape_free(&s);
        }
}
END_TEST

/* About as many edges as vertices: such graphs have components of many sizes, and chains
** between them. */
START_TEST(random_arcs) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        shape s = shape_random_edges(150, 100 + 20 * (int64_t)seed, seed);
        check_against_models(&s);
        shape_free(&s);
    }
}
END_TEST

/* Components of each size with rows that are long enough to be walked in place of the
** list of edges. */
START_TEST(dense_parts) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        shape s = shape_empty(3);
        for (uint32_t n = 1; n <= 60; n += 3)
            s = shape_beside("dense parts", s,
                             n % 2 ? shape_complete(n)
                                   : shape_random_edges(n, 9 * n, seed));
        shape_renumber(&s, seed);
        shape_shuffle(&s, seed);
        check_against_models(&s);
        shape_free(&s);
    }
}
END_TEST

/* Longer and longer rings, and chains that lead from one ring to the next. */
START_TEST(chains_and_rings) {
    shape s = shape_empty(0);
    for (uint32_t length = 1; length <= 33; length++) {
        shape ring = shape_cycle(length), chain = shape_path(length);
        const uint32_t ring_at = s.vertices, chain_at = s.vertices + length;
        s = shape_beside("chains and rings", s, shape_beside("pair", ring, chain));
        shape_add(&s, ring_at, chain_at);
        if (ring_at > 0)
            shape_add(&s, ring_at - 1, ring_at);
    }
    check_against_models(&s);
    shape_renumber(&s, 5);
    shape_shuffle(&s, 6);
    check_against_models(&s);
    shape_free(&s);
}
END_TEST

/* Graphs for which one round for each vertex would take long. */
START_TEST(long_ones) {
    const uint32_t n = 300000 / SANITIZED_PART;
    uint32_t *wanted = malloc(n * sizeof *wanted);
    shape path = shape_path(n), ring = shape_cycle(n);
    shape_renumber(&ring, 3);
    for (uint32_t v = 0; v < n; v++)
        wanted[v] = v;
    check(&path, GPUGRAPH_STRONG, wanted);
    memset(wanted, 0, n * sizeof *wanted);
    check(&path, GPUGRAPH_WEAK, wanted);
    check(&ring, GPUGRAPH_STRONG, wanted);
    shape_free(&path);
    shape_free(&ring);
    free(wanted);
}
END_TEST

/* One large component and many small ones. The sample, and the searches from a pivot,
** find the large one. */
START_TEST(large_component) {
    shape s = shape_rmat(SANITIZED_PART > 1 ? 12 : 14, 8, 4);
    uint32_t *label = malloc(s.vertices * sizeof *label);
    spread_labels(&s, label);
    check(&s, GPUGRAPH_WEAK, label);
    const int64_t edges = s.edges; /* both ways: strong equals weak */
    for (int64_t e = 0; e < edges; e++)
        shape_add(&s, (uint32_t)s.target[e], (uint32_t)s.source[e]);
    check(&s, GPUGRAPH_STRONG, label);
    free(label);
    shape_free(&s);
}
END_TEST

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

START_TEST(arguments_and_interrupts) {
    shape s = shape_rmat(12, 8, 3);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t *found = malloc(s.vertices * sizeof *found);
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "guess"};
    ck_assert_int_eq(gpugraph_components(graph, GPUGRAPH_WEAK, &run, found),
                     GPUGRAPH_INVALID);
    run.method = NULL;
    ck_assert_int_eq(gpugraph_components(graph, (gpugraph_component_kind)2, &run, found),
                     GPUGRAPH_INVALID);
    for (int kind = GPUGRAPH_WEAK; kind <= GPUGRAPH_STRONG; kind++) {
        run =
            (gpugraph_run){.backend = GPUGRAPH_CPU, .threads = 2, .interrupted = at_once};
        ck_assert_int_eq(
            gpugraph_components(graph, (gpugraph_component_kind)kind, &run, found),
            GPUGRAPH_INTERRUPTED);
        run.interrupted = NULL;
        ck_assert_int_eq(
            gpugraph_components(graph, (gpugraph_component_kind)kind, &run, found),
            GPUGRAPH_OK);
    }
    free(found);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "components",
    {{"components", .timeout = 120,
      .cases = {{&every_tiny_graph},
                {&small_shapes},
                {&random_arcs},
                {&dense_parts},
                {&chains_and_rings},
                {&long_ones},
                {&large_component},
                {&arguments_and_interrupts}}}},
};
