/* Rows of a graph whose vertices get other numbers: renumber.c draws it. */
#ifndef GPUGRAPH_RENUMBER_H
#define GPUGRAPH_RENUMBER_H

#include "graph_data.h"

enum { RENUMBERED_ROWS = CSR_KINDS + 3 };

struct renumbering {
    gpugraph_graph *graph;
    gpugraph_run *run;
    const uint32_t *map; /* the new number of each vertex; GPUGRAPH_NONE: a tombstone */
    uint32_t before, after; /* vertices */
    int count;
    struct renumbered_rows {
        struct csr_slot *slot;
        size_t weight_size;
        uint64_t *offset, *end; /* blocks for the rows afterwards */
        uint32_t *spare;
    } rows[RENUMBERED_ROWS];
    uint32_t *in; /* for the counts of entering edges */
};

/* Takes the blocks for all rows that are made, once graph, run, map, before and after are set. A
** failure is in the run; the rows are what they were. */
void gg_prepare_renumbering(struct renumbering *r);
/* Cannot fail. */
void gg_renumber_rows(struct renumbering *r);
void gg_free_renumbering(struct renumbering *r);

#endif
