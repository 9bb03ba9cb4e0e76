/* The first of the two passes that make rows. csr.c and csr_simple.c use it. */
#ifndef GPUGRAPH_ARC_SORT_H
#define GPUGRAPH_ARC_SORT_H

#include "graph_data.h"

typedef struct arc_list {
    const uint32_t *row, *column;
    const void *weight;
    uint64_t count;
    bool both; /* each entry except a loop makes a reversed arc, too */
    bool loops;
} arc_list;

typedef struct arc_sort {
    gpugraph_run *run;
    uint32_t n;
    arc_list list;
    size_t weight_size; /* 0: no weights */
    int threads, shift; /* the part of a row is row >> shift */
    uint64_t parts;
    uint64_t *start; /* [threads][parts] */
    uint64_t *begin; /* [parts + 1] */
    uint64_t *arc;   /* by parts: row << 32 | column */
    void *weight;
    struct csr_slot *slot; /* receives the rows */
} arc_sort;

/* The first pass: distributes the arcs of the list to parts. False: the run must end. */
bool gg_part_arcs(arc_sort *s);
void gg_free_parts(arc_sort *s);

/* Makes the arrays of CSR_SIMPLE in an empty slot. (csr_simple.c) */
void gg_simple_rows(const gpugraph_graph *graph, gpugraph_run *run,
                    struct csr_slot *slot);

#endif
