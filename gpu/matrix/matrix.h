/* Distances from each of some sources to each of some targets: what the files of the room share.
**
**                 target  0  1  2
**     source 0            0  7  -      cell[i * targets + j], row by row
**            1            4  3  9
**
** matrix.c has the public function and the choice of a method, rows.c a search for each row,
** contraction.c the method "contraction", matrix.cu the device's side. */
#ifndef GPUGRAPH_MATRIX_H
#define GPUGRAPH_MATRIX_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked, as the files of the room see it. */
typedef struct matrix {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    gpugraph_run *run;
    void *cell; /* of `type` */
    gpugraph_distance_type type;
    bool weighted;
    bool bounded;   /* by max_distance or max_depth, within the range of distances */
    uint64_t bound; /* the largest word of a cell (base/words.h) */
    /* Distances that are integers are the same the other way: from the fewer ends. */
    bool turned;
    const uint32_t *from, *to; /* the ends that are searched from, the others */
    uint32_t from_count, to_count;
    uint32_t first, all; /* from[0] is end number first of all that are searched from */
    gpugraph_direction direction; /* of such a search */
    bool over;                    /* a sum left the range */
    bool looks;                   /* auto may contract instead of making all rows */
} matrix;

typedef void matrix_entry(matrix *m);

extern const gg_algorithm gg_matrix;
extern const algorithm_side gg_matrix_cuda;

/* The cell of from[i] and to[j]. */
static inline uint64_t gg_cell(const matrix *m, uint64_t i, uint64_t j) {
    return m->turned ? j * m->all + m->first + i : (m->first + i) * m->to_count + j;
}

/* ---- method "rows": a search for each row, by several threads (rows.c) ---- */

typedef struct row_maker row_maker;
row_maker *gg_open_rows(matrix *m); /* NULL after gg_fail */
/* Makes all rows before number `end` that are not made yet. False: the run must end. */
bool gg_make_rows(row_maker *r, uint32_t end);
/* What so many rows more will take, if they look at as many vertices and arcs as those so far. */
double gg_rows_ns(const row_maker *r, uint32_t rows);
/* Says how many rows there are, and what they have looked at; returns their milliseconds. */
double gg_describe_rows(const row_maker *r, char *text, size_t size);
void gg_tell_rows(const row_maker *r); /* phase "search" */
/* Releases the arrays of the threads; later rows make them again. */
void gg_rest_rows(row_maker *r);
void gg_close_rows(row_maker *r);

/* ---- method "contraction" (contraction.c) ---- */

/* Contracting is given up as soon as it is predicted to take longer, or holds more. */
typedef struct contraction_limit {
    double ns; /* of one thread, by counts of vertices and arcs: no clock is asked */
    uint64_t bytes;
} contraction_limit;

/* Could it answer? */
bool gg_matrix_contracts(const matrix *m);
/* What contracting is predicted to take of a road network of that size, of which no two edges are
** parallel. A graph with as many edges as vertices takes least. */
double gg_contraction_ns(uint32_t vertices, uint64_t edges);
/* All cells. Phases "contract" and "search", of which rows that were made before are a part; NULL: none
** were. False: the run must end, or the limit was reached. */
bool gg_matrix_by_contraction(matrix *m, const contraction_limit *most,
                              const row_maker *before);

#ifdef __cplusplus
}
#endif
#endif
