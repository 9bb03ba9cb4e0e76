/* gpu_mis: a maximal independent set. */
#include "search.h"

enum { OPTION_PRIORITY };

static void make_mis(making *m) {
    uint8_t *member = make_array(m, A_MEMBER);
    if (member)
        gpugraph_mis(m->graph, (gpugraph_priority)m->q->own[OPTION_PRIORITY], m->q->seed,
                     m->run, member);
}

static const char *const priorities[] = {"degree", "degree-id", "random", "id", NULL};

const table_function mis_function = {
    .name = "gpu_mis",
    FUNCTION_FIELDS((F_VERTEX), (F_EDGES, F_OPTION + OPTION_PRIORITY, F_SEED)),
    .positional = 1,
    .option = "priority = 'id'",
    .search = SEARCH("mis", make_mis, NUMBERS_IN_ORDER),
    .example = "gpu_mis('roads')",
    .options = {[OPTION_PRIORITY] = {.name = "priority", .words = priorities}},
};
