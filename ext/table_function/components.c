/* gpu_components: connected components. */
#include "search.h"

enum { OPTION_KIND };

static void make_components(making *m) {
    gpugraph_components(m->graph, (gpugraph_component_kind)m->q->own[OPTION_KIND], m->run,
                        own_array(m, 0));
}

static const char *const kinds[] = {"weak", "strong", NULL};

const table_function components_function = {
    .name = "gpu_components",
    FUNCTION_FIELDS((F_VERTEX, F_OWN), (F_EDGES, F_OPTION + OPTION_KIND)),
    .positional = 1,
    .option = "kind = 'strong'",
    .search = SEARCH("components", make_components, NUMBERS_ANY),
    .example = "gpu_components('roads')",
    .own = {{"component", "", OWN_VERTEX}},
    .options = {[OPTION_KIND] = {.name = "kind", .words = kinds}},
};
