/* The first of the two passes that make rows (csr.c), as csr_simple.c uses it, too. */
#ifndef GPUGRAPH_ARC_SORT_H
#define GPUGRAPH_ARC_SORT_H

#include "graph_data.h"

typedef struct arc_list {
    const uint32_t *row, *column;
    const void *weight;
    uint64_t count;
    bool skip_loops;
} arc_list;

typedef struct arc_sort {
    gpugraph_run *run;
    uint32_t n;
    arc_list list[2];
    int lists;
    size_t weight_size; /* 0: none */
    int threads, shift; /* part of a row: row >> shift */
    uint64_t parts;
    uint64_t *start; /* [threads][parts] */
    uint64_t *begin; /* [parts + 1] */
    uint64_t *arc;   /* parted: row << 32 | column */
    void *weight;
    struct csr_slot *slot; /* receives the rows */
} arc_sort;

/* Parts and threads for so many arcs. */
void gg_plan_parts(arc_sort *s, uint64_t arcs);
/* Makes of start[], where each thread has counted, the places that it writes to; fills
** begin[]. */
void gg_counts_to_starts(const arc_sort *s);

/* The arrays of CSR_SIMPLE, into an empty slot. (csr_simple.c) */
void gg_simple_rows(const gpugraph_graph *graph, gpugraph_run *run,
                    struct csr_slot *slot);

#endif
