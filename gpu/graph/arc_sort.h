/* The first of the two passes that make rows. csr.c and csr_simple.c use it. */
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
    size_t weight_size; /* 0: no weights */
    int threads, shift; /* the part of a row is row >> shift */
    uint64_t parts;
    uint64_t *start; /* [threads][parts] */
    uint64_t *begin; /* [parts + 1] */
    uint64_t *arc;   /* by parts: row << 32 | column */
    void *weight;
    struct csr_slot *slot; /* receives the rows */
} arc_sort;

/* Counts the arcs of a thread's slice in start[thread][part], or writes them there. */
typedef void gg_part_function(void *arc_sort, uint64_t thread);
/* The first pass: distributes at most `most` arcs to parts. False: the run must end. */
bool gg_part_arcs(arc_sort *s, uint64_t most, gg_part_function *count,
                  gg_part_function *write);
void gg_free_parts(arc_sort *s);

/* Makes the arrays of CSR_SIMPLE in an empty slot. (csr_simple.c) */
void gg_simple_rows(const gpugraph_graph *graph, gpugraph_run *run,
                    struct csr_slot *slot);

#endif
