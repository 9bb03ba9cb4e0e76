/* gpu_degrees: how many edges leave, enter and touch each vertex. */
#include "function_list.h"
#include "search.h"

enum { COLUMN_OUT, COLUMN_IN, COLUMN_BOTH };

static void make_degrees(making *m) {
    uint32_t *degree[COLUMN_BOTH + 1];
    for (int column = COLUMN_OUT; column <= COLUMN_BOTH; column++) {
        degree[column] = make_own(m, &degrees_function, column);
        if (!degree[column])
            return;
    }
    if (gpugraph_degrees(m->graph, GPUGRAPH_OUT, m->run, degree[COLUMN_OUT]) ||
        gpugraph_degrees(m->graph, GPUGRAPH_IN, m->run, degree[COLUMN_IN]))
        return;
    for (uint64_t v = 0; v < m->made.n; v++)
        degree[COLUMN_BOTH][v] = degree[COLUMN_OUT][v] + degree[COLUMN_IN][v];
    note_where(m);
}

const table_function degrees_function = {
    .name = "gpu_degrees",
    FUNCTION_FIELDS(F_VERTEX, F_OWN + COLUMN_OUT, F_OWN + COLUMN_IN, F_OWN + COLUMN_BOTH,
                    F_EDGES),
    .visible = 4,
    .bracketed = 1,
    .option = "method = 'auto'",
    .search = &(const search_kind){.name = "degrees",
                                   .make = make_degrees,
                                   .leaves_unused_out = true},
    .example = "gpu_degrees('roads')",
    .own = {[COLUMN_OUT] = {"out_degree", "INTEGER", OWN_NUMBER},
            [COLUMN_IN] = {"in_degree", "INTEGER", OWN_NUMBER},
            [COLUMN_BOTH] = {"degree", "INTEGER", OWN_NUMBER}},
};
