/* What benchmarks of several devices share: R-MATs that are drawn on the devices, so that none of them and no
** host ever has one whole; as gengraph.cuh's rmat:SCALE:FACTOR, edge for edge.
**
**     NAME SCALE FACTOR DEVICES ...
**
** DEVICES: ordinals with commas between them, 0 or 0,1; several are done one after the other. */
#ifndef BENCH_DRAWN_PARTS_CUH
#define BENCH_DRAWN_PARTS_CUH

#include "drawn_rmat.cuh"
#include "distributed/devices/several.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

struct bench {
    const char *name; /* the program's */
    int scale, repeats;
    uint64_t factor;
    std::string devices;
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

/* ---- edges ---- */

/* One thread per edge. Weights, unless NULL: 1 .. 255. */
static __global__ void draw(uint64_t first, uint64_t count, int scale, uint32_t *source,
                            uint32_t *target, uint32_t *weight) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint64_t hash = draw_rmat_edge(first + i, scale, &source[i], &target[i]);
        if (weight)
            weight[i] = (uint32_t)(mix(hash) % 255) + 1;
    }
}

static bool fill(struct cuda_job *job, void *self, uint64_t first, uint64_t count,
                 uint32_t *source, uint32_t *target, void *weight) {
    const struct bench *b = (const struct bench *)self;
    draw<<<gg_grid(job, count, 16), GG_BLOCK, 0, job->stream>>>(
        first, count, b->scale, source, target, (uint32_t *)weight);
    return gg_launched(job, "draw");
}

/* MAKE,scale,factor,devices,ms,arcs,most bytes of a device */
static void make(struct bench *b, enum csr_kind kind, bool weighted) {
    uint64_t peak = 0;
    const struct several_source source = {
        1u << b->scale, b->factor << b->scale, fill, b, weighted ? sizeof(uint32_t) : 0,
        false};
    const double began = gg_now_ms();
    need(b, gg_several_make(&b->team, &source, kind, &b->parts, &peak));
    printf("MAKE,%d,%llu,%s,%.1f,%llu,%llu\n", b->scale, (unsigned long long)b->factor,
           b->devices.c_str(), gg_now_ms() - began, (unsigned long long)b->parts.arcs,
           (unsigned long long)peak);
    fflush(stdout);
}

/* A line of what one search took, in milliseconds: the median, least and most, and a checksum. TIMES, in the environment:
** and one of all, in their order. */
static void tell(const struct bench *b, const char *algorithm, const char *method,
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
    need(b, gg_several_open(&b->team, NULL, &b->run, ordinal, parts));
    make(b, kind, weighted);
    search(b);
    gg_several_free_parts(&b->team, &b->parts);
    gg_several_close(&b->team);
}

/* REPEATS, in the environment, or so many. */
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
    return 0;
}

#endif
