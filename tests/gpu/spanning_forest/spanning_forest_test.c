/* Minimum spanning forests against the simplest form of Kruskal's method: all edges are
** sorted by weight and number, each edge that connects two sets of vertices is taken, and
** each vertex of one set gets the name of the other. */
#include "spanning_forest/spanning_forest.h"
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
#include "tiny_graphs.h"

#include <stdlib.h>
#include <string.h>

/* ---- edges with weights ---- */

enum weights { NONE, EQUAL, SMALL, LARGE, TENTHS, TINY, KINDS };

typedef struct network {
    shape s; /* its edge e is edge number e */
    int64_t *whole;
    double *real;
    int64_t *id; /* of each edge; ids in order give the numbers */
} network;

static network with_weights(shape s, enum weights kind, uint64_t seed) {
    network w = {.s = s};
    const size_t room = (size_t)s.edges + 1;
    w.id = malloc(room * sizeof *w.id);
    w.whole = kind > NONE && kind < TENTHS ? malloc(room * sizeof *w.whole) : NULL;
    w.real = kind >= TENTHS ? malloc(room * sizeof *w.real) : NULL;
    for (int64_t e = 0; e < s.edges; e++) {
        const uint64_t dice = shape_random(&seed);
        w.id[e] = 10 * e - 50;
        if (w.whole)
            w.whole[e] = kind == EQUAL   ? 7
                         : kind == SMALL ? (int64_t)(dice % 6)
                                         : (int64_t)(dice % 1000) << 52;
        if (w.real)
            w.real[e] = kind == TENTHS ? (double)(dice % 9) / 10
                        : dice % 4     ? 1e-300 * (double)(dice % 5)
                                       : -0.0;
    }
    return w;
}

static void network_free(network *w) {
    shape_free(&w->s);
    free(w->whole);
    free(w->real);
    free(w->id);
}

/* Puts rows into a random order. Ids, and so numbers, stay with their edges. */
static void shuffle_rows(network *w, uint64_t seed) {
    for (int64_t i = w->s.edges - 1; i > 0; i--) {
        const int64_t j = (int64_t)(shape_random(&seed) % (uint64_t)(i + 1));
        int64_t *column[] = {w->s.source, w->s.target, w->id, w->whole};
        for (int c = 0; c < 4; c++) {
            if (!column[c])
                continue;
            const int64_t swapped = column[c][i];
            column[c][i] = column[c][j];
            column[c][j] = swapped;
        }
        if (w->real) {
            const double swapped = w->real[i];
            w->real[i] = w->real[j];
            w->real[j] = swapped;
        }
    }
}

static gpugraph_graph *graph_of(const network *w) {
    int64_t *vertex = malloc((w->s.vertices + 1) * sizeof *vertex);
    gpugraph_edges edges = shape_edges(&w->s, vertex);
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    edges.edge_id = w->id;
    edges.weight = w->whole ? (const void *)w->whole : (const void *)w->real;
    edges.weight_type = w->whole  ? GPUGRAPH_INTEGER_WEIGHTS
                        : w->real ? GPUGRAPH_REAL_WEIGHTS
                                  : GPUGRAPH_UNWEIGHTED;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    free(vertex);
    return graph;
}

/* ---- the model ---- */

typedef struct forest {
    uint64_t *edge;
    uint32_t count, *component;
} forest;

static const network *sorted; /* the network whose edges qsort compares */

static int by_weight(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    if (sorted->whole && sorted->whole[x] != sorted->whole[y])
        return sorted->whole[x] < sorted->whole[y] ? -1 : 1;
    if (sorted->real && sorted->real[x] != sorted->real[y])
        return sorted->real[x] < sorted->real[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static forest model(const network *w, bool weighted) {
    const uint32_t n = w->s.vertices;
    const network plain = {.s = w->s};
    forest f = {.edge = malloc((n + 1) * sizeof *f.edge),
                .component = malloc((n + 1) * sizeof *f.component)};
    int64_t *order = malloc(((size_t)w->s.edges + 1) * sizeof *order);
    for (uint32_t v = 0; v < n; v++)
        f.component[v] = v;
    for (int64_t e = 0; e < w->s.edges; e++)
        order[e] = e;
    sorted = weighted ? w : &plain;
    qsort(order, (size_t)w->s.edges, sizeof *order, by_weight);
    for (int64_t i = 0; i < w->s.edges; i++) {
        const uint32_t a = f.component[w->s.source[order[i]]],
                       b = f.component[w->s.target[order[i]]];
        if (a == b)
            continue;
        f.edge[f.count++] = (uint64_t)order[i];
        for (uint32_t v = 0; v < n; v++)
            if (f.component[v] == a || f.component[v] == b)
                f.component[v] = a < b ? a : b;
    }
    qsort(f.edge, f.count, sizeof *f.edge, by_number);
    free(order);
    return f;
}

static void forest_free(forest *f) {
    free(f->edge);
    free(f->component);
}

/* ---- checks ---- */

static void compare(gpugraph_graph *graph, const char *name, bool weighted,
                    gpugraph_run *run, const forest *want) {
    const uint32_t n = gpugraph_vertex_count(graph);
    void *edge = malloc((n + 1) * gpugraph_edge_size(graph));
    uint32_t *component = malloc((n + 1) * sizeof *component), count = GPUGRAPH_NONE;
    for (int only_edges = 0; only_edges < 2; only_edges++) {
        memset(edge, 0xab, n * gpugraph_edge_size(graph));
        memset(component, 0xab, n * sizeof *component);
        expect(gpugraph_spanning_forest(graph, weighted, run, edge, &count,
                                        only_edges ? NULL : component) == GPUGRAPH_OK,
               "%s: %s", name, run->message);
        expect(count == want->count, "%s on %s, %d thread(s): %u edges, not %u", name,
               run->used_backend, run->threads, count, want->count);
        for (uint32_t i = 0; i < count; i++)
            expect(gpugraph_edge_at(graph, edge, i) == want->edge[i],
                   "%s on %s, %d thread(s): edge %u of %u", name, run->used_backend,
                   run->threads, i, count);
        for (uint32_t v = 0; !only_edges && v < n; v++)
            expect(component[v] == want->component[v],
                   "%s on %s, %d thread(s): %u is in %u, not %u", name, run->used_backend,
                   run->threads, v, component[v], want->component[v]);
    }
    free(edge);
    free(component);
}

static void check_as(const network *w, bool weighted, const forest *want) {
    gpugraph_graph *graph = graph_of(w);
    const int threads[] = {1, 2, 3, 16};
    for (gpugraph_backend on = GPUGRAPH_CPU; on <= GPUGRAPH_CUDA; on++) {
        if (on == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL))
            continue;
        for (int i = 0; i < (on == GPUGRAPH_CPU ? 4 : 1); i++) {
            gpugraph_run run = {.backend = on, .threads = threads[i]};
            compare(graph, w->s.name, weighted, &run, want);
        }
    }
    gpugraph_free(graph);
}

/* Checks the rows as they are and in another order, with well and with badly chosen first
** edges. */
static void check(network *w) {
    for (int weighted = 0; weighted <= (w->whole || w->real); weighted++) {
        forest want = model(w, weighted);
        check_as(w, weighted, &want);
        for (uint32_t sample = 1; sample <= GG_FOREST_SAMPLE; sample *= 64) {
            gg_limits.forest = (struct forest_limits){0, sample};
            check_as(w, weighted, &want);
        }
        gg_limits.forest = gg_usual_limits.forest;
        forest_free(&want);
    }
}

static void check_and_free(shape s, enum weights kind, uint64_t seed) {
    network w = with_weights(s, kind, seed);
    check(&w);
    network_free(&w);
}

START_TEST(every_tiny_graph) {
    tiny_graphs all = {.step = 23, .doubled = true};
    for (shape s; next_tiny_graph(&all, &s);) {
        shape_shuffle(&s, all.bits);
        check_and_free(s, (enum weights)(all.bits / (all.n == 4 ? all.step : 1) % KINDS),
                       all.bits);
    }
}
END_TEST

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (s.vertices <= 400)
                check_and_free(s, (enum weights)((seed + (uint64_t)i) % KINDS), seed);
            else
                shape_free(&s);
        }
}
END_TEST

START_TEST(random_edges) {
    for (uint64_t seed = 1; seed <= 30; seed++) {
        if (left_out(seed))
            continue;
        const uint32_t n = 20 + (uint32_t)(seed * 37 % 500);
        check_and_free(shape_random_edges(n, n * (int64_t)(seed % 15), seed),
                       (enum weights)(seed % KINDS), seed);
    }
}
END_TEST

/* Any order of rows, if ids tell edges apart. */
START_TEST(rows_in_any_order) {
    for (uint64_t seed = 1; seed <= 2 * KINDS; seed++) {
        network w = with_weights(shape_random_edges(200, 3000, seed),
                                 (enum weights)(seed % KINDS), seed);
        const bool weighted = w.whole || w.real;
        forest want = model(&w, weighted);
        shuffle_rows(&w, seed);
        check_as(&w, weighted, &want);
        forest_free(&want);
        network_free(&w);
    }
}
END_TEST

/* A graph with so many edges that most of them are skipped. */
START_TEST(skewed_ones) {
    for (enum weights kind = NONE; kind < KINDS; kind++) {
        network w = with_weights(shape_rmat(11, 48, 5 + kind), kind, kind);
        forest want = model(&w, kind != NONE);
        ck_assert(gg_first_share(w.s.vertices, (uint64_t)w.s.edges) < 1);
        check_as(&w, kind != NONE, &want);
        forest_free(&want);
        network_free(&w);
    }
}
END_TEST

/* The longest paths to a root: weights that ascend along a path, or in two directions; a
** star. */
START_TEST(long_ones) {
    enum { VERTICES = 200000 };
    for (int turn = 0; turn < 3; turn++) {
        network w = with_weights(
            turn < 2 ? shape_path(VERTICES) : shape_star(VERTICES - 1), SMALL, 1);
        forest want = {malloc(VERTICES * sizeof *want.edge), VERTICES - 1,
                       calloc(VERTICES, sizeof *want.component)};
        for (int64_t e = 0; e < w.s.edges; e++) {
            w.whole[e] = turn == 0 ? e : turn == 1 ? w.s.edges - e : 1;
            want.edge[e] = (uint64_t)e;
        }
        check_as(&w, true, &want);
        forest_free(&want);
        network_free(&w);
    }
}
END_TEST

/* ---- places ---- */

START_TEST(places_are_selected) {
    uint64_t seed = 3;
    struct forest_place place[40], moved[40];
    for (int turn = 0; turn < 2000; turn++) {
        const uint32_t count = 1 + (uint32_t)(shape_random(&seed) % 40);
        for (uint32_t i = 0; i < count; i++)
            place[i] =
                (struct forest_place){shape_random(&seed) % 4, shape_random(&seed) % 6};
        const uint32_t before = (uint32_t)(shape_random(&seed) % count);
        memcpy(moved, place, sizeof place);
        const struct forest_place found = gg_place_at(moved, count, before);
        uint32_t less = 0, not_more = 0;
        for (uint32_t i = 0; i < count; i++) {
            less += gg_comes_before(place[i], found);
            not_more += !gg_comes_before(found, place[i]);
        }
        expect(less <= before && before < not_more, "%u of %u: %u to %u", before, count,
               less, not_more);
    }
}
END_TEST

/* ---- arguments ---- */

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

START_TEST(arguments_and_interrupts) {
    shape s = shape_complete(300);
    gpugraph_graph *graph = shape_graph(&s);
    uint64_t edge[300]; /* or half as wide */
    uint32_t count = 9;
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "guess"};
    ck_assert_int_eq(gpugraph_spanning_forest(graph, false, &run, edge, &count, NULL),
                     GPUGRAPH_INVALID);
    run.method = NULL;
    ck_assert_int_eq(gpugraph_spanning_forest(graph, true, &run, edge, &count, NULL),
                     GPUGRAPH_INVALID);
    ck_assert_str_eq(run.message,
                     "a forest by weight needs weights, and the graph was made without");
    run = (gpugraph_run){.backend = GPUGRAPH_CPU, .threads = 2, .interrupted = at_once};
    ck_assert_int_eq(gpugraph_spanning_forest(graph, false, &run, edge, &count, NULL),
                     GPUGRAPH_INTERRUPTED);
    ck_assert_uint_eq(count, 0);
    run.interrupted = NULL;
    ck_assert_int_eq(gpugraph_spanning_forest(graph, false, &run, edge, &count, NULL),
                     GPUGRAPH_OK);
    ck_assert_uint_eq(count, 299);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "spanning_forest",
    {{"spanning_forest", .timeout = 240,
      .cases = {{&every_tiny_graph},
                {&small_shapes},
                {&random_edges},
                {&rows_in_any_order},
                {&skewed_ones},
                {&long_ones},
                {&places_are_selected},
                {&arguments_and_interrupts}}}},
};
