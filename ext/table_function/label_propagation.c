/* gpu_label_propagation: communities, by labels that spread. */
#include "function_list.h"
#include "search.h"

enum { OPTION_ITERATIONS };

static void make_labels(making *m) {
    uint32_t *label = make_own(m, &label_propagation_function, 0);
    if (!label)
        return;
    gpugraph_label_propagation(m->graph, (uint32_t)m->q->own[OPTION_ITERATIONS],
                               m->q->search.direction, m->run, label);
    note_where(m);
}

static const search_kind labels_search = {
    .name = "label_propagation",
    .make = make_labels,
    .leaves_unused_out = true,
};

static const unsigned char labels_fields[] = {
    F_VERTEX, F_OWN,    F_EDGES,   F_OPTION + OPTION_ITERATIONS, F_DIRECTION, F_VERTICES,
    F_PARAMS, F_METHOD, F_BACKEND,
};

const table_function label_propagation_function = {
    .name = "gpu_label_propagation",
    .field = labels_fields,
    .fields = sizeof labels_fields,
    .visible = 2,
    .bracketed = 1,
    .option = "iterations = 20",
    .search = &labels_search,
    .unweighted_search = &labels_search,
    .weight = WEIGHT_NO,
    .direction = GPUGRAPH_BOTH,
    .example = "gpu_label_propagation('roads')",
    .own = {{"label", "", OWN_VERTEX}},
    .options = {[OPTION_ITERATIONS] = {.name = "iterations",
                                       .most = UINT32_MAX - 1,
                                       .standard = 10}},
};
