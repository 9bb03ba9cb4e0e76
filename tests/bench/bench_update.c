/* Compares the times of gpugraph_update, of the next search and of gpugraph_create, and
** those of gpugraph_unpack and of a read of its bytes.
**
**     bench_update [GRAPH [repeats [threads [cuda | tables]]]]
**
** GRAPH: a DIMACS file (default: the New York road network of GPUGRAPH_SHARED_DATA),
** grid:SIDE, SIDE * SIDE vertices with edges both ways to their four neighbours, or
** rmat:SCALE, 2^SCALE vertices and eight edges for each. Prints for each kind of change,
** with 1, 100 and 10,000 changed edges, the median and smallest milliseconds of
** gpugraph_update. In the first column the graph has the CSR of a breadth-first search,
** in the second all derived data: OUT and IN, weighted, BOTH, SIMPLE and the edges by
** their ends. Each batch is reverted before the next one; the revert is not timed.
**
** cuda: medians of gpugraph_update with a copy on a device, and of the next search there,
** if the copy is patched, and if it is freed and sent again. The searches (breadth-first
** to depth 1, then by weight to distance 0) end at once, so they time their preparation.
**
** tables: as cuda, if the next search makes all rows from the edges, and if slab tables
** take each batch first and write the changed rows; up to 1,000,000 changes. */
#include "bench.h"
#include "gpugraph.h"
#include "graphs.h"
#include "rmat.h"
#include "store/store.h"
#include "base/limits.h"

#include <string.h>

static void *need(void *block) {
    if (!block) {
        fprintf(stderr, "bench_update: out of memory\n");
        exit(1);
    }
    return block;
}

static void check(const gpugraph_run *run) {
    if (run->status) {
        fprintf(stderr, "bench_update: %s\n", run->message);
        exit(1);
    }
}

typedef struct columns {
    int64_t count, room;
    int64_t *source, *target, *weight, *id;
} columns;

static void reserve(columns *c, int64_t room) {
    size_t bytes = (size_t)room * sizeof *c->source;
    c->room = room;
    c->source = need(realloc(c->source, bytes));
    c->target = need(realloc(c->target, bytes));
    c->weight = need(realloc(c->weight, bytes));
    c->id = need(realloc(c->id, bytes));
}

static void add(columns *c, int64_t source, int64_t target, int64_t weight, int64_t id) {
    if (c->count == c->room)
        reserve(c, c->room ? 2 * c->room : 1 << 16);
    c->source[c->count] = source;
    c->target[c->count] = target;
    c->weight[c->count] = weight;
    c->id[c->count++] = id;
}

static void read_dimacs(columns *c, const char *path) {
    char command[1100], line[200];
    snprintf(command, sizeof command, "zcat -f '%s'", path);
    FILE *lines = popen(command, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        long long u, v, weight;
        if (sscanf(line, "a %lld %lld %lld", &u, &v, &weight) == 3)
            add(c, u, v, weight, 2 * (c->count + 1));
    }
    if (lines)
        pclose(lines);
}

static gpugraph_edges edges_of(const columns *c) {
    return (gpugraph_edges){.count = c->count,
                            .source = {c->source, NULL},
                            .target = {c->target, NULL},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = c->weight,
                            .edge_id = c->id};
}

static void make_grid(columns *c, int64_t side) {
    static const int64_t dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    for (int64_t v = 0; v < side * side; v++)
        for (int k = 0; k < 4; k++) {
            int64_t x = v % side + dx[k], y = v / side + dy[k];
            if (x >= 0 && y >= 0 && x < side && y < side)
                add(c, v, y * side + x, v % 255 + 1, 2 * (c->count + 1));
        }
}

static void make_rmat(columns *c, int scale) {
    uint64_t state = 1;
    for (int64_t e = 0; e < (int64_t)8 << scale; e++) {
        struct edge one = rmat_edge(scale, &state);
        add(c, one.source, one.target, one.weight, 2 * (c->count + 1));
    }
}

/* Shuffles the edges. */
static void stir(columns *c) {
    uint64_t random = 1;
    for (int64_t e = c->count - 1; e > 0; e--) {
        int64_t other = (int64_t)(shape_random(&random) % (uint64_t)(e + 1));
        int64_t source = c->source[e], target = c->target[e];
        c->source[e] = c->source[other];
        c->target[e] = c->target[other];
        c->source[other] = source;
        c->target[other] = target;
    }
}

/* ---- batches ---- */

enum kind {
    WEIGHTS,
    APPENDED,
    INSERTED,
    REMOVED,
    MOVED,
    VERTEX_LAST,
    VERTEX_BETWEEN,
    KINDS
};
static const char *const names[KINDS] = {"weights",     "appended",       "put between",
                                         "removed",     "another target", "new, last",
                                         "new, between"};

typedef struct batch {
    columns removed, added, back; /* back: the removed edges, to insert again */
} batch;

static void take(batch *b, const columns *all, int64_t e) {
    add(&b->removed, 0, 0, 0, all->id[e]);
    add(&b->back, all->source[e], all->target[e], all->weight[e], all->id[e]);
}

/* Ids of edges are even and ids of vertices multiples of 4, so that new ids fit between
** them. */
static void fill(batch *b, const columns *all, enum kind kind, int64_t count,
                 uint64_t *random) {
    int64_t step = all->count / count, last = all->id[all->count - 1];
    b->removed.count = b->added.count = b->back.count = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t e = i * step + (int64_t)(shape_random(random) % (uint64_t)step);
        int64_t f = (int64_t)(shape_random(random) % (uint64_t)all->count);
        int64_t from = all->source[e], to = all->target[f], id = all->id[e];
        int64_t weight = (int64_t)(shape_random(random) % 1000);
        if (kind == WEIGHTS || kind == REMOVED || kind == MOVED)
            take(b, all, e);
        if (kind == WEIGHTS)
            add(&b->added, from, all->target[e], weight, id);
        else if (kind == MOVED)
            add(&b->added, from, to, weight, id);
        else if (kind == APPENDED)
            add(&b->added, from, to, weight, last + 2 * i + 2);
        else if (kind == INSERTED)
            add(&b->added, from, to, weight, id + 1);
        else if (kind == VERTEX_LAST)
            add(&b->added, from, ((int64_t)1 << 22) + i, weight, last + 2 * i + 2);
        else if (kind == VERTEX_BETWEEN)
            add(&b->added, from, from + 1, weight, last + 2 * i + 2);
    }
}

static double apply(gpugraph_graph *graph, gpugraph_run *run, const columns *removed,
                    const columns *added) {
    gpugraph_edges edges = edges_of(added);
    gpugraph_changes changes = {
        .removed = removed->id, .removed_count = removed->count, .added = &edges};
    double start = now_ms();
    gpugraph_update(graph, &changes, run);
    double ms = now_ms() - start;
    check(run);
    return ms;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, int count) {
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    return ms[count / 2];
}

static void free_columns(columns *c) {
    free(c->source);
    free(c->target);
    free(c->weight);
    free(c->id);
}

static void free_batch(batch *b) {
    free_columns(&b->removed);
    free_columns(&b->added);
    free_columns(&b->back);
}

static void time_batches(gpugraph_graph *graph, gpugraph_run *run, const columns *all,
                         enum kind kind, int64_t count, int repeats) {
    batch b = {{0}, {0}, {0}};
    double *ms = need(malloc((size_t)repeats * sizeof *ms));
    uint64_t random = (uint64_t)count + kind;
    reserve(&b.removed, count);
    reserve(&b.added, count);
    reserve(&b.back, count);
    for (int i = 0; i < repeats; i++) {
        fill(&b, all, kind, count, &random);
        ms[i] = apply(graph, run, &b.removed, &b.added);
        apply(graph, run, &b.added, &b.back);
    }
    double first = ms[0];
    double middle = median(ms, repeats);
    printf("  %8.3f (min %7.3f, first %7.3f)", middle, ms[0], first);
    free(ms);
    free_batch(&b);
}

/* ---- a copy on a device ---- */

/* Runs a search that ends at its source. */
static double next_search(gpugraph_graph *graph, gpugraph_run *run, bool weighted,
                          uint64_t *result) {
    uint32_t source = 0;
    gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = 1, .bounded = true};
    double start = now_ms();
    if (weighted)
        gpugraph_sssp(graph, &search, run, result, NULL);
    else
        gpugraph_bfs(graph, &search, run, (uint32_t *)result, NULL);
    double ms = now_ms() - start;
    check(run);
    return ms;
}

enum { UPDATE, NEXT, AGAIN_UPDATE, AGAIN_NEXT, COLUMNS };

static void time_copy(gpugraph_graph *graph, gpugraph_run *run, const columns *all,
                      enum kind kind, int64_t count, int repeats, bool weighted) {
    batch b = {{0}, {0}, {0}};
    size_t most = gpugraph_vertex_count(graph) + (size_t)count;
    uint64_t *result = need(malloc(most * sizeof *result));
    double *ms = need(malloc((size_t)repeats * COLUMNS * sizeof *ms));
    reserve(&b.removed, count);
    reserve(&b.added, count);
    reserve(&b.back, count);
    for (int i = 0; i < 2 * repeats; i++) {
        double *to = ms + i / 2 + (size_t)(i % 2 ? AGAIN_UPDATE : UPDATE) * repeats;
        uint64_t random = (uint64_t)count + kind + (uint64_t)(i / 2) * 977;
        fill(&b, all, kind, count, &random); /* both graphs receive the same batches */
        next_search(graph, run, weighted, result);
        if (i % 2)
            gpugraph_release_device(graph);
        to[0] = apply(graph, run, &b.removed, &b.added);
        to[repeats] = next_search(graph, run, weighted, result);
        apply(graph, run, &b.added, &b.back);
    }
    for (int i = 0; i < COLUMNS; i++)
        printf(" %8.3f", median(ms + (size_t)i * repeats, repeats));
    double kept = ms[repeats / 2] + ms[NEXT * repeats + repeats / 2];
    double again =
        ms[AGAIN_UPDATE * repeats + repeats / 2] + ms[AGAIN_NEXT * repeats + repeats / 2];
    printf("  %5.1f x\n", again / kept);
    free(ms);
    free(result);
    free_batch(&b);
}

static void time_copies(gpugraph_graph *graph, gpugraph_run *run, const columns *all,
                        int repeats) {
    static const int64_t counts[] = {1, 100, 10000};
    for (int weighted = 0; weighted < 2; weighted++) {
        uint64_t *result =
            need(malloc((size_t)gpugraph_vertex_count(graph) * sizeof *result));
        double ms[9];
        gpugraph_release_device(graph);
        for (int i = 0; i < 10; i++)
            ms[i ? i - 1 : 0] = next_search(graph, run, weighted, result);
        printf("%s: unchanged %.3f ms\n%-16s %6s %8s %8s %8s %8s\n",
               weighted ? "by weight" : "by depth", median(ms, 9), "change", "edges",
               "update", "next", "update", "sent");
        free(result);
        for (int kind = 0; kind < KINDS; kind++)
            for (int i = 0; i < 3; i++) {
                printf("%-16s %6lld", names[kind], (long long)counts[i]);
                time_copy(graph, run, all, (enum kind)kind, counts[i], repeats, weighted);
            }
    }
}

/* ---- tables of edges ---- */

enum { WAYS = 2 };

static void time_ways(gpugraph_graph *graph, gpugraph_run *run, const columns *all,
                      enum kind kind, int64_t count, int repeats, bool weighted) {
    batch b = {{0}, {0}, {0}};
    size_t most = gpugraph_vertex_count(graph) + (size_t)count;
    uint64_t *result = need(malloc(most * sizeof *result));
    double *ms = need(malloc((size_t)repeats * 2 * sizeof *ms));
    reserve(&b.removed, count);
    reserve(&b.added, count);
    reserve(&b.back, count);
    for (int way = 0; way < WAYS; way++) {
        gpugraph_release_device(graph);
        for (int i = -1; i < repeats; i++) { /* the first turn makes the derived data */
            uint64_t random = (uint64_t)count + kind + (uint64_t)(i + 1) * 977;
            int at = i < 0 ? 0 : i;
            fill(&b, all, kind, count, &random);
            next_search(graph, run, weighted, result);
            if (way > 0)
                gpugraph_make_tables(graph, run);
            check(run);
            ms[at] = apply(graph, run, &b.removed, &b.added);
            ms[repeats + at] = next_search(graph, run, weighted, result);
            apply(graph, run, &b.added, &b.back);
        }
        printf(" %9.3f %8.3f", median(ms, repeats), median(ms + repeats, repeats));
    }
    printf("\n");
    free(ms);
    free(result);
    free_batch(&b);
}

static void time_tables(gpugraph_graph *graph, gpugraph_run *run, const columns *all,
                        int repeats) {
    static const int64_t counts[] = {1, 100, 10000, 1000000};
    for (int weighted = 0; weighted < 2; weighted++) {
        printf("%s, ms\n%-16s %7s %9s %8s %9s %8s\n", weighted ? "by weight" : "by depth",
               "change", "edges", "edges", "next", "tables", "next");
        for (int kind = 0; kind < KINDS; kind++)
            for (int i = 0; i < 4 && counts[i] <= all->count / 2; i++) {
                printf("%-16s %7lld", names[kind], (long long)counts[i]);
                time_ways(graph, run, all, (enum kind)kind, counts[i], repeats, weighted);
                fflush(stdout);
            }
    }
}

/* ---- calls for comparison ---- */

static gpugraph_graph *create(const columns *all, gpugraph_run *run, int repeats) {
    gpugraph_edges edges = edges_of(all);
    gpugraph_graph *graph = NULL;
    double best = 1e9;
    for (int i = 0; i < repeats; i++) {
        gpugraph_free(graph);
        double start = now_ms();
        gpugraph_create(&edges, run, &graph);
        check(run);
        double ms = now_ms() - start;
        best = ms < best ? ms : best;
    }
    printf("%u vertices, %llu edges; gpugraph_create: min %.3f ms\n",
           gpugraph_vertex_count(graph), (unsigned long long)gpugraph_edge_count(graph),
           best);
    return graph;
}

static void time_search(gpugraph_graph *graph, gpugraph_run *run, int repeats) {
    uint32_t source = 0;
    gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    uint32_t *depth = need(malloc((size_t)gpugraph_vertex_count(graph) * sizeof *depth));
    double best = 1e9;
    for (int i = 0; i < repeats; i++) {
        double start = now_ms();
        gpugraph_bfs(graph, &search, run, depth, NULL);
        check(run);
        double ms = now_ms() - start;
        best = ms < best ? ms : best;
    }
    printf("gpugraph_bfs: min %.3f ms\n", best);
    free(depth);
}

/* Stores a packed graph in memory. */
static int store(void *context, void *bytes, size_t count, uint64_t at) {
    memcpy((char *)context + at, bytes, count);
    return 0;
}

static int load(void *context, void *bytes, size_t count, uint64_t at) {
    memcpy(bytes, (const char *)context + at, count);
    return 0;
}

static void time_packing(gpugraph_graph *graph, gpugraph_run *run, int repeats) {
    enum { PART = 1 << 20 };
    uint64_t size = gpugraph_packed_size(graph);
    char *file = need(malloc(size)), *part = need(malloc(PART));
    gpugraph_stream to = {store, file}, from = {load, file};
    double best[3] = {1e9, 1e9, 1e9};
    for (int i = 0; i < repeats; i++) {
        gpugraph_graph *read;
        double start = now_ms(), ms[3];
        gpugraph_pack(graph, run, &to);
        check(run);
        ms[0] = now_ms() - start;
        start = now_ms();
        for (uint64_t at = 0; at < size; at += PART)
            load(file, part, size - at < PART ? size - at : PART, at);
        ms[1] = now_ms() - start;
        start = now_ms();
        gpugraph_unpack(run, &from, size, &read);
        check(run);
        ms[2] = now_ms() - start;
        gpugraph_free(read);
        for (int k = 0; k < 3; k++)
            best[k] = ms[k] < best[k] ? ms[k] : best[k];
    }
    printf("%llu bytes packed; min: pack %.3f, read alone %.3f, unpack %.3f ms\n",
           (unsigned long long)size, best[0], best[1], best[2]);
    free(file);
    free(part);
}

/* Makes every kind of CSR. */
static void make_all(gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t n = gpugraph_vertex_count(graph), source = 0;
    uint64_t count;
    uint8_t *member = need(malloc(n));
    uint64_t *distance = need(malloc((size_t)n * 8));
    const void *edge;
    for (int d = GPUGRAPH_OUT; d <= GPUGRAPH_BOTH; d++) {
        gpugraph_search search = {
            .source = &source, .source_count = 1, .direction = (gpugraph_direction)d};
        gpugraph_sssp(graph, &search, run, distance, NULL);
        check(run);
    }
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, run, member);
    check(run);
    gpugraph_edges_from(graph, 0, run, &edge, &count);
    check(run);
    free(member);
    free(distance);
}

int main(int argc, char **argv) {
    static const int64_t counts[] = {1, 100, 10000};
    const char *data = getenv("GPUGRAPH_SHARED_DATA");
    char path[1000];
    snprintf(path, sizeof path, "%s/road/USA-road-d.NY.gr.gz", data ? data : ".");
    int repeats = argc > 2 ? atoi(argv[2]) : 15;
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = argc > 3 ? atoi(argv[3]) : 0};
    columns all = {0};
    long long side;
    int scale;
    if (argc > 1 && sscanf(argv[1], "grid:%lld", &side) == 1)
        make_grid(&all, side);
    else if (argc > 1 && sscanf(argv[1], "rmat:%d", &scale) == 1)
        make_rmat(&all, scale);
    else
        read_dimacs(&all, argc > 1 ? argv[1] : path);
    if (all.count < 10000 || repeats < 1) {
        fprintf(stderr, "bench_update: fewer than 10,000 edges, or no repeats\n");
        return 2;
    }
    for (int64_t e = 0; e < all.count; e++) {
        all.source[e] *= 4;
        all.target[e] *= 4;
    }
    gpugraph_graph *graph[2];
    if (argc > 4) {
        run.backend = GPUGRAPH_CUDA;
        graph[0] = create(&all, &run, 2);
        if (strcmp(argv[4], "tables") == 0)
            time_tables(graph[0], &run, &all, repeats);
        else
            time_copies(graph[0], &run, &all, repeats);
        gpugraph_free(graph[0]);
        free_columns(&all);
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        graph[i] = create(&all, &run, 5);
        time_search(graph[i], &run, 15);
    }
    make_all(graph[1], &run);
    printf("%-16s %6s  %-36s  %s\n", "change", "edges", "ms, the search's CSR",
           "ms, every CSR");
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < 3; i++) {
            printf("%-16s %6lld", names[kind], (long long)counts[i]);
            for (int g = 0; g < 2; g++)
                time_batches(graph[g], &run, &all, (enum kind)kind, counts[i], repeats);
            printf("\n");
        }
    gpugraph_free(graph[0]);
    gpugraph_free(graph[1]);
    for (int i = 0; i < 2; i++) { /* in the given order, then shuffled */
        graph[i] = create(&all, &run, 5);
        time_packing(graph[i], &run, 9);
        gpugraph_free(graph[i]);
        stir(&all);
    }
    free_columns(&all);
    return 0;
}
