/* gpu_cores: core numbers. */
#include "search.h"

static void make_cores(making *m) {
    gpugraph_cores(m->graph, m->run, own_array(m, 0));
}

const table_function cores_function = {
    .name = "gpu_cores",
    FUNCTION_FIELDS((F_VERTEX, F_OWN), (F_EDGES)),
    .positional = 1,
    .option = "method = 'auto'",
    .search = SEARCH("cores", make_cores, NUMBERS_ANY),
    .example = "gpu_cores('roads')",
    .own = {{"core", "INTEGER", OWN_NUMBER}},
};
