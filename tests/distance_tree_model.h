/* Trees by weight from rows turned round (gpu/distance_tree.h) on the CPU, against the pass over
** the edges (gpu/tree.c). The rule looks at an edge and the values of its ends, so values are
** drawn, not searched for: ties, tight edges by the dozen and vertices that nothing reaches come
** by themselves. A warp has one lane; with warp_lanes.h included before, 32. */
#include "backend.h"
#include "distance_tree.h"
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static uint32_t sum32(uint32_t distance, uint32_t weight) {
    uint32_t sum = distance + weight;
    return sum < distance ? UINT32_MAX : sum;
}

static uint64_t sum64(uint64_t distance, int64_t weight) {
    uint64_t sum = distance + (uint64_t)weight;
    return sum < distance ? UINT64_MAX : sum;
}

static uint64_t sum_real(uint64_t distance, double weight) {
    double sum;
    memcpy(&sum, &distance, sizeof sum);
    sum += weight;
    memcpy(&distance, &sum, sizeof sum);
    return distance;
}

#define NAMED(x)   x##_uint32
#define WORD       uint32_t
#define WEIGHT     uint32_t
#define UNREACHED  UINT32_MAX
#define SUM        sum32
#define FROM(d, i) warp_from(d, i)
#include "distance_tree_typed.h"

#define NAMED(x)   x##_uint64
#define WORD       uint64_t
#define WEIGHT     int64_t
#define UNREACHED  UINT64_MAX
#define SUM        sum64
#define FROM(d, i) warp_from_64(d, i)
#include "distance_tree_typed.h"

#define NAMED(x)   x##_real
#define WORD       uint64_t
#define WEIGHT     double
#define UNREACHED  0x7ff0000000000000u
#define SUM        sum_real
#define FROM(d, i) warp_from_64(d, i)
#include "distance_tree_typed.h"

/* Lanes take turns by system calls, a thousand times slower than one alone. */
#ifdef WARP_LANES
enum { SEEDS = 1, MULTIGRAPHS = 40, LARGE = 1, LEAST_CHUNK = 90 };
#else
enum { SEEDS = 4, MULTIGRAPHS = 300, LARGE = 4, LEAST_CHUNK = 1 };
#endif

/* ---- graphs ---- */

static void *need(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    ck_assert_ptr_nonnull(block);
    return block;
}

static uint64_t random_below(uint64_t *seed, uint64_t limit) {
    return shape_random(seed) % limit;
}

/* Of that type, by weights of `kinds` values; REAL ones are tenths, whose sums are rounded, and some that sums lose. */
static gpugraph_graph *weigh(const shape *s, gpugraph_distance_type type, uint64_t kinds,
                             uint64_t seed) {
    gpugraph_graph *graph;
    gpugraph_run run = {0};
    int64_t *vertex = need(s->vertices, sizeof *vertex);
    int64_t *whole = need((size_t)s->edges, sizeof *whole);
    double *tenths = need((size_t)s->edges, sizeof *tenths);
    gpugraph_edges edges = shape_edges(s, vertex);
    for (int64_t e = 0; e < s->edges; e++) {
        uint64_t dice = random_below(&seed, kinds);
        whole[e] = (int64_t)(type == GPUGRAPH_UINT64 ? dice << 33 : dice);
        tenths[e] = dice == 1 ? 1e-18 : (double)dice / 10;
    }
    if (type == GPUGRAPH_UINT64 && s->edges > 0)
        whole[0] = (int64_t)1 << 40; /* so that 32 bits never do */
    edges.weight = type == GPUGRAPH_REAL ? (void *)tenths : (void *)whole;
    edges.weight_type =
        type == GPUGRAPH_REAL ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    free(vertex);
    free(whole);
    free(tenths);
    return graph;
}

/* A value for each vertex; one in eight is not reached. */
static void *draw_distances(const gpugraph_graph *graph, uint64_t kinds, uint64_t seed) {
    const gpugraph_distance_type type = graph->distance_type;
    uint32_t *narrow = need(graph->n, sizeof *narrow);
    uint64_t *wide = need(graph->n, sizeof *wide);
    for (uint32_t v = 0; v < graph->n; v++) {
        uint64_t dice = random_below(&seed, kinds);
        bool reached = random_below(&seed, 8) > 0;
        double tenths = 0; /* as sums of tenths are */
        for (uint64_t i = 0; i < dice; i++)
            tenths += 0.1;
        narrow[v] = reached ? (uint32_t)dice : UINT32_MAX;
        wide[v] = reached ? dice << 33 : UINT64_MAX;
        if (type == GPUGRAPH_REAL && reached)
            memcpy(&wide[v], &tenths, sizeof tenths);
        else if (type == GPUGRAPH_REAL)
            wide[v] = 0x7ff0000000000000u;
    }
    free(type == GPUGRAPH_UINT32 ? (void *)wide : (void *)narrow);
    return type == GPUGRAPH_UINT32 ? (void *)narrow : (void *)wide;
}

/* ---- rows in the order of edge numbers ---- */

struct turned {
    struct tree_rows rows;
    uint64_t *offset, *start;
    uint32_t *target, *edge_target;
    unsigned char *weight;
};

/* Calls of an edge what the direction allows, of its two arcs in the row that it may lead to;
** leaving ones come before. */
static void lay(const gpugraph_graph *graph, struct turned *t, uint64_t *next, uint64_t e,
                bool leaves) {
    const size_t size = gg_distance_size(graph->distance_type);
    uint32_t row = leaves ? graph->source[e] : graph->target[e];
    uint64_t at = next[row]++;
    t->target[at] = leaves ? graph->target[e] : graph->source[e];
    memcpy(t->weight + at * size, (const unsigned char *)graph->weight + e * size, size);
}

static struct turned turn(const gpugraph_graph *graph, gpugraph_direction direction) {
    const uint32_t n = graph->n;
    const uint64_t m = graph->m;
    const bool leave = direction != GPUGRAPH_OUT, come = direction != GPUGRAPH_IN;
    struct turned t = {.offset = need(n + 1, 8),
                       .start = need(n + 1, 8),
                       .target = need(2 * m, 4),
                       .edge_target = need(m, 4),
                       .weight = need(2 * m + TREE_LOAD, 8)};
    uint64_t *next = need(n, 8);
    for (uint64_t e = 0; e < m; e++) {
        bool loop = graph->source[e] == graph->target[e];
        t.offset[graph->source[e] + 1] += leave;
        t.offset[graph->target[e] + 1] += come && !(leave && loop);
        t.edge_target[e] = graph->target[e];
    }
    for (uint32_t v = 0; v < n; v++) {
        t.offset[v + 1] += t.offset[v];
        next[v] = t.offset[v];
    }
    for (uint32_t v = 0; v <= n; v++)
        t.start[v] = tree_start(graph->source, m, v);
    for (uint64_t e = 0; e < m && leave; e++)
        lay(graph, &t, next, e, true);
    for (uint64_t e = 0; e < m && come; e++)
        if (!leave || graph->source[e] != graph->target[e])
            lay(graph, &t, next, e, false);
    free(next);
    t.rows = (struct tree_rows){n,       (uint32_t)t.offset[n], leave, t.offset, t.target,
                                t.start, t.edge_target};
    return t;
}

static void turned_free(struct turned *t) {
    free(t->offset);
    free(t->start);
    free(t->target);
    free(t->edge_target);
    free(t->weight);
}

/* ---- the walk ---- */

struct walk {
    const gpugraph_graph *graph;
    const struct turned *turned;
    const void *distance;
    uint64_t chunk;
    uint32_t *tree_edge;
};

#define WALK(name)                                                                       \
    {                                                                                    \
        static struct tree_aside_##name aside;                                           \
        struct tree_walk_##name j = {w->turned->rows, (const void *)w->turned->weight,   \
                                     w->distance, w->tree_edge};                         \
        for (uint64_t at = 0; at < places; at += w->chunk)                               \
            tree_walk_places_##name(&j, at,                                              \
                                    places - at < w->chunk ? places : at + w->chunk,     \
                                    &aside, &count);                                     \
        tree_settle_##name(&j, &aside, &count, 1);                                       \
    }

static void one_lane(void *argument) {
    struct walk *w = argument;
    const uint64_t places = tree_places(w->turned->rows.arcs, w->turned->rows.n);
    uint32_t count = 0;
    if (w->graph->distance_type == GPUGRAPH_UINT32)
        WALK(uint32)
    else if (w->graph->distance_type == GPUGRAPH_UINT64)
        WALK(uint64)
    else
        WALK(real)
}

static void walk(struct walk *w) {
    const struct tree_rows *rows = &w->turned->rows;
    memset(w->tree_edge, 0xff, rows->n * sizeof *w->tree_edge);
#ifdef WARP_LANES
    lanes_run(one_lane, w);
#else
    one_lane(w);
#endif
    for (uint32_t v = 0; v < rows->n; v++)
        if (w->tree_edge[v] != GPUGRAPH_NONE)
            w->tree_edge[v] = (uint32_t)tree_edge_number(rows, v, w->tree_edge[v]);
}

/* ---- the cases ---- */

/* What tree.c finds: all vertices are sources, so that no ties are settled. */
static uint32_t *right_tree(gpugraph_graph *graph, gpugraph_direction direction,
                            const void *distance) {
    uint32_t *tree_edge = need(graph->n, sizeof *tree_edge);
    uint32_t *all = need(graph->n, sizeof *all);
    gpugraph_run run = {.threads = 1};
    for (uint32_t v = 0; v < graph->n; v++)
        all[v] = v;
    gpugraph_search search = {
        .source = all, .source_count = graph->n, .direction = direction};
    ck_assert_int_eq(gg_distance_tree(graph, &search, &run, distance, tree_edge),
                     GPUGRAPH_OK);
    free(all);
    return tree_edge;
}

/* Frees the shape. kinds: of weights; distances have some more. */
static void check(shape s, uint64_t kinds, uint64_t seed) {
    static const uint64_t chunks[] = {LEAST_CHUNK, LEAST_CHUNK + 6, 300, 1024, 1 << 20};
    shape_sort(&s);
    for (int type = GPUGRAPH_UINT32; type <= GPUGRAPH_REAL; type++) {
        gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)type, kinds, seed);
        ck_assert_int_eq(graph->distance_type,
                         s.edges || type == GPUGRAPH_REAL ? type : GPUGRAPH_UINT32);
        ck_assert(!graph->wide);
        void *distance = draw_distances(graph, kinds + 3, seed);
        uint32_t *tree_edge = need(graph->n, sizeof *tree_edge);
        for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++) {
            struct turned t = turn(graph, (gpugraph_direction)d);
            uint32_t *right = right_tree(graph, (gpugraph_direction)d, distance);
            struct walk w = {graph, &t, distance, chunks[(seed + (uint64_t)d) % 5],
                             tree_edge};
            walk(&w);
            for (uint32_t v = 0; v < graph->n; v++)
                expect(tree_edge[v] == right[v],
                       "%s, seed %u, type %d, direction %d: edge %u to %u, not %u",
                       s.name, (uint32_t)seed, type, d, tree_edge[v], v, right[v]);
            free(right);
            turned_free(&t);
        }
        free(distance);
        free(tree_edge);
        gpugraph_free(graph);
    }
    shape_free(&s);
}

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (s.vertices > 0 && !left_out(seed + (uint64_t)i))
                check(s, seed * seed, seed + (uint64_t)i);
            else
                shape_free(&s);
        }
}
END_TEST

/* Few vertices and many edges: parallel ones, by the dozen. */
START_TEST(multigraphs) {
    uint64_t seed = 5;
    for (uint64_t i = 0; i < MULTIGRAPHS; i++) {
        uint32_t n = (uint32_t)random_below(&seed, 70) + 1;
        int64_t edges = (int64_t)random_below(&seed, 12 * n);
        if (!left_out(i))
            check(shape_random_edges(n, edges, seed), i % 7 + 1, i);
    }
}
END_TEST

/* Rows of many groups, and many empty ones. */
START_TEST(large_shapes) {
    check(shape_rmat(6 + LARGE, 16, 3), 20, 1);
    check(shape_star(LARGE * 1000), 4, 2);
    check(shape_beside("a star and nothing", shape_star(LARGE * 500),
                       shape_empty(LARGE * 1000)),
          9, 3);
    check(shape_beside("nothing and many edges", shape_empty(LARGE * 500),
                       shape_random_edges(3, LARGE * 1500, 1)),
          200, 4);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("distance_tree");
    TCase *cases = tcase_create("distance_tree");
    tcase_set_timeout(cases, 240);
    tcase_add_test(cases, small_shapes);
    tcase_add_test(cases, multigraphs);
    tcase_add_test(cases, large_shapes);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
