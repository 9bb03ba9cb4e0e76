/* Independent sets by parts of this process: by target and in a grid, 2 to 16 parts, every priority: the set
** of the greedy pass. Every allocation may fail, and an interrupt ends all parts. */
#include "backend.h"
#include "expect.h"
#include "failing_memory.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIORITIES = 4, MOST_THREADS = 20 };

static const char *const methods[] = {"several-by-target", "several-grid"};

static char told[400];

static void hear(void *listener, const char *name, double ms, int64_t items,
                 const char *detail) {
    (void)listener, (void)ms, (void)items;
    if (strcmp(name, "search") == 0)
        snprintf(told, sizeof told, "%s", detail);
}

static void check_sets(const shape *s, uint64_t seed) {
    gpugraph_graph *graph = shape_graph(s);
    uint8_t *right = malloc(graph->n + 1), *got = malloc(graph->n + 1);
    for (int priority = 0; priority < PRIORITIES; priority++) {
        gpugraph_run greedy = {.backend = GPUGRAPH_CPU, .method = "greedy"};
        gpugraph_mis(graph, (gpugraph_priority)priority, 7, &greedy, right);
        for (int m = 0; m < 2; m++) {
            gpugraph_run run = {.backend = GPUGRAPH_CPU,
                                .method = methods[m],
                                .threads = 1 + (int)(shape_random(&seed) % MOST_THREADS),
                                .phase = hear};
            gpugraph_mis(graph, (gpugraph_priority)priority, 7, &run, got);
            expect(run.status == GPUGRAPH_OK, "%s: %s", s->name, run.message);
            expect(memcmp(right, got, graph->n) == 0, "%s, %s, priority %d, %d threads",
                   s->name, methods[m], priority, run.threads);
            expect(strncmp(told, methods[m], strlen(methods[m])) == 0 &&
                       strstr(told, " on cpu; ") && strstr(told, "exchange threads"),
                   "%s", told);
        }
    }
    free(right);
    free(got);
    gpugraph_free(graph);
}

START_TEST(small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, 3, &s); i++) {
        if (!left_out((uint64_t)i))
            check_sets(&s, (uint64_t)i);
        shape_free(&s);
    }
}
END_TEST

START_TEST(larger_shapes) {
    shape shapes[] = {shape_rmat(11, 12, 5), shape_grid(60, 80), shape_star(3000)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape_renumber(&shapes[i], i);
        check_sets(&shapes[i], i);
        shape_free(&shapes[i]);
    }
}
END_TEST

static int after_some(void *left) {
    return --*(int *)left < 0;
}

START_TEST(interrupts) {
    shape s = shape_grid(150, 150);
    gpugraph_graph *graph = shape_graph(&s);
    uint8_t *member = malloc(graph->n);
    for (int i = 0; i < 8; i++) {
        int left = i / 2;
        gpugraph_run run = {.backend = GPUGRAPH_CPU,
                            .method = methods[i % 2],
                            .threads = 4,
                            .interrupted = after_some,
                            .listener = &left};
        gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &run, member);
        ck_assert(run.status == GPUGRAPH_INTERRUPTED ||
                  (left >= 0 && run.status == GPUGRAPH_OK));
    }
    free(member);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(allocations) {
    shape s = shape_rmat(7, 6, 5);
    uint8_t right[128], got[128];
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "greedy"};
    gpugraph_graph *graph = shape_graph(&s);
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &run, right);
    gpugraph_free(graph);
    bool hit = true;
    for (int n = 1; hit; n++) {
        if (n > 3 && left_out((uint64_t)n) && n % 5)
            continue;
        graph = shape_graph(&s);
        const long held = heap_blocks();
        run = (gpugraph_run){
            .backend = GPUGRAPH_CPU, .method = methods[n % 2], .threads = 3};
        fail_from(n, n % 3 == 0);
        gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &run, got);
        hit = fail_no_more();
        ck_assert_int_eq(run.status, hit ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK);
        ck_assert_int_le(heap_blocks(), held); /* of the graph, some are given back */
        gpugraph_free(graph);
    }
    ck_assert_mem_eq(right, got, 128);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "mis_in_parts",
    {{"mis_in_parts", .timeout = 120,
      .cases = {{&small_shapes}, {&larger_shapes}, {&interrupts}, {&allocations}}}},
};
