/* Times breadth-first search and shortest paths on the CPU, through gpugraph.h.
**
**     bench_cpu GRAPH [repeats [threads [method]]]
**     SOURCES=64 bench_cpu GRAPH ...     searches from 64 sources: one call for each, and
**                                        one call for all, into separate arrays
**     PATHS=depth bench_cpu GRAPH ...    paths by depth between random pairs, by a search
**                                        and from both ends; PATHS=weight: by weight
**     ROWS=1 bench_cpu GRAPH ...         makes the rows of every kind
**     SESSION=10 bench_cpu GRAPH ...     in each repeat, makes the graph and runs ten
**                                        searches; prints the least wall time and CPU
**                                        time of each step over all repeats
**     WIDE=1 bench_cpu GRAPH ...         with edge numbers of 64 bits
**
** GRAPH: as in bench_graphs.h. repeats (default 21): timed searches, each from another
** vertex that has edges. The vertices are equal in every run of the program. threads: 0,
** the default, means one for each core. method: as for gpugraph_run.
**
** Prints for each function the method, and median, smallest and largest milliseconds of
** the whole call without parents and of the parents alone. The first two searches are not
** timed, because the first one makes the CSR. */
#include "graph/graph.h"
#include "bench_graphs.h"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, double *ms, int count) {
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    printf("%-14s median %8.3f  min %8.3f  max %8.3f ms\n", name, ms[count / 2], ms[0],
           ms[count - 1]);
}

/* Adds the time of the phase "parents". */
static void keep_phase(void *parents_ms, const char *name, double ms, int64_t items,
                       const char *detail) {
    (void)items;
    if (strcmp(name, "parents") == 0)
        *(double *)parents_ms += ms;
    else if (getenv("BENCH_PHASES"))
        fprintf(stderr, "%s %.3f ms: %s\n", name, ms, detail);
}

static void time_searches(gpugraph_graph *graph, gpugraph_run *run, int repeats,
                          bool weighted) {
    uint64_t m = gpugraph_edge_count(graph);
    uint32_t n = gpugraph_vertex_count(graph);
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    void *value = need(malloc((size_t)n * 8));
    void *tree = need(malloc((size_t)n * gpugraph_edge_size(graph)));
    double *whole = need(malloc((size_t)repeats * sizeof *whole));
    double *parents = need(malloc((size_t)repeats * sizeof *parents));
    for (int i = -2; i < 2 * repeats; i++) {
        uint32_t source = edges->source[mix((uint64_t)(i < 0 ? 0 : i % repeats)) % m];
        gpugraph_search search = {
            .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
        bool with_tree = i >= repeats;
        double tree_ms = 0, started = now_ms();
        run->listener = &tree_ms;
        if (weighted)
            gpugraph_sssp(graph, &search, run, value, with_tree ? tree : NULL);
        else
            gpugraph_bfs(graph, &search, run, value, with_tree ? tree : NULL);
        give_up_on_error(run);
        if (with_tree)
            parents[i - repeats] = tree_ms;
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

/* Times paths between random pairs of vertices that have edges, the same pairs for each
** method. Prints the first call, which makes rows, separately. */
static void compare_paths(gpugraph_graph *graph, gpugraph_run *run, int repeats,
                          bool weighted) {
    const char *const methods[] = {weighted ? "delta-stepping" : "direction-optimizing",
                                   "bidirectional"};
    uint64_t m = gpugraph_edge_count(graph);
    uint32_t n = gpugraph_vertex_count(graph), count;
    const uint32_t *end = gpugraph_edges_of(graph)->source;
    void *edge = need(calloc(n, gpugraph_edge_size(graph)));
    double *ms = need(malloc((size_t)repeats * sizeof *ms)), unheard = 0;
    uint64_t sum[2] = {0, 0};
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
            gpugraph_path(graph, &search, weighted, run, edge, &count);
            give_up_on_error(run);
            for (uint32_t k = 0; k < count && count != GPUGRAPH_NONE; k++)
                sum[method] += mix(gpugraph_edge_at(graph, edge, k) + k);
            if (i >= 0)
                ms[i] = now_ms() - started;
            else if (i == -2)
                printf("%s, first %.3f ms\n", methods[method], now_ms() - started);
        }
        print_times("  path", ms, repeats);
    }
    if (sum[0] != sum[1])
        fprintf(stderr, "bench_cpu: the methods disagree\n");
    free(edge);
    free(ms);
}

/* Searches from the sources by one call of gpugraph_bfs for each (method NULL), or by one
** call for all. */
static double time_each(gpugraph_graph *graph, gpugraph_run *run, const char *method,
                        const uint32_t *source, uint32_t sources, uint32_t **depth,
                        void **tree) {
    gpugraph_search search = {
        .source = source, .source_count = sources, .max_depth = GPUGRAPH_NONE};
    double unheard = 0, started = now_ms();
    run->method = method;
    run->listener = &unheard;
    if (method)
        gpugraph_bfs_each(graph, &search, run, depth, tree);
    search.source_count = 1;
    for (uint32_t i = 0; i < sources && !method; i++) {
        search.source = source + i;
        gpugraph_bfs(graph, &search, run, depth[i], tree ? tree[i] : NULL);
        give_up_on_error(run);
    }
    give_up_on_error(run);
    return now_ms() - started;
}

static void compare_each(gpugraph_graph *graph, gpugraph_run *run, int repeats,
                         uint32_t sources) {
    static const char *const methods[] = {NULL, "direction-optimizing", "multi-source"};
    uint64_t m = gpugraph_edge_count(graph);
    uint32_t n = gpugraph_vertex_count(graph);
    uint32_t *source = need(malloc(sources * sizeof *source));
    uint32_t **depth = need(malloc(sources * sizeof *depth));
    void **tree = need(malloc(sources * sizeof *tree));
    double *ms = need(malloc((size_t)repeats * sizeof *ms));
    for (uint32_t i = 0; i < sources; i++) {
        source[i] = gpugraph_edges_of(graph)->source[mix(i) % m];
        depth[i] = need(calloc(n, sizeof **depth));
        tree[i] = need(calloc(n, gpugraph_edge_size(graph)));
    }
    for (int trees = 0; trees < 2; trees++)
        for (int method = 0; method < 3; method++) {
            for (int i = -1; i < repeats; i++) {
                double taken = time_each(graph, run, methods[method], source, sources,
                                         depth, trees ? tree : NULL);
                if (i >= 0)
                    ms[i] = taken;
            }
            printf("%u sources, %s%s\n", sources,
                   methods[method] ? methods[method] : "a call each",
                   trees ? ", with trees" : "");
            print_times("  all", ms, repeats);
        }
    for (uint32_t i = 0; i < sources; i++) {
        free(depth[i]);
        free(tree[i]);
    }
    free(depth);
    free(tree);
    free(source);
    free(ms);
}

/* Times the making of rows, without weights. */
static void time_rows(gpugraph_graph *graph, gpugraph_run *run, int repeats) {
    static const char *const names[] = {"out", "in", "both", "simple"};
    double *ms = need(malloc((size_t)repeats * sizeof *ms));
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        for (int i = -1; i < repeats; i++) {
            csr rows;
            double started = now_ms();
            gg_rows(graph, (enum csr_kind)kind, false, false, run, &rows);
            give_up_on_error(run);
            if (i >= 0)
                ms[i] = now_ms() - started;
            gg_free_csr(graph);
        }
        print_times(names[kind], ms, repeats);
    }
    free(ms);
}

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Keeps the least times: in ms[0] and cpu[0] of making the graph, in [k] of search k. */
static void one_session(const gpugraph_edges *edges, gpugraph_run *run, int searches,
                        double *ms, double *cpu) {
    gpugraph_graph *graph;
    uint32_t *depth = need(malloc((size_t)edges->count * 2 * sizeof *depth));
    for (int k = 0; k <= searches; k++) {
        double started = now_ms(), cpu_started = cpu_ms();
        if (k == 0) {
            gpugraph_create(edges, run, &graph);
        } else {
            uint64_t m = gpugraph_edge_count(graph);
            uint32_t source =
                gpugraph_edges_of(graph)->source[k == 1 ? 0 : mix((uint64_t)k) % m];
            gpugraph_search search = {
                .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
            gpugraph_bfs(graph, &search, run, depth, NULL);
        }
        give_up_on_error(run);
        double took = now_ms() - started, cpu_took = cpu_ms() - cpu_started;
        ms[k] = took < ms[k] ? took : ms[k];
        cpu[k] = cpu_took < cpu[k] ? cpu_took : cpu[k];
    }
    gpugraph_free(graph);
    free(depth);
}

static void time_sessions(const char *name, gpugraph_run *run, int repeats,
                          int searches) {
    struct columns c = {0};
    fill(&c, name);
    gpugraph_edges edges = {
        .count = c.count, .source = {c.source, NULL}, .target = {c.target, NULL}};
    double *ms = need(malloc(((size_t)searches + 1) * sizeof *ms));
    double *cpu = need(malloc(((size_t)searches + 1) * sizeof *cpu));
    for (int k = 0; k <= searches; k++)
        ms[k] = cpu[k] = 1e300;
    for (int i = 0; i < repeats; i++)
        one_session(&edges, run, searches, ms, cpu);
    for (int k = 0; k <= searches; k++)
        printf("SESSION,%s,%d,%.2f,%.2f\n", name, k, ms[k], cpu[k]);
    free(ms);
    free(cpu);
    free_columns(&c);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: bench_cpu FILE.gr.gz|rmat:SCALE:FACTOR|grid:SIDE|"
                        "path:LENGTH [repeats [threads [method]]]\n");
        return 2;
    }
    int repeats = argc > 2 ? atoi(argv[2]) : 21;
    if (repeats < 1) {
        fprintf(stderr, "bench_cpu: no repeats\n");
        return 2;
    }
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .phase = keep_phase};
    run.threads = argc > 3 ? atoi(argv[3]) : 0;
    double unheard = 0;
    run.listener = &unheard;
    if (getenv("WIDE"))
        gg_limits.narrow_edges = 0;
    const char *session = getenv("SESSION");
    if (session) {
        run.method = argc > 4 ? argv[4] : "auto";
        time_sessions(argv[1], &run, repeats, atoi(session));
        return 0;
    }
    gpugraph_graph *graph = make_graph(argv[1], &run);
    printf("%u vertices, %llu edges\n", gpugraph_vertex_count(graph),
           (unsigned long long)gpugraph_edge_count(graph));
    if (getenv("ROWS")) {
        time_rows(graph, &run, repeats);
        gpugraph_free(graph);
        return 0;
    }
    const char *paths = getenv("PATHS");
    if (paths) {
        compare_paths(graph, &run, repeats, strcmp(paths, "weight") == 0);
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
    return 0;
}
