/* The features of a graph that a device computes, against their definitions. */
extern "C" {
#include "expect.h"
#include "suite.h"
#include "graphs.h"
}
#include "sssp/sssp.cuh"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

typedef unsigned __int128 wide;

static gpugraph_graph *weighted(const shape *s, bool real, uint64_t seed) {
    int64_t *whole = (int64_t *)malloc((size_t)(s->edges + 1) * sizeof *whole);
    double *fraction = (double *)malloc((size_t)(s->edges + 1) * sizeof *fraction);
    for (int64_t e = 0; e < s->edges; e++) {
        uint64_t dice = shape_random(&seed);
        whole[e] = (int64_t)(dice >> 32 >> dice % 30);
        fraction[e] = (double)(dice % 1000) / 7.0;
    }
    gpugraph_edges edges = gpugraph_edges();
    edges.count = s->edges;
    edges.source.value = s->source;
    edges.target.value = s->target;
    edges.weight_type = real ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
    edges.weight = real ? (const void *)fraction : (const void *)whole;
    gpugraph_run run = gpugraph_run();
    gpugraph_graph *graph;
    gpugraph_create(&edges, &run, &graph);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    free(whole);
    free(fraction);
    return graph;
}

static bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-9;
}

static double weight_of(const gpugraph_graph *graph, uint64_t e) {
    return graph->distance_type == GPUGRAPH_UINT32 ? ((const uint32_t *)graph->weight)[e]
           : graph->distance_type == GPUGRAPH_UINT64
               ? (double)((const int64_t *)graph->weight)[e]
               : ((const double *)graph->weight)[e];
}

/* Mean, deviation and median of at most 512 weights, evenly spread. */
static void check_weights(const gpugraph_graph *graph, const struct sssp_features *f) {
    const uint64_t step = (graph->m + 511) / 512;
    std::vector<double> some, positive;
    double mean = 0, square = 0;
    for (uint64_t e = 0; e < graph->m; e += step)
        some.push_back(weight_of(graph, e));
    for (double weight : some) {
        mean += weight / (double)some.size();
        square += weight * weight / (double)some.size();
        if (weight > 0)
            positive.push_back(weight);
    }
    std::sort(positive.begin(), positive.end());
    ck_assert(close_to(f->weight, mean));
    ck_assert(fabs(f->weight_deviation * f->weight_deviation - (square - mean * mean)) <=
              1e-6 * square);
    ck_assert(f->typical_weight ==
              (positive.empty() ? 0 : positive[positive.size() / 2]));
}

/* Mean, deviation and largest degree. */
static void check_degrees(const gpugraph_graph *graph, gpugraph_direction direction,
                          const struct sssp_features *f) {
    std::vector<uint64_t> degree(graph->n);
    uint64_t arcs = 0, most = 0;
    wide squares = 0;
    for (uint32_t e = 0; e < graph->m; e++) {
        bool loop = graph->source[e] == graph->target[e];
        degree[graph->source[e]] += direction != GPUGRAPH_IN;
        degree[graph->target[e]] +=
            direction == GPUGRAPH_IN || (direction == GPUGRAPH_BOTH && !loop);
    }
    for (uint64_t d : degree) {
        arcs += d;
        squares += (wide)d * d;
        most = d > most ? d : most;
    }
    double mean = graph->n ? (double)arcs / graph->n : 0;
    double deviation = graph->n ? sqrt((double)squares / graph->n - mean * mean) : 0;
    ck_assert(f->vertices == graph->n && f->arcs == arcs &&
              f->most_degree == (double)most);
    ck_assert(close_to(f->degree, mean) && fabs(f->degree_deviation - deviation) < 1e-4);
}

/* Levels until a search from v reaches 1,024 vertices, from the depths of all
** vertices. */
static uint32_t levels_from(const std::vector<std::vector<uint32_t>> &next, uint32_t v) {
    std::vector<uint32_t> depth(next.size(), UINT32_MAX), met(1, v);
    depth[v] = 0;
    for (size_t i = 0; i < met.size(); i++)
        for (uint32_t u : next[met[i]])
            if (depth[u] == UINT32_MAX) {
                depth[u] = depth[met[i]] + 1;
                met.push_back(u);
            }
    uint32_t levels = met.size() < 1024 ? 64 : depth[met[1023]];
    return levels < 64 ? levels : 64;
}

static void check_balls(const gpugraph_graph *graph, gpugraph_direction direction,
                        const struct sssp_features *f) {
    std::vector<std::vector<uint32_t>> next(graph->n);
    double sum = 0;
    for (uint32_t e = 0; e < graph->m; e++) {
        if (direction != GPUGRAPH_IN)
            next[graph->source[e]].push_back(graph->target[e]);
        if (direction != GPUGRAPH_OUT)
            next[graph->target[e]].push_back(graph->source[e]);
    }
    for (uint64_t i = 0; i < 16; i++) {
        uint64_t e = (2 * i + 1) * graph->m / 32;
        uint32_t v = direction == GPUGRAPH_IN ? graph->target[e] : graph->source[e];
        sum += log2(levels_from(next, v) + 1.0) / 16;
    }
    expect(close_to(f->ball_depth, sum), "balls of depth %g, not %g", f->ball_depth, sum);
}

/* Twice: computed, and from the cache. */
static void check_features(gpugraph_graph *graph, gpugraph_direction direction) {
    struct cuda_job job;
    struct device_csr g;
    struct sssp_features f;
    gpugraph_run run = gpugraph_run();
    ck_assert_msg(gg_job_open(&job, graph, &run), "%s", run.message);
    enum csr_kind kind = (enum csr_kind)gg_forward_kind(direction);
    for (int twice = 0; twice < 2; twice++) {
        memset(&f, 0xff, sizeof f);
        bool there =
            gg_device_csr(&job, kind, true, &g) && gg_device_features(&job, kind, &g, &f);
        expect(there, "%s", run.message);
        check_degrees(graph, direction, &f);
        check_weights(graph, &f);
        check_balls(graph, direction, &f);
    }
    gg_job_close(&job);
}

static void check_shape(shape s, uint64_t seed) {
    for (int real = 0; real < 2 && gpugraph_cuda_usable(NULL); real++) {
        gpugraph_graph *graph = weighted(&s, real, seed);
        for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++)
            check_features(graph, (gpugraph_direction)direction);
        gpugraph_free(graph);
    }
    shape_free(&s);
}

START_TEST(all_shapes) {
    shape s;
    for (int i = 0; shape_small(i, 1, &s); i++) {
        if (s.edges > 0)
            check_shape(s, (uint64_t)i);
        else
            shape_free(&s);
    }
    check_shape(shape_rmat(12, 16, 1), 2);
    check_shape(shape_random_edges(50000, 300000, 3), 4);
    check_shape(shape_star(70000), 5);
}
END_TEST

const struct suite suite = {
    .name = "features",
    .groups = {{.name = "features", .timeout = 120, .cases = {{&all_shapes}}}},
};
