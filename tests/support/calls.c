#include "calls.h"
#include "expect.h"

#include <stdlib.h>

void world_fill(world *w) {
    w->all = calloc(w->n, sizeof *w->all);
    for (uint32_t v = 0; v < w->n; v++)
        w->all[v] = v;
    for (int k = 0; k < 6; k++)
        w->result[k] = malloc((size_t)w->n * 8 + (1 << 20));
}

void world_free(world *w) {
    gpugraph_free(w->graph);
    free(w->source);
    free(w->all);
    for (int k = 0; k < 6; k++)
        free(w->result[k]);
}

static gpugraph_search from_all_components(const world *w) {
    return (gpugraph_search){.source = w->source,
                             .source_count = w->sources,
                             .direction = w->direction,
                             .max_depth = GPUGRAPH_NONE};
}

static void ask_bfs(const world *w, gpugraph_run *run) {
    const gpugraph_search search = from_all_components(w);
    gpugraph_bfs(w->graph, &search, run, w->result[0], w->result[1]);
}

static void ask_sssp(const world *w, gpugraph_run *run) {
    const gpugraph_search search = from_all_components(w);
    gpugraph_sssp(w->graph, &search, run, w->result[0], w->result[1]);
}

static gpugraph_search to_far(const world *w) {
    return (gpugraph_search){.source = w->all,
                             .source_count = 1,
                             .target = &w->far,
                             .target_count = 1,
                             .max_depth = GPUGRAPH_NONE};
}

static void ask_path(const world *w, gpugraph_run *run) {
    const gpugraph_search search = to_far(w);
    uint32_t count;
    gpugraph_path(w->graph, &search, false, run, w->result[0], &count);
}

static void ask_path_by_weight(const world *w, gpugraph_run *run) {
    const gpugraph_search search = to_far(w);
    uint32_t count;
    gpugraph_path(w->graph, &search, true, run, w->result[0], &count);
}

static void ask_dfs(const world *w, gpugraph_run *run) {
    const gpugraph_dfs_tree tree = {w->result[0], w->result[1], w->result[2],
                                    w->result[3], w->result[4]};
    gpugraph_dfs(w->graph, GPUGRAPH_NONE, false, GPUGRAPH_OUT, run, &tree);
}

static void ask_ordered_dfs(const world *w, gpugraph_run *run) {
    const gpugraph_dfs_tree tree = {w->result[0], w->result[1], w->result[2],
                                    w->result[3], w->result[4]};
    gpugraph_dfs(w->graph, GPUGRAPH_NONE, true, GPUGRAPH_OUT, run, &tree);
}

static void ask_mis(const world *w, gpugraph_run *run) {
    gpugraph_mis(w->graph, GPUGRAPH_BY_DEGREE, 3, run, w->result[0]);
}

static void ask_triangles(const world *w, gpugraph_run *run) {
    uint64_t count;
    gpugraph_triangles(w->graph, run, &count);
}

static void ask_vertex_triangles(const world *w, gpugraph_run *run) {
    const gpugraph_triangle_counts counts = {w->result[0], w->result[1], w->result[2]};
    gpugraph_vertex_triangles(w->graph, GPUGRAPH_BOTH, run, &counts);
}

static void ask_directed_triangles(const world *w, gpugraph_run *run) {
    const gpugraph_triangle_counts counts = {w->result[0], w->result[1], w->result[2]};
    gpugraph_vertex_triangles(w->graph, GPUGRAPH_OUT, run, &counts);
}

static void ask_weak(const world *w, gpugraph_run *run) {
    gpugraph_components(w->graph, GPUGRAPH_WEAK, run, w->result[0]);
}

static void ask_strong(const world *w, gpugraph_run *run) {
    gpugraph_components(w->graph, GPUGRAPH_STRONG, run, w->result[0]);
}

enum { ITERATIONS = 4 };

static void ask_pagerank(const world *w, gpugraph_run *run) {
    const gpugraph_pagerank_options how = {
        .damping = 0.85, .iterations = ITERATIONS, .weighted = true};
    gpugraph_pagerank(w->graph, &how, run, w->result[0]);
}

static void ask_labels(const world *w, gpugraph_run *run) {
    gpugraph_label_propagation(w->graph, 1, GPUGRAPH_BOTH, run, w->result[0]);
}

static void ask_cores(const world *w, gpugraph_run *run) {
    gpugraph_cores(w->graph, run, w->result[0]);
}

static void ask_forest(const world *w, gpugraph_run *run) {
    uint32_t count;
    gpugraph_spanning_forest(w->graph, true, run, w->result[0], &count, w->result[1]);
}

static void ask_order(const world *w, gpugraph_run *run) {
    gpugraph_topological_order(w->graph, GPUGRAPH_OUT, run, w->result[0], w->result[1],
                               NULL);
}

static void ask_degrees(const world *w, gpugraph_run *run) {
    gpugraph_degrees(w->graph, GPUGRAPH_BOTH, run, w->result[0]);
}

/* Every path through the ladder has an edge for each step. */
enum { PATHS = 100 };

static int take_path(void *context, const uint64_t *edge, uint64_t count) {
    (void)edge;
    *(uint64_t *)context += count;
    return 0;
}

static void paths_of(const world *w, bool weighted, gpugraph_run *run) {
    const gpugraph_search search = to_far(w);
    uint64_t steps = 0;
    gpugraph_paths(w->graph, &search, weighted, PATHS, run, take_path, &steps);
}

static void ask_paths(const world *w, gpugraph_run *run) {
    paths_of(w, false, run);
}

static void ask_paths_by_weight(const world *w, gpugraph_run *run) {
    paths_of(w, true, run);
}

/* Searches from some vertices to a far one; searches that end at once test nothing. */
static uint32_t rows_of(const world *w) {
    const uint32_t rows = (1 << 21) / (uint32_t)w->m;
    return rows < 4 ? 4 : rows;
}

static void matrix_of(const world *w, bool weighted, gpugraph_run *run) {
    const gpugraph_search search = {.source = w->all,
                                    .source_count = rows_of(w),
                                    .target = w->all,
                                    .target_count = rows_of(w),
                                    .direction = GPUGRAPH_BOTH,
                                    .max_depth = GPUGRAPH_NONE};
    uint32_t *far = w->all + (w->n - rows_of(w));
    gpugraph_search apart = search;
    apart.target = far;
    void *cell = malloc((size_t)rows_of(w) * rows_of(w) * 8);
    gpugraph_matrix(w->graph, &apart, weighted, run, cell);
    free(cell);
}

static void ask_matrix(const world *w, gpugraph_run *run) {
    matrix_of(w, false, run);
}

static void ask_matrix_by_weight(const world *w, gpugraph_run *run) {
    matrix_of(w, true, run);
}

enum { EACH = 4 };

static void ask_each(const world *w, gpugraph_run *run) {
    gpugraph_search search = from_all_components(w);
    search.source = w->all;
    search.source_count = EACH;
    gpugraph_bfs_each(w->graph, &search, run, (uint32_t *const *)w->result, NULL);
}

static void ask_roots(const world *w, gpugraph_run *run) {
    const gpugraph_search search = from_all_components(w);
    gpugraph_roots(w->graph, &search, run, w->result[1], w->result[2]);
}

static void ask_values_in_order(const world *w, gpugraph_run *run) {
    uint32_t count;
    gpugraph_order(GPUGRAPH_UINT32, w->result[0], w->n, run, w->result[2], &count);
}

static void ask_rest_of_tree(const world *w, gpugraph_run *run) {
    const gpugraph_dfs_tree tree = {w->result[0], w->result[1]},
                            rest = {w->result[0], w->result[1], w->result[2],
                                    w->result[3], w->result[4]};
    if (!gpugraph_dfs(w->graph, GPUGRAPH_NONE, false, GPUGRAPH_OUT, run, &tree))
        gpugraph_complete_tree(w->graph, GPUGRAPH_OUT, run, &rest);
}

static void ask_clone(const world *w, gpugraph_run *run) {
    gpugraph_graph *copy;
    gpugraph_clone(w->graph, run, &copy);
    gpugraph_free(copy);
}

const question questions[] = {
    {"bfs", ask_bfs},
    {"sssp", ask_sssp},
    {"path", ask_path},
    {"path", ask_path_by_weight},
    {"dfs", ask_dfs},
    {"dfs", ask_ordered_dfs},
    {"complete tree", ask_rest_of_tree},
    {"mis", ask_mis},
    {"triangles", ask_triangles},
    {"vertex_triangles", ask_vertex_triangles},
    {"vertex_triangles", ask_directed_triangles},
    {"components", ask_weak},
    {"components", ask_strong},
    {"pagerank", ask_pagerank},
    {"label_propagation", ask_labels},
    {"cores", ask_cores},
    {"spanning_forest", ask_forest},
    {"topological_order", ask_order},
    {"degrees", ask_degrees},
    {"paths", ask_paths},
    {"paths", ask_paths_by_weight},
    {"matrix", ask_matrix},
    {"matrix", ask_matrix_by_weight},
    {"bfs each", ask_each},
    {"bfs", ask_bfs}, /* makes the tree for later questions */
    {"roots", ask_roots},
    {"order", ask_values_in_order},
    {"clone", ask_clone},
};

const int question_count = sizeof questions / sizeof *questions;
