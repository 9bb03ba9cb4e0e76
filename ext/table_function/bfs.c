/* gpu_bfs: breadth-first search. */
#include "array_block.h"
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

static gpugraph_status find_each(gpugraph_graph *graph, const gpugraph_search *search,
                                 gpugraph_run *run, void *const *value,
                                 void *const *tree) {
    uint32_t **depth = array_block_for(run, search->source_count, sizeof *depth);
    if (!depth)
        return run->status;
    for (uint32_t i = 0; i < search->source_count; i++)
        depth[i] = value[i];
    gpugraph_bfs_each(graph, search, run, depth, tree);
    array_block_give(depth);
    return run->status;
}

static void make_bfs_each(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                          arrays **each) {
    make_distances_each(graph, q, run, each, GPUGRAPH_UINT32, find_each);
}

static bool find_each_bytes(gpugraph_graph *graph, const gpugraph_search *search,
                            gpugraph_run *run, void *const *value) {
    uint8_t **depth = array_block_for(run, search->source_count, sizeof *depth);
    bool fits = true;
    if (!depth)
        return fits;
    for (uint32_t i = 0; i < search->source_count; i++)
        depth[i] = value[i];
    gpugraph_bfs_each_bytes(graph, search, run, depth, &fits);
    array_block_give(depth);
    return fits;
}

static bool make_bfs_each_bytes(gpugraph_graph *graph, const question *q,
                                gpugraph_run *run, arrays **each) {
    return make_bytes_each(graph, q, run, each, find_each_bytes);
}

const search_kind bfs_search = {
    .name = "bfs",
    .make = make_bfs,
    .list = find_list,
    .make_each = make_bfs_each,
    .make_each_bytes = make_bfs_each_bytes,
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
