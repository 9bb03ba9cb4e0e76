/* Distances from each source to each target: what the files of this folder share.
**
**                 target  0  1  2
**     source 0            0  7  -      cell[i * targets + j], row by row
**            1            4  3  9
**
** matrix.c has the public function and the choice of a method, rows.c a search for each
** row, contraction.c the method "contraction", matrix.cu the device's side. */
#ifndef GPUGRAPH_MATRIX_H
#define GPUGRAPH_MATRIX_H

#include "algorithm.h"

/* The task, as the files of this folder see it. */
typedef struct matrix {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    gpugraph_run *run;
    void *cell; /* the matrix, of `type` */
    gpugraph_distance_type type;
    bool weighted;
    bool bounded;   /* by max_distance or max_depth, within the range of distances */
    uint64_t bound; /* largest distance, as a word (base/words.h) */
    /* The search goes against the direction, from the targets, if these are fewer.
    ** Integer distances are the same both ways. */
    bool transposed;
    const uint32_t *from, *to; /* the ends that are searched from; the other ends */
    uint32_t from_count, to_count;
    uint32_t first, all;          /* from[0] is number `first` of `all` such ends */
    gpugraph_direction direction; /* direction of a search from `from` */
    bool over;                    /* a sum left the range */
    bool looks;                   /* `auto` may contract instead of making all rows */
} matrix;

typedef void matrix_entry(matrix *m);

extern const gg_algorithm gg_matrix;
extern const algorithm_side gg_matrix_cuda;

/* The index of the cell of from[i] and to[j]. */
static inline uint64_t gg_cell(const matrix *m, uint64_t i, uint64_t j) {
    return m->transposed ? j * m->all + m->first + i : (m->first + i) * m->to_count + j;
}

/* ---- method "rows": a search for each row, by several threads (rows.c) ---- */

typedef struct row_maker row_maker;
row_maker *gg_open_rows(matrix *m); /* NULL after gg_fail */
/* Makes all rows before number `end` that are not made yet. False: the run must end. */
bool gg_make_rows(row_maker *r, uint32_t end);
/* Predicted nanoseconds for `rows` more rows, each with as many vertices and arcs as the
** mean of the rows made so far. */
double gg_rows_ns(const row_maker *r, uint32_t rows);
/* Describes the rows made so far in `text`. Returns their milliseconds. */
double gg_describe_rows(const row_maker *r, char *text, size_t size);
void gg_tell_rows(const row_maker *r); /* phase "search" */
/* Releases the arrays of the threads. Later rows make them again. */
void gg_rest_rows(row_maker *r);
void gg_close_rows(row_maker *r);

/* ---- method "contraction" (contraction.c) ---- */

/* A contraction gives up when it is predicted to exceed this. */
typedef struct contraction_limit {
    /* of one thread, predicted from counts of vertices and arcs, not measured */
    double ns;
    uint64_t bytes;
} contraction_limit;

/* The predicted time to contract a road network of that size without parallel edges. The
** prediction is equal for all networks with at most as many edges as vertices. */
double gg_contraction_ns(uint32_t vertices, uint64_t edges);
/* Fills all cells. Phases "contract" and "search"; the second one includes the time of
** the rows in `before` (or NULL). False: the run must end, or the limit was reached. */
bool gg_matrix_by_contraction(matrix *m, const contraction_limit *most,
                              const row_maker *before);

#endif
