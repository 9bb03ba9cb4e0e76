/* gpu_pagerank: the share of time that a random walk spends at each vertex. */
#include "search.h"

enum { OPTION_DAMPING, OPTION_ITERATIONS, OPTION_TOLERANCE };

static void make_pagerank(making *m) {
    const question *q = m->q;
    gpugraph_pagerank_options how = {
        .damping = q->own[OPTION_DAMPING],
        .iterations = (uint32_t)q->own[OPTION_ITERATIONS],
        .tolerance = q->own[OPTION_TOLERANCE],
        .weighted = q->weighted,
        .direction = q->search.direction,
        .source = q->search.source,
        .source_count = q->search.source_count,
    };
    gpugraph_pagerank(m->graph, &how, m->run, own_array(m, 0));
}

const table_function pagerank_function = {
    .name = "gpu_pagerank",
    FUNCTION_FIELDS((F_VERTEX, F_OWN),
                    (F_EDGES, F_OPTION + OPTION_DAMPING, F_OPTION + OPTION_ITERATIONS,
                     F_OPTION + OPTION_TOLERANCE, F_WEIGHTED, F_SOURCES, F_DIRECTION)),
    .positional = 1,
    .option = "damping = 0.9",
    .search = SEARCH("pagerank", make_pagerank, NUMBERS_COMPACT),
    .example = "gpu_pagerank('roads')",
    .own = {{"rank", "REAL", OWN_REAL}},
    .options = {[OPTION_DAMPING] =
                    {.name = "damping", .real = true, .most = 1, .standard = 0.85},
                [OPTION_ITERATIONS] = {.name = "iterations",
                                       .most = UINT32_MAX - 1,
                                       .standard = 100},
                [OPTION_TOLERANCE] =
                    {.name = "tolerance", .real = true, .most = 1e300, .standard = 1e-6}},
};
