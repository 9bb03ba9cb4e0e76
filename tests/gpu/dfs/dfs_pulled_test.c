/* Depth-first search on a device may pull the last part of a tree (gpu/dfs/pull.cu). The
** test checks for which graphs it does so, and that the results are search trees. */
#include "graph_data.h"
#include "expect.h"
#include "graphs.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* The number of searches of a graph after which pull.cu tests whether the rows are their
** own transpose. */
enum { SEARCHES_BEFORE = 3 };

/* ---- a search ---- */

static void hear(void *listener, const char *name, double ms, int64_t items,
                 const char *detail) {
    (void)ms;
    (void)items;
    if (strcmp(name, "search") == 0)
        *(bool *)listener = strstr(detail, "pulled") != NULL;
}

/* Returns true if the search was pulled. It must reach the vertices that a breadth-first
** search on the host reaches. Each parent must be one step nearer, over an edge. */
static bool check(const shape *s, gpugraph_graph *graph, uint32_t source,
                  gpugraph_direction direction) {
    const uint32_t n = graph->n;
    uint32_t *depth = malloc(n * sizeof *depth), *parent = malloc(n * sizeof *parent),
             *edge = malloc(n * sizeof(uint64_t)), *right = malloc(n * sizeof *right);
    bool pulled = false;
    gpugraph_run run = {.method = "many-paths",
                        .backend = GPUGRAPH_CUDA,
                        .phase = hear,
                        .listener = &pulled},
                 host = {.backend = GPUGRAPH_CPU};
    const gpugraph_search wanted = {.source = &source,
                                    .source_count = 1,
                                    .direction = direction,
                                    .max_depth = GPUGRAPH_NONE};
    const gpugraph_dfs_tree tree = {.depth = depth, .parent = parent, .tree_edge = edge};
    gpugraph_dfs(graph, source, false, direction, &run, &tree);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    gpugraph_bfs(graph, &wanted, &host, right, NULL);
    ck_assert_msg(host.status == GPUGRAPH_OK, "%s", host.message);
    for (uint32_t v = 0; v < n; v++) {
        expect((depth[v] == GPUGRAPH_NONE) == (right[v] == GPUGRAPH_NONE),
               "vertex %u: depth %u", v, depth[v]);
        if (depth[v] == GPUGRAPH_NONE || v == source)
            continue;
        const uint32_t up = parent[v], e = edge[v];
        expect(up < n && depth[v] == depth[up] + 1, "vertex %u: depth %u", v, depth[v]);
        const int64_t a = s->source[e], b = s->target[e];
        expect((direction != GPUGRAPH_IN && a == up && b == v) ||
                   (direction != GPUGRAPH_OUT && a == v && b == up),
               "vertex %u: edge %u is not one from %u", v, e, up);
    }
    expect(depth[source] == 0, "the source has the depth %u", depth[source]);
    free(depth);
    free(parent);
    free(edge);
    free(right);
    return pulled;
}

/* ---- graphs ---- */

/* Each edge both ways, once, in order. */
static shape both_ways(shape s) {
    const int64_t edges = s.edges;
    for (int64_t e = 0; e < edges; e++)
        shape_add(&s, (uint32_t)s.target[e], (uint32_t)s.source[e]);
    shape_sort(&s);
    int64_t kept = 0;
    for (int64_t e = 0; e < s.edges; e++)
        if (e == 0 || s.source[e] != s.source[e - 1] || s.target[e] != s.target[e - 1]) {
            s.source[kept] = s.source[e];
            s.target[kept++] = s.target[e];
        }
    s.edges = kept;
    return s;
}

static uint32_t with_edges(const shape *s) {
    return (uint32_t)s->source[s->edges / 2];
}

/* ---- tests ---- */

START_TEST(by_the_same_rows) {
    shape s = both_ways(shape_rmat(16, 12, 3));
    gpugraph_graph *graph = shape_graph(&s);
    const uint32_t source = with_edges(&s);
    for (int i = 0; gpugraph_cuda_usable(NULL) && i < SEARCHES_BEFORE + 4; i++)
        check(&s, graph, source, GPUGRAPH_OUT);
    if (gpugraph_cuda_usable(NULL)) {
        expect(check(&s, graph, source, GPUGRAPH_OUT),
               "a symmetric graph was not pulled");
        expect(check(&s, graph, source, GPUGRAPH_BOTH), "both ways it was not pulled");
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* By rows of the other direction, once a search has made them. */
START_TEST(by_rows_turned_round) {
    shape s = shape_rmat(16, 24, 4);
    gpugraph_graph *graph = shape_graph(&s);
    const uint32_t source = with_edges(&s);
    if (gpugraph_cuda_usable(NULL)) {
        expect(!check(&s, graph, source, GPUGRAPH_OUT), "it was pulled without rows");
        expect(check(&s, graph, source, GPUGRAPH_IN), "it was not pulled along OUT");
        expect(check(&s, graph, source, GPUGRAPH_OUT), "it was not pulled along IN");
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* If the graph has a long path, or a large part is out of reach, the search begins again
** without pull, and the next search does not pull at all. */
START_TEST(what_does_not_suit) {
    for (int i = 0; i < 2; i++) {
        shape s = shape_rmat(14, 16, 5);
        const uint32_t n = s.vertices, source = with_edges(&s);
        if (i == 0) {
            shape path = shape_path(300);
            s = shape_beside("R-MAT and path", s, path);
            shape_add(&s, source, n);
        } else {
            s = shape_beside("R-MATs", s, shape_rmat(12, 12, 6));
        }
        gpugraph_graph *graph = shape_graph(&s);
        for (int k = 0; gpugraph_cuda_usable(NULL) && k < 3; k++)
            expect(!check(&s, graph, source, GPUGRAPH_BOTH), "%s was pulled", s.name);
        gpugraph_free(graph);
        shape_free(&s);
    }
}
END_TEST

const struct suite suite = {
    .name = "dfs_pulled",
    .groups = {{.name = "dfs_pulled",
                .timeout = 120,
                .cases = {{&by_the_same_rows},
                          {&by_rows_turned_round},
                          {&what_does_not_suit}}}},
};
