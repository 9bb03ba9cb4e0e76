/* gpu_mis: a maximal independent set. */
#include "function_list.h"
#include "search.h"

static void make_mis(making *m) {
    uint8_t *member = make_array(m, A_MEMBER);
    if (!member)
        return;
    gpugraph_mis(m->graph, m->q->priority, m->q->seed, m->run, member);
    note_where(m);
}

static const search_kind mis_search = {
    .name = "mis",
    .make = make_mis,
    .leaves_unused_out = true,
};

static const unsigned char mis_fields[] = {
    F_VERTEX, F_EDGES, F_PRIORITY, F_SEED, F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND,
};

const table_function mis_function = {
    .name = "gpu_mis",
    .field = mis_fields,
    .fields = sizeof mis_fields,
    .visible = 1,
    .bracketed = 1,
    .option = "priority = 'id'",
    .search = &mis_search,
    .unweighted_search = &mis_search,
    .weight = WEIGHT_NO,
    .example = "gpu_mis('roads')",
};
