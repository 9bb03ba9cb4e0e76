/* Questions to tables g(src, dst, weight), texts(src, dst) and a graph `followed`, for
** several connections, threads and processes. Each gives one row, equal on every run. */
#ifndef TEST_QUESTIONS_H
#define TEST_QUESTIONS_H

#include "function_examples.h"

#include <string.h>

static const char *const written_questions[] = {
    "SELECT count(*), sum(depth), sum(parent), sum(edge) FROM gpu_bfs('g', 1)",
    "SELECT count(*), sum(depth) FROM gpu_bfs('g') WHERE sources = '[1, 2]'",
    "SELECT count(*), sum(distance), sum(parent), sum(edge) FROM gpu_sssp('g', 1)",
    "SELECT count(*), sum(distance * source) FROM gpu_sssp('g') WHERE sources = '[1, 2]'",
    "SELECT count(*), max(distance) FROM gpu_sssp('g', 1) WHERE direction = 'both'",
    "SELECT count(*), sum(depth) FROM gpu_bfs('g', 5) WHERE method = "
    "'direction-optimizing'",
    "SELECT sum(seq * vertex), max(distance) FROM gpu_path('g', 1, 9)",
    "SELECT count(*), sum(parent * preorder) FROM gpu_dfs('g') WHERE ordered = 1",
    "SELECT count(*), count(DISTINCT preorder), max(postorder) FROM gpu_dfs('g', 1)",
    "SELECT count(*), sum(vertex) FROM gpu_mis('g')",
    "SELECT count(*), sum(component) FROM gpu_components('g')",
    "SELECT count(*), sum(component) FROM gpu_components('g') WHERE kind = 'strong'",
    "SELECT count(*), sum(vertex * rank) FROM gpu_pagerank('g')",
    "SELECT count(*), sum(vertex * label) FROM gpu_label_propagation('g')",
    "SELECT count(*), sum(triangles), sum(vertex * coefficient) FROM gpu_triangles('g')",
    "SELECT count(*), sum(path * seq * vertex), max(distance) FROM gpu_paths('g', 1, 9, "
    "4)",
    "SELECT count(*), sum(distance * target) FROM gpu_matrix('g', '[1, 2, 5]', '[9, 2]')",
    "SELECT count(*), sum(distance) FROM gpu_matrix('g', '[1, 2, 5]') WHERE weighted = 0",
    "SELECT count(*), sum(vertex * core) FROM gpu_cores('g')",
    "SELECT count(*), sum(edge * source), sum(weight * component) FROM "
    "gpu_spanning_forest('g')",
    "SELECT count(*), sum(level * vertex), sum(position * vertex) FROM "
    "gpu_topological_order('SELECT src, dst FROM g WHERE src < dst')",
    "SELECT gpugraph_triangles('g')",
    "SELECT count(*), sum(depth) FROM gpu_bfs('SELECT src, dst FROM g', 1)",
    "SELECT count(*), sum(depth) FROM gpu_bfs('texts', 'v1')",
    "SELECT count(*), sum(depth) FROM gpu_bfs('followed', 1)",
    "SELECT gpugraph_check('followed')",
    "SELECT count(*) > 8, count(DISTINCT function) FROM gpugraph_methods",
    "SELECT count(*) > 0 FROM gpugraph_devices",
    "SELECT count(*) > 0 FROM gpugraph_settings",
    "SELECT count(*) > 0 FROM gpugraph_graphs",
    "SELECT count(*) FROM gpugraph_timings WHERE ms < 0",
    "SELECT devices, ms > 0 FROM gpugraph_estimate('g', 'gpu_bfs') WHERE backend = 'cpu'",
};

enum {
    WRITTEN = sizeof written_questions / sizeof *written_questions,
    MOST_QUESTIONS = WRITTEN + MOST_EXAMPLES
};

/* The examples of functions that no written question names. */
static const char *questions[MOST_QUESTIONS];
static int question_count;

__attribute__((constructor)) static void list_questions(void) {
    static char example[MOST_EXAMPLES][EXAMPLE_BYTES];
    for (; question_count < WRITTEN; question_count++)
        questions[question_count] = written_questions[question_count];
    for (int f = 0; f < example_count(); f++) {
        bool named = false;
        for (int q = 0; q < WRITTEN; q++)
            named |= strstr(written_questions[q], table_functions[f]->name) != NULL;
        if (!named)
            questions[question_count++] = example_of(f, example[f]);
    }
}

#endif
