/* Times every candidate that "auto" may choose for shortest paths on the device.
**
**     bench_sssp REPEATS SOURCES GRAPH...
**
** GRAPH: a name of gengraph.cuh, "training" for all of training_graphs.cuh or a range of
** them by number ("training:252-", "training:0-99", both ends included), or a file of
** edges ('./roads.tsv'). sssp_learn.py learns from the output of
**
**     bench_sssp 3 2 training ./NY.gr ... > training.csv
**
** Prints a CSV line for each graph and candidate: the graph's features, the candidate's
** number, method and parameters, the median ms of the kernels, relaxed vertices, and
** "same" if the distances equal the first candidate's, otherwise "OTHER" (the exit status
** is then 1). For a candidate that gave up, ms is empty and the last column "none". With
** 0 REPEATS it prints only a line of features for each graph. The order of the training
** graphs mixes all families, and each line is flushed. So you may stop the program early;
** sssp_learn.py omits the incomplete graph.
**
** Environment: ONLY=i,j,... only these candidates; ONLY=auto the choice of "auto";
** BLOCKS=x the number of blocks (of 256 threads, for each multiprocessor); COOPERATIVE=x
** the number of arcs from which a whole warp of a multi-queue relaxes a vertex. */
#include "gengraph.cuh"
#include "sssp/sssp.cuh"
#include "sssp/sssp.h"
#include "training_graphs.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <deque>
#include <future>
#include <string>
#include <vector>

enum { FIRST = 5 }; /* number of the candidate that is timed first */
static const double NEVER = 1e30;

struct timing {
    double ms;
    long long served;
    std::string detail;
};

static struct timing latest;
static struct sssp_parameters wanted;

static void note_phase(void *, const char *name, double ms, int64_t items,
                       const char *detail) {
    if (strcmp(name, "search") != 0)
        return;
    const char *kernels = strstr(detail, "kernels ");
    latest.ms = kernels ? atof(kernels + strlen("kernels ")) : ms;
    latest.served = items;
    latest.detail = detail;
}

static void use_wanted(struct sssp_parameters *parameters) {
    *parameters = wanted;
}

static void need(const gpugraph_run *run) {
    if (run->status != GPUGRAPH_OK) {
        fprintf(stderr, "bench_sssp: %s\n", run->message);
        exit(1);
    }
}

static gpugraph_graph *bring_in(const bench_graph *g) {
    gpugraph_run run = gpugraph_run();
    gpugraph_graph *graph;
    std::vector<int64_t> source(g->source, g->source + g->m);
    std::vector<int64_t> target(g->target, g->target + g->m);
    std::vector<int64_t> weight(g->weight, g->weight + g->m), vertex(g->n);
    for (uint32_t v = 0; v < g->n; v++)
        vertex[v] = v;
    gpugraph_edges edges = gpugraph_edges();
    edges.count = (int64_t)g->m;
    edges.source.value = source.data();
    edges.target.value = target.data();
    edges.weight_type = GPUGRAPH_INTEGER_WEIGHTS;
    edges.weight = weight.data();
    edges.vertex_count = g->n;
    edges.vertex.value = vertex.data();
    gpugraph_create(&edges, &run, &graph);
    need(&run);
    return graph;
}

static uint64_t sum_of(const std::vector<uint64_t> &distance) {
    uint64_t sum = 0;
    for (size_t i = 0; i < distance.size(); i++)
        sum = sum * 0x9E3779B97F4A7C15ull + distance[i];
    return sum;
}

struct contender {
    size_t number;
    const char *method;
    struct sssp_parameters parameters;
};

/* The requested candidates. A good one comes first. Its time limits the others, so a slow
** candidate needs only one run. */
static std::vector<contender> contenders(const struct sssp_features *f) {
    const char *only = getenv("ONLY"), *blocks = getenv("BLOCKS");
    const char *cooperative = getenv("COOPERATIVE");
    std::string list = std::string(",") + (only ? only : "") + ",";
    std::vector<contender> all;
    struct contender c;
    for (size_t i = 0; gg_sssp_candidate(i, f, &c.parameters); i++) {
        c.number = i;
        c.method = gg_sssp_cuda.methods[c.parameters.kind].is.name;
        if (!only || list.find("," + std::to_string(i) + ",") != std::string::npos)
            all.push_back(c);
    }
    for (size_t i = 0; i < all.size(); i++)
        if (all[i].number == FIRST)
            std::rotate(all.begin(), all.begin() + i, all.begin() + i + 1);
    if (only && strcmp(only, "auto") == 0) {
        c.number = all.size();
        gg_sssp_choose(f, SSSP_AUTO, &c.parameters);
        c.method = gg_sssp_cuda.methods[c.parameters.kind].is.name;
        all.push_back(c);
    }
    for (contender &one : all) {
        if (blocks)
            one.parameters.blocks = atof(blocks);
        if (cooperative)
            one.parameters.cooperative = (uint32_t)atoi(cooperative);
    }
    return all;
}

/* Returns the median ms of a candidate from some of the graph's sources, or NEVER, with a
** message, if it gave up. The first candidate sets `right`, the sums of distances. */
static double time_candidate(const char *name, const bench_graph *g,
                             gpugraph_graph *graph, const contender &one, double best,
                             int repeats, std::vector<uint64_t> *right, bool *agrees) {
    const bool first = best == NEVER;
    std::vector<uint64_t> distance((size_t)g->n + 1);
    std::vector<double> ms;
    for (size_t s = 0; s < right->size(); s++) {
        if (s > 0 && !first && ms.back() > 4 * best)
            break; /* the exact time does not matter */
        gpugraph_search search = gpugraph_search();
        gpugraph_run run = gpugraph_run();
        search.source = &g->start[s];
        search.source_count = 1;
        run.backend = GPUGRAPH_CUDA;
        run.method = one.method;
        run.phase = note_phase;
        for (int r = 0; r < repeats + (first ? 1 : 0); r++) {
            if (r > 0 && !first && latest.ms > 4 * best)
                break;
            std::fill(distance.begin(), distance.end(), 0);
            if (gpugraph_sssp(graph, &search, &run, distance.data(), NULL) !=
                GPUGRAPH_OK) {
                fprintf(stderr, "bench_sssp: %s, %s: %s\n", name, one.method,
                        run.message);
                return NEVER;
            }
            if (r >= (first ? 1 : 0))
                ms.push_back(latest.ms);
        }
        uint64_t sum = sum_of(distance);
        if (first)
            (*right)[s] = sum;
        *agrees = *agrees && sum == (*right)[s];
    }
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

static struct sssp_features features_of(gpugraph_graph *graph) {
    struct cuda_job job;
    struct device_csr g;
    struct sssp_features f = {};
    gpugraph_run run = gpugraph_run();
    gg_job_open(&job, graph, &run);
    need(&run);
    if (gg_device_csr(&job, CSR_OUT, true, &g))
        gg_device_features(&job, CSR_OUT, &g, &f);
    gg_job_close(&job);
    need(&run);
    return f;
}

static void print_features(const char *name, const struct sssp_features *f) {
    printf("%s,%llu,%llu,%.3f,%.3f,%.0f,%.3f,%.3f,%.4f", name,
           (unsigned long long)f->vertices, (unsigned long long)f->arcs, f->degree,
           f->degree_deviation, f->most_degree, f->weight, f->weight_deviation,
           f->ball_depth);
}

/* Prints the latest search of a candidate; ms is NEVER if it gave up. */
static void print_line(const char *name, const struct sssp_features *f,
                       const contender &one, double ms, bool agrees) {
    const bool timed = ms < NEVER;
    char figure[32];
    snprintf(figure, sizeof figure, "%.4f", ms);
    print_features(name, f);
    printf(",%zu,%s,%g,%g,%d,%s,%lld,%s,\"%s\"\n", one.number, one.method,
           one.parameters.delta, one.parameters.blocks, one.parameters.local,
           timed ? figure : "", timed ? latest.served : 0LL,
           !timed   ? "none"
           : agrees ? "same"
                    : "OTHER",
           timed ? latest.detail.c_str() : "");
    fflush(stdout);
}

static bool time_graph(const char *name, const bench_graph *g, gpugraph_graph *graph,
                       int repeats, int sources) {
    const struct sssp_features f = features_of(graph);
    if (repeats == 0) {
        print_features(name, &f);
        puts("");
        fflush(stdout);
        return true;
    }
    std::vector<uint64_t> right((size_t)sources);
    bool same = true;
    double best = NEVER;
    gg_limits.sssp_adjust = NULL; /* unset while parameters are chosen */
    const std::vector<contender> all = contenders(&f);
    gg_limits.sssp_adjust = use_wanted;
    for (const contender &one : all) {
        wanted = one.parameters;
        bool agrees = true;
        double ms = time_candidate(name, g, graph, one, best, repeats, &right, &agrees);
        same = same && agrees && ms < NEVER;
        best = std::min(best, ms);
        print_line(name, &f, one, ms, agrees);
    }
    return same;
}

static bool time_and_free(const char *name, bench_graph *g, int repeats, int sources) {
    gpugraph_graph *graph = bring_in(g);
    bool same = time_graph(name, g, graph, repeats, sources);
    gpugraph_free(graph);
    bench_graph_free(g);
    return same;
}

/* Parses "training", "training:FROM-" or "training:FROM-TO", both ends included. */
static bool training_range(const char *text, int *from, int *to) {
    int used = 0;
    *from = 0;
    *to = training_graph_count() - 1;
    if (strcmp(text, "training") == 0)
        return true;
    if (sscanf(text, "training:%d-%n", from, &used) != 1 || used == 0)
        return false;
    const char *end = text + used;
    if (*end && (sscanf(end, "%d%n", to, &used) != 1 || end[used]))
        return false;
    return *from >= 0 && *from <= *to && *to < training_graph_count();
}

/* The numbers below `count` in the order of their reversed bits (van der Corput). Each
** part of this order is spread over all numbers. */
static std::vector<int> spread_order(int count) {
    std::vector<int> order;
    int bits = 0;
    while (1 << bits < count)
        bits++;
    for (int i = 0; i < 1 << bits; i++) {
        int turned = 0;
        for (int b = 0; b < bits; b++)
            turned |= (i >> b & 1) << (bits - 1 - b);
        if (turned < count)
            order.push_back(turned);
    }
    return order;
}

/* Times graphs `from` to `to` of the table. Other threads make graphs while earlier ones
** are timed. */
static bool time_training(int from, int to, int repeats, int sources) {
    struct made {
        std::string name;
        bench_graph graph;
    };
    auto make = [](int k) {
        made m;
        training_graph_make(k, &m.name, &m.graph);
        return m;
    };
    const int count = to - from + 1, ahead = 12;
    const std::vector<int> order = spread_order(count);
    std::deque<std::future<made>> coming;
    bool same = true;
    for (int i = 0; i < count + ahead; i++) {
        if (i < count)
            coming.push_back(
                std::async(std::launch::async, make, from + order[(size_t)i]));
        if (i < ahead && i + 1 < count)
            continue;
        if (coming.empty())
            break;
        made m = coming.front().get();
        coming.pop_front();
        same = time_and_free(m.name.c_str(), &m.graph, repeats, sources) && same;
    }
    return same;
}

int main(int argc, char **argv) {
    bool same = true;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_sssp REPEATS SOURCES GRAPH...\n");
        return 2;
    }
    const int repeats = atoi(argv[1]), sources = std::min(atoi(argv[2]), 4);
    for (int i = 3; i < argc; i++) {
        bench_graph g;
        int from, to;
        if (training_range(argv[i], &from, &to)) {
            same = time_training(from, to, repeats, sources) && same;
            continue;
        }
        if (strchr(argv[i], '/') ? !training_graph_read(argv[i], &g)
                                 : !bench_graph_make(argv[i], &g)) {
            fprintf(stderr, "bench_sssp: no graph %s\n", argv[i]);
            return 2;
        }
        same = time_and_free(argv[i], &g, repeats, sources) && same;
    }
    return same ? 0 : 1;
}
