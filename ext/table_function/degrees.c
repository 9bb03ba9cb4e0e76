/* gpu_degrees: edges that leave, enter and touch each vertex. */
#include "search.h"

enum { COLUMN_OUT, COLUMN_IN, COLUMN_BOTH };

static void make_degrees(making *m) {
    uint32_t *out = own_array(m, COLUMN_OUT), *in = own_array(m, COLUMN_IN),
             *both = own_array(m, COLUMN_BOTH);
    if (gpugraph_degrees(m->graph, GPUGRAPH_OUT, m->run, out) ||
        gpugraph_degrees(m->graph, GPUGRAPH_IN, m->run, in))
        return;
    for (uint64_t v = 0; v < m->made->n; v++)
        both[v] = out[v] + in[v];
}

const table_function degrees_function = {
    .name = "gpu_degrees",
    FUNCTION_FIELDS(
        (F_VERTEX, F_OWN + COLUMN_OUT, F_OWN + COLUMN_IN, F_OWN + COLUMN_BOTH),
        (F_EDGES)),
    .positional = 1,
    .option = "method = 'auto'",
    .search = SEARCH("degrees", make_degrees, NUMBERS_ANY),
    .example = "gpu_degrees('roads')",
    .own = {[COLUMN_OUT] = {"out_degree", "INTEGER", OWN_NUMBER},
            [COLUMN_IN] = {"in_degree", "INTEGER", OWN_NUMBER},
            [COLUMN_BOTH] = {"degree", "INTEGER", OWN_NUMBER}},
};
