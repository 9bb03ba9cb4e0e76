/* A search on a device whose n-th block of device memory is refused, for every n. The
** search does without data that only saves time: the transpose and hubs. If the search
** needs the block it fails with a sentence, and the next search is right. Skipped without
** a device.
**
** The linker redirects calls of cudaMalloc to this file (--wrap, in CMakeLists.txt). */
/* ctest: wrap=cudaMalloc */
#include "graph_data.h"

extern "C" {
#include "graphs.h"
#include "suite.h"
}

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include <vector>

extern "C" cudaError_t __real_cudaMalloc(void **block, size_t bytes);
extern "C" cudaError_t __wrap_cudaMalloc(void **block, size_t bytes);

enum { ATTEMPTS = 3 }; /* attempts of gg_take to get a block */

static int countdown; /* blocks until the refused one; 0: none is refused */
static int refusals;  /* attempts for that block so far */

cudaError_t __wrap_cudaMalloc(void **block, size_t bytes) {
    if (countdown == 0 || countdown-- > 1)
        return __real_cudaMalloc(block, bytes);
    countdown = ++refusals < ATTEMPTS;
    return cudaErrorMemoryAllocation;
}

/* ---- a search ---- */

struct answer {
    std::vector<unsigned char> value, edge;
    char parents[100]; /* how */
    gpugraph_status status;
};

static void listen(void *listener, const char *name, double, int64_t,
                   const char *detail) {
    struct answer *a = (struct answer *)listener;
    if (strcmp(name, "parents") == 0)
        snprintf(a->parents, sizeof a->parents, "%s", detail);
}

/* method: NULL for a search by weight. */
static struct answer ask(gpugraph_graph *graph, const gpugraph_search *search,
                         gpugraph_backend backend, const char *method) {
    struct answer a = {std::vector<unsigned char>(graph->n * 8, 0),
                       std::vector<unsigned char>(graph->n * 8, 0), "", GPUGRAPH_OK};
    gpugraph_run run = gpugraph_run();
    run.backend = backend;
    run.method = method;
    run.phase = listen;
    run.listener = &a;
    if (method)
        gpugraph_bfs(graph, search, &run, (uint32_t *)a.value.data(), a.edge.data());
    else
        gpugraph_sssp(graph, search, &run, a.value.data(), a.edge.data());
    a.status = run.status;
    ck_assert_msg(run.status == GPUGRAPH_OK || run.status == GPUGRAPH_DEVICE_MEMORY, "%s",
                  run.message);
    ck_assert((run.status != GPUGRAPH_OK) == (run.message[0] != 0));
    return a;
}

/* Runs a search in which one block is refused. Counts the searches that did without
** it. */
static int refuse_each(gpugraph_graph *graph, const gpugraph_search *search,
                       const char *method) {
    const struct answer right =
        ask(graph, search, GPUGRAPH_CPU, method ? "top-down" : NULL);
    int without = 0, ended = 0, n = 1;
    for (; n < 100; n++) {
        countdown = n;
        refusals = 0;
        const struct answer got = ask(graph, search, GPUGRAPH_CUDA, method);
        const bool hit = refusals > 0;
        countdown = 0;
        ended += got.status != GPUGRAPH_OK;
        without += hit && got.status == GPUGRAPH_OK;
        ck_assert_msg(!hit || refusals == ATTEMPTS, "block %d: %d refusals", n, refusals);
        ck_assert_msg(hit || got.status == GPUGRAPH_OK, "block %d: no reason", n);
        if (got.status == GPUGRAPH_OK) {
            ck_assert_msg(got.value == right.value, "block %d: other values", n);
            ck_assert_msg(got.edge == right.edge, "block %d: another tree", n);
        }
        if (!hit)
            break;
        ck_assert_msg(method || got.status != GPUGRAPH_OK || graph->wide ||
                          strcmp(got.parents, "passes over the edges, on the device") ==
                              0,
                      "block %d: parents: %s", n, got.parents);
    }
    ck_assert_msg(n < 100, "a block is asked for again and again");
    /* A search has one block; another attempt may follow a refusal. */
    ck_assert_msg(ended <= 2, "%d searches ended", ended);
    return without;
}

/* ---- a path ---- */

struct way {
    std::vector<unsigned char> edge;
    uint32_t count;
    gpugraph_status status;
    bool both_ends;
};

static struct way find_way(gpugraph_graph *graph, const gpugraph_search *search,
                           gpugraph_backend backend) {
    struct way w = {std::vector<unsigned char>(graph->n * 8, 0), 0, GPUGRAPH_OK, false};
    gpugraph_run run = gpugraph_run();
    run.backend = backend;
    run.method = "bidirectional";
    gpugraph_path(graph, search, true, &run, w.edge.data(), &w.count);
    w.status = run.status;
    w.both_ends = strcmp(run.used_method, "bidirectional") == 0;
    ck_assert_msg(run.status == GPUGRAPH_OK || run.status == GPUGRAPH_DEVICE_MEMORY, "%s",
                  run.message);
    return w;
}

/* ---- the cases ---- */

static gpugraph_graph *weighed(uint64_t seed, bool real) {
    shape s = shape_random_edges(3000, 40000, seed);
    std::vector<int64_t> whole(s.edges);
    std::vector<double> tenths(s.edges);
    shape_sort(&s);
    for (int64_t e = 0; e < s.edges; e++) {
        whole[e] = (int64_t)(1 + shape_random(&seed) % 200);
        tenths[e] = (double)whole[e] / 10;
    }
    gpugraph_graph *graph =
        shape_weighed(&s, false, real ? NULL : whole.data(), tenths.data());
    shape_free(&s);
    return graph;
}

START_TEST(levels_without_a_bottom_up_look) {
    for (int i = 0; i < 3; i++) {
        shape s = shape_rmat(12, 16, (uint64_t)i);
        gpugraph_graph *graph = shape_graph(&s);
        uint32_t source = gpugraph_find_integer(graph, s.source[0]);
        gpugraph_search search = gpugraph_search();
        search.source = &source;
        search.source_count = 1;
        search.direction = (gpugraph_direction)(i % 3);
        const char *along = "persistent", *below = "direction-optimizing";
        ck_assert_int_eq(ask(graph, &search, GPUGRAPH_CUDA, along).status, GPUGRAPH_OK);
        int without = refuse_each(graph, &search, below);
        ck_assert_msg(graph->wide || without >= 2, "%d", without); /* hubs, at least */
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

/* From both ends by weight, if there is room; otherwise from the source. */
START_TEST(paths_without_room) {
    for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++) {
        gpugraph_graph *graph = weighed((uint64_t)direction + 7, false);
        uint32_t ends[2] = {graph->n / 2, graph->n / 3};
        gpugraph_search search = gpugraph_search();
        search.source = ends;
        search.target = ends + 1;
        search.source_count = search.target_count = 1;
        search.max_depth = GPUGRAPH_NONE;
        search.direction = (gpugraph_direction)direction;
        const struct way right = find_way(graph, &search, GPUGRAPH_CPU);
        int without = 0, n = 1;
        for (bool hit = true; hit; n++) {
            ck_assert_msg(n < 100, "a block is asked for again and again");
            gpugraph_release_device(graph); /* all blocks are asked for in each turn */
            countdown = n;
            refusals = 0;
            const struct way got = find_way(graph, &search, GPUGRAPH_CUDA);
            hit = refusals > 0;
            countdown = 0;
            without += hit && got.status == GPUGRAPH_OK && !got.both_ends;
            ck_assert_msg(hit || got.both_ends, "block %d: from the source", n);
            ck_assert_msg(got.status != GPUGRAPH_OK ||
                              (got.count == right.count && got.edge == right.edge),
                          "block %d: another path", n);
        }
        /* Rows of both directions are their own transpose. */
        ck_assert_msg(without > 0 || direction == GPUGRAPH_BOTH,
                      "of %d blocks none could be done without", n);
        gpugraph_free(graph);
    }
}
END_TEST

/* Depths from all sources, one row after the other. */
static void search_each(gpugraph_graph *graph, const gpugraph_search *search,
                        gpugraph_run *run, std::vector<uint32_t> *depths) {
    std::vector<uint32_t *> row;
    for (uint32_t i = 0; i < search->source_count; i++)
        row.push_back(depths->data() + i * (size_t)graph->n);
    gpugraph_bfs_each(graph, search, run, row.data(), NULL);
}

/* Each block fails in turn. */
START_TEST(sources_without_room) {
    enum { SOURCES = 4 };
    shape s = shape_rmat(18, 2, 5);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t source[SOURCES];
    std::vector<uint32_t> right(SOURCES * (size_t)graph->n), got(right.size());
    gpugraph_search search = gpugraph_search();
    search.source = source;
    search.source_count = SOURCES;
    search.max_depth = GPUGRAPH_NONE;
    for (int i = 0; i < SOURCES; i++)
        source[i] = gpugraph_find_integer(graph, s.source[i]);
    int without = 0, n = 0;
    for (bool hit = true; hit; n++) {
        gpugraph_run run = gpugraph_run();
        std::vector<uint32_t> &depths = n == 0 ? right : got;
        run.backend = n == 0 ? GPUGRAPH_CPU : GPUGRAPH_CUDA;
        ck_assert_msg(n < 100, "a block is asked for again and again");
        gpugraph_release_device(graph);
        countdown = n;
        refusals = 0;
        search_each(graph, &search, &run, &depths);
        hit = n == 0 || refusals > 0;
        countdown = 0;
        without += n > 0 && hit && run.status == GPUGRAPH_OK;
        ck_assert_msg(run.status == GPUGRAPH_OK ||
                          (hit && run.status == GPUGRAPH_DEVICE_MEMORY),
                      "block %d: %s", n, run.message);
        ck_assert_msg(n == 0 || run.status != GPUGRAPH_OK || got == right,
                      "block %d: other depths", n);
    }
    ck_assert_msg(without > 0, "of %d blocks none could be done without", n);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    .name = "device_faults",
    .groups = {{.name = "device_faults",
                .timeout = 120,
                .cases = {{&paths_without_room},
                          {&sources_without_room},
                          {&levels_without_a_bottom_up_look}}}},
    .needs_device = true,
};
