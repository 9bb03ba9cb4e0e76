/* Compares connected components and PageRank on the CPU with the GAP benchmark suite. The
** programs take turns and have equal edges.
**
**     bench_peers GRAPH GAPBS [rounds [threads]]
**
** GRAPH: as in bench_graphs.h; the benchmark makes it undirected and keeps the first edge
** of each pair of different vertices. GAPBS: a folder in which the suite is built
** (github.com/sbeamer/gapbs, make). Its programs cc, pr and pr_spmv run with `threads`
** threads (2 by default). A round (3 by default) has three calls of gpugraph, and one
** process of the peer with three trials.
**
** Prints a line for each algorithm: the least and the median milliseconds of gpugraph,
** those of the peer, and the ratio of the least times. The times are those of gpugraph's
** phase "search" and of the peer's trial. Both exclude making rows and returning the
** result. Weak components run twice: first gpugraph has only the list of edges, then also
** rows. Ranks are computed in ten iterations; the peer's ranks are float, by Gauss-Seidel
** in pr and by Jacobi in pr_spmv. */
#include "bench_graphs.h"

#include <unistd.h>

enum { TRIALS = 3, MOST_TRIALS = 300, ITERATIONS = 10 };

struct times {
    double ms[MOST_TRIALS];
    int count;
};

static void note(struct times *t, double ms) {
    if (t->count < MOST_TRIALS)
        t->ms[t->count++] = ms;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_times(struct times *t) {
    if (t->count == 0) {
        fprintf(stderr, "bench_peers: no times\n");
        exit(1);
    }
    qsort(t->ms, (size_t)t->count, sizeof *t->ms, ascending);
}

static void print_both(const char *graph, const char *name, struct times *ours,
                       struct times *peer) {
    sort_times(ours);
    sort_times(peer);
    printf("PEERS,%s,%s,%.2f,%.2f,%.2f,%.2f,%.2f\n", graph, name, ours->ms[0],
           ours->ms[ours->count / 2], peer->ms[0], peer->ms[peer->count / 2],
           ours->ms[0] / peer->ms[0]);
    fflush(stdout);
}

/* ---- the edges ---- */

/* Keeps the first edge of each pair of different vertices. */
static void keep_first(struct columns *c) {
    uint64_t slots = 1;
    while (slots < 2 * (uint64_t)c->count + 2)
        slots *= 2;
    uint64_t *seen = need(calloc(slots, sizeof *seen));
    int64_t kept = 0;
    for (int64_t e = 0; e < c->count; e++) {
        const int64_t u = c->source[e], v = c->target[e];
        const uint64_t pair =
            ((uint64_t)(u < v ? u : v) << 32 | (uint64_t)(u < v ? v : u)) + 1;
        uint64_t at = mix(pair) & (slots - 1);
        while (seen[at] != 0 && seen[at] != pair)
            at = (at + 1) & (slots - 1);
        if (u == v || seen[at] == pair)
            continue;
        seen[at] = pair;
        c->source[kept] = u;
        c->target[kept++] = v;
    }
    c->count = kept;
    free(seen);
}

static void write_edges(const struct columns *c, const char *path) {
    FILE *file = fopen(path, "w");
    for (int64_t e = 0; file && e < c->count; e++)
        fprintf(file, "%lld %lld\n", (long long)c->source[e], (long long)c->target[e]);
    if (!file || fclose(file) != 0) {
        fprintf(stderr, "bench_peers: cannot write %s\n", path);
        exit(1);
    }
}

/* ---- gpugraph ---- */

/* Stores the time of the phase "search". */
static void keep_phase(void *ms, const char *name, double took, int64_t items,
                       const char *detail) {
    (void)items;
    (void)detail;
    if (strcmp(name, "search") == 0)
        *(double *)ms = took;
}

static void time_ours(gpugraph_graph *graph, gpugraph_run *run, void *array, bool ranks,
                      struct times *t) {
    const gpugraph_pagerank_options how = {
        .damping = 0.85, .iterations = ITERATIONS, .direction = GPUGRAPH_BOTH};
    for (int i = 0; i < TRIALS; i++) {
        double ms = 0;
        run->listener = &ms;
        if (ranks)
            gpugraph_pagerank(graph, &how, run, array);
        else
            gpugraph_components(graph, GPUGRAPH_WEAK, run, array);
        give_up_on_error(run);
        note(t, ms);
    }
}

/* ---- the peer ---- */

static void time_peer(const char *folder, const char *program, const char *edges,
                      int threads, struct times *t) {
    char command[2000], line[200];
    snprintf(command, sizeof command, "OMP_NUM_THREADS=%d '%s/%s' -f '%s' -s -n %d%s",
             threads, folder, program, edges, TRIALS,
             *program == 'p' ? " -i 10 -t 0" : "");
    FILE *lines = popen(command, "r");
    double seconds;
    while (lines && fgets(line, sizeof line, lines))
        if (sscanf(line, "Trial Time: %lf", &seconds) == 1)
            note(t, seconds * 1e3);
    if (!lines || pclose(lines) != 0) {
        fprintf(stderr, "bench_peers: %s/%s failed\n", folder, program);
        exit(1);
    }
}

int main(int argc, char **argv) {
    static const char *const peers[] = {"cc", "pr", "pr_spmv", "cc"}, *const names[] = {
                                                                          "cc by edges",
                                                                          "pr", "pr_spmv",
                                                                          "cc by rows"};
    static struct times ours[4], theirs[4];
    const int rounds = argc > 3 ? atoi(argv[3]) : 3,
              threads = argc > 4 ? atoi(argv[4]) : 2;
    if (argc < 3) {
        fprintf(stderr, "usage: bench_peers GRAPH GAPBS [rounds [threads]]\n");
        return 2;
    }
    struct columns c = {0};
    fill(&c, argv[1]);
    keep_first(&c);
    char path[100];
    snprintf(path, sizeof path, "/tmp/bench_peers.%ld.el", (long)getpid());
    write_edges(&c, path);
    const gpugraph_edges edges = {
        .count = c.count, .source = {c.source, NULL}, .target = {c.target, NULL}};
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = threads, .phase = keep_phase};
    double unheard = 0;
    run.listener = &unheard;
    gpugraph_graph *graph;
    gpugraph_create(&edges, &run, &graph);
    give_up_on_error(&run);
    void *array = need(malloc((size_t)gpugraph_vertex_count(graph) * 8 + 8));
    for (int k = 0; k < 4; k++) {
        for (int round = 0; round < rounds; round++) {
            time_ours(graph, &run, array, k % 3 > 0, &ours[k]);
            time_peer(argv[2], peers[k], path, threads, &theirs[k]);
        }
        print_both(argv[1], names[k], &ours[k], &theirs[k]);
    }
    unlink(path);
    free(array);
    gpugraph_free(graph);
    free_columns(&c);
    return 0;
}
