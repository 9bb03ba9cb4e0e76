/* Times breadth-first search and shortest paths on the CPU, through gpugraph.h.
**
**     bench_cpu GRAPH [repeats [threads [method]]]
**     SOURCES=64 bench_cpu GRAPH ...     searches from so many sources instead, one after the
**                                        other and at once, each to arrays of its own
**
**     PATHS=1 bench_cpu GRAPH ...        paths by depth between random pairs instead, by a
**                                        search and from both ends
**
** GRAPH: a DIMACS file (USA-road-d.NY.gr.gz, or without .gz), or one that is made:
**     rmat:SCALE:FACTOR   2^SCALE vertices, FACTOR directed edges for each, the Graph500's
**                         probabilities, numbers scrambled, weights 1 .. 255
**     grid:SIDE           SIDE * SIDE vertices, both ways to the four neighbours, weights
**                         1 .. 255
**     path:LENGTH         one long line
** repeats: searches timed, each from another vertex that has edges (default 21); the same
** vertices on every run. threads: 0, the default, is one for each core. method: as for
** gpugraph_run.
**
** Prints one line for each function: median, smallest and largest milliseconds of the whole
** call without parents, and of the parents alone. The first search, which makes the CSR, is
** not timed. */
#include "gpugraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct columns {
    int64_t count, room;
    int64_t *source, *target, *weight;
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *need(void *block) {
    if (!block) {
        fprintf(stderr, "bench_cpu: out of memory\n");
        exit(1);
    }
    return block;
}

static void add(struct columns *c, int64_t source, int64_t target, int64_t weight) {
    if (c->count == c->room) {
        c->room = c->room ? c->room * 2 : 1 << 16;
        size_t bytes = (size_t)c->room * sizeof *c->source;
        c->source = need(realloc(c->source, bytes));
        c->target = need(realloc(c->target, bytes));
        c->weight = need(realloc(c->weight, bytes));
    }
    c->source[c->count] = source;
    c->target[c->count] = target;
    c->weight[c->count++] = weight;
}

/* splitmix64 */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int64_t weight_of(uint64_t edge) {
    return (int64_t)(mix(edge * 3 + 1) % 255) + 1;
}

static void make_rmat(struct columns *c, int scale, int factor) {
    uint64_t n = (uint64_t)1 << scale, edges = n * (uint64_t)factor;
    for (uint64_t e = 0; e < edges; e++) {
        uint64_t u = 0, v = 0;
        for (int bit = 0; bit < scale; bit++) {
            uint64_t dice = mix(e * 64 + (uint64_t)bit) % 100;
            u = u << 1 | (dice >= 76);
            v = v << 1 | ((dice >= 57 && dice < 76) || dice >= 95);
        }
        /* An odd factor permutes the numbers below a power of two. */
        u = u * 0x9e3779b97f4a7c15u % n;
        v = v * 0x9e3779b97f4a7c15u % n;
        add(c, (int64_t)u, (int64_t)v, weight_of(e));
    }
}

static void add_both(struct columns *c, int64_t u, int64_t v) {
    int64_t weight = weight_of((uint64_t)c->count);
    add(c, u, v, weight);
    add(c, v, u, weight);
}

static void make_grid(struct columns *c, int64_t side) {
    for (int64_t v = 0; v < side * side; v++) {
        if (v % side + 1 < side)
            add_both(c, v, v + 1);
        if (v / side + 1 < side)
            add_both(c, v, v + side);
    }
}

static void read_dimacs(struct columns *c, const char *path) {
    char command[1000], line[200];
    snprintf(command, sizeof command, "zcat -f '%s'", path);
    FILE *lines = popen(command, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        long long u, v, weight;
        if (sscanf(line, "a %lld %lld %lld", &u, &v, &weight) == 3)
            add(c, u, v, weight);
    }
    if (lines)
        pclose(lines);
}

static void fill(struct columns *c, const char *name) {
    int scale, factor;
    long long side;
    if (sscanf(name, "rmat:%d:%d", &scale, &factor) == 2)
        make_rmat(c, scale, factor);
    else if (sscanf(name, "grid:%lld", &side) == 1)
        make_grid(c, side);
    else if (sscanf(name, "path:%lld", &side) == 1)
        for (int64_t v = 0; v + 1 < side; v++)
            add_both(c, v, v + 1);
    else
        read_dimacs(c, name);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, double *ms, int count) {
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    printf("%-14s median %8.3f  min %8.3f  max %8.3f ms\n", name, ms[count / 2], ms[0],
           ms[count - 1]);
}

static void give_up_on_error(const gpugraph_run *run) {
    if (run->status != GPUGRAPH_OK) {
        fprintf(stderr, "bench_cpu: %s\n", run->message);
        exit(1);
    }
}

/* Adds up the phase "parents". */
static void hear_phase(void *parents_ms, const char *name, double ms, int64_t items,
                       const char *detail) {
    (void)items;
    if (strcmp(name, "parents") == 0)
        *(double *)parents_ms += ms;
    else if (getenv("BENCH_PHASES"))
        fprintf(stderr, "%s %.3f ms: %s\n", name, ms, detail);
}

static void time_searches(gpugraph_graph *graph, gpugraph_run *run, int repeats,
                          bool weighted) {
    uint32_t n = gpugraph_vertex_count(graph), m = gpugraph_edge_count(graph);
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    void *value = need(malloc((size_t)n * 8));
    uint32_t *tree = need(malloc((size_t)n * sizeof *tree));
    double *whole = need(malloc((size_t)repeats * sizeof *whole));
    double *parents = need(malloc((size_t)repeats * sizeof *parents));
    for (int i = -2; i < 2 * repeats; i++) {
        uint32_t source = edges->source[mix((uint64_t)(i < 0 ? 0 : i % repeats)) % m];
        gpugraph_search search = {
            .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
        bool with_tree = i >= repeats;
        double heard = 0, started = now_ms();
        run->listener = &heard;
        if (weighted)
            gpugraph_sssp(graph, &search, run, value, with_tree ? tree : NULL);
        else
            gpugraph_bfs(graph, &search, run, value, with_tree ? tree : NULL);
        give_up_on_error(run);
        if (with_tree)
            parents[i - repeats] = heard;
        else if (i >= 0)
            whole[i] = now_ms() - started;
    }
    printf("%s\n", run->used_method);
    print_times(weighted ? "sssp" : "bfs", whole, repeats);
    print_times("  parents", parents, repeats);
    free(value);
    free(tree);
    free(whole);
    free(parents);
}

/* Paths by depth between random pairs of vertices that have edges, the same for each method;
** what the first of them makes is told by itself. */
static void compare_paths(gpugraph_graph *graph, gpugraph_run *run, int repeats) {
    static const char *const methods[] = {"direction-optimizing", "bidirectional"};
    uint32_t n = gpugraph_vertex_count(graph), m = gpugraph_edge_count(graph), count;
    const uint32_t *end = gpugraph_edges_of(graph)->source;
    uint32_t *edge = need(calloc(n, sizeof *edge));
    double *ms = need(malloc((size_t)repeats * sizeof *ms)), unheard = 0;
    uint64_t steps[2] = {0, 0};
    run->listener = &unheard;
    for (int method = 0; method < 2; method++) {
        run->method = methods[method];
        for (int i = -2; i < repeats; i++) {
            uint32_t source = end[mix((uint64_t)(i + 2) * 2) % m];
            uint32_t target = end[mix((uint64_t)(i + 2) * 2 + 1) % m];
            gpugraph_search search = {.source = &source,
                                      .source_count = 1,
                                      .target = &target,
                                      .target_count = 1,
                                      .max_depth = GPUGRAPH_NONE};
            double started = now_ms();
            gpugraph_path(graph, &search, false, run, edge, &count);
            give_up_on_error(run);
            steps[method] += count == GPUGRAPH_NONE ? 0 : count;
            if (i >= 0)
                ms[i] = now_ms() - started;
            else if (i == -2)
                printf("%s, first %.3f ms\n", methods[method], now_ms() - started);
        }
        print_times("  path", ms, repeats);
    }
    if (steps[0] != steps[1])
        fprintf(stderr, "bench_cpu: the methods disagree\n");
    free(edge);
    free(ms);
}

/* The same sources by a call of gpugraph_bfs each (method NULL), or by one call for all. */
static double time_each(gpugraph_graph *graph, gpugraph_run *run, const char *method,
                        const uint32_t *source, uint32_t sources, uint32_t **array,
                        bool trees) {
    gpugraph_search search = {
        .source = source, .source_count = sources, .max_depth = GPUGRAPH_NONE};
    double unheard = 0, started = now_ms();
    run->method = method;
    run->listener = &unheard;
    if (method)
        gpugraph_bfs_each(graph, &search, run, array, trees ? array + sources : NULL);
    search.source_count = 1;
    for (uint32_t i = 0; i < sources && !method; i++) {
        search.source = source + i;
        gpugraph_bfs(graph, &search, run, array[i], trees ? array[sources + i] : NULL);
        give_up_on_error(run);
    }
    give_up_on_error(run);
    return now_ms() - started;
}

static void compare_each(gpugraph_graph *graph, gpugraph_run *run, int repeats,
                         uint32_t sources) {
    static const char *const methods[] = {NULL, "direction-optimizing", "multi-source"};
    uint32_t n = gpugraph_vertex_count(graph), m = gpugraph_edge_count(graph);
    uint32_t *source = need(malloc(sources * sizeof *source));
    uint32_t **array = need(malloc(2 * (size_t)sources * sizeof *array));
    double *ms = need(malloc((size_t)repeats * sizeof *ms));
    for (uint32_t i = 0; i < sources; i++)
        source[i] = gpugraph_edges_of(graph)->source[mix(i) % m];
    for (uint32_t i = 0; i < 2 * sources; i++)
        array[i] = need(calloc(n, sizeof **array));
    for (int trees = 0; trees < 2; trees++)
        for (int method = 0; method < 3; method++) {
            for (int i = -1; i < repeats; i++) {
                double taken =
                    time_each(graph, run, methods[method], source, sources, array, trees);
                if (i >= 0)
                    ms[i] = taken;
            }
            printf("%u sources, %s%s\n", sources,
                   methods[method] ? methods[method] : "a call each",
                   trees ? ", with trees" : "");
            print_times("  all", ms, repeats);
        }
    for (uint32_t i = 0; i < 2 * sources; i++)
        free(array[i]);
    free(array);
    free(source);
    free(ms);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: bench_cpu FILE.gr.gz|rmat:SCALE:FACTOR|grid:SIDE|"
                        "path:LENGTH [repeats [threads [method]]]\n");
        return 2;
    }
    int repeats = argc > 2 ? atoi(argv[2]) : 21;
    struct columns c = {0};
    fill(&c, argv[1]);
    if (c.count == 0 || repeats < 1) {
        fprintf(stderr, "bench_cpu: no edges, or no repeats\n");
        return 2;
    }
    gpugraph_edges edges = {.count = c.count,
                            .source = {c.source, NULL},
                            .target = {c.target, NULL},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = c.weight};
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .phase = hear_phase};
    run.threads = argc > 3 ? atoi(argv[3]) : 0;
    double unheard = 0;
    run.listener = &unheard;
    gpugraph_graph *graph;
    gpugraph_create(&edges, &run, &graph);
    give_up_on_error(&run);
    printf("%u vertices, %u edges\n", gpugraph_vertex_count(graph),
           gpugraph_edge_count(graph));
    if (getenv("PATHS")) {
        compare_paths(graph, &run, repeats);
        gpugraph_free(graph);
        return 0;
    }
    const char *sources = getenv("SOURCES");
    if (sources) {
        compare_each(graph, &run, repeats, (uint32_t)atoi(sources));
        gpugraph_free(graph);
        return 0;
    }
    const char *method = argc > 4 ? argv[4] : "auto";
    bool for_sssp =
        strcmp(method, "dijkstra") == 0 || strcmp(method, "delta-stepping") == 0;
    bool any = strcmp(method, "auto") == 0;
    run.method = method;
    if (any || !for_sssp)
        time_searches(graph, &run, repeats, false);
    if (any || for_sssp)
        time_searches(graph, &run, repeats, true);
    gpugraph_free(graph);
    free(c.source);
    free(c.target);
    free(c.weight);
    return 0;
}
