/* Depths come to the host as bytes if none is larger than 254: checked near that limit,
** and with whole and partial pieces. Skipped without a device. */
#include "graph_data.h"

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "suite.h"
}

/* The least number of depths that come as bytes (bring.cu). */
enum { BYTES_LEAST = 1 << 16 };

#include <string.h>

#include <algorithm>
#include <vector>

static std::vector<uint32_t> depths_by(gpugraph_graph *graph, uint32_t source,
                                       gpugraph_backend backend) {
    std::vector<uint32_t> depth(graph->n, 7);
    gpugraph_search search = gpugraph_search();
    gpugraph_run run = gpugraph_run();
    search.source = &source;
    search.source_count = 1;
    search.max_depth = GPUGRAPH_NONE;
    run.backend = backend;
    gpugraph_bfs(graph, &search, &run, depth.data(), NULL);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    return depth;
}

/* A path of that many edges among vertices that it does not reach. */
static void check_path(uint32_t edges, uint32_t vertices) {
    shape s = shape_empty(vertices);
    for (uint32_t v = 0; v < edges; v++)
        shape_add(&s, v, v + 1);
    gpugraph_graph *graph = shape_graph(&s);
    const std::vector<uint32_t> right = depths_by(graph, 0, GPUGRAPH_CPU);
    ck_assert_uint_eq(right[edges], edges);
    ck_assert_msg(depths_by(graph, 0, GPUGRAPH_CUDA) == right, "%u edges, %u vertices",
                  edges, vertices);
    gpugraph_free(graph);
    shape_free(&s);
}

START_TEST(as_far_as_bytes_go) {
    for (uint32_t edges : {3u, 253u, 254u, 255u, 256u, 700u})
        check_path(edges, BYTES_LEAST + 3);
}
END_TEST

/* The whole path lies at the end, where a piece may be one vertex. */
START_TEST(a_path_at_the_end) {
    for (uint32_t vertices :
         {(2u << 20) - 1, 2u << 20, (2u << 20) + 1, (4u << 20) + 67, (10u << 20) + 1}) {
        shape s = shape_empty(vertices);
        for (uint32_t v = vertices - 11; v + 1 < vertices; v++)
            shape_add(&s, v, v + 1);
        gpugraph_graph *graph = shape_graph(&s);
        const std::vector<uint32_t> found =
            depths_by(graph, vertices - 11, GPUGRAPH_CUDA);
        for (uint32_t v = 0; v < vertices; v++)
            expect_equal(found[v],
                         v < vertices - 11 ? GPUGRAPH_NONE : v - (vertices - 11));
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

START_TEST(pieces_and_rests) {
    for (uint32_t more : {0u, 1u, 65u})
        for (uint32_t pieces : {1u, 5u})
            check_path(200, (pieces << 20) + more);
    check_path(200, BYTES_LEAST);
    check_path(200, BYTES_LEAST - 1);
}
END_TEST

/* ---- from many sources ---- */

enum { SOURCES = 13, EDGES = 700 };

/* Searches along a path of EDGES among `vertices`. From some sources all depths fit a
** byte. */
static gpugraph_status depths_of_each(gpugraph_graph *graph, gpugraph_run *run) {
    static const uint32_t source[SOURCES] = {690, 600, 10,  687, 500, 686, 0,
                                             685, 1,   688, 446, 445, 700};
    std::vector<std::vector<uint32_t>> depth(SOURCES);
    uint32_t *row[SOURCES];
    for (int i = 0; i < SOURCES; i++) {
        depth[i].resize(graph->n, 7);
        row[i] = depth[i].data();
    }
    gpugraph_search search = gpugraph_search();
    search.source = source;
    search.source_count = SOURCES;
    search.max_depth = GPUGRAPH_NONE;
    run->backend = GPUGRAPH_CUDA;
    gpugraph_bfs_each(graph, &search, run, row, NULL);
    for (int i = 0; i < SOURCES && run->status == GPUGRAPH_OK; i++)
        for (uint32_t v = 0; v < graph->n; v++)
            expect_equal(row[i][v],
                         v >= source[i] && v <= EDGES ? v - source[i] : GPUGRAPH_NONE);
    return run->status;
}

static gpugraph_graph *path_among(uint32_t vertices) {
    shape s = shape_empty(vertices);
    for (uint32_t v = 0; v < EDGES; v++)
        shape_add(&s, v, v + 1);
    gpugraph_graph *graph = shape_graph(&s);
    shape_free(&s);
    return graph;
}

START_TEST(one_after_the_other) {
    for (uint32_t vertices : {(uint32_t)BYTES_LEAST, (5u << 20) + 3}) {
        gpugraph_graph *graph = path_among(vertices);
        for (const char *method : {"auto", "persistent", "multi-kernel"}) {
            gpugraph_run run = gpugraph_run();
            run.method = method;
            ck_assert_msg(depths_of_each(graph, &run) == GPUGRAPH_OK, "%s", run.message);
        }
        gpugraph_free(graph);
    }
}
END_TEST

/* Memory suffices for a search from some limit on. */
START_TEST(where_memory_is_short) {
    gpugraph_graph *graph = path_among(1 << 20);
    int refused = 0, found = 0;
    for (int64_t limit = 1 << 20; limit < 64 << 20; limit += 1 << 20) {
        gpugraph_run run = gpugraph_run();
        gpugraph_release_device(graph);
        run.memory_limit = limit;
        const gpugraph_status status = depths_of_each(graph, &run);
        ck_assert_msg(status == GPUGRAPH_OK || status == GPUGRAPH_DEVICE_MEMORY, "%s",
                      run.message);
        refused += status != GPUGRAPH_OK;
        found += status == GPUGRAPH_OK;
    }
    ck_assert_int_gt(refused, 0);
    ck_assert_int_gt(found, 0);
    gpugraph_free(graph);
}
END_TEST

extern const struct suite suite = {
    .name = "bfs_bring",
    .groups = {{.name = "narrow",
                .timeout = 60,
                .cases = {{&as_far_as_bytes_go},
                          {&pieces_and_rests},
                          {&a_path_at_the_end},
                          {&one_after_the_other},
                          {&where_memory_is_short}}}},
    .needs_device = true,
};
