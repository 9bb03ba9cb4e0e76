/* gpu_bfs: breadth-first search. */
#include "search.h"

const search_kind bfs_search = {.name = "bfs",
                                .make = make_distances,
                                .lists = true,
                                .each = gpugraph_bfs_each,
                                .numbers = NUMBERS_ANY};

const table_function bfs_function = {
    .name = "gpu_bfs",
    FUNCTION_FIELDS((F_VERTEX, F_DEPTH, F_PARENT, F_EDGE),
                    (F_EDGES, F_SOURCE, F_TARGET, F_SOURCES, F_MAX_DEPTH, F_DIRECTION)),
    .positional = 3,
    .option = "max_depth = 2",
    .ends_early = true,
    .needs_source = true,
    .search = &bfs_search,
    .example = "gpu_bfs('roads', 1)",
};
