/* Depths of many searches as bytes: around the depth for which a byte is too little, and what a graph remembers
** of it. bfs_test compares bytes with the textbook. */
/* ctest: wrap=memory */
#include "expect.h"
#include "failing_memory.h"
#include "graphs.h"
#include "gpugraph.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES = 5 };

struct heard {
    int searches;
};

static void hear(void *listener, const char *name, double ms, int64_t items,
                 const char *detail) {
    (void)ms, (void)items, (void)detail;
    ((struct heard *)listener)->searches += strcmp(name, "search") == 0;
}

/* From the first vertices of a path, 0 last. Bytes that fit are those of the path. */
static bool bytes_of_path(gpugraph_graph *graph, gpugraph_run *run, uint32_t max_depth,
                          struct heard *heard) {
    const uint32_t n = gpugraph_vertex_count(graph), source[SOURCES] = {4, 3, 2, 1, 0};
    uint8_t *row[SOURCES];
    bool fits = false;
    const gpugraph_search search = {
        .source = source, .source_count = SOURCES, .max_depth = max_depth};
    *heard = (struct heard){0};
    run->phase = hear;
    run->listener = heard;
    for (int i = 0; i < SOURCES; i++)
        memset(row[i] = malloc(n), 7, n);
    gpugraph_bfs_each_bytes(graph, &search, run, row, &fits);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    for (uint32_t i = 0; i < SOURCES; i++) {
        for (uint32_t v = 0; v < n && fits; v++)
            expect_equal(row[i][v], v < source[i] || v - source[i] > max_depth
                                        ? 255
                                        : v - source[i]);
        free(row[i]);
    }
    return fits;
}

/* Every method, and "auto", on what there is: i of those; false behind the last. */
static bool run_by(int i, gpugraph_run *run) {
    int left = i;
    *run = (gpugraph_run){.backend = GPUGRAPH_CPU, .threads = 1 + i % 2};
    if (i == 0)
        return true;
    for (int at = 0;; at++) {
        const gpugraph_method *method = gpugraph_method_at(at);
        if (!method)
            return false;
        const bool cuda = strcmp(method->backend, "cuda") == 0;
        if (strcmp(method->function, "bfs") != 0 || (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        if (--left > 0)
            continue;
        run->method = method->name;
        run->backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU;
        return true;
    }
}

/* Of so many vertices, in a graph of its own: nothing is known of it. */
static void check_path(uint32_t vertices, gpugraph_run *run) {
    shape s = shape_path(vertices);
    gpugraph_graph *graph = shape_graph(&s);
    struct heard heard;
    const bool may = vertices <= 255;
    for (int times = 0; times < 2; times++) {
        expect(bytes_of_path(graph, run, GPUGRAPH_NONE, &heard) == may, "%u vertices, %s",
               vertices, run->used_method);
        expect(may || times == 0 || heard.searches == 0,
               "%u vertices, %s: searched for what is known", vertices, run->used_method);
        expect(heard.searches > 0 || times == 1, "%u vertices: no search", vertices);
    }
    expect(bytes_of_path(graph, run, 254, &heard), "bounded, %s", run->used_method);
    expect(heard.searches > 0, "bounded, %s: no search", run->used_method);
    expect(bytes_of_path(graph, run, 255, &heard) == may, "bound 255, %s",
           run->used_method);
    gpugraph_free(graph);
    shape_free(&s);
}

START_TEST(as_far_as_bytes_go) {
    static const uint32_t vertices[] = {5, 20, 254, 255, 256, 257, 300, 700};
    gpugraph_run run;
    for (int i = 0; run_by(i, &run); i++)
        for (size_t k = 0; k < sizeof vertices / sizeof *vertices; k++)
            check_path(vertices[k], &run);
}
END_TEST

/* With bounds around the end of a byte, of a graph of which nothing is known. */
START_TEST(bounds) {
    gpugraph_run run;
    for (int i = 0; run_by(i, &run); i++)
        for (uint32_t bound = 253; bound <= 257; bound++) {
            shape s = shape_path(300);
            gpugraph_graph *graph = shape_graph(&s);
            struct heard heard;
            expect(bytes_of_path(graph, &run, bound, &heard) == (bound < 255),
                   "bound %u, %s", bound, run.used_method);
            gpugraph_free(graph);
            shape_free(&s);
        }
}
END_TEST

/* A search by itself, too, tells of long ways. */
START_TEST(known_from_one_search) {
    gpugraph_run run;
    for (int i = 0; run_by(i, &run); i++) {
        shape s = shape_path(700);
        gpugraph_graph *graph = shape_graph(&s);
        uint32_t *depth = malloc(s.vertices * sizeof *depth);
        const uint32_t source = 0;
        const gpugraph_search search = {
            .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
        struct heard heard;
        ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL), GPUGRAPH_OK);
        expect(!bytes_of_path(graph, &run, GPUGRAPH_NONE, &heard), "%s", run.used_method);
        expect(run.backend == GPUGRAPH_CUDA || heard.searches == 0, "%s",
               run.used_method);
        free(depth);
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

/* Once its edges have changed, nothing is known of a graph. */
START_TEST(after_a_change) {
    shape s = shape_path(300);
    gpugraph_graph *graph = shape_graph(&s);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    struct heard heard;
    expect(!bytes_of_path(graph, &run, GPUGRAPH_NONE, &heard), "a long way");
    const int64_t removed = 150; /* the edge from vertex 149 to 150 */
    const gpugraph_changes changes = {.removed = &removed, .removed_count = 1};
    gpugraph_run updating = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_update(graph, &changes, &updating), GPUGRAPH_OK);
    const uint32_t source = 0;
    const gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    uint8_t *row = malloc(gpugraph_vertex_count(graph));
    bool fits = false;
    ck_assert_int_eq(gpugraph_bfs_each_bytes(graph, &search, &run, &row, &fits),
                     GPUGRAPH_OK);
    expect(fits, "what was known of other edges");
    expect_equal(row[149], 149);
    expect_equal(row[150], 255);
    free(row);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(wrong_arguments) {
    shape s = shape_path(5);
    gpugraph_graph *graph = shape_graph(&s);
    uint8_t depth[5], *row = depth;
    const uint32_t source = 5;
    bool fits = true;
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_search search = {.source = &source, .max_depth = GPUGRAPH_NONE};
    ck_assert_int_eq(gpugraph_bfs_each_bytes(graph, &search, &run, NULL, &fits),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "source_count"));
    expect_equal(fits, false);
    search.source_count = 1;
    ck_assert_int_eq(gpugraph_bfs_each_bytes(graph, &search, &run, &row, &fits),
                     GPUGRAPH_INVALID);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int always(void *listener) {
    (void)listener;
    return 1;
}

START_TEST(interrupted) {
    static const char *const methods[] = {NULL, "multi-source", "top-down"};
    shape s = shape_rmat(14, 16, 1);
    gpugraph_graph *graph = shape_graph(&s);
    uint8_t *row = malloc(s.vertices);
    const uint32_t source = (uint32_t)s.source[0];
    const gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    for (int i = 0; i < 3; i++) {
        bool fits = true;
        gpugraph_run run = {
            .interrupted = always, .backend = GPUGRAPH_CPU, .method = methods[i]};
        ck_assert_int_eq(gpugraph_bfs_each_bytes(graph, &search, &run, &row, &fits),
                         GPUGRAPH_INTERRUPTED);
        expect_equal(fits, false);
        run.interrupted = NULL;
        ck_assert_int_eq(gpugraph_bfs_each_bytes(graph, &search, &run, &row, &fits),
                         GPUGRAPH_OK);
        expect_equal(fits, true);
        expect_equal(row[source], 0);
    }
    free(row);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* Each fails in turn; several methods, of short ways and of long ones. */
START_TEST(allocations) {
    static const char *const methods[] = {NULL, "multi-source", "top-down"};
    for (int k = 0; k < 6; k++) {
        bool hit = true;
        for (int n = 1; hit; n++) {
            const uint32_t source[SOURCES] = {4, 3, 2, 1, 0};
            const gpugraph_search search = {
                .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
            shape s = k < 3 ? shape_rmat(8, 8, 5) : shape_path(400);
            gpugraph_graph *graph = shape_graph(&s);
            gpugraph_run run = {
                .backend = GPUGRAPH_CPU, .threads = 1, .method = methods[k % 3]};
            uint8_t *row[SOURCES];
            bool fits = true;
            for (int i = 0; i < SOURCES; i++)
                row[i] = malloc(s.vertices);
            fail_from(n, n % 2);
            gpugraph_bfs_each_bytes(graph, &search, &run, row, &fits);
            hit = fail_no_more();
            ck_assert_int_eq(run.status, hit ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK);
            expect_equal(fits, !hit && k < 3);
            for (int i = 0; i < SOURCES; i++)
                free(row[i]);
            gpugraph_free(graph);
            shape_free(&s);
        }
    }
}
END_TEST

const struct suite suite = {
    "bfs_each_bytes",
    {{"bytes", .timeout = 60,
      .cases = {{&as_far_as_bytes_go},
                {&bounds},
                {&known_from_one_search},
                {&after_a_change},
                {&wrong_arguments},
                {&interrupted},
                {&allocations}}}},
};
