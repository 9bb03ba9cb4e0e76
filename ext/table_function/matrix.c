/* gpu_matrix: distances from each of several sources to each of several targets. */
#include "search.h"

#include <stdio.h>

enum { MOST_CELLS = 0x7fffffff };

/* The arrays have an entry for each cell, row by row. */
static void make_matrix(making *m) {
    const gpugraph_search *s = &m->q->search;
    const uint64_t cells = (uint64_t)s->source_count * s->target_count;
    if (cells > MOST_CELLS) {
        m->run->status = GPUGRAPH_TOO_LARGE;
        snprintf(m->run->message, sizeof m->run->message,
                 "%u sources and %u targets make %llu cells, and one call takes at most "
                 "%d; ask for fewer at a time",
                 s->source_count, s->target_count, (unsigned long long)cells, MOST_CELLS);
        return;
    }
    m->made->n = (uint32_t)cells;
    m->made->type = question_type(m);
    void *cell = make_array(m, A_VALUE);
    if (cell)
        gpugraph_matrix(m->graph, s, m->q->weighted, m->run, cell);
}

const table_function matrix_function = {
    .name = "gpu_matrix",
    FUNCTION_FIELDS(
        (F_OWN, F_OWN + 1, F_DISTANCE),
        (F_EDGES, F_SOURCES, F_TARGETS, F_DIRECTION, F_WEIGHTED, F_MAX_DISTANCE)),
    .positional = 3,
    .option = "direction = 'both'",
    .cells = true,
    .ends_early = true,
    .needs_source = true,
    .search = SEARCH("matrix", make_matrix, NUMBERS_ANY),
    .weight = WEIGHT_IF_CLEAR,
    .example = "gpu_matrix('roads', '[1, 2]', '[5, 6]')",
    .own = {{"source", "", OWN_FROM}, {"target", "", OWN_TO}},
};
