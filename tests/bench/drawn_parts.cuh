/* R-MAT graphs for benchmarks of several devices. A device draws the edges, which equal
** those of rmat:SCALE:FACTOR in gengraph.cuh, and the host keeps them. The benchmarks
** share a command line:
**
**     NAME SCALE FACTOR DEVICES ...
**
** DEVICES: ordinals with commas between them, 0 or 0,1; several sets run one after the
** other. */
#ifndef BENCH_DRAWN_PARTS_CUH
#define BENCH_DRAWN_PARTS_CUH

#include "drawn_rmat.cuh"
#include "distributed/devices/several.cuh"
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

/* ---- edges ---- */

/* One thread for each edge. weight: becomes 1 .. 255; or NULL. */
static __global__ void draw(uint64_t first, uint64_t count, int scale, uint32_t *source,
                            uint32_t *target, uint32_t *weight) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint64_t hash = draw_rmat_edge(first + i, scale, &source[i], &target[i]);
        if (weight)
            weight[i] = (uint32_t)(mix(hash) % 255) + 1;
    }
}

static bool draw_edges(struct cuda_job *job, gpugraph_graph *graph, int scale) {
    const uint64_t chunk = 1 << 24;
    uint32_t *array[3],
        *home[] = {graph->source, graph->target, (uint32_t *)graph->weight};
    struct workspace space = {NULL, 3 * chunk * sizeof(uint32_t)};
    if (!gg_workspace(job, &space))
        return false;
    for (uint32_t *&at : array)
        at = gg_carve<uint32_t>(&space, chunk);
    for (uint64_t first = 0; first < graph->m && gg_going(job); first += chunk) {
        const uint64_t count = std::min(chunk, graph->m - first);
        draw<<<gg_grid(job, count, 16), GG_BLOCK, 0, job->stream>>>(
            first, count, scale, array[0], array[1], home[2] ? array[2] : NULL);
        gg_launched(job, "draw");
        for (int i = 0; i < 3 && gg_going(job); i++)
            if (home[i])
                gg_download(job, home[i] + first, array[i], count * sizeof(uint32_t));
    }
    return gg_going(job);
}

/* Makes a graph with edges and without ids, for gg_rows. Returns NULL on an error, with a
** message in `run`. */
static gpugraph_graph *draw_graph(int scale, uint64_t factor, bool weighted,
                                  gpugraph_run *run) {
    struct cuda_job job;
    gpugraph_graph *graph = (gpugraph_graph *)gg_alloc_zero(run, 1, sizeof *graph);
    if (!graph)
        return NULL;
    graph->n = 1u << scale;
    graph->m = factor << scale;
    graph->wide = gg_is_wide(graph->m);
    graph->distance_type = GPUGRAPH_UINT32;
    graph->source = (uint32_t *)gg_alloc(run, graph->m, sizeof(uint32_t));
    graph->target = (uint32_t *)gg_alloc(run, graph->m, sizeof(uint32_t));
    if (weighted)
        graph->weight = gg_alloc(run, graph->m, sizeof(uint32_t));
    gg_point_edges(graph, weighted ? GPUGRAPH_INTEGER_WEIGHTS : GPUGRAPH_UNWEIGHTED);
    if (run->status == GPUGRAPH_OK && gg_job_open(&job, NULL, run)) {
        draw_edges(&job, graph, scale);
        gg_job_close(&job);
    }
    if (run->status == GPUGRAPH_OK)
        return graph;
    gpugraph_free(graph);
    return NULL;
}

/* ---- rows ---- */

struct bench {
    const char *name; /* the program's */
    int scale, repeats;
    uint64_t factor;
    std::string devices;
    gpugraph_graph *graph;
    struct several_team team;
    struct several_parts parts;
    gpugraph_run run;
};

static void need(struct bench *b, bool well) {
    if (!well || b->run.status != GPUGRAPH_OK || !gg_several_going(&b->team)) {
        fprintf(stderr, "%s: %s\n", b->name, b->run.message);
        exit(1);
    }
}

/* Prints MAKE,scale,factor,devices,ms,arcs. For the first of DEVICES the host's rows are
** made, too. */
static void make(struct bench *b, enum csr_kind kind, bool weighted) {
    const double began = gg_now_ms();
    need(b, gg_several_rows(&b->team, kind, weighted, &b->parts));
    printf("MAKE,%d,%llu,%s,%.1f,%llu\n", b->scale, (unsigned long long)b->factor,
           b->devices.c_str(), gg_now_ms() - began, (unsigned long long)b->parts.arcs);
    fflush(stdout);
}

/* Prints a line for a search: median, least and most in milliseconds, and a checksum.
** TIMES in the environment also prints all times, in order. */
static void print_result(const struct bench *b, const char *algorithm, const char *method,
                         std::vector<double> ms, uint64_t sum) {
    if (getenv("TIMES")) {
        printf("TIMES,%s,%s", algorithm, method);
        for (double one : ms)
            printf(",%.3f", one);
        printf("\n");
    }
    std::sort(ms.begin(), ms.end());
    printf("SEVERAL,%s,%s,%d,%llu,%s,%zu,%.3f,%.3f,%.3f,%016llx\n", algorithm, method,
           b->scale, (unsigned long long)b->factor, b->devices.c_str(), ms.size(),
           ms[ms.size() / 2], ms.front(), ms.back(), (unsigned long long)sum);
    fflush(stdout);
}

/* ---- the program ---- */

static void run_on(struct bench *b, const char *devices, enum csr_kind kind,
                   bool weighted, void (*search)(struct bench *)) {
    int ordinal[SEVERAL_MOST], parts = 0;
    b->devices = devices;
    for (const char *at = devices; parts < SEVERAL_MOST; at = strchr(at, ',') + 1) {
        ordinal[parts++] = atoi(at);
        if (!strchr(at, ','))
            break;
    }
    std::replace(b->devices.begin(), b->devices.end(), ',', '+');
    b->run = gpugraph_run();
    b->run.backend = GPUGRAPH_CUDA;
    b->run.device = ordinal[0];
    gg_begin(&b->run);
    if (!b->graph)
        b->graph = draw_graph(b->scale, b->factor, weighted, &b->run);
    need(b, b->graph && gg_several_open(&b->team, b->graph, &b->run, ordinal, parts));
    make(b, kind, weighted);
    search(b);
    gg_several_close(&b->team);
    gpugraph_release_device(b->graph);
}

/* repeats: used unless REPEATS is in the environment. */
static int run_all(int argc, char **argv, const char *name, int repeats,
                   enum csr_kind kind, bool weighted, void (*search)(struct bench *)) {
    struct bench b = {};
    b.name = name;
    if (argc < 4) {
        fprintf(stderr, "usage: %s SCALE FACTOR DEVICES ...\n", name);
        return 2;
    }
    b.scale = atoi(argv[1]);
    b.factor = strtoull(argv[2], NULL, 10);
    b.repeats = getenv("REPEATS") ? atoi(getenv("REPEATS")) : repeats;
    for (int i = 3; i < argc; i++)
        run_on(&b, argv[i], kind, weighted, search);
    gpugraph_free(b.graph);
    return 0;
}

#endif
