/* The features of a graph: by the CPU against sums in 128 bits, and by the device, where
** there is one, to the same bits. */
extern "C" {
#include "expect.h"
#include "suite.h"
#include "graphs.h"
}
#include "sssp/sssp.cuh"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <set>
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

/* As the words say: mean, deviation, largest. */
static void check_words(gpugraph_graph *graph, gpugraph_direction direction,
                        const struct sssp_features *f) {
    uint64_t *degree = (uint64_t *)calloc((size_t)graph->n + 1, sizeof *degree);
    uint64_t arcs = 0, most = 0;
    double weight = 0, square = 0, heaviest = 0;
    wide squares = 0;
    for (uint32_t e = 0; e < graph->m; e++) {
        bool loop = graph->source[e] == graph->target[e];
        degree[graph->source[e]] += direction != GPUGRAPH_IN;
        degree[graph->target[e]] +=
            direction == GPUGRAPH_IN || (direction == GPUGRAPH_BOTH && !loop);
        double w = weight_of(graph, e);
        weight += w / graph->m;
        square += w * w / graph->m;
        heaviest = w > heaviest ? w : heaviest;
    }
    for (uint32_t v = 0; v < graph->n; v++) {
        arcs += degree[v];
        squares += (wide)degree[v] * degree[v];
        most = degree[v] > most ? degree[v] : most;
    }
    double mean = graph->n ? (double)arcs / graph->n : 0;
    double deviation = graph->n ? sqrt((double)squares / graph->n - mean * mean) : 0;
    ck_assert(f->vertices == graph->n && f->arcs == arcs &&
              f->most_degree == (double)most);
    ck_assert(close_to(f->degree, mean) && fabs(f->degree_deviation - deviation) < 1e-4);
    ck_assert(close_to(f->weight, weight) && f->most_weight == heaviest);
    ck_assert(fabs(f->weight_deviation * f->weight_deviation -
                   (square - weight * weight)) <= 1e-6 * square);
    ck_assert(f->typical_weight >= 0 && f->typical_weight <= heaviest);
    ck_assert((f->typical_weight > 0) == (heaviest > 0));
    free(degree);
}

/* Levels to 1,024 vertices from v, by depths of all vertices. */
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

struct arc {
    uint32_t target;
    double weight;
};

static bool sparse(uint32_t v, uint32_t u, size_t degree) {
    uint64_t divisor = 1;
    while (degree / divisor > 32)
        divisor *= 2;
    uint32_t hash = (u + v * 0x9E3779B9u) * 2654435761u;
    return hash < (1ull << 32) / divisor;
}

/* The distance of the 64th nearest vertex, -1 where none but v is found. */
static double radius_from(const std::vector<std::vector<arc>> &next, uint32_t v) {
    std::vector<double> distance(next.size(), HUGE_VAL);
    std::set<std::pair<double, uint32_t>> open;
    std::set<uint32_t> met;
    double radius = -1;
    distance[v] = 0;
    open.insert({0.0, v});
    met.insert(v);
    for (int settled = 0; settled < 64 && !open.empty(); settled++) {
        uint32_t u = open.begin()->second;
        radius = settled > 0 ? distance[u] : -1;
        open.erase(open.begin());
        if (met.size() > 1536)
            break;
        for (const arc &a : next[u])
            if (next[u].size() <= 1024 && sparse(u, a.target, next[u].size()) &&
                distance[u] + a.weight < distance[a.target]) {
                open.erase({distance[a.target], a.target});
                distance[a.target] = distance[u] + a.weight;
                open.insert({distance[a.target], a.target});
                met.insert(a.target);
            }
    }
    return radius;
}

struct probe {
    size_t met, relaxed, settled;
    double least;
};

/* At most 32 rounds, in each of which all that have come nearer are relaxed; not the one
** that would meet more than 1,024 vertices. */
static struct probe probe_from(const std::vector<std::vector<arc>> &next, uint32_t v) {
    std::vector<double> distance(next.size(), HUGE_VAL);
    std::set<uint32_t> met = {v}, open = {v}, settled;
    struct probe p = {0, 0, 0, 0};
    distance[v] = 0;
    for (int round = 0; round < 32 && !open.empty(); round++) {
        const std::vector<double> before = distance;
        std::set<uint32_t> nearer;
        p.least = HUGE_VAL;
        for (uint32_t u : open) {
            p.least = before[u] < p.least ? before[u] : p.least;
            for (const arc &a : next[u])
                if (next[u].size() <= 1024 && sparse(u, a.target, next[u].size())) {
                    met.insert(a.target);
                    if (before[u] + a.weight < distance[a.target]) {
                        distance[a.target] = before[u] + a.weight;
                        nearer.insert(a.target);
                    }
                }
        }
        if (met.size() > 1024)
            break;
        settled.insert(open.begin(), open.end());
        p.met = met.size();
        p.relaxed += open.size();
        p.settled = settled.size();
        open = nearer;
    }
    return p;
}

static void check_radii_and_probes(const gpugraph_graph *graph,
                                   gpugraph_direction direction,
                                   const struct sssp_features *f) {
    std::vector<std::vector<arc>> next(graph->n);
    double radii = 0, met = 0, work = 0, least = 0;
    int balls = 0, probes = graph->m > 0 ? 16 : 0;
    auto typical = [f](double distance) {
        return log2((f->typical_weight > 0 ? distance / f->typical_weight : 0) +
                    1.0 / 1024);
    };
    for (uint32_t e = 0; e < graph->m; e++) {
        uint32_t s = graph->source[e], t = graph->target[e];
        if (direction != GPUGRAPH_IN)
            next[s].push_back({t, weight_of(graph, e)});
        if (direction == GPUGRAPH_IN || (direction == GPUGRAPH_BOTH && s != t))
            next[t].push_back({s, weight_of(graph, e)});
    }
    for (uint64_t i = 0; i < 16 && graph->m > 0; i++) {
        uint64_t e = (2 * i + 1) * graph->m / 32;
        uint32_t v = direction == GPUGRAPH_IN ? graph->target[e] : graph->source[e];
        double radius = radius_from(next, v);
        struct probe p = probe_from(next, v);
        radii += radius >= 0 ? typical(radius) : 0;
        balls += radius >= 0;
        met += log2((double)p.met) / probes;
        work += log2((double)p.relaxed / (double)p.settled) / probes;
        least += typical(p.least) / probes;
    }
    double right = balls > 0 ? radii / balls : 0;
    expect(close_to(f->ball_radius, right), "balls of radius %g, not %g", f->ball_radius,
           right);
    expect(close_to(f->probe_met, met), "probes of %g, not %g", f->probe_met, met);
    expect(close_to(f->probe_work, work), "work of %g, not %g", f->probe_work, work);
    expect(close_to(f->probe_radius, least), "probes as far as %g, not %g",
           f->probe_radius, least);
}

static void check_device(gpugraph_graph *graph, gpugraph_direction direction,
                         const struct sssp_features *right) {
    struct cuda_job job;
    struct device_csr g;
    struct sssp_features f;
    gpugraph_run run = gpugraph_run();
    if (!gpugraph_cuda_usable(NULL))
        return;
    ck_assert_msg(gg_job_open(&job, graph, &run), "%s", run.message);
    enum csr_kind kind = (enum csr_kind)gg_forward_kind(direction);
    for (int twice = 0; twice < 2; twice++) {
        memset(&f, 0xff, sizeof f);
        bool there =
            gg_device_csr(&job, kind, true, &g) && gg_device_features(&job, kind, &g, &f);
        expect(there, "%s", run.message);
        expect(memcmp(&f, right, sizeof f) == 0, "features of the device, pass %d",
               twice);
    }
    gg_job_close(&job);
}

static void check_shape(shape s, uint64_t seed) {
    for (int real = 0; real < 2; real++) {
        gpugraph_graph *graph = weighted(&s, real, seed);
        for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++) {
            struct sssp_features f;
            gpugraph_run run = gpugraph_run();
            gg_sssp_features(graph, (gpugraph_direction)direction, &run, &f);
            ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
            check_words(graph, (gpugraph_direction)direction, &f);
            check_balls(graph, (gpugraph_direction)direction, &f);
            check_radii_and_probes(graph, (gpugraph_direction)direction, &f);
            check_device(graph, (gpugraph_direction)direction, &f);
        }
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
