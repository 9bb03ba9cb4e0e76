/* Distances from each of some sources to each of some targets: what the files of the room share.
**
**                 target  0  1  2
**     source 0            0  7  -      cell[i * targets + j], row by row
**            1            4  3  9
**
** matrix.c has the public function, rows.c the CPU's side, matrix.cu the device's. */
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
} matrix;

typedef void matrix_entry(matrix *m);

extern const gg_algorithm gg_matrix;
extern const algorithm_side gg_matrix_cuda;

/* The cell of from[i] and to[j]. */
static inline uint64_t gg_cell(const matrix *m, uint64_t i, uint64_t j) {
    return m->turned ? j * m->all + m->first + i : (m->first + i) * m->to_count + j;
}

/* The CPU's side: a search for each row. (rows.c) */
void gg_matrix_by_rows(matrix *m);

#ifdef __cplusplus
}
#endif
#endif
