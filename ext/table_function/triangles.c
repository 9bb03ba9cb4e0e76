/* gpu_triangles: triangles and clustering coefficient of each vertex. */
#include "search.h"

enum { COLUMN_TRIANGLES, COLUMN_DEGREE, COLUMN_COEFFICIENT };

static void make_triangles(making *m) {
    gpugraph_triangle_counts counts = {
        .triangles = own_array(m, COLUMN_TRIANGLES),
        .degree = own_array(m, COLUMN_DEGREE),
        .coefficient = own_array(m, COLUMN_COEFFICIENT),
    };
    gpugraph_vertex_triangles(m->graph, m->q->search.direction, m->run, &counts);
}

const table_function triangles_function = {
    .name = "gpu_triangles",
    FUNCTION_FIELDS((F_VERTEX, F_OWN + COLUMN_TRIANGLES, F_OWN + COLUMN_DEGREE,
                     F_OWN + COLUMN_COEFFICIENT),
                    (F_EDGES, F_DIRECTION)),
    .positional = 1,
    .option = "direction = 'out'",
    .search = SEARCH("vertex_triangles", make_triangles, NUMBERS_ANY),
    .direction = GPUGRAPH_BOTH,
    .example = "gpu_triangles('roads')",
    .own = {[COLUMN_TRIANGLES] = {"triangles", "INTEGER", OWN_COUNT},
            [COLUMN_DEGREE] = {"degree", "INTEGER", OWN_NUMBER},
            [COLUMN_COEFFICIENT] = {"coefficient", "REAL", OWN_REAL}},
};
