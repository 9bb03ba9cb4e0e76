/* Tests whether auto of gpu_matrix chooses the best method, for near and far places.
**
**     bench_matrix [GRAPH ...]     as in bench_graphs.h; default: a chain of 2 M
**                                  vertices, a grid of 1500 x 1500, two random trees and
**                                  an R-MAT graph of scale 18
**
** Prints a line for each graph, kind and number of places, and method: the least
** milliseconds of a call, its CPU seconds, its peak memory, and for auto its ratio to the
** best method and its choice. Near places are those nearest to a random vertex; far
** places are random. All places are both sources and targets. The direction is 'both', so
** graphs other than R-MAT keep one of the two arcs of each edge. The graph and its rows
** exist before the clock starts.
**
** Each call runs in a separate process, a copy of the process that made the graph. The
** methods take turns, so that other work on the machine affects all of them. The method
** "single" is one search of gpugraph_sssp (or gpugraph_bfs) from each place, which ends
** when all targets are settled.
**
** Environment: PLACES ("8 50 200"), KINDS ("near far"), METHODS ("rows contraction single
** auto"), REPEATS (3) of each method, LIMIT (60): seconds after which a call is ended and
** counts as infinitely long, THREADS (0: all cores), DEPTH=1: by depth. If the cells of
** two methods differ, the program ends. */
#define _GNU_SOURCE
#include "bench_graphs.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_METHODS = 8, MOST_PLACES = 1000, DETAIL = 200 };

struct question {
    gpugraph_graph *graph;
    bool weighted;
    uint32_t place[MOST_PLACES], places;
};

/* The figures that a process reports about its call. */
struct outcome {
    double ms, cpu_s, mib, more_mib;
    uint64_t checksum;
    char detail[DETAIL];
};

/* ---- places ---- */

static size_t cell_size(const struct question *q) {
    return !q->weighted || gpugraph_distance_type_of(q->graph) == GPUGRAPH_UINT32 ? 4 : 8;
}

static uint32_t end_of_edge(const gpugraph_graph *graph, uint64_t i) {
    return gpugraph_edges_of(graph)->source[mix(i) % gpugraph_edge_count(graph)];
}

static void draw_far(struct question *q) {
    for (uint32_t i = 0; i < q->places; i++)
        q->place[i] = end_of_edge(q->graph, i + 1);
}

static const uint32_t *sorted_by; /* depths */

static int nearer(const void *a, const void *b) {
    const uint32_t u = *(const uint32_t *)a, v = *(const uint32_t *)b;
    const uint32_t x = sorted_by[u], y = sorted_by[v];
    return x != y ? (x > y) - (x < y) : (u > v) - (u < v);
}

static void draw_near(struct question *q, gpugraph_run *run) {
    const uint32_t n = gpugraph_vertex_count(q->graph);
    uint32_t *depth = need(malloc(n * sizeof *depth)), centre = end_of_edge(q->graph, 77);
    uint32_t *vertex = need(malloc(n * sizeof *vertex)), count = 0;
    gpugraph_search search = {.source = &centre,
                              .source_count = 1,
                              .limit = q->places * 4,
                              .direction = GPUGRAPH_BOTH,
                              .max_depth = GPUGRAPH_NONE};
    gpugraph_bfs(q->graph, &search, run, depth, NULL);
    give_up_on_error(run);
    for (uint32_t v = 0; v < n; v++)
        if (depth[v] != GPUGRAPH_NONE)
            vertex[count++] = v;
    sorted_by = depth;
    qsort(vertex, count, sizeof *vertex, nearer);
    q->places = q->places < count ? q->places : count;
    memcpy(q->place, vertex, q->places * sizeof *q->place);
    free(depth);
    free(vertex);
}

/* ---- a call in a separate process ---- */

static void keep_detail(void *to, const char *name, double ms, int64_t items,
                        const char *detail) {
    (void)ms, (void)items;
    const size_t used = strlen(to);
    if (strcmp(name, "search") == 0 || strcmp(name, "contract") == 0)
        snprintf((char *)to + used, DETAIL - used, "%s%s: %s", used ? "; " : "", name,
                 detail);
}

static gpugraph_search search_of(const struct question *q) {
    return (gpugraph_search){.source = q->place,
                             .source_count = q->places,
                             .target = q->place,
                             .target_count = q->places,
                             .direction = GPUGRAPH_BOTH,
                             .max_depth = GPUGRAPH_NONE};
}

static void search_singly(const struct question *q, gpugraph_run *run, void *cell) {
    const size_t size = cell_size(q);
    char *distance = need(malloc(gpugraph_vertex_count(q->graph) * size)), *to = cell;
    gpugraph_search search = search_of(q);
    search.source_count = 1;
    for (uint32_t i = 0; i < q->places; i++, search.source++) {
        if (q->weighted)
            gpugraph_sssp(q->graph, &search, run, distance, NULL);
        else
            gpugraph_bfs(q->graph, &search, run, (uint32_t *)distance, NULL);
        for (uint32_t j = 0; j < q->places; j++, to += size)
            memcpy(to, distance + q->place[j] * size, size);
    }
    free(distance);
}

static double mib_of(const char *field) {
    char line[200];
    double kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, field, strlen(field)) == 0)
            kib = atof(line + strlen(field));
    if (status)
        fclose(status);
    return kib / 1024;
}

static void forget_peak(void) {
    FILE *refs = fopen("/proc/self/clear_refs", "w");
    if (refs) {
        fputs("5", refs);
        fclose(refs);
    }
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void call(const struct question *q, const char *method, struct outcome *o) {
    const uint64_t cells = (uint64_t)q->places * q->places;
    const size_t size = cell_size(q);
    const char *threads = getenv("THREADS");
    char *cell = need(malloc(cells * size));
    gpugraph_run run = {.backend = GPUGRAPH_CPU,
                        .phase = keep_detail,
                        .listener = o->detail,
                        .threads = threads ? atoi(threads) : 0};
    const gpugraph_search search = search_of(q);
    forget_peak();
    const double before = mib_of("VmRSS:"), cpu = cpu_seconds(), started = now_ms();
    if (strcmp(method, "single") == 0) {
        search_singly(q, &run, cell);
    } else {
        run.method = method;
        gpugraph_matrix(q->graph, &search, q->weighted, &run, cell);
    }
    o->ms = now_ms() - started;
    give_up_on_error(&run);
    o->cpu_s = cpu_seconds() - cpu;
    o->mib = mib_of("VmHWM:");
    o->more_mib = o->mib - before;
    for (uint64_t i = 0; i < cells; i++) {
        uint64_t word = 0;
        memcpy(&word, cell + i * size, size);
        o->checksum += mix(word + (i << 40));
    }
    free(cell);
}

static int number_of(const char *name, int otherwise) {
    const char *given = getenv(name);
    return given ? atoi(given) : otherwise;
}

static struct outcome call_apart(const struct question *q, const char *method) {
    struct outcome o = {0};
    int ends[2], status;
    if (pipe(ends))
        die(NULL, "pipe");
    const pid_t child = fork();
    if (child < 0)
        die(NULL, "fork");
    if (child == 0) {
        alarm((unsigned)number_of("LIMIT", 60));
        call(q, method, &o);
        _exit(write(ends[1], &o, sizeof o) == (ssize_t)sizeof o ? 0 : 1);
    }
    close(ends[1]);
    const ssize_t got = read(ends[0], &o, sizeof o);
    close(ends[0]);
    if (waitpid(child, &status, 0) < 0)
        die(NULL, method);
    if (status != 0 || got != (ssize_t)sizeof o)
        o = (struct outcome){.ms = INFINITY, .cpu_s = INFINITY, .mib = INFINITY};
    return o;
}

/* ---- methods in turns ---- */

static int words_of(const char *name, const char *otherwise, char *copy, size_t size,
                    char **word, int most) {
    const char *given = getenv(name);
    int count = 0;
    snprintf(copy, size, "%s", given ? given : otherwise);
    for (char *at = strtok(copy, " "); at && count < most; at = strtok(NULL, " "))
        word[count++] = at;
    return count;
}

/* Keeps the smaller value of each field. */
static void keep_least(struct outcome *least, const struct outcome *o) {
    const bool first = least->ms == 0;
    if (!first && o->checksum != least->checksum && isfinite(o->ms))
        die(NULL, "two calls differ");
    if (!first && !isfinite(o->ms))
        return;
    if (first || o->ms < least->ms) {
        least->ms = o->ms;
        memcpy(least->detail, o->detail, sizeof o->detail);
    }
    least->cpu_s = first || o->cpu_s < least->cpu_s ? o->cpu_s : least->cpu_s;
    least->mib = first || o->mib < least->mib ? o->mib : least->mib;
    least->more_mib =
        first || o->more_mib < least->more_mib ? o->more_mib : least->more_mib;
    least->checksum = o->checksum;
}

static double least_of_others(const struct outcome *least, char *const *method, int count,
                              double (*of)(const struct outcome *)) {
    double best = 0;
    for (int k = 0; k < count; k++)
        if (strcmp(method[k], "auto") != 0 && (best == 0 || of(&least[k]) < best))
            best = of(&least[k]);
    return best;
}

static double ms_of(const struct outcome *o) {
    return o->ms;
}
static double cpu_of(const struct outcome *o) {
    return o->cpu_s;
}
static double memory_of(const struct outcome *o) {
    return o->mib;
}

static void compare(const char *name, const char *kind, const struct question *q) {
    char copy[200], *method[MOST_METHODS];
    struct outcome least[MOST_METHODS] = {{0}};
    const int count = words_of("METHODS", "rows contraction single auto", copy,
                               sizeof copy, method, MOST_METHODS);
    const int repeats = number_of("REPEATS", 3);
    for (int turn = 0; turn < repeats; turn++) {
        for (int k = 0; k < count; k++) {
            if (isinf(least[k].ms))
                continue;
            const struct outcome o = call_apart(q, method[k]);
            keep_least(&least[k], &o);
        }
    }
    for (int k = 0; k < count; k++) {
        const struct outcome *o = &least[k];
        printf("%-18s %-4s %4u  %-11s %9.2f ms %8.3f s %7.0f MiB %+7.0f", name, kind,
               q->places, method[k], o->ms, o->cpu_s, o->mib, o->more_mib);
        if (strcmp(method[k], "auto") == 0)
            printf("  %5.2f %5.2f %5.2f  %s",
                   o->ms / least_of_others(least, method, count, ms_of),
                   o->cpu_s / least_of_others(least, method, count, cpu_of),
                   o->mib / least_of_others(least, method, count, memory_of), o->detail);
        printf("\n");
        if (o->checksum != least[0].checksum && isfinite(o->ms) && isfinite(least[0].ms))
            die(NULL, "two methods differ");
    }
    fflush(stdout);
}

/* Makes the graph; keeps one of the two arcs of each edge, except in R-MAT graphs. */
static gpugraph_graph *make_undirected(const char *name, gpugraph_run *run) {
    struct columns c = {0};
    int64_t kept = 0;
    fill(&c, name);
    for (int64_t e = 0; e < c.count; e++) {
        if (c.source[e] > c.target[e] && strncmp(name, "rmat", 4) != 0)
            continue;
        c.source[kept] = c.source[e];
        c.target[kept] = c.target[e];
        c.weight[kept++] = c.weight[e];
    }
    c.count = kept;
    if (kept == 0)
        die(NULL, name);
    return graph_of(&c, run);
}

static void make_rows(struct question *q, gpugraph_run *run) {
    uint32_t cell;
    gpugraph_search search = search_of(q);
    search.source_count = search.target_count = 1;
    run->method = "rows";
    gpugraph_matrix(q->graph, &search, q->weighted, run, &cell);
    run->method = NULL;
    give_up_on_error(run);
}

static void compare_on(const char *name) {
    char places_copy[200], kinds_copy[200], *places[MOST_METHODS], *kind[MOST_METHODS];
    const int sizes = words_of("PLACES", "8 50 200", places_copy, sizeof places_copy,
                               places, MOST_METHODS),
              kinds = words_of("KINDS", "near far", kinds_copy, sizeof kinds_copy, kind,
                               MOST_METHODS);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    struct question q = {.graph = make_undirected(name, &run),
                         .weighted = !getenv("DEPTH")};
    make_rows(&q, &run);
    for (int k = 0; k < kinds; k++) {
        for (int i = 0; i < sizes; i++) {
            const int asked = atoi(places[i]);
            if (asked < 1 || asked > MOST_PLACES)
                die(NULL, "PLACES are up to 1000");
            q.places = (uint32_t)asked;
            if (strcmp(kind[k], "near") == 0)
                draw_near(&q, &run);
            else
                draw_far(&q);
            compare(name, kind[k], &q);
        }
    }
    gpugraph_free(q.graph);
}

int main(int argc, char **argv) {
    static const char *const graphs[] = {"path:2000000", "grid:1500", "tree:1000000",
                                         "rmat:18:8"};
    printf(
        "graph, kind of places, places, method, least ms, CPU s, peak MiB, of these the "
        "call's; auto: ms, CPU and peak by the best\n");
    if (argc > 1)
        for (int i = 1; i < argc; i++)
            compare_on(argv[i]);
    else
        for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
            compare_on(graphs[i]);
    return 0;
}
