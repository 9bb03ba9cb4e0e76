/* gpu_sssp: shortest paths by weight. */
#include "search.h"

const search_kind sssp_search = {
    .name = "sssp", .make = make_distances, .lists = true, .numbers = NUMBERS_ANY};

const table_function sssp_function = {
    .name = "gpu_sssp",
    FUNCTION_FIELDS(
        (F_VERTEX, F_DISTANCE, F_PARENT, F_EDGE),
        (F_EDGES, F_SOURCE, F_TARGET, F_SOURCES, F_MAX_DISTANCE, F_DIRECTION)),
    .positional = 3,
    .option = "max_distance = 1000",
    .ends_early = true,
    .needs_source = true,
    .search = &sssp_search,
    .weight = WEIGHT_YES,
    .example = "gpu_sssp('roads', 1)",
};
