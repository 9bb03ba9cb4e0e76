/* gpu_spanning_forest: the edges of the minimum spanning forest. */
#include "search.h"

#include <stdlib.h>

enum { OWN_SOURCE, OWN_TARGET, OWN_WEIGHT_OF_EDGE, OWN_COMPONENT };

/* Sets the component of each row's edge to that of the edge's source. */
static void keep_components(making *m, const uint32_t *component) {
    const void *edge = m->made->array[A_TREE_EDGE];
    uint32_t *of_row = make_array(m, (enum array_name)(A_OWN + OWN_COMPONENT));
    if (!of_row || gpugraph_bring_edges(m->graph, m->run))
        return;
    const uint32_t *source = gpugraph_edges_of(m->graph)->source;
    for (uint32_t i = 0; i < m->made->n; i++)
        of_row[i] = component[source[gpugraph_edge_at(m->graph, edge, i)]];
}

/* The arrays have an entry for each edge of the forest. A forest has fewer edges than
** vertices. */
static void make_forest(making *m) {
    const bool weighted = m->q->weighted;
    uint32_t *component = array_block_for(m->run, m->made->n, sizeof *component), count;
    void *edge = make_array(m, A_TREE_EDGE);
    if (component && edge &&
        !gpugraph_spanning_forest(m->graph, weighted, m->run, edge, &count, component)) {
        m->made->n = count;
        keep_components(m, component);
    }
    free(component);
}

const table_function spanning_forest_function = {
    .name = "gpu_spanning_forest",
    FUNCTION_FIELDS((F_EDGE, F_OWN + OWN_SOURCE, F_OWN + OWN_TARGET,
                     F_OWN + OWN_WEIGHT_OF_EDGE, F_OWN + OWN_COMPONENT),
                    (F_EDGES)),
    .positional = 1,
    .option = "method = 'auto'",
    .search = SEARCH("spanning_forest", make_forest, NUMBERS_COMPACT),
    .weight = WEIGHT_IF_CLEAR,
    .direction = GPUGRAPH_BOTH,
    .example = "gpu_spanning_forest('roads')",
    .own = {[OWN_SOURCE] = {"source", "", OWN_TAIL},
            [OWN_TARGET] = {"target", "", OWN_HEAD},
            [OWN_WEIGHT_OF_EDGE] = {"weight", "", OWN_WEIGHT},
            [OWN_COMPONENT] = {"component", "", OWN_VERTEX}},
};
