/* Measures how long a call runs after it was interrupted.
**
**     bench_interrupts BACKEND GRAPH [FUNCTION ...]     GRAPH: as in bench_graphs.h
**
** Each method of each function first runs twice to the end. The second run counts its
** polls. Then INTERRUPTS (6) runs are interrupted, at polls that are spread evenly over
** this count. Prints for each method:
**
**     INTERRUPT, function, method, ms of the call, polls, the longest ms between two
**     polls (including the start and the end of the call), the longest ms from a request
**     to the return, an error
**
** Environment: LIMIT_MS (30000) ends a call that takes longer; THREADS (0: all). */
#include "bench_graphs.h"
#include "calls.h"

static double begun, last, gap, ended;
static uint64_t polls, end_at;
static double limit_ms;

static void end_gap(double now) {
    gap = now - last > gap ? now - last : gap;
    last = now;
}

static int poll(void *unused) {
    const double now = now_ms();
    (void)unused;
    end_gap(now);
    const bool end = ++polls == end_at || now - begun > limit_ms;
    if (end && ended == 0)
        ended = now;
    return end;
}

/* Returns the milliseconds of the call, and sets `polls`, `gap` and `ended`. */
static double time_call(const world *w, const question *q, gpugraph_run *run,
                        uint64_t at) {
    const char *threads = getenv("THREADS");
    run->interrupted = poll;
    run->threads = threads ? atoi(threads) : 0;
    polls = 0;
    end_at = at;
    gap = ended = 0;
    begun = last = now_ms();
    q->ask(w, run);
    end_gap(now_ms());
    return last - begun;
}

static void time_method(const world *w, const question *q, const char *method,
                        gpugraph_backend backend) {
    enum { INTERRUPTS = 6 };
    const gpugraph_run fresh = {.method = method, .backend = backend};
    gpugraph_run run = fresh;
    double longest = 0, late = 0;
    time_call(w, q, &run, 0); /* makes the rows that later calls use */
    if (run.status == GPUGRAPH_INVALID)
        return;
    run = fresh;
    const double ms = time_call(w, q, &run, 0);
    const uint64_t all = polls;
    longest = gap;
    for (uint64_t i = 0; i < INTERRUPTS && all > 0; i++) {
        run = fresh;
        time_call(w, q, &run, 1 + i * all / INTERRUPTS);
        longest = gap > longest ? gap : longest;
        late = ended > 0 && last - ended > late ? last - ended : late;
    }
    printf("INTERRUPT,%s,%s,%.1f,%llu,%.1f,%.1f,%s\n", q->function, method, ms,
           (unsigned long long)all, longest, late,
           run.status == GPUGRAPH_INTERRUPTED ? "" : run.message);
    fflush(stdout);
}

static bool is_wanted(const question *q, int count, char **name) {
    for (int i = 0; i < count; i++)
        if (strcmp(name[i], q->function) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv) {
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    uint32_t *source = need(calloc(1, sizeof *source));
    if (argc < 3)
        die(NULL, "bench_interrupts BACKEND GRAPH [FUNCTION ...]");
    const char *limit = getenv("LIMIT_MS");
    limit_ms = limit ? atof(limit) : 30000;
    gpugraph_graph *graph = make_graph(argv[2], &run);
    world w = {.name = argv[2],
               .graph = graph,
               .n = gpugraph_vertex_count(graph),
               .m = gpugraph_edge_count(graph),
               .direction = GPUGRAPH_BOTH,
               .source = source,
               .sources = 1};
    *source = gpugraph_edges_of(graph)->source[0];
    w.far = gpugraph_edges_of(graph)->target[w.m - 1];
    world_fill(&w);
    for (int k = 0; k < question_count; k++) {
        const question *q = &questions[k];
        const gpugraph_method *m;
        for (int i = 0; is_wanted(q, argc - 3, argv + 3) && (m = gpugraph_method_at(i));
             i++)
            if (strcmp(m->function, q->function) == 0 && strcmp(m->backend, argv[1]) == 0)
                time_method(&w, q, m->name,
                            strcmp(argv[1], "cpu") == 0 ? GPUGRAPH_CPU : GPUGRAPH_CUDA);
    }
    world_free(&w);
    return 0;
}
