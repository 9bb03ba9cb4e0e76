/* Weights and distances for ranked_rows_model.h: drawn, or searched for in a graph whose weights
** are drawn. */
#ifndef TEST_RANKED_ROWS_DRAW_H
#define TEST_RANKED_ROWS_DRAW_H

#include "backend.h"
#include "expect.h"
#include "graphs.h"

#include <stdlib.h>
#include <string.h>

#define UNREACHED_REAL 0x7ff0000000000000u

static void *need(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    ck_assert_ptr_nonnull(block);
    return block;
}

static uint64_t random_below(uint64_t *seed, uint64_t limit) {
    return shape_random(seed) % limit;
}

/* How many values weights have, and distances; what heavy arcs weigh more, and how much farther
** all is that is not at 0. sources: distances are searched for, from so many of the first vertices,
** whose arcs are the heavy ones. 0: distances are drawn, and which arcs are heavy. */
struct draw {
    uint64_t weights, distances, far;
    uint32_t sources;
};

static double tenths_of(uint64_t dice) {
    double tenths = 0; /* as sums of them are */
    for (uint64_t i = 0; i < dice; i++)
        tenths += 0.1;
    return tenths;
}

static bool is_heavy(const shape *s, const struct draw *draw, int64_t e, uint64_t *seed) {
    if (draw->sources > 0)
        return s->source[e] < draw->sources || s->target[e] < draw->sources;
    return draw->far > 0 && random_below(seed, 3) == 0;
}

/* Of that type; REAL weights are tenths, whose sums are rounded, and some that sums lose. */
static gpugraph_graph *weigh(const shape *s, gpugraph_distance_type type,
                             const struct draw *draw, uint64_t seed) {
    int64_t *whole = need((size_t)s->edges, sizeof *whole);
    double *tenths = need((size_t)s->edges, sizeof *tenths);
    for (int64_t e = 0; e < s->edges; e++) {
        bool heavy = is_heavy(s, draw, e, &seed);
        uint64_t dice = random_below(&seed, draw->weights) + (heavy ? draw->far : 0);
        whole[e] = (int64_t)(type == GPUGRAPH_UINT64 ? dice << 33 : dice);
        tenths[e] = heavy ? tenths_of(dice) : dice == 1 ? 1e-18 : (double)dice / 10;
    }
    if (type == GPUGRAPH_UINT64 && s->edges > 0)
        whole[0] = (int64_t)1 << 40; /* so that 32 bits never do */
    gpugraph_graph *graph =
        shape_weighed(s, false, type == GPUGRAPH_REAL ? NULL : whole, tenths);
    free(whole);
    free(tenths);
    return graph;
}

/* A value for each vertex; one in eight is not reached, and where all is far one in four at 0. */
static void *draw_distances(const gpugraph_graph *graph, const struct draw *draw,
                            uint64_t seed) {
    const gpugraph_distance_type type = graph->distance_type;
    uint32_t *narrow = need(graph->n, sizeof *narrow);
    uint64_t *wide = need(graph->n, sizeof *wide);
    for (uint32_t v = 0; v < graph->n; v++) {
        uint64_t dice = random_below(&seed, draw->distances);
        bool reached = random_below(&seed, 8) > 0;
        if (draw->far > 0)
            dice = random_below(&seed, 4) > 0 ? draw->far + dice : 0;
        double tenths = tenths_of(dice);
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

static void *search_distances(gpugraph_graph *graph, const struct draw *draw,
                              gpugraph_direction direction) {
    uint32_t source[8];
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = 1};
    gpugraph_search search = {.source = source, .direction = direction};
    for (uint32_t v = 0; v < draw->sources && v < graph->n; v++)
        source[search.source_count++] = gpugraph_find_integer(graph, v);
    void *distance = need(graph->n, sizeof(uint64_t));
    ck_assert_int_eq(gpugraph_sssp(graph, &search, &run, distance, NULL), GPUGRAPH_OK);
    return distance;
}

#endif
