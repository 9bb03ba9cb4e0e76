/* gpu_label_propagation: communities by label propagation. */
#include "search.h"

enum { OPTION_ITERATIONS };

static void make_labels(making *m) {
    gpugraph_label_propagation(m->graph, (uint32_t)m->q->own[OPTION_ITERATIONS],
                               m->q->search.direction, m->run, own_array(m, 0));
}

const table_function label_propagation_function = {
    .name = "gpu_label_propagation",
    FUNCTION_FIELDS((F_VERTEX, F_OWN),
                    (F_EDGES, F_OPTION + OPTION_ITERATIONS, F_DIRECTION)),
    .positional = 1,
    .option = "iterations = 20",
    .search = SEARCH("label_propagation", make_labels, NUMBERS_IN_ORDER),
    .direction = GPUGRAPH_BOTH,
    .example = "gpu_label_propagation('roads')",
    .own = {{"label", "", OWN_VERTEX}},
    .options = {[OPTION_ITERATIONS] = {.name = "iterations",
                                       .most = UINT32_MAX - 1,
                                       .standard = 10}},
};
