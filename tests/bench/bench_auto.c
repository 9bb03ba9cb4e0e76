/* Compares sessions of mixed searches: with `auto`, with all searches on the CPU, and
** with all on a device.
**
**     bench_auto [MOST_EDGES [LONGEST [THREADS [LEAST_EDGES [GRAPHS [SHORTEST]]]]]]
**
** Graphs have LEAST_EDGES (10^4), ten times as many, ... MOST_EDGES edges (default 10^7;
** 10^8 takes 6 GB). Sequences have 1, 3, 10, 30 ... LONGEST (100) searches, without those
** shorter than SHORTEST. GRAPHS: rmat, roads, or by default both.
**
** A session is a process. It announces the graph (gpugraph_expect), makes it from columns
** of ids, and searches it breadth first, by weight, depth first, and for an independent
** set, in random order. The time is in ms and does not include making the columns. It is
** the best of RUNS sessions, or on large graphs of one. On a device it includes the start
** of the driver and of a context. The best time is the smaller one of CPU and device.
**
**     ratio    auto's time divided by the best: at most 1.5, or 1.15 from ten searches on
**
** TRACE=1 in the environment prints, for each search of the first session of each side,
** the backend, the start, the time, and phases of a millisecond and more. */
#include "bench.h"
#include "bench_graphs.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sessions on graphs of LARGE edges and more take seconds and run once. */
enum { RUNS = 3, LARGE = 50000000, KINDS = 4 };

static int threads;
static bool traced;

static void make_columns(struct columns *c, int64_t edges, bool roads) {
    char name[40];
    int scale = 8;
    if (roads) {
        snprintf(name, sizeof name, "grid:%d", (int)sqrt((double)edges / 4));
    } else {
        while (((int64_t)16 << (scale + 1)) <= edges)
            scale++;
        snprintf(name, sizeof name, "rmat:%d:%d", scale, (int)(edges >> scale));
    }
    fill(c, name);
}

/* ---- a session in a separate process ---- */

struct results {
    void *first, *second;
};

static void search(gpugraph_graph *graph, int kind, uint32_t from, gpugraph_run *run,
                   const struct results *to) {
    const gpugraph_search search = {
        .source = &from, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    const gpugraph_dfs_tree tree = {.depth = to->first, .parent = to->second};
    if (kind == 0)
        gpugraph_bfs(graph, &search, run, to->first, NULL);
    else if (kind == 1)
        gpugraph_sssp(graph, &search, run, to->first, NULL);
    else if (kind == 2)
        gpugraph_dfs(graph, from, false, GPUGRAPH_OUT, run, &tree);
    else
        gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, run, to->first);
    give_up_on_error(run);
}

static void tell_phase(void *unused, const char *name, double ms, int64_t items,
                       const char *detail) {
    (void)unused;
    (void)items;
    (void)detail;
    if (ms >= 1)
        printf("  %s %.1f", name, ms);
}

static double play(const struct columns *c, int length, gpugraph_backend backend,
                   int *on_device) {
    static const char *const kind_name[KINDS] = {"bfs", "sssp", "dfs", "mis"};
    gpugraph_run run = {
        .backend = backend, .threads = threads, .phase = traced ? tell_phase : NULL};
    gpugraph_edges edges = {.count = c->count,
                            .source = {c->source, NULL},
                            .target = {c->target, NULL},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = c->weight};
    gpugraph_graph *graph;
    double began = now_ms();
    gpugraph_expect((uint64_t)c->count, &run);
    gpugraph_create(&edges, &run, &graph);
    give_up_on_error(&run);
    if (traced)
        printf("\n    made at %.1f\n", now_ms() - began);
    uint64_t n = gpugraph_vertex_count(graph);
    struct results to = {need(malloc(n * 8)), need(malloc(n * 8))};
    *on_device = 0;
    for (int i = 0; i < length; i++) {
        uint64_t dice = mix((uint64_t)i + 77);
        const double at = now_ms();
        search(graph, (int)(dice % KINDS), (uint32_t)(mix(dice) % n), &run, &to);
        if (traced)
            printf("    %s on %s at %.1f: %.2f ms\n", kind_name[dice % KINDS],
                   run.used_backend, at - began, now_ms() - at);
        *on_device += run.used_backend[1] == 'u'; /* cuda, not cpu */
    }
    return now_ms() - began;
}

struct outcome {
    double ms;
    int on_device;
};

/* The time is negative if the session failed, as on a device that does not exist. */
static struct outcome session(const struct columns *c, int length,
                              gpugraph_backend backend) {
    struct outcome outcome = {-1, 0};
    int out[2];
    if (pipe(out))
        exit(1);
    fflush(NULL);
    pid_t child = fork(); /* this process has no device and no threads */
    if (child == 0) {
        close(out[0]);
        if (backend == GPUGRAPH_CUDA && !freopen("/dev/null", "w", stderr))
            _exit(1);
        outcome.ms = play(c, length, backend, &outcome.on_device);
        fflush(stdout);
        _exit(write(out[1], &outcome, sizeof outcome) != sizeof outcome);
    }
    close(out[1]);
    if (read(out[0], &outcome, sizeof outcome) != sizeof outcome)
        outcome.ms = -1;
    close(out[0]);
    waitpid(child, NULL, 0);
    return outcome;
}

/* ---- the table ---- */

enum { SIDES = 3 };
static const gpugraph_backend side[SIDES] = {GPUGRAPH_AUTO, GPUGRAPH_CPU, GPUGRAPH_CUDA};

/* The sides take turns, so that other work on the machine affects all of them. */
static void row(const struct columns *c, const char *name, int length) {
    struct outcome best[SIDES];
    for (int i = 0; i < (c->count < LARGE ? RUNS : 1); i++)
        for (int k = 0; k < SIDES; k++) {
            traced = i == 0 && getenv("TRACE");
            if (traced)
                printf("  %s, backend %d\n", name, (int)side[k]);
            struct outcome outcome = session(c, length, side[k]);
            if (i == 0 || (outcome.ms >= 0 && outcome.ms < best[k].ms))
                best[k] = outcome;
        }
    const double cpu = best[1].ms, cuda = best[2].ms;
    const double least = cuda >= 0 && cuda < cpu ? cuda : cpu;
    printf("%-6s %10lld %8d  %10.2f %9d  %10.2f  ", name, (long long)c->count, length,
           best[0].ms, best[0].on_device, cpu);
    if (cuda >= 0)
        printf("%10.2f", cuda);
    else
        printf("%10s", "none");
    printf("  %10.2f  %5.2f\n", least, best[0].ms / least);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const double most = argc > 1 ? atof(argv[1]) : 1e7;
    const int longest = argc > 2 ? atoi(argv[2]) : 100;
    threads = argc > 3 ? atoi(argv[3]) : 0;
    const double least = argc > 4 ? atof(argv[4]) : 1e4;
    const char *graphs = argc > 5 ? argv[5] : "";
    const int shortest = argc > 6 ? atoi(argv[6]) : 1;
    printf("graph       edges searches        auto on device     all CPU    all CUDA"
           "        best  ratio\n");
    for (double edges = least; edges <= most; edges *= 10)
        for (int roads = !strcmp(graphs, "roads"); roads <= (strcmp(graphs, "rmat") != 0);
             roads++) {
            struct columns c = {0};
            make_columns(&c, (int64_t)edges, roads);
            for (int length = 1; length <= longest;
                 length = length % 3 ? length * 3 : length / 3 * 10)
                if (length >= shortest)
                    row(&c, roads ? "roads" : "R-MAT", length);
            free_columns(&c);
        }
    return 0;
}
