/* Trees by weight from ranked rows (gpu/ranked_rows.h) on the CPU, against the pass over the edges
** (gpu/tree.c). The rule looks at an edge and the values of its ends, so values are drawn, not
** searched for: ties, tight edges by the dozen and vertices that nothing reaches come by themselves.
** A warp has one lane; with warp_lanes.h included before, 32. */
#include "backend.h"
#include "expect.h"
#include "graphs.h"
#include "ranked_rows.h"
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

#define UNREACHED_REAL 0x7ff0000000000000u

#define NAMED(x) x##_uint32
#define WORD     uint32_t
#define WEIGHT   uint32_t
#define SUM      sum32
#include "ranked_rows_typed.h"

#define NAMED(x) x##_uint64
#define WORD     uint64_t
#define WEIGHT   int64_t
#define SUM      sum64
#include "ranked_rows_typed.h"

#define NAMED(x) x##_real
#define WORD     uint64_t
#define WEIGHT   double
#define SUM      sum_real
#include "ranked_rows_typed.h"

/* Lanes take turns by system calls, a thousand times slower than one alone. */
#ifdef WARP_LANES
enum { SEEDS = 1, MULTIGRAPHS = 40, LARGE = 1 };
#else
enum { SEEDS = 4, MULTIGRAPHS = 300, LARGE = 4 };
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

/* Of that type, by weights of `kinds` values; REAL ones are tenths, whose sums are rounded, and
** some that sums lose. */
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
            wide[v] = UNREACHED_REAL;
    }
    free(type == GPUGRAPH_UINT32 ? (void *)wide : (void *)narrow);
    return type == GPUGRAPH_UINT32 ? (void *)narrow : (void *)wide;
}

/* ---- rows ---- */

struct ranked {
    struct ranked_rows rows;
    uint64_t arcs;
    uint32_t vertices;
    uint32_t *row, *head, *before, *vertex, *other, *number;
    unsigned char *weight;
};

/* By that end of the edges; ends: where each begins, then where it leads. */
static void lay_arcs(const gpugraph_graph *graph, bool by_target, struct ranked *r) {
    const size_t size = gg_distance_size(graph->distance_type);
    const uint32_t *end = by_target ? graph->target : graph->source;
    uint64_t *next = need((size_t)graph->n + 1, sizeof *next);
    for (uint64_t e = 0; e < graph->m; e++)
        next[end[e] + 1]++;
    for (uint32_t v = 0; v < graph->n; v++)
        next[v + 1] += next[v];
    for (uint64_t e = 0; e < graph->m; e++) {
        uint64_t at = next[end[e]]++;
        r->row[at] = end[e];
        r->other[at] = by_target ? graph->source[e] : graph->target[e];
        r->number[at] = (uint32_t)e;
        memcpy(r->weight + at * size, (const char *)graph->weight + e * size, size);
    }
    free(next);
}

static struct ranked rank_arcs(const gpugraph_graph *graph, bool by_target) {
    const uint64_t m = graph->m, tiles = rank_tiles(m);
    struct ranked r = {.arcs = m,
                       .row = need(m, 4),
                       .head = need(tiles * warp_width, 4),
                       .before = need(tiles + 1, 4),
                       .vertex = need(graph->n, 4),
                       .other = need(m, 4),
                       .number = need(m, 4),
                       .weight = need(tiles * RANK_TILE, 8)};
    lay_arcs(graph, by_target, &r);
    for (uint64_t at = 0; at < m; at++) {
        if (at % RANK_TILE == 0)
            r.before[at / RANK_TILE] = r.vertices;
        if (at == 0 || r.row[at] != r.row[at - 1]) {
            r.head[at / 32] |= (uint32_t)1 << at % 32;
            r.vertices++;
        }
    }
    r.rows = (struct ranked_rows){tiles, r.head, r.before, r.vertex, r.other, r.number};
    return r;
}

static void ranked_free(struct ranked *r) {
    free(r->row);
    free(r->head);
    free(r->before);
    free(r->vertex);
    free(r->other);
    free(r->number);
    free(r->weight);
}

/* ---- the walk ---- */

struct walk {
    const gpugraph_graph *graph;
    struct ranked *ranked;
    const void *distance;
    void *most; /* by rank */
    uint32_t *tree_edge;
};

static void run(void (*work)(void *), void *argument) {
#ifdef WARP_LANES
    lanes_run(work, argument);
#else
    work(argument);
#endif
}

static void list_lane(void *argument) {
    const struct walk *w = argument;
    const struct ranked_rows *rows = &w->ranked->rows;
    for (uint64_t tile = 0; tile < rows->tiles; tile++) {
        const struct rank_tile t = rank_tile_at(rows->head, rows->before, tile);
        rank_list_vertices(&t, tile, w->ranked->row, w->ranked->vertex);
    }
}

static struct rank_aside aside; /* of the one warp */

#define WALK(name)                                                                       \
    {                                                                                    \
        const struct ranked_walk_##name j = {w->ranked->rows,                            \
                                             (const void *)w->ranked->weight, w->most,   \
                                             w->distance, w->tree_edge};                 \
        for (uint64_t tile = 0; tile < j.rows.tiles; tile++)                             \
            rank_walk_tile_##name(&j, tile, &aside);                                     \
    }

static void walk_lane(void *argument) {
    const struct walk *w = argument;
    if (w->graph->distance_type == GPUGRAPH_UINT32)
        WALK(uint32)
    else if (w->graph->distance_type == GPUGRAPH_UINT64)
        WALK(uint64)
    else
        WALK(real)
}

/* most, by rank, as the device fills it. */
static void look_up(const struct walk *w) {
    for (uint32_t i = 0; i < w->ranked->vertices; i++) {
        uint32_t v = w->ranked->rows.vertex ? w->ranked->vertex[i] : i;
        if (w->graph->distance_type == GPUGRAPH_UINT32) {
            uint32_t d = ((const uint32_t *)w->distance)[v];
            ((uint32_t *)w->most)[i] = d == UINT32_MAX ? 0 : d;
        } else {
            uint64_t d = ((const uint64_t *)w->distance)[v];
            ((uint64_t *)w->most)[i] = d == UINT64_MAX || d == UNREACHED_REAL ? 0 : d;
        }
    }
}

/* Arcs to that end of the edges. */
static void walk_side(struct walk *w, bool by_target) {
    struct ranked r = rank_arcs(w->graph, by_target);
    w->ranked = &r;
    run(list_lane, w);
    for (uint64_t at = 0, rank = 0; at < r.arcs; at++)
        if (at == 0 || r.row[at] != r.row[at - 1])
            expect(r.vertex[rank++] == r.row[at], "rank %u", (uint32_t)rank - 1);
    if (r.vertices == w->graph->n)
        r.rows.vertex = NULL;
    look_up(w);
    run(walk_lane, w);
    ranked_free(&r);
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

static void check_direction(const char *name, gpugraph_graph *graph,
                            gpugraph_direction direction, const void *distance,
                            uint64_t seed) {
    uint32_t *right = right_tree(graph, direction, distance);
    struct walk w = {graph, NULL, distance, need(graph->n, 8), need(graph->n, 4)};
    memset(w.tree_edge, 0xff, graph->n * sizeof *w.tree_edge);
    if (direction != GPUGRAPH_IN)
        walk_side(&w, true);
    if (direction != GPUGRAPH_OUT)
        walk_side(&w, false);
    for (uint32_t v = 0; v < graph->n; v++)
        expect(w.tree_edge[v] == right[v],
               "%s, seed %u, type %d, direction %d: edge %u to %u, not %u", name,
               (uint32_t)seed, (int)graph->distance_type, (int)direction, w.tree_edge[v],
               v, right[v]);
    free(right);
    free(w.most);
    free(w.tree_edge);
}

/* Frees the shape. kinds: of weights; distances have some more. */
static void check(shape s, uint64_t kinds, uint64_t seed) {
    for (int type = GPUGRAPH_UINT32; type <= GPUGRAPH_REAL; type++) {
        gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)type, kinds, seed);
        ck_assert_int_eq(graph->distance_type,
                         s.edges || type == GPUGRAPH_REAL ? type : GPUGRAPH_UINT32);
        ck_assert(!graph->wide);
        void *distance = draw_distances(graph, kinds + 3, seed);
        for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++)
            check_direction(s.name, graph, (gpugraph_direction)d, distance, seed);
        free(distance);
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

/* Rows of many tiles, tiles of many rows, and vertices without arcs. */
START_TEST(large_shapes) {
    check(shape_rmat(7 + LARGE, 16, 3), 20, 1);
    check(shape_star(LARGE * 1500), 4, 2);
    check(shape_path(LARGE * 1024 + 1), 3, 6);
    check(shape_beside("a star and nothing", shape_star(LARGE * 500),
                       shape_empty(LARGE * 1000)),
          9, 3);
    check(shape_beside("nothing and many edges", shape_empty(LARGE * 500),
                       shape_random_edges(3, LARGE * 1500, 1)),
          200, 4);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ranked_rows");
    TCase *cases = tcase_create("ranked_rows");
    tcase_set_timeout(cases, 240);
    tcase_add_test(cases, small_shapes);
    tcase_add_test(cases, multigraphs);
    tcase_add_test(cases, large_shapes);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
