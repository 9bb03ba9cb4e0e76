/* Depths come to the host as bytes as long as 254 suffices: around that end, and with pieces and rests. Skipped
** where there is no device. */
#include "backend.h"

extern "C" {
#include "graphs.h"
#include "suite.h"
}
#include "tuning.h"

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

/* A path of so many edges among vertices that it does not reach. */
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
        check_path(edges, GG_BFS_BYTES_LEAST + 3);
}
END_TEST

START_TEST(pieces_and_rests) {
    for (uint32_t more : {0u, 1u, 65u})
        for (uint32_t pieces : {1u, 5u})
            check_path(200, (pieces << 20) + more);
    check_path(200, GG_BFS_BYTES_LEAST);
    check_path(200, GG_BFS_BYTES_LEAST - 1);
}
END_TEST

extern const struct suite suite = {
    .name = "bfs_bring",
    .groups = {{.name = "bytes",
                .timeout = 60,
                .cases = {{&as_far_as_bytes_go}, {&pieces_and_rests}}}},
    .needs_device = true,
};
