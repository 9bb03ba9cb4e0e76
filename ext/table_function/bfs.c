/* gpu_bfs: breadth-first search. */
#include "search.h"

/* ---- the search ---- */

static gpugraph_status find_depths(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, void *depth, void *tree) {
    return gpugraph_bfs(graph, search, run, depth, tree);
}

static void make_bfs(making *m) {
    make_distances(m, GPUGRAPH_UINT32, find_depths);
}

static gpugraph_status find_list(gpugraph_graph *graph, const gpugraph_search *search,
                                 gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                 void *depth, void *tree, uint32_t *count) {
    return gpugraph_bfs_list(graph, search, run, room, vertex, depth, tree, count);
}

const search_kind bfs_search = {
    .name = "bfs",
    .make = make_bfs,
    .list = find_list,
    .each = gpugraph_bfs_each,
    .numbers = NUMBERS_ANY,
};

/* ---- the function ---- */

const table_function bfs_function = {
    .name = "gpu_bfs",
    FUNCTION_FIELDS(F_VERTEX, F_DEPTH, F_PARENT, F_EDGE, F_EDGES, F_SOURCE, F_TARGET,
                    F_SOURCES, F_MAX_DEPTH, F_DIRECTION),
    .visible = 4,
    .bracketed = 3,
    .option = "max_depth = 2",
    .ends_early = true,
    .needs_source = true,
    .search = &bfs_search,
    .example = "gpu_bfs('roads', 1)",
};
