/* gpu_components: connected components. */
#include "function_list.h"
#include "search.h"

enum { OPTION_KIND };

static void make_components(making *m) {
    uint32_t *component = make_own(m, &components_function, 0);
    if (!component)
        return;
    gpugraph_components(m->graph, (gpugraph_component_kind)m->q->own[OPTION_KIND], m->run,
                        component);
    note_where(m);
}

static const search_kind components_search = {
    .name = "components",
    .make = make_components,
    .leaves_unused_out = true,
};

static const unsigned char components_fields[] = {
    F_VERTEX,   F_OWN,    F_EDGES,  F_OPTION + OPTION_KIND,
    F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND,
};

static const char *const kinds[] = {"weak", "strong", NULL};

const table_function components_function = {
    .name = "gpu_components",
    .field = components_fields,
    .fields = sizeof components_fields,
    .visible = 2,
    .bracketed = 1,
    .option = "kind = 'strong'",
    .search = &components_search,
    .unweighted_search = &components_search,
    .weight = WEIGHT_NO,
    .example = "gpu_components('roads')",
    .own = {{"component", "", OWN_VERTEX}},
    .options = {[OPTION_KIND] = {.name = "kind", .words = kinds}},
};
