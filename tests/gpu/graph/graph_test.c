/* Graphs of random edge columns, compared with the oracle of graph_oracle.h: ids, edges,
** every kind of rows, degrees; and interrupts of gpugraph_create. */
/* ctest: wide=0 */
#include "graph/graph.h"
#include "expect.h"
#include "graph_oracle.h"
#include "share.h"
#include "suite.h"

/* ---- comparisons ---- */

static void check_ids(const gpugraph_graph *graph, const oracle *o) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(graph);
    expect_equal(gpugraph_vertex_count(graph), o->n);
    expect_equal(ids->integer_count + (uint64_t)ids->texts.count, o->n);
    for (uint32_t v = 0; v < o->n; v++) {
        const id *want = &o->ids[v];
        expect_equal(want->text, v >= ids->integer_count);
        if (!want->text) {
            int64_t have = ids->integer ? ids->integer[v] : ids->first_integer + v;
            expect_equal(have, want->integer);
            expect_equal(gpugraph_find_integer(graph, have), v);
            for (int step = -1; step <= 1; step += 2) {
                id near = {.integer = (int64_t)((uint64_t)have + (uint64_t)step)};
                expect_equal(gpugraph_find_integer(graph, near.integer),
                             oracle_find(o, near));
            }
        } else {
            uint64_t length;
            const char *text =
                gpugraph_text(&ids->texts, v - ids->integer_count, &length);
            expect_equal(length, want->length);
            expect_equal(memcmp(text, want->bytes, want->length), 0);
            expect_equal(gpugraph_find_text(graph, want->bytes, want->length), v);
            char longer[64] = {0};
            memcpy(longer, want->bytes, want->length);
            id near = {.text = true, .bytes = longer, .length = want->length + 1};
            expect_equal(gpugraph_find_text(graph, longer, near.length),
                         oracle_find(o, near));
        }
    }
    int64_t far[] = {0, -1, INT64_MIN, INT64_MAX, -77, 1};
    for (int i = 0; i < 6; i++)
        expect_equal(gpugraph_find_integer(graph, far[i]),
                     oracle_find(o, (id){.integer = far[i]}));
    expect_equal(gpugraph_find_text(graph, "", 0),
                 oracle_find(o, (id){.text = true, .bytes = ""}));
}

static void check_edges(const gpugraph_graph *graph, const input *in, const oracle *o) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    gpugraph_distance_type type = gpugraph_distance_type_of(graph);
    bool plain = true;
    expect_equal(gpugraph_edge_count(graph), in->edges.count);
    expect_equal(edges->weight_type, in->edges.weight_type);
    expect_equal(gpugraph_weights(graph), in->edges.weight_type);
    expect_equal(type, oracle_type(in, o));
    bool weighted = in->edges.weight_type != GPUGRAPH_UNWEIGHTED;
    expect_equal(edges->weight32 != NULL, weighted && type == GPUGRAPH_UINT32);
    expect_equal(edges->weight64 != NULL, weighted && type == GPUGRAPH_UINT64);
    expect_equal(edges->weight_real != NULL, weighted && type == GPUGRAPH_REAL);
    const void *weight = edges->weight32   ? (const void *)edges->weight32
                         : edges->weight64 ? (const void *)edges->weight64
                                           : (const void *)edges->weight_real;
    for (int64_t e = 0; e < in->edges.count; e++) {
        const edge *want = &o->edges[e];
        expect_equal(edges->source[e], want->source);
        expect_equal(edges->target[e], want->target);
        expect_equal(edges->edge_id ? edges->edge_id[e] : e + 1, want->edge_id);
        plain = plain && want->edge_id == e + 1;
        if (!weighted)
            continue;
        double have = stored_weight(type, weight, (uint64_t)e);
        if (type == GPUGRAPH_REAL) {
            expect_equal(true, have == ((const double *)in->weight)[want->row]);
            expect_equal(true, !signbit(have));
        } else if (type == GPUGRAPH_UINT64) {
            expect_equal(edges->weight64[e], ((int64_t *)in->weight)[want->row]);
        } else {
            expect_equal(edges->weight32[e], ((int64_t *)in->weight)[want->row]);
        }
    }
    expect_equal(plain, edges->edge_id == NULL);
}

static int compare_arcs(const void *a, const void *b) {
    const arc *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* The arcs of a kind, by the plainest method, sorted. */
static uint64_t oracle_arcs(const gpugraph_graph *graph, enum csr_kind kind, arc *arcs) {
    gpugraph_distance_type type = gpugraph_distance_type_of(graph);
    uint64_t count = 0, distinct = 0;
    for (uint32_t e = 0; e < graph->m; e++) {
        uint32_t s = graph->edges.source[e], t = graph->edges.target[e];
        double w = kind == CSR_SIMPLE ? 0 : stored_weight(type, graph->weight, e);
        bool loop = s == t;
        if (kind != CSR_IN && !(kind == CSR_SIMPLE && loop))
            arcs[count++] = (arc){s, t, w};
        if (kind == CSR_IN || (kind >= CSR_BOTH && !loop))
            arcs[count++] = (arc){t, s, w};
    }
    qsort(arcs, count, sizeof *arcs, compare_arcs);
    if (kind != CSR_SIMPLE)
        return count;
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || compare_arcs(&arcs[i], &arcs[i - 1]) != 0)
            arcs[distinct++] = arcs[i];
    return distinct;
}

static void check_csr(gpugraph_graph *graph, gpugraph_run *run, enum csr_kind kind,
                      bool weighted, bool sorted) {
    csr view;
    gpugraph_distance_type type = gpugraph_distance_type_of(graph);
    expect_equal(gg_rows(graph, kind, weighted, sorted, run, &view), GPUGRAPH_OK);
    expect_equal(true, gg_csr_made(graph, kind));
    weighted = weighted && graph->weight && kind != CSR_SIMPLE;
    if (weighted)
        ck_assert_ptr_nonnull(view.weight);
    arc *want = calloc((size_t)graph->m * 2 + 1, sizeof *want);
    arc *have = calloc((size_t)graph->m * 2 + 1, sizeof *have);
    uint64_t count = oracle_arcs(graph, kind, want);
    expect_equal(view.n, graph->n);
    expect_equal(view.m, count);
    expect_equal(view.begin[0], 0);
    expect_equal(view.begin[graph->n], count);
    for (uint32_t v = 0; v < graph->n; v++) {
        expect_equal(true, view.begin[v] <= view.end[v]);
        for (uint64_t k = view.begin[v]; k < view.end[v]; k++) {
            have[k] = (arc){v, view.target[k],
                            weighted ? stored_weight(type, view.weight, k) : 0};
            if (sorted && k > view.begin[v])
                expect_equal(true, view.target[k - 1] <= view.target[k]);
        }
    }
    expect_equal(true, !sorted || view.sorted);
    qsort(have, count, sizeof *have, compare_arcs);
    for (uint64_t i = 0; i < count; i++) {
        expect_equal(have[i].row, want[i].row);
        expect_equal(have[i].column, want[i].column);
        if (weighted)
            expect_equal(true, have[i].weight == want[i].weight);
    }
    free(want);
    free(have);
}

static void check_degrees(gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t *have = calloc((size_t)graph->n + 1, sizeof *have);
    uint32_t *want = calloc((size_t)graph->n + 1, sizeof *want);
    for (int direction = 0; direction < 3; direction++) {
        memset(want, 0, sizeof *want * graph->n);
        for (uint32_t e = 0; e < graph->m; e++) {
            want[graph->edges.source[e]] += direction != GPUGRAPH_IN;
            want[graph->edges.target[e]] += direction != GPUGRAPH_OUT;
        }
        ck_assert_int_eq(
            gpugraph_degrees(graph, (gpugraph_direction)direction, run, have),
            GPUGRAPH_OK);
        ck_assert_int_eq(memcmp(have, want, sizeof *want * graph->n), 0);
    }
    free(have);
    free(want);
}

static struct counted { int map, csr, search, other; } phases;

static void count_phase(void *listener, const char *name, double ms, int64_t items,
                        const char *detail) {
    (void)listener;
    ck_assert_ptr_nonnull(detail);
    ck_assert(ms >= 0 && items >= 0);
    int *counter = strcmp(name, "map") == 0      ? &phases.map
                   : strcmp(name, "csr") == 0    ? &phases.csr
                   : strcmp(name, "search") == 0 ? &phases.search
                                                 : &phases.other;
    ++*counter;
}

static void check_input(recipe r, uint64_t seed, int threads) {
    input in = make_input(r, seed);
    oracle o = make_oracle(&in);
    gpugraph_run run = {.threads = threads, .phase = count_phase};
    gpugraph_graph *graph;
    phases = (struct counted){0};
    gpugraph_create(&in.edges, &run, &graph);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    ck_assert_int_eq(phases.map, 1);
    check_ids(graph, &o);
    check_edges(graph, &in, &o);
    int rounds = r.m > 1000 ? 3 : 12; /* the oracle sorts slowly */
    for (int i = 0; i < rounds; i++)
        check_csr(graph, &run, (enum csr_kind)below(&in, 4), below(&in, 2),
                  below(&in, 2));
    int made = phases.csr;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        check_csr(graph, &run, (enum csr_kind)kind, true, true);
    ck_assert_int_le(phases.csr, made + CSR_KINDS);
    made = phases.csr;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        check_csr(graph, &run, (enum csr_kind)kind, kind & 1, kind & 2);
    ck_assert_int_eq(phases.csr, made);
    ck_assert_int_eq(phases.map + phases.other, 1);
    check_degrees(graph, &run);
    int64_t host, device;
    gpugraph_memory(graph, &host, &device);
    ck_assert_int_ge(host, (int64_t)in.edges.count * 8);
    gpugraph_free(graph);
    free_oracle(&o);
    free_input(&in);
}

START_TEST(small_inputs) {
    uint64_t seed = 1;
    for (int repeat = 0; repeat < 3000; repeat++) {
        uint64_t r = shape_random(&seed);
        recipe small = {.integers = r % INTEGER_KINDS,
                        .texts = r / 8 % TEXT_KINDS,
                        .edge_ids = r / 64 % EDGE_ID_KINDS,
                        .weights = r / 1024 % WEIGHT_KINDS,
                        .m = (int64_t)(r / 65536 % 60),
                        .extra = (int64_t)(r >> 24) % 3 * ((int64_t)(r >> 32) % 10),
                        .spread = 1 + (r >> 40) % 50};
        check_input(small, r, 1 + (int)(r >> 50) % 3);
    }
}
END_TEST

/* Large enough for every parallel path, on one thread and several. */
START_TEST(large_inputs) {
    uint64_t seed = 2;
    for (int repeat = 0; repeat < 12; repeat++) {
        uint64_t r = shape_random(&seed);
        recipe large = {.integers = repeat % INTEGER_KINDS,
                        .texts = repeat / 3 % TEXT_KINDS,
                        .edge_ids = repeat * 5 % 7 % EDGE_ID_KINDS,
                        .weights = (repeat + repeat / 6) % WEIGHT_KINDS,
                        .m = 90000 + (int64_t)(r >> 40) % 50000,
                        .extra = 20000,
                        .spread = 1 + (r >> 20) % (repeat % 3 ? 100000 : 300)};
        if (!left_out((uint64_t)repeat + 2)) /* turns with several threads */
            check_input(large, r, 1 + repeat / 2 % 3 * 2);
    }
}
END_TEST

/* Rows of all lengths, for which different sorts are used, in parts that one thread or
** several process; repeats make parts shrink by different shares. */
START_TEST(simple_rows) {
    shape list[] = {shape_rmat(13, 16, 3), shape_star(70000), shape_complete(300),
                    shape_random_edges(3000, 60000, 5), shape_grid(100, 100)};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        shape *s = &list[i];
        for (int64_t e = 0, m = s->edges; e < m; e += 1 + e / (m / 4 + 1))
            shape_add(s, (uint32_t)s->target[e], (uint32_t)s->source[e]);
        shape_shuffle(s, 7);
        shape_renumber(s, 8);
        gpugraph_graph *graph = shape_graph(s);
        for (int threads = 1; threads <= 4; threads++) {
            gpugraph_run run = {.threads = threads};
            check_csr(graph, &run, CSR_SIMPLE, false, true);
            gg_free_csr(graph);
        }
        gpugraph_free(graph);
        shape_free(s);
    }
}
END_TEST

/* ---- interrupts ---- */

/* Stops at the n-th poll. The clock does not matter: each call polls at least once. */
static int questions_left;

static int interrupt(void *listener) {
    (void)listener;
    return questions_left-- <= 0;
}

START_TEST(interrupts) {
    recipe r = {SPARSE, BYTES, SHUFFLED, SMALL, 150000, 1000, 100000};
    input in = make_input(r, 3);
    gpugraph_run run = {.threads = 2, .interrupted = interrupt};
    gpugraph_graph *graph;
    questions_left = 0;
    ck_assert_int_eq(gpugraph_create(&in.edges, &run, &graph), GPUGRAPH_INTERRUPTED);
    ck_assert_str_eq(run.message, "interrupted");
    ck_assert_ptr_null(graph);
    questions_left = 1000000;
    ck_assert_int_eq(gpugraph_create(&in.edges, &run, &graph), GPUGRAPH_OK);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        csr view;
        gg_begin(&run);
        questions_left = 0;
        ck_assert_int_eq(gg_rows(graph, (enum csr_kind)kind, true, true, &run, &view),
                         GPUGRAPH_INTERRUPTED);
        ck_assert(!gg_csr_made(graph, (enum csr_kind)kind));
        gg_begin(&run);
        questions_left = 1000000;
        check_csr(graph, &run, (enum csr_kind)kind, true, true);
    }
    uint32_t *array = calloc(graph->n, sizeof *array), *order = malloc(graph->n * 4),
             count;
    questions_left = 0;
    ck_assert_int_eq(gpugraph_degrees(graph, GPUGRAPH_OUT, &run, array),
                     GPUGRAPH_INTERRUPTED);
    questions_left = 0;
    ck_assert_int_eq(
        gpugraph_order(GPUGRAPH_UINT32, array, graph->n, &run, order, &count),
        GPUGRAPH_INTERRUPTED);
    free(array);
    free(order);
    gpugraph_free(graph);
    free_input(&in);
}
END_TEST

const struct suite suite = {
    "graph",
    {{"all", .timeout = 240, .cases = {{&large_inputs}, {&simple_rows}, {&interrupts}}},
     {"no thread", .tags = "serial", .timeout = 240, .cases = {{&small_inputs}}}},
};
