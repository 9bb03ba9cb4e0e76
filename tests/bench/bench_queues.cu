/* Measures the parts of the multi-level multi-queues of shortest paths: each level, each
** pair of queues, the number of blocks and the write-back period.
**
**     bench_queues GRAPH [TABLE...]
**
** GRAPH: a name of gengraph.cuh. TABLE, default all:
**
**     levels       only L2 (a warp writes there at once), L1 and L2, L0 and both
**     pairs        both pairs of queues
**     blocks       blocks for each multiprocessor, with both pairs
**     write-back   writes to L1V between two that pass the cache
**
** A search from the graph's first source runs three times. Prints a line for each
** setting, with the least time of the kernels in ms:
**
**     QUEUES,graph,table,pair,setting,ms,relaxations a vertex,same or OTHER distances
**
** ms is "none" if a search gave up. The exit status is 1 if any distance differs. */
#include "gengraph.cuh"
#include "sssp/choice/choice.h"
#include "graph_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

enum { RUNS = 3 };

struct bench {
    const char *name;
    bench_graph edges;
    gpugraph_graph *graph;
    std::vector<uint32_t> right;
    bool other;
};

static struct { double ms, relaxations; } latest;
static std::function<void(struct sssp_parameters *)> change;

static void note_phase(void *, const char *name, double ms, int64_t, const char *detail) {
    if (strcmp(name, "search") != 0)
        return;
    const char *often = strstr(detail, " relaxations a vertex");
    while (often && often > detail && often[-1] != ' ')
        often--;
    latest.ms = ms;
    latest.relaxations = often ? atof(often) : 0;
}

static void adjust(struct sssp_parameters *p) {
    if (change)
        change(p);
}

/* Returns false if the search gave up. */
static bool search(struct bench *b, const char *method, std::vector<uint32_t> *distance) {
    gpugraph_search s = gpugraph_search();
    gpugraph_run run = gpugraph_run();
    s.source = b->edges.start;
    s.source_count = 1;
    s.max_depth = GPUGRAPH_NONE;
    run.backend = GPUGRAPH_CUDA;
    run.method = method;
    run.phase = note_phase;
    distance->assign(b->edges.n, 0);
    gpugraph_sssp(b->graph, &s, &run, distance->data(), NULL);
    if (run.status != GPUGRAPH_OK)
        fprintf(stderr, "bench_queues: %s\n", run.message);
    return run.status == GPUGRAPH_OK;
}

static void time_setting(struct bench *b, const char *table, const std::string &pair,
                         const std::string &setting,
                         std::function<void(struct sssp_parameters *)> how) {
    std::vector<uint32_t> distance;
    double least = 1e30;
    bool found = true;
    change = how;
    for (int i = 0; i < RUNS && found; i++) {
        found = search(b, pair.c_str(), &distance);
        least = std::min(least, latest.ms);
    }
    change = nullptr;
    bool same = found && distance == b->right;
    b->other |= found && !same;
    printf("QUEUES,%s,%s,%s,%s,", b->name, table, pair.c_str(), setting.c_str());
    printf(found ? "%.3f,%.2f,%s\n" : "none\n", least, latest.relaxations,
           same ? "same" : "OTHER");
    fflush(stdout);
}

/* ---- the tables ---- */

static const char *const l2_names[] = {"L2V", "L2DQ"};

static void levels(struct bench *b) {
    for (const char *l2 : l2_names) {
        std::string pair = std::string("L1V-") + l2;
        time_setting(b, "levels", pair, "L2",
                     [](struct sssp_parameters *p) { p->write_back = 1; });
        time_setting(b, "levels", pair, "L1 L2", [](struct sssp_parameters *) {});
        time_setting(b, "levels", pair, "L0 L1 L2",
                     [](struct sssp_parameters *p) { p->l0 = true; });
    }
}

static void pairs(struct bench *b) {
    for (const char *l2 : l2_names)
        time_setting(b, "pairs", std::string("L1V-") + l2, "",
                     [](struct sssp_parameters *) {});
}

static void blocks(struct bench *b) {
    for (const char *pair : {"L1V-L2V", "L1V-L2DQ"})
        for (double wanted : {0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0})
            time_setting(b, "blocks", pair, std::to_string(wanted).substr(0, 4),
                         [=](struct sssp_parameters *p) { p->blocks = wanted; });
}

static void write_back(struct bench *b) {
    for (const char *pair : {"L1V-L2V", "L1V-L2DQ"})
        for (uint32_t period : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 0u})
            time_setting(b, "write-back", pair, std::to_string(period),
                         [=](struct sssp_parameters *p) { p->write_back = period; });
}

static const struct {
    const char *name;
    void (*make)(struct bench *);
} tables[] = {
    {"levels", levels}, {"pairs", pairs}, {"blocks", blocks}, {"write-back", write_back}};

/* ---- arguments ---- */

static bool bring_in(struct bench *b) {
    const bench_graph *g = &b->edges;
    std::vector<int64_t> source(g->source, g->source + g->m);
    std::vector<int64_t> target(g->target, g->target + g->m);
    std::vector<int64_t> weight(g->weight, g->weight + g->m), vertex(g->n);
    std::iota(vertex.begin(), vertex.end(), 0);
    gpugraph_run run = gpugraph_run();
    gpugraph_edges edges = gpugraph_edges();
    edges.count = (int64_t)g->m;
    edges.source.value = source.data();
    edges.target.value = target.data();
    edges.weight_type = GPUGRAPH_INTEGER_WEIGHTS;
    edges.weight = weight.data();
    edges.vertex_count = g->n;
    edges.vertex.value = vertex.data();
    if (gpugraph_create(&edges, &run, &b->graph) != GPUGRAPH_OK) {
        fprintf(stderr, "bench_queues: %s\n", run.message);
        return false;
    }
    if (gpugraph_distance_type_of(b->graph) != GPUGRAPH_UINT32) {
        fprintf(stderr, "bench_queues: %s has distances of 64 bits\n", b->name);
        return false;
    }
    return search(b, "persistent", &b->right);
}

int main(int argc, char **argv) {
    struct bench b = {};
    if (argc < 2 || !bench_graph_make(argv[1], &b.edges)) {
        fprintf(stderr, "usage: bench_queues GRAPH [TABLE...]; graphs: %s\n",
                bench_graph_names());
        return 2;
    }
    b.name = argv[1];
    gg_limits.sssp_adjust = adjust;
    if (!bring_in(&b))
        return 2;
    for (const auto &table : tables) {
        bool asked = argc == 2;
        for (int i = 2; i < argc; i++)
            asked |= strcmp(argv[i], table.name) == 0;
        if (asked)
            table.make(&b);
    }
    gpugraph_free(b.graph);
    bench_graph_free(&b.edges);
    return b.other;
}
