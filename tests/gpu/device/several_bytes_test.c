/* Depths as bytes from many sources that two devices share: those of the CPU, and what one device finds too long ends
** the work of both. Skipped where there are fewer than two devices. */
#include "graph_data.h"
#include "expect.h"
#include "graphs.h"
#include "suite.h"

#include <stdlib.h>

enum { SOURCES = 20 };

static gpugraph_run run_on_both(void) {
    static const int both[] = {0, 1};
    return (gpugraph_run){.backend = GPUGRAPH_CUDA,
                          .threads = 2,
                          .devices = both,
                          .device_count = 2,
                          .all_devices = true};
}

/* Below the size at which they come home beside the next search, and above. */
START_TEST(rows_of_bytes_are_shared) {
    const int scales[] = {12, 19};
    static const char *const methods[] = {NULL, "persistent"};
    for (int k = 0; k < 4; k++) {
        shape s = shape_rmat(scales[k / 2], 4, 7);
        gpugraph_graph *graph = shape_graph(&s);
        uint32_t source[SOURCES], *right[SOURCES];
        uint8_t *row[SOURCES];
        bool fits = false;
        for (uint32_t i = 0; i < SOURCES; i++) {
            source[i] = 131 * i;
            right[i] = malloc(graph->n * sizeof *right[i]);
            row[i] = malloc(graph->n);
        }
        const gpugraph_search search = {
            .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
        gpugraph_run cpu = {.backend = GPUGRAPH_CPU}, both = run_on_both();
        both.method = methods[k % 2];
        gpugraph_bfs_each(graph, &search, &cpu, right, NULL);
        gpugraph_bfs_each_bytes(graph, &search, &both, row, &fits);
        ck_assert_msg(both.status == GPUGRAPH_OK, "%s", both.message);
        ck_assert_int_eq(both.used_devices, 2);
        ck_assert(fits);
        for (int i = 0; i < SOURCES; i++)
            for (uint32_t v = 0; v < graph->n; v++)
                expect_equal(row[i][v], right[i][v] == GPUGRAPH_NONE ? 255 : right[i][v]);
        for (int i = 0; i < SOURCES; i++) {
            free(right[i]);
            free(row[i]);
        }
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

START_TEST(long_ways_are_told_once) {
    for (uint32_t n = 1000; n <= 100000; n *= 100) {
        shape s = shape_path(n);
        gpugraph_graph *graph = shape_graph(&s);
        uint32_t source[SOURCES];
        uint8_t *row[SOURCES];
        for (uint32_t i = 0; i < SOURCES; i++) {
            source[i] = i;
            row[i] = malloc(n);
        }
        const gpugraph_search search = {
            .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
        for (int times = 0; times < 2; times++) {
            bool fits = true;
            gpugraph_run both = run_on_both();
            gpugraph_bfs_each_bytes(graph, &search, &both, row, &fits);
            ck_assert_msg(both.status == GPUGRAPH_OK, "%s", both.message);
            ck_assert(!fits);
        }
        for (int i = 0; i < SOURCES; i++)
            free(row[i]);
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

const struct suite suite = {
    "several_bytes",
    {{"several_bytes", .timeout = 120,
      .cases = {{&rows_of_bytes_are_shared}, {&long_ways_are_told_once}}}},
    .needs_devices = 2,
    .no_forks = true,
};
