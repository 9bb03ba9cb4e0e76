/* Measures, for each priority, the sizes of maximal independent sets and the rounds to
** find them.
**
**     bench_mis GRAPH ...
**     bench_mis phases GRAPH ...
**
** GRAPH: as in bench_graphs.h. Prints a Markdown table, a line for each graph and
** priority: vertices and edges of the undirected graph, members of the set, their share
** of the vertices, rounds, and milliseconds of the CPU's call (median of five). For
** 'random' it is the largest set of ten seeds.
**
** Rounds are synchronous: a vertex sees only the decisions of earlier rounds. It drops if
** a neighbour has joined, and joins if all open neighbours come later in the order. This
** program counts rounds by this definition, one vertex after the other. The set must
** equal the library's set.
**
** "phases" prints instead the arcs that rounds by degree examine: in the first round,
** with and without an early exit; in the second round; and in all later rounds. The early
** exit is at the first earlier neighbour, because no vertex has joined yet. */
#include "graph/graph.h"
#include "ids/ids.h"
#include "bench_graphs.h"

enum { OPEN, JOINED, DROPPED };
enum { CALLS = 5, SEEDS = 10 };

struct order {
    csr g;
    uint64_t *key; /* smaller keys come first; equal keys by number */
};

static void set_keys(struct order *o, gpugraph_graph *graph, gpugraph_priority priority,
                     int64_t seed, gpugraph_run *run) {
    uint32_t *hash = need(malloc((size_t)o->g.n * sizeof *hash));
    gg_hash_ids(graph, seed, run, hash);
    give_up_on_error(run);
    for (uint32_t v = 0; v < o->g.n; v++) {
        uint64_t degree = o->g.end[v] - o->g.begin[v];
        switch (priority) {
        case GPUGRAPH_BY_DEGREE:
            o->key[v] = degree << 32 | hash[v];
            break;
        case GPUGRAPH_BY_DEGREE_ID:
            o->key[v] = degree << 32;
            break;
        case GPUGRAPH_BY_RANDOM:
            o->key[v] = hash[v];
            break;
        default:
            o->key[v] = 0;
        }
    }
    free(hash);
}

/* The arcs that rounds examine, and the vertices that they leave open. */
struct work {
    uint64_t first, first_patient, second, later;
    uint32_t open[2]; /* after the first and the second */
};

static bool is_earlier(const struct order *o, uint32_t u, uint32_t v) {
    return o->key[u] < o->key[v] || (o->key[u] == o->key[v] && u < v);
}

/* `hasty` stops at the first earlier neighbour. Adds the examined arcs. */
static int verdict_of(const struct order *o, const uint8_t *state, uint32_t v, bool hasty,
                      uint64_t *arcs) {
    int verdict = JOINED;
    for (uint64_t i = o->g.begin[v]; i < o->g.end[v]; i++) {
        uint32_t u = o->g.target[i];
        ++*arcs;
        if (state[u] == JOINED)
            return DROPPED;
        if (state[u] == OPEN && is_earlier(o, u, v))
            verdict = OPEN;
        if (hasty && verdict == OPEN)
            return OPEN;
    }
    return verdict;
}

/* Runs rounds until no vertex is open. `state` has the states afterwards. */
static uint32_t count_rounds(const struct order *o, uint8_t *state, struct work *work) {
    uint32_t *open = need(malloc((size_t)o->g.n * sizeof *open)), count = o->g.n;
    uint8_t *verdict = need(malloc(o->g.n));
    uint32_t rounds = 0;
    *work = (struct work){.first_patient = o->g.m};
    for (uint32_t v = 0; v < o->g.n; v++) {
        open[v] = v;
        state[v] = OPEN;
    }
    for (; count > 0; rounds++) {
        uint64_t *arcs = rounds == 0   ? &work->first
                         : rounds == 1 ? &work->second
                                       : &work->later;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++)
            verdict[i] = (uint8_t)verdict_of(o, state, open[i], rounds == 0, arcs);
        for (uint32_t i = 0; i < count; i++) {
            state[open[i]] = verdict[i];
            if (verdict[i] == OPEN)
                open[kept++] = open[i];
        }
        count = kept;
        if (rounds < 2)
            work->open[rounds] = count;
    }
    free(open);
    free(verdict);
    return rounds;
}

struct outcome {
    uint32_t members, rounds;
    double ms;
    struct work work;
};

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct outcome try_priority(gpugraph_graph *graph, gpugraph_priority priority,
                                   int64_t seed, gpugraph_run *run) {
    struct outcome out = {0};
    struct order o;
    double ms[CALLS];
    if (gg_rows(graph, CSR_SIMPLE, false, true, run, &o.g) != GPUGRAPH_OK)
        give_up_on_error(run);
    o.key = need(malloc((size_t)o.g.n * sizeof *o.key));
    uint8_t *member = need(malloc(o.g.n)), *state = need(malloc(o.g.n));
    for (int i = 0; i < CALLS; i++) {
        double started = now_ms();
        gpugraph_mis(graph, priority, seed, run, member);
        give_up_on_error(run);
        ms[i] = now_ms() - started;
    }
    qsort(ms, CALLS, sizeof *ms, ascending);
    out.ms = ms[CALLS / 2];
    set_keys(&o, graph, priority, seed, run);
    out.rounds = count_rounds(&o, state, &out.work);
    for (uint32_t v = 0; v < o.g.n; v++) {
        if (member[v] != (state[v] == JOINED)) {
            fprintf(stderr, "vertex %u: the sets differ\n", v);
            exit(1);
        }
        out.members += member[v];
    }
    free(o.key);
    free(member);
    free(state);
    return out;
}

static void print_outcome(const char *graph, uint32_t n, uint64_t m, const char *priority,
                          struct outcome out) {
    printf("| %s | %u | %llu | %s | %u | %.2f %% | %u | %.1f |\n", graph, n,
           (unsigned long long)m, priority, out.members, 100.0 * out.members / n,
           out.rounds, out.ms);
    fflush(stdout);
}

static void print_graph(const char *name) {
    static const char *const names[] = {"degree", "degree-id", "random", "id"};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_graph *graph = make_graph(name, &run);
    uint32_t n = gpugraph_vertex_count(graph);
    csr g;
    gg_rows(graph, CSR_SIMPLE, false, true, &run, &g);
    give_up_on_error(&run);
    const char *slash = strrchr(name, '/');
    for (int priority = 0; priority <= GPUGRAPH_BY_ID; priority++) {
        struct outcome best = {0};
        int seeds = priority == GPUGRAPH_BY_RANDOM ? SEEDS : 1;
        for (int seed = 0; seed < seeds; seed++) {
            struct outcome out =
                try_priority(graph, (gpugraph_priority)priority, seed, &run);
            best = out.members > best.members ? out : best;
        }
        print_outcome(slash ? slash + 1 : name, n, g.m / 2, names[priority], best);
    }
    gpugraph_free(graph);
}

static void print_phases(const char *name) {
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_graph *graph = make_graph(name, &run);
    struct outcome out = try_priority(graph, GPUGRAPH_BY_DEGREE, 0, &run);
    const struct work *w = &out.work;
    const double arcs = (double)w->first_patient / 100, n = gpugraph_vertex_count(graph);
    const char *slash = strrchr(name, '/');
    printf("| %s | %.0f | %.1f | 100 | %.1f | %.1f | %.1f | %.1f |\n",
           slash ? slash + 1 : name, 100 * arcs, (double)w->first / arcs,
           (double)w->second / arcs, (double)w->later / arcs, 100 * w->open[0] / n,
           100 * w->open[1] / n);
    fflush(stdout);
    gpugraph_free(graph);
}

int main(int argc, char **argv) {
    bool phases = argc > 1 && strcmp(argv[1], "phases") == 0;
    if (argc < 2 + phases) {
        fprintf(stderr, "usage: bench_mis [phases] "
                        "FILE|rmat:SCALE:FACTOR|grid:SIDE|path:LENGTH ...\n");
        return 2;
    }
    printf(phases
               ? "| graph | arcs | first round, %% of them | without early exit "
                 "| second | later | open after the first, %% | after the second |\n"
                 "|---|---:|---:|---:|---:|---:|---:|---:|\n"
               : "| graph | vertices | edges | priority | members | share | rounds | ms "
                 "|\n|---|---:|---:|---|---:|---:|---:|---:|\n");
    for (int i = 1 + phases; i < argc; i++)
        if (phases)
            print_phases(argv[i]);
        else
            print_graph(argv[i]);
    return 0;
}
