/* Compares searches over P partitions, one thread each, with the library in P threads.
**
**     bench_part_searches [cpu] THREADS GRAPH ...
**
** GRAPH: as in bench_graphs.h. THREADS is P. A line for each of gpu_bfs and gpu_sssp
** (with trees), gpu_mis by degree and id, weak and strong components and PageRank (20
** iterations) has the milliseconds of the library, then of partitions by source, by
** target and in a grid. Each time is the least of CALLS calls. The answers of both must
** have equal bits. "cpu": processor time of all threads, for busy machines. */
#include "bench_graphs.h"
#include "distributed/exchange/post.h"
#include "part_threads.h"

enum { BFS, SSSP, MIS, WEAK, STRONG, RANK, SEARCHES };
enum { CALLS = 5, PARTITIONS = 3 };

static const char *const search_name[SEARCHES] = {
    "bfs", "sssp", "mis", "components", "strong components", "pagerank"};

struct answers { /* by vertex number */
    int64_t *distance;
    uint64_t *word; /* depths, members or components; a partition's: see word_of() */
    double *rank;
};

struct trial {
    uint64_t vertices, edges;
    uint64_t *source, *target;
    int64_t *weight, *edge_id;
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

static const gpugraph_component_kind kind_of[SEARCHES] = {
    [WEAK] = GPUGRAPH_WEAK, [STRONG] = GPUGRAPH_STRONG};

/* ---- the library ---- */

static void search_whole(gpugraph_graph *g, int search, struct answers *a,
                         gpugraph_run *run, void *narrow, void *tree) {
    const uint32_t first = 0;
    const gpugraph_search from = {
        .source = &first, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    const gpugraph_pagerank_options how = {.damping = 0.85, .iterations = 20};
    if (search == BFS)
        gpugraph_bfs(g, &from, run, narrow, tree);
    else if (search == SSSP)
        gpugraph_sssp(g, &from, run, narrow, tree);
    else if (search == MIS)
        gpugraph_mis(g, GPUGRAPH_BY_DEGREE_ID, 0, run, narrow);
    else if (search < RANK)
        gpugraph_components(g, kind_of[search], run, narrow);
    else
        gpugraph_pagerank(g, &how, run, a->rank);
    check(run);
}

static void widen(gpugraph_graph *g, int search, struct answers *a, const void *narrow) {
    const uint32_t n = gpugraph_vertex_count(g), *word = narrow;
    const bool wide = gpugraph_distance_type_of(g) == GPUGRAPH_UINT64;
    for (uint32_t v = 0; v < n; v++)
        if (search == SSSP)
            a->distance[v] = wide                    ? ((const int64_t *)narrow)[v]
                             : word[v] == UINT32_MAX ? -1
                                                     : (int64_t)word[v];
        else if (search < RANK)
            a->word[v] = search == MIS ? ((const uint8_t *)narrow)[v] : word[v];
}

static double time_whole(gpugraph_graph *g, int search, struct answers *a,
                         gpugraph_run *run) {
    double least = 1e30;
    void *narrow = column(gpugraph_vertex_count(g), 8),
         *tree = column(gpugraph_vertex_count(g), 8);
    for (int i = 0; i < CALLS; i++) {
        const double start = clock_ms();
        search_whole(g, search, a, run, narrow, tree);
        const double ms = clock_ms() - start;
        least = ms < least ? ms : least;
    }
    widen(g, search, a, narrow);
    free(tree);
    free(narrow);
    return least;
}

/* ---- partitions ---- */

/* Writes depths to a->word as uint32_t, members as uint8_t, components as uint64_t. */
static void search_part(gpugraph_part *p, int search, gpugraph_run *run,
                        struct answers *a, const gpugraph_part_tree *tree) {
    const uint64_t first = 0;
    const gpugraph_part_ranks how = {.damping = 0.85, .iterations = 20};
    uint32_t iterations;
    double change;
    if (search == BFS)
        gpugraph_part_bfs(p, &first, 1, GPUGRAPH_NONE - 1, run, (uint32_t *)a->word,
                          tree);
    else if (search == SSSP)
        gpugraph_part_sssp(p, &first, 1, NULL, run, a->distance, tree);
    else if (search == MIS)
        gpugraph_part_mis(p, GPUGRAPH_BY_DEGREE_ID, NULL, run, (uint8_t *)a->word);
    else if (search < RANK)
        gpugraph_part_components(p, kind_of[search], run, a->word);
    else
        gpugraph_part_pagerank(p, &how, run, a->rank, &iterations, &change);
}

static uint64_t word_of(int search, const struct answers *a, uint32_t i) {
    return search == BFS   ? ((const uint32_t *)a->word)[i]
           : search == MIS ? ((const uint8_t *)a->word)[i]
                           : a->word[i];
}

static void keep(struct trial *t, gpugraph_part *p, int search, const struct answers *a) {
    const uint64_t *number = gpugraph_part_numbers(p);
    for (uint32_t i = 0; i < gpugraph_part_masters(p); i++)
        if (search == SSSP ? a->distance[i] != t->is.distance[number[i]]
            : search < RANK
                ? word_of(search, a, i) != t->is.word[number[i]]
                : memcmp(&a->rank[i], &t->is.rank[number[i]], sizeof *a->rank) != 0) {
            fprintf(stderr, "%s of vertex %llu is wrong\n", search_name[search],
                    (unsigned long long)number[i]);
            exit(1);
        }
}

static int searched; /* the running search */

static gpugraph_status body(void *trial, gpugraph_exchange *x, gpugraph_run *run) {
    struct trial *t = trial;
    const uint64_t low = t->edges * x->part / x->parts,
                   high = t->edges * (x->part + 1) / x->parts;
    const gpugraph_share share = {.vertices = t->vertices,
                                  .count = high - low,
                                  .source = t->source + low,
                                  .target = t->target + low,
                                  .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                                  .weight = t->weight + low,
                                  .edge_id = searched <= SSSP ? t->edge_id + low : NULL};
    gpugraph_part *p;
    uint64_t nothing = 0;
    if (gpugraph_part_create(x, &share, t->partition,
                             searched == MIS ? GPUGRAPH_BOTH : GPUGRAPH_OUT,
                             searched == MIS, run, &p))
        return run->status;
    const uint32_t n = gpugraph_part_masters(p);
    const struct answers blank = {column(n, 8), column(n, 8), column(n, 8)};
    struct answers a = blank;
    const gpugraph_part_tree tree = {column(n, 8), column(n, 8)};
    for (int i = 0; i < CALLS && !run->status; i++) {
        gg_combine(x, run, GPUGRAPH_SUM, &nothing, 1);
        const double start = clock_ms();
        search_part(p, searched, run, &a, &tree);
        const double ms = clock_ms() - start;
        if (x->part == 0 && ms < t->ms[searched])
            t->ms[searched] = ms;
    }
    if (!run->status)
        keep(t, p, searched, &a);
    free(tree.parent);
    free(tree.edge);
    free(a.distance);
    free(a.word);
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
    t.edge_id = column(t.edges, 8);
    t.is = (struct answers){column(t.vertices, 8), column(t.vertices, 8),
                            column(t.vertices, 8)};
    for (uint64_t e = 0; e < t.edges; e++) {
        t.source[e] = edges->source[e];
        t.target[e] = edges->target[e];
        t.edge_id[e] = (int64_t)e;
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
    free(t.edge_id);
    free(t.is.distance);
    free(t.is.word);
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
