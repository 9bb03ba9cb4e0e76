/* Times distance matrices, and paths in order, on the CPU, through gpugraph.h.
**
**     bench_pairs matrix GRAPH [ENDS [repeats [threads [method]]]]
**     bench_pairs paths GRAPH [K [repeats [threads [method]]]]    K (default 10) paths,
**                                                                 for another pair of
**                                                                 vertices each time
**
** GRAPH: as in bench_graphs.h. ENDS (default 200): the number of sources, and of targets.
** All of them have edges, and every call has the same ones. DEPTH=1 in the environment:
** by depth, otherwise by weight. Prints the median, smallest and largest milliseconds of
** a call, and a checksum of all results. The first call makes rows and is not timed. */
#include "bench_graphs.h"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, double *ms, int count, uint64_t sum) {
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    printf("%-24s median %8.2f  min %8.2f  max %8.2f ms  checksum %016llx\n", name,
           ms[count / 2], ms[0], ms[count - 1], (unsigned long long)sum);
}

static uint32_t end_of(const gpugraph_graph *graph, uint64_t i) {
    return gpugraph_edges_of(graph)->source[mix(i) % gpugraph_edge_count(graph)];
}

static uint64_t checksum(const void *cell, uint64_t cells, size_t size) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < cells; i++) {
        uint64_t word = 0;
        memcpy(&word, (const char *)cell + i * size, size);
        sum += mix(word + (i << 40));
    }
    return sum;
}

static void time_matrix(gpugraph_graph *graph, gpugraph_run *run, uint32_t ends,
                        int repeats, bool weighted) {
    uint32_t *end = need(malloc(2 * (size_t)ends * sizeof *end));
    const bool narrow = !weighted || gpugraph_distance_type_of(graph) == GPUGRAPH_UINT32;
    const size_t size = narrow ? 4 : 8;
    void *cell = need(malloc((size_t)ends * ends * size));
    double *ms = need(malloc((size_t)repeats * sizeof *ms));
    gpugraph_search search = {.source = end,
                              .source_count = ends,
                              .target = end + ends,
                              .target_count = ends,
                              .max_depth = GPUGRAPH_NONE};
    for (uint32_t i = 0; i < 2 * ends; i++)
        end[i] = end_of(graph, i);
    for (int i = -1; i < repeats; i++) {
        double started = now_ms();
        gpugraph_matrix(graph, &search, weighted, run, cell);
        give_up_on_error(run);
        if (i >= 0)
            ms[i] = now_ms() - started;
    }
    print_times(run->used_method, ms, repeats,
                checksum(cell, (uint64_t)ends * ends, size));
    free(end);
    free(cell);
    free(ms);
}

static int take_path(void *sum, const uint64_t *edge, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        *(uint64_t *)sum += mix(edge[i] + i);
    return 0;
}

static void time_paths(gpugraph_graph *graph, gpugraph_run *run, uint32_t k, int repeats,
                       bool weighted) {
    double *ms = need(malloc((size_t)repeats * sizeof *ms));
    uint64_t sum = 0;
    for (int i = -1; i < repeats; i++) {
        uint32_t source = end_of(graph, (uint64_t)i * 2 + 8),
                 target = end_of(graph, (uint64_t)i * 2 + 9);
        gpugraph_search search = {.source = &source,
                                  .source_count = 1,
                                  .target = &target,
                                  .target_count = 1,
                                  .max_depth = GPUGRAPH_NONE};
        double started = now_ms();
        gpugraph_paths(graph, &search, weighted, k, run, take_path, &sum);
        give_up_on_error(run);
        if (i >= 0)
            ms[i] = now_ms() - started;
    }
    print_times(run->used_method, ms, repeats, sum);
    free(ms);
}

static void tell_phase(void *unused, const char *name, double ms, int64_t items,
                       const char *detail) {
    (void)unused, (void)items;
    if (getenv("BENCH_PHASES"))
        fprintf(stderr, "%s %.3f ms: %s\n", name, ms, detail);
}

int main(int argc, char **argv) {
    const bool paths = argc > 1 && strcmp(argv[1], "paths") == 0;
    if (argc < 3 || (!paths && strcmp(argv[1], "matrix") != 0)) {
        fprintf(stderr,
                "usage: bench_pairs matrix|paths FILE.gr.gz|rmat:SCALE:FACTOR|grid:SIDE|"
                "path:LENGTH [ends|k [repeats [threads [method]]]]\n");
        return 2;
    }
    const int ends = argc > 3 ? atoi(argv[3])
                     : paths  ? 10
                              : 200,
              repeats = argc > 4 ? atoi(argv[4]) : 5;
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .phase = tell_phase};
    if (ends < 1 || repeats < 1) {
        fprintf(stderr, "bench_pairs: nothing to do\n");
        return 2;
    }
    run.threads = argc > 5 ? atoi(argv[5]) : 0;
    gpugraph_graph *graph = make_graph(argv[2], &run);
    run.method = argc > 6 ? argv[6] : "auto";
    (paths ? time_paths : time_matrix)(graph, &run, (uint32_t)ends, repeats,
                                       !getenv("DEPTH"));
    gpugraph_free(graph);
    return 0;
}
