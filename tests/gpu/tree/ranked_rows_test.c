/* Trees by weight from ranked rows (gpu/tree/ranked_rows.h) on the CPU, against the pass over the edges
** (gpu/tree/tree.c). The rule looks at an edge and the values of its ends, so values are drawn, not
** searched for: ties, tight edges by the dozen and vertices that nothing reaches come by themselves.
** Where heavy arcs lead far from what is at 0, they are drawn so, or searched for after all.
** A warp has one lane; with TEST_WIDE_WARPS, 32. */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif

#include "as_warp.h"
#include "backend.h"
#include "expect.h"
#include "graphs.h"
#include "tree/ranked_rows.h"
#include "ranked_rows_draw.h"
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

#define NAMED(x)  x##_uint32
#define WORD      uint32_t
#define WEIGHT    uint32_t
#define UNREACHED UINT32_MAX
#define SUM       sum32
#include "tree/ranked_rows_typed.h"

#define NAMED(x)  x##_uint64
#define WORD      uint64_t
#define WEIGHT    int64_t
#define UNREACHED UINT64_MAX
#define SUM       sum64
#include "tree/ranked_rows_typed.h"

#define NAMED(x)  x##_real
#define WORD      uint64_t
#define WEIGHT    double
#define UNREACHED UNREACHED_REAL
#define SUM       sum_real
#include "tree/ranked_rows_typed.h"

/* Lanes take turns by system calls, a thousand times slower than one alone. */
#ifdef WARP_LANES
enum { SEEDS = 1, MULTIGRAPHS = 40, LARGE = 1 };
#else
enum { SEEDS = 4, MULTIGRAPHS = 300, LARGE = 4 };
#endif

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
    uint64_t smallest;
};

static void list_lane(void *argument) {
    const struct walk *w = argument;
    const struct ranked_rows *rows = &w->ranked->rows;
    for (uint64_t tile = 0; tile < rows->tiles; tile++) {
        const struct rank_tile t = rank_tile_at(rows->head, rows->before, tile);
        rank_list_vertices(&t, tile, w->ranked->row, w->ranked->vertex);
    }
}

static struct rank_aside aside; /* of the one warp */

#define LOOK_UP(name)                                                                    \
    {                                                                                    \
        const struct ranked_distances_##name j = {                                       \
            w->graph->n, w->ranked->vertices, w->ranked->rows.vertex, w->distance,       \
            w->most,     &w->smallest};                                                  \
        rank_distances_##name(&j, warp_lane(), warp_width);                              \
    }

#define WALK(name)                                                                       \
    {                                                                                    \
        const struct ranked_walk_##name j = {                                            \
            w->ranked->rows, (const void *)w->ranked->weight,                            \
            w->most,         w->distance,                                                \
            &w->smallest,    w->tree_edge};                                              \
        for (uint64_t tile = 0; tile < j.rows.tiles; tile++)                             \
            rank_walk_tile_##name(&j, *j.smallest, tile, &aside);                        \
    }

#define BY_TYPE(STEP)                                                                    \
    if (w->graph->distance_type == GPUGRAPH_UINT32)                                      \
        STEP(uint32)                                                                     \
    else if (w->graph->distance_type == GPUGRAPH_UINT64)                                 \
        STEP(uint64)                                                                     \
    else                                                                                 \
        STEP(real)

static void look_up_lane(void *argument) {
    struct walk *w = argument;
    BY_TYPE(LOOK_UP)
}

static void walk_lane(void *argument) {
    const struct walk *w = argument;
    BY_TYPE(WALK)
}

/* 0: not reached, or at 0. */
static uint64_t distance_at(const struct walk *w, uint32_t v) {
    if (w->graph->distance_type == GPUGRAPH_UINT32) {
        uint32_t d = ((const uint32_t *)w->distance)[v];
        return d == UINT32_MAX ? 0 : d;
    }
    uint64_t d = ((const uint64_t *)w->distance)[v];
    return d == UINT64_MAX || d == UNREACHED_REAL ? 0 : d;
}

static void check_look_up(const struct walk *w) {
    uint64_t smallest = UINT64_MAX;
    for (uint32_t v = 0; v < w->graph->n; v++) {
        uint64_t d = distance_at(w, v);
        smallest = d > 0 && d < smallest ? d : smallest;
    }
    if (smallest == UINT64_MAX) /* any that is no distance */
        expect(w->smallest >= (w->graph->distance_type == GPUGRAPH_UINT32
                                   ? UINT32_MAX
                                   : UNREACHED_REAL),
               "smallest of none: %llu", (unsigned long long)w->smallest);
    else
        expect_equal(w->smallest, smallest);
    for (uint32_t i = 0; i < w->ranked->vertices; i++)
        expect_equal(w->graph->distance_type == GPUGRAPH_UINT32
                         ? ((const uint32_t *)w->most)[i]
                         : ((const uint64_t *)w->most)[i],
                     distance_at(w, w->ranked->rows.vertex ? w->ranked->vertex[i] : i));
}

/* Arcs to that end of the edges. */
static void walk_side(struct walk *w, bool by_target) {
    struct ranked r = rank_arcs(w->graph, by_target);
    w->ranked = &r;
    run_as_warp(list_lane, w);
    for (uint64_t at = 0, rank = 0; at < r.arcs; at++)
        if (at == 0 || r.row[at] != r.row[at - 1])
            expect(r.vertex[rank++] == r.row[at], "rank %u", (uint32_t)rank - 1);
    if (r.vertices == w->graph->n)
        r.rows.vertex = NULL;
    w->smallest = UINT64_MAX;
    run_as_warp(look_up_lane, w);
    check_look_up(w);
    run_as_warp(walk_lane, w);
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
    struct walk w = {graph, NULL, distance, need(graph->n, 8), need(graph->n, 4), 0};
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

/* Frees the shape. */
static void check_draw(shape s, const struct draw *draw, uint64_t seed) {
    for (int type = GPUGRAPH_UINT32; type <= GPUGRAPH_REAL; type++) {
        gpugraph_graph *graph = weigh(&s, (gpugraph_distance_type)type, draw, seed);
        ck_assert_int_eq(graph->distance_type,
                         s.edges || type == GPUGRAPH_REAL ? type : GPUGRAPH_UINT32);
        ck_assert(!graph->wide);
        void *drawn = draw->sources ? NULL : draw_distances(graph, draw, seed);
        for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++) {
            void *found =
                drawn ? NULL : search_distances(graph, draw, (gpugraph_direction)d);
            check_direction(s.name, graph, (gpugraph_direction)d, drawn ? drawn : found,
                            seed);
            free(found);
        }
        free(drawn);
        gpugraph_free(graph);
    }
    shape_free(&s);
}

/* kinds: of weights; distances have some more. */
static void check(shape s, uint64_t kinds, uint64_t seed) {
    const struct draw draw = {.weights = kinds, .distances = kinds + 3};
    check_draw(s, &draw, seed);
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

/* Sources whose every arc is heavy, one and more, also with weights of 0 beyond them; far arcs and
** distances drawn; and nothing but what is at 0. */
START_TEST(far_sources) {
    static const struct draw draws[] = {
        {6, 9, 50, 0}, {1, 2, 3, 0},  {40, 40, 20, 0}, {6, 1, 0, 0},  {1, 1, 0, 0},
        {6, 0, 50, 1}, {2, 0, 30, 1}, {6, 0, 50, 3},   {20, 0, 5, 3}, {6, 0, 0, 1},
    };
    uint64_t seed = 9, turn = 0;
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
        for (uint64_t k = 0; k < MULTIGRAPHS / 20; k++, turn++) {
            uint32_t n = (uint32_t)random_below(&seed, 70) + 1;
            int64_t edges = (int64_t)random_below(&seed, 6 * n);
            if (!left_out(turn))
                check_draw(shape_random_edges(n, edges, seed), &draws[i], turn);
        }
    for (size_t i = 0; i<sizeof draws / sizeof *draws; i += LARGE> 1 ? 1 : 5)
        check_draw(shape_rmat(6 + LARGE, 16, i), &draws[i], i);
}
END_TEST

const struct suite suite = {
    "ranked_rows",
    {{"ranked_rows", .timeout = 240,
      .cases = {{&small_shapes}, {&multigraphs}, {&large_shapes}, {&far_sources}}}},
};
