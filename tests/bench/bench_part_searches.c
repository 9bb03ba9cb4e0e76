/* Searches over parts in threads against the library with as many threads.
**
**     bench_part_searches [cpu] THREADS GRAPH ...
**
** GRAPH: as in bench_graphs.h. A line for each of gpu_sssp, weak and strong components and PageRank (20
** iterations, without weights and with): milliseconds of the library, then of P parts of one thread each by
** source, by target and in a grid; the least of five. Answers must be the same, bit for bit. The tree is not
** asked for. "cpu": processor time of all threads, which a busy machine changes less. */
#include "bench_graphs.h"
#include "gpugraph_parts.h"

enum { CALLS = 5, SEARCHES = 5, PARTITIONS = 3 };

static const char *const search_name[SEARCHES] = {
    "sssp", "components", "strong components", "pagerank", "pagerank by weight"};

struct answers { /* by number */
    int64_t *distance;
    uint64_t *component;
    double *rank;
};

struct trial {
    uint64_t vertices, edges;
    uint64_t *source, *target;
    int64_t *weight;
    gpugraph_partition partition;
    struct answers is, part;
    double ms[SEARCHES];
};

static void *column(uint64_t count, size_t size) {
    return need(calloc(count + 1, size));
}

static bool by_processor;

static double clock_ms(void) {
    struct timespec t;
    if (!by_processor)
        return now_ms();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void check(const gpugraph_run *run) {
    if (run->status) {
        fprintf(stderr, "%s\n", run->message);
        exit(1);
    }
}

static const gpugraph_component_kind kind_of[] = {
    [1] = GPUGRAPH_WEAK, [2] = GPUGRAPH_STRONG};

/* ---- the library ---- */

static void search_whole(gpugraph_graph *g, int search, struct answers *a,
                         gpugraph_run *run, void *narrow) {
    const uint32_t first = 0;
    const gpugraph_search from = {.source = &first, .source_count = 1};
    const gpugraph_pagerank_options how = {
        .damping = 0.85, .iterations = 20, .weighted = search == 4};
    if (search == 0)
        gpugraph_sssp(g, &from, run, narrow, NULL);
    else if (search < 3)
        gpugraph_components(g, kind_of[search], run, narrow);
    else
        gpugraph_pagerank(g, &how, run, a->rank);
    check(run);
}

static void widen(gpugraph_graph *g, int search, struct answers *a, const void *narrow) {
    const uint32_t n = gpugraph_vertex_count(g), *word = narrow;
    const bool wide = gpugraph_distance_type_of(g) == GPUGRAPH_UINT64;
    for (uint32_t v = 0; v < n; v++)
        if (search == 0)
            a->distance[v] = wide                    ? ((const int64_t *)narrow)[v]
                             : word[v] == UINT32_MAX ? -1
                                                     : (int64_t)word[v];
        else if (search < 3)
            a->component[v] = word[v];
}

static double time_whole(gpugraph_graph *g, int search, struct answers *a,
                         gpugraph_run *run) {
    double least = 1e30;
    void *narrow = column(gpugraph_vertex_count(g), 8);
    for (int i = 0; i < CALLS; i++) {
        const double start = clock_ms();
        search_whole(g, search, a, run, narrow);
        const double ms = clock_ms() - start;
        least = ms < least ? ms : least;
    }
    widen(g, search, a, narrow);
    free(narrow);
    return least;
}

/* ---- parts ---- */

static void search_part(gpugraph_part *p, int search, gpugraph_run *run,
                        struct answers *a) {
    const uint64_t first = 0;
    const gpugraph_part_ranks how = {
        .damping = 0.85, .iterations = 20, .weighted = search == 4};
    uint32_t iterations;
    double change;
    if (search == 0)
        gpugraph_part_sssp(p, &first, 1, NULL, run, a->distance, NULL);
    else if (search < 3)
        gpugraph_part_components(p, kind_of[search], run, a->component);
    else
        gpugraph_part_pagerank(p, &how, run, a->rank, &iterations, &change);
}

static void keep(struct trial *t, gpugraph_part *p, int search, const struct answers *a) {
    const uint64_t *number = gpugraph_part_numbers(p);
    for (uint32_t i = 0; i < gpugraph_part_masters(p); i++)
        if (search == 0 ? a->distance[i] != t->is.distance[number[i]]
            : search < 3
                ? a->component[i] != t->is.component[number[i]]
                : memcmp(&a->rank[i], &t->is.rank[number[i]], sizeof *a->rank) != 0) {
            fprintf(stderr, "%s of vertex %llu is wrong\n", search_name[search],
                    (unsigned long long)number[i]);
            exit(1);
        }
}

static int searched; /* which of them */

static gpugraph_status body(void *trial, gpugraph_exchange *x, gpugraph_run *run) {
    struct trial *t = trial;
    const uint64_t low = t->edges * x->part / x->parts,
                   high = t->edges * (x->part + 1) / x->parts;
    const gpugraph_share share = {.vertices = t->vertices,
                                  .count = high - low,
                                  .source = t->source + low,
                                  .target = t->target + low,
                                  .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                                  .weight = t->weight + low};
    gpugraph_part *p;
    uint64_t nothing = 0;
    if (gpugraph_part_create(x, &share, t->partition, GPUGRAPH_OUT, false, run, &p))
        return run->status;
    const uint32_t n = gpugraph_part_masters(p);
    const struct answers blank = {column(n, 8), column(n, 8), column(n, 8)};
    struct answers a = blank;
    for (int i = 0; i < CALLS && !run->status; i++) {
        x->calls->combine(x, run, GPUGRAPH_SUM, &nothing, 1);
        const double start = clock_ms();
        search_part(p, searched, run, &a);
        const double ms = clock_ms() - start;
        if (x->part == 0 && ms < t->ms[searched])
            t->ms[searched] = ms;
    }
    if (!run->status)
        keep(t, p, searched, &a);
    free(a.distance);
    free(a.component);
    free(a.rank);
    gpugraph_part_free(p);
    return run->status;
}

static void compare(const char *name, int threads) {
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = threads};
    gpugraph_graph *g = make_graph(name, &run);
    const gpugraph_edge_list *edges = gpugraph_edges_of(g);
    struct trial t = {.vertices = gpugraph_vertex_count(g),
                      .edges = gpugraph_edge_count(g)};
    t.source = column(t.edges, 8);
    t.target = column(t.edges, 8);
    t.weight = column(t.edges, 8);
    t.is = (struct answers){column(t.vertices, 8), column(t.vertices, 8),
                            column(t.vertices, 8)};
    for (uint64_t e = 0; e < t.edges; e++) {
        t.source[e] = edges->source[e];
        t.target[e] = edges->target[e];
        t.weight[e] = edges->weight32 ? edges->weight32[e] : edges->weight64[e];
    }
    for (searched = 0; searched < SEARCHES; searched++) {
        const double whole = time_whole(g, searched, &t.is, &run);
        printf("| `%s` | %s | %.1f |", name, search_name[searched], whole);
        for (int i = 0; i < PARTITIONS; i++) {
            gpugraph_run own = {.threads = 1};
            t.partition = (gpugraph_partition)i;
            t.ms[searched] = 1e30;
            gpugraph_in_parts((uint32_t)threads, body, &t, &own);
            check(&own);
            printf(" %.1f (%.2f) |", t.ms[searched], t.ms[searched] / whole);
        }
        printf("\n");
        fflush(stdout);
    }
    gpugraph_free(g);
    free(t.source);
    free(t.target);
    free(t.weight);
    free(t.is.distance);
    free(t.is.component);
    free(t.is.rank);
}

int main(int argc, char **argv) {
    by_processor = argc > 1 && strcmp(argv[1], "cpu") == 0;
    argv += by_processor;
    argc -= by_processor;
    const int threads = argc > 1 ? atoi(argv[1]) : 0;
    if (argc < 3 || threads < 1) {
        fprintf(stderr, "usage: bench_part_searches [cpu] THREADS GRAPH ...\n");
        return 2;
    }
    printf("| graph | search | library, ms | by source | by target | grid |\n"
           "| --- | --- | ---: | ---: | ---: | ---: |\n");
    for (int i = 2; i < argc; i++)
        compare(argv[i], threads);
    return 0;
}
