/* gpu_bfs: breadth-first search. */
#include "array_block.h"
#include "function_list.h"
#include "search.h"

#include <stdlib.h>

/* ---- the search ---- */

static gpugraph_status find_depths(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, void *depth, void *tree) {
    return gpugraph_bfs(graph, search, run, depth, tree);
}

static void make_bfs(making *m) {
    make_distances(m, GPUGRAPH_UINT32, find_depths);
}

/* Makes the array of all sources, for as long as memory lasts. */
static void make_arrays(const question *q, gpugraph_run *run, arrays **each,
                        enum array_name array) {
    for (uint32_t i = 0; i < q->search.source_count; i++) {
        size_t size = arrays_item_size(each[i], array);
        each[i]->array[array] = array_block_take((each[i]->n ? each[i]->n : 1) * size);
        if (!each[i]->array[array])
            run->status = GPUGRAPH_NO_MEMORY;
    }
}

static void make_bfs_each(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                          arrays **each) {
    const bool wants_tree = q->wants & (1u << A_TREE_EDGE);
    uint32_t count = q->search.source_count, **depth = malloc(count * sizeof *depth);
    void **tree = malloc(count * sizeof *tree);
    make_arrays(q, run, each, A_VALUE);
    if (wants_tree)
        make_arrays(q, run, each, A_TREE_EDGE);
    if (!depth || !tree)
        run->status = GPUGRAPH_NO_MEMORY;
    for (uint32_t i = 0; i < count && run->status == GPUGRAPH_OK; i++) {
        depth[i] = each[i]->array[A_VALUE];
        tree[i] = each[i]->array[A_TREE_EDGE];
    }
    if (run->status == GPUGRAPH_OK)
        gpugraph_bfs_each(graph, &q->search, run, depth, wants_tree ? tree : NULL);
    free(depth);
    free(tree);
}

const search_kind bfs_search = {
    .name = "bfs",
    .make = make_bfs,
    .make_each = make_bfs_each,
};

/* ---- the function ---- */

static const unsigned char bfs_fields[] = {
    F_VERTEX,  F_DEPTH,     F_PARENT,    F_EDGE,     F_EDGES,  F_SOURCE, F_TARGET,
    F_SOURCES, F_MAX_DEPTH, F_DIRECTION, F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND,
};

const table_function bfs_function = {
    .name = "gpu_bfs",
    .field = bfs_fields,
    .fields = sizeof bfs_fields,
    .visible = 4,
    .bracketed = 3,
    .option = "max_depth = 2",
    .ends_early = true,
    .needs_source = true,
    .search = &bfs_search,
    .unweighted_search = &bfs_search,
    .weight = WEIGHT_NO,
    .example = "gpu_bfs('roads', 1)",
};
