/* gpu_cores: core numbers. */
#include "function_list.h"
#include "search.h"

static void make_cores(making *m) {
    uint32_t *core = make_own(m, &cores_function, 0);
    if (!core)
        return;
    gpugraph_cores(m->graph, m->run, core);
    note_where(m);
}

static const search_kind cores_search = {
    .name = "cores",
    .make = make_cores,
    .leaves_unused_out = true,
};

static const unsigned char cores_fields[] = {
    F_VERTEX, F_OWN, F_EDGES, F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND,
};

const table_function cores_function = {
    .name = "gpu_cores",
    .field = cores_fields,
    .fields = sizeof cores_fields,
    .visible = 2,
    .bracketed = 1,
    .option = "method = 'auto'",
    .search = &cores_search,
    .unweighted_search = &cores_search,
    .weight = WEIGHT_NO,
    .example = "gpu_cores('roads')",
    .own = {{"core", "INTEGER", OWN_NUMBER}},
};
