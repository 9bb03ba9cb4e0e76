/* Times the mapping of ids to vertex numbers: milliseconds of the phase "map" of
** gpugraph_create, and of "upload" and "download" if a device maps.
**
**     bench_ids SHAPE EDGES [THREADS [BACKEND [RUNS]]]
**
** SHAPE: rmat (numbers below 2^22, a fifth of them absent, both ends scattered), grid
** (every number occurs, neighbours near), sparse (rmat's ids as 64-bit hashes) or wide
** (different 64-bit hashes, each id about twice). THREADS: 0, the default, means one for
** each core. BACKEND: auto, cpu (default) or cuda; the program opens a device before the
** runs. The graph takes over the columns, as in the extension. Prints the least time of
** RUNS (default 5), and a sum over all numbers, which must be equal for all backends. */
#include "team.h"
#include "gpugraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 22 };

static uint64_t mix(uint64_t z) { /* splitmix64's */
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* One end of an R-MAT edge: each bit is set with the probability chance / 256. */
static int64_t rmat_end(uint64_t random, unsigned chance) {
    int64_t id = 0;
    for (int bit = 0; bit < SCALE; bit++) {
        if (bit % 8 == 0)
            random = mix(random);
        id = id << 1 | ((random >> (bit % 8 * 8) & 255) < chance);
    }
    return (int64_t)((uint64_t)id * 0x9e3779b97f4a7c15) & (((int64_t)1 << SCALE) - 1);
}

static int64_t end_of(const char *shape, int64_t m, int64_t e, int end) {
    if (strcmp(shape, "grid") == 0)
        return e / 4 + (end ? (e % 4 < 2 ? 1 : 2048) : 0) + 1;
    if (strcmp(shape, "wide") == 0)
        return (int64_t)mix(mix((uint64_t)(2 * e + end)) % (uint64_t)m);
    int64_t id = rmat_end((uint64_t)(2 * e + end), end ? 64 : 61);
    return strcmp(shape, "sparse") == 0 ? (int64_t)mix((uint64_t)id) : id;
}

struct phases {
    double map_ms, moved_ms; /* "map"; "upload" and "download" of a device */
    char detail[200];
};

static void keep_phase(void *listener, const char *phase, double ms, int64_t items,
                       const char *detail) {
    struct phases *h = listener;
    (void)items;
    if (strcmp(phase, "upload") == 0)
        h->moved_ms = ms;
    if (strcmp(phase, "download") == 0)
        h->moved_ms += ms;
    if (strcmp(phase, "map") != 0)
        return;
    h->map_ms = ms;
    snprintf(h->detail, sizeof h->detail, "%s", detail);
}

static void fail(const char *why) {
    fprintf(stderr, "bench_ids: %s\n", why);
    exit(1);
}

static int64_t *column(const int64_t *from, int64_t m) {
    int64_t *copy = malloc((size_t)(m + 1) * sizeof *copy);
    if (!copy)
        fail("out of memory");
    memcpy(copy, from, (size_t)m * sizeof *copy);
    return copy;
}

static void open_context(gpugraph_run *run) {
    int64_t one = 1;
    uint32_t degree;
    gpugraph_edges edges = {.count = 1, .source = {&one, NULL}, .target = {&one, NULL}};
    gpugraph_graph *graph;
    if (gpugraph_create(&edges, run, &graph) ||
        gpugraph_degrees(graph, GPUGRAPH_OUT, run, &degree))
        fail(run->message);
    gpugraph_free(graph);
}

static uint64_t sum_of(const gpugraph_graph *graph) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    uint64_t sum = 0, m = gpugraph_edge_count(graph);
    for (uint64_t e = 0; e < m; e++)
        sum += (edges->source[e] * (uint64_t)0x9e3779b97f4a7c15 ^ edges->target[e]) *
               (e + 1);
    return sum;
}

static gpugraph_backend backend_named(const char *name) {
    return strcmp(name, "cuda") == 0  ? GPUGRAPH_CUDA
           : strcmp(name, "cpu") == 0 ? GPUGRAPH_CPU
                                      : GPUGRAPH_AUTO;
}

struct columns {
    const char *shape;
    int64_t m, *source, *target;
};

static void fill_columns(void *job, uint64_t low, uint64_t high) {
    const struct columns *c = job;
    for (uint64_t e = low; e < high; e++) {
        c->source[e] = end_of(c->shape, c->m, (int64_t)e, 0);
        c->target[e] = end_of(c->shape, c->m, (int64_t)e, 1);
    }
}

int main(int argc, char **argv) {
    static const char *const shapes = "rmat grid sparse wide";
    if (argc < 3 || !strstr(shapes, argv[1])) {
        fprintf(stderr, "usage: bench_ids rmat|grid|sparse|wide EDGES [THREADS "
                        "[auto|cpu|cuda [RUNS]]]\n");
        return 2;
    }
    struct phases phases = {0, 0, ""}, best = {1e9, 0, ""};
    int64_t m = atoll(argv[2]);
    int runs = argc > 5 ? atoi(argv[5]) : 5;
    const char *backend = argc > 4 ? argv[4] : "cpu";
    gpugraph_run run = {.backend = backend_named(backend),
                        .threads = argc > 3 ? atoi(argv[3]) : 0,
                        .phase = keep_phase,
                        .listener = &phases};
    int64_t *source = malloc((size_t)(m + 1) * 8), *target = malloc((size_t)(m + 1) * 8);
    uint64_t sum = 0;
    if (!source || !target)
        fail("out of memory");
    struct columns columns = {argv[1], m, source, target};
    gg_slices(gg_team_limit(0), (uint64_t)m, fill_columns, &columns);
    if (run.backend != GPUGRAPH_CPU)
        open_context(&run);
    for (int i = 0; i < runs; i++) {
        gpugraph_edges edges = {.count = m,
                                .source = {column(source, m), NULL},
                                .target = {column(target, m), NULL},
                                .take_over = true};
        gpugraph_graph *graph;
        if (gpugraph_create(&edges, &run, &graph))
            fail(run.message);
        if (phases.map_ms + phases.moved_ms < best.map_ms + best.moved_ms)
            best = phases;
        sum = sum_of(graph);
        gpugraph_free(graph);
    }
    printf("IDS,%s,%lld,threads=%d,%s,%.2f ms,%.2f of them on the bus,%016llx,%s\n",
           argv[1], (long long)m, run.threads, backend, best.map_ms + best.moved_ms,
           best.moved_ms, (unsigned long long)sum, best.detail);
    free(source);
    free(target);
    return 0;
}
