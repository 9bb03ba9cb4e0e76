/* gpu_topological_order: levels, and an order in which all edges point forward. */
#include "search.h"

static void make_order(making *m) {
    gpugraph_topological_order(m->graph, m->q->search.direction, m->run, own_array(m, 0),
                               own_array(m, 1), &m->made->cycle);
}

const table_function topological_order_function = {
    .name = "gpu_topological_order",
    FUNCTION_FIELDS((F_VERTEX, F_OWN, F_OWN + 1), (F_EDGES, F_DIRECTION)),
    .positional = 1,
    .option = "direction = 'in'",
    .search = SEARCH("topological_order", make_order, NUMBERS_COMPACT),
    .example = "gpu_topological_order('roads')",
    .own = {{"level", "INTEGER", OWN_NUMBER}, {"position", "INTEGER", OWN_NUMBER}},
};
