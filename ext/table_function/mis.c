/* gpu_mis: a maximal independent set. */
#include "function_list.h"
#include "search.h"

static void make_mis(making *m) {
    uint8_t *member = make_array(m, A_MEMBER);
    if (member)
        gpugraph_mis(m->graph, m->q->priority, m->q->seed, m->run, member);
}

const table_function mis_function = {
    .name = "gpu_mis",
    FUNCTION_FIELDS(F_VERTEX, F_EDGES, F_PRIORITY, F_SEED),
    .visible = 1,
    .bracketed = 1,
    .option = "priority = 'id'",
    .search =
        &(const search_kind){.name = "mis", .make = make_mis, .leaves_unused_out = true},
    .example = "gpu_mis('roads')",
};
