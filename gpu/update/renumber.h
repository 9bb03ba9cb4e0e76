/* Renumbers rows of a graph whose vertices get other numbers (drawing: renumber.c). */
#ifndef GPUGRAPH_RENUMBER_H
#define GPUGRAPH_RENUMBER_H

#include "graph_data.h"

enum { RENUMBERED_ROWS = CSR_KINDS + 3 };

struct renumbering {
    gpugraph_graph *graph;
    gpugraph_run *run;
    const uint32_t *map; /* the new number of each vertex; GPUGRAPH_NONE: a tombstone */
    uint32_t before, after; /* numbers of vertices */
    int count;
    struct renumbered_rows {
        struct csr_slot *slot;
        size_t weight_size;
        uint64_t *offset, *end; /* new blocks for the rows */
        uint32_t *spare;
    } rows[RENUMBERED_ROWS];
    uint32_t *in; /* a new block for the counts of entering edges */
};

/* Allocates the blocks for all existing rows; graph, run, map, before and after must be
** set. After a failure, which is in the run, the rows are unchanged. */
void gg_prepare_renumbering(struct renumbering *r);
/* Cannot fail. */
void gg_renumber_rows(struct renumbering *r);
void gg_free_renumbering(struct renumbering *r);

#endif
