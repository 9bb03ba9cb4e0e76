/* Two devices search a graph that does not fit one; an interrupt soon ends their search;
** searches by both devices and by one device run at the same time. The test is skipped
** with fewer than two devices. */
#include "mis/mis.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
#include "workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int both[] = {0, 1};

static gpugraph_run run_on_both(void) {
    return (gpugraph_run){.backend = GPUGRAPH_CUDA,
                          .devices = both,
                          .device_count = 2,
                          .all_devices = true,
                          .threads = 2};
}

static gpugraph_graph *rmat(int scale, int factor) {
    shape s = shape_rmat(scale, factor, 7);
    gpugraph_graph *graph = shape_graph(&s);
    shape_free(&s);
    return graph;
}

/* ---- memory ---- */

static char told[400];

static void hear(void *listener, const char *name, double ms, int64_t items,
                 const char *detail) {
    (void)listener, (void)ms, (void)items;
    if (strcmp(name, "search") == 0)
        snprintf(told, sizeof told, "%s", detail);
}

/* memory_limit is the need of one device, divided by 1.7. By default the search takes two
** devices. */
START_TEST(too_large_for_one) {
    gpugraph_graph *graph = rmat(18, 16);
    uint8_t *right = malloc(graph->n), *got = malloc(graph->n);
    gpugraph_run cpu = {.backend = GPUGRAPH_CPU};
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &cpu, right);
    const int64_t needed = gg_mis_cuda.bytes(graph, false);
    for (int given = 0; given < 2; given++) {
        gpugraph_run run = run_on_both();
        run.all_devices = given;
        run.memory_limit = needed * 10 / 17;
        run.phase = hear;
        gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &run, got);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        ck_assert_msg(run.used_devices == 2, "%s", told);
        ck_assert_msg(strstr(told, "several on cuda, 2 devices") != NULL, "%s", told);
        ck_assert_mem_eq(right, got, graph->n);
        gpugraph_release_device(graph);
    }
    gpugraph_run one = run_on_both();
    one.device_count = 0;
    one.memory_limit = needed * 10 / 17;
    one.method = "one-launch";
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &one, got);
    ck_assert_int_eq(one.status, GPUGRAPH_DEVICE_MEMORY);
    free(right);
    free(got);
    gpugraph_free(graph);
}
END_TEST

/* ---- interrupts ---- */

struct alarm {
    double after_ms, began_ms, rang_ms;
};

static int rings(void *listener) {
    struct alarm *a = listener;
    const double now = gg_now_ms();
    if (now - a->began_ms < a->after_ms)
        return 0;
    a->rang_ms = a->rang_ms > 0 ? a->rang_ms : now;
    return 1;
}

/* Interrupts an endless PageRank while rows are made, and during the search. */
START_TEST(an_interrupt_is_felt) {
    gpugraph_graph *graph = rmat(18, 16);
    double *rank = malloc(graph->n * sizeof *rank);
    const gpugraph_pagerank_options how = {
        .damping = 0.85, .tolerance = 0, .iterations = 100000000};
    for (int i = 0; i < 6; i++) {
        struct alarm a = {.after_ms = 1 + i * i * 10, .began_ms = gg_now_ms()};
        gpugraph_run run = run_on_both();
        run.interrupted = rings;
        run.listener = &a;
        gpugraph_pagerank(graph, &how, &run, rank);
        const double ended = gg_now_ms();
        ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
        ck_assert_msg(ended - a.began_ms - a.after_ms < 500 + (i == 0) * 3000,
                      "%.0f ms after it was asked for", ended - a.began_ms - a.after_ms);
    }
    free(rank);
    gpugraph_free(graph);
}
END_TEST

/* ---- at the same time ---- */

enum { ROUNDS = 12 };

struct shared {
    gpugraph_graph *graph;
    const uint8_t *right;
    const uint32_t *depth;
    char differs[600]; /* the message of the first worker that failed; "" if none has */
};

/* Records a failure, because a worker thread cannot end the test. */
static bool holds(struct shared *s, bool true_here, const char *what,
                  const gpugraph_run *run) {
    if (!true_here)
        snprintf(s->differs, sizeof s->differs, "%s: status %d, %s, devices %d", what,
                 (int)run->status, run->message, run->used_devices);
    return true_here;
}

/* Worker 0 uses both devices, worker 1 the first, worker 2 the second. */
static void search_often(void *memory, uint32_t number) {
    struct shared *s = memory;
    const uint32_t source = 1;
    const gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    const int devices = number % 3 ? 1 : 2;
    uint8_t *member = malloc(s->graph->n);
    uint32_t *depth = malloc(s->graph->n * sizeof *depth);
    bool good = true;
    for (int i = 0; i < ROUNDS && good; i++) {
        gpugraph_run run = run_on_both();
        if (number % 3 > 0) {
            run.device_count = 0;
            run.device = (int)number % 3 - 1;
        }
        gpugraph_mis(s->graph, GPUGRAPH_BY_DEGREE, 1, &run, member);
        good = holds(s, run.status == GPUGRAPH_OK, "set", &run) &&
               holds(s, run.used_devices == devices, "set's devices", &run) &&
               holds(s, !memcmp(member, s->right, s->graph->n), "set's members", &run);
        gpugraph_bfs(s->graph, &search, &run, depth, NULL);
        good = good && holds(s, run.status == GPUGRAPH_OK, "depths", &run) &&
               holds(s, !memcmp(depth, s->depth, s->graph->n * sizeof *depth),
                     "depths' values", &run);
    }
    free(member);
    free(depth);
}

START_TEST(several_beside_one) {
    gpugraph_graph *graph = rmat(14, 16);
    uint8_t *right = malloc(graph->n);
    uint32_t *depth = malloc(graph->n * sizeof *depth);
    const uint32_t source = 1;
    const gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    gpugraph_run cpu = {.backend = GPUGRAPH_CPU};
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &cpu, right);
    gpugraph_bfs(graph, &search, &cpu, depth, NULL);
    struct shared s = {graph, right, depth, ""};
    run_workers(6, search_often, &s, NULL, 0);
    ck_assert_str_eq(s.differs, "");
    free(right);
    free(depth);
    gpugraph_free(graph);
}
END_TEST

const struct suite suite = {
    "several_limits",
    {{"several_limits", .timeout = 120,
      .cases = {{&too_large_for_one}, {&an_interrupt_is_felt}, {&several_beside_one}}}},
    .needs_devices = 2,
    .no_forks = true,
};
