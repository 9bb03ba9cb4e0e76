/* gpu_topological_order: levels, and an order in which all edges lead forward. */
#include "function_list.h"
#include "search.h"

static void make_order(making *m) {
    uint32_t *level = make_own(m, &topological_order_function, 0);
    uint32_t *position = level ? make_own(m, &topological_order_function, 1) : NULL;
    if (!position)
        return;
    gpugraph_topological_order(m->graph, m->q->search.direction, m->run, level, position,
                               &m->made.cycle);
    note_where(m);
}

static const search_kind order_search = {
    .name = "topological_order",
    .make = make_order,
};

static const unsigned char order_fields[] = {
    F_VERTEX,   F_OWN,    F_OWN + 1, F_EDGES,   F_DIRECTION,
    F_VERTICES, F_PARAMS, F_METHOD,  F_BACKEND,
};

const table_function topological_order_function = {
    .name = "gpu_topological_order",
    .field = order_fields,
    .fields = sizeof order_fields,
    .visible = 3,
    .bracketed = 1,
    .option = "direction = 'in'",
    .search = &order_search,
    .unweighted_search = &order_search,
    .weight = WEIGHT_NO,
    .example = "gpu_topological_order('roads')",
    .own = {{"level", "INTEGER", OWN_NUMBER}, {"position", "INTEGER", OWN_NUMBER}},
};
