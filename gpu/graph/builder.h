/* A graph while gpugraph_create makes it of edge columns: what graph.c and weights.c share. */
#ifndef GPUGRAPH_GRAPH_BUILDER_H
#define GPUGRAPH_GRAPH_BUILDER_H

#include "graph_data.h"

/* What gpugraph_create holds while it works. */
typedef struct builder {
    gpugraph_graph *graph;
    gpugraph_edges *edges; /* a copy: columns that are taken over become NULL */
    gpugraph_run *run;
    uint64_t m;
    int threads;
    void *order; /* by edge number: the input row, as an edge number; NULL: the same */
} builder;

static inline uint64_t input_row(const builder *b, uint64_t e) {
    return b->order ? gg_edge_at(b->order, b->graph->wide, e) : e;
}

/* Checks the column of weights and brings it into the graph, as narrow as may be.
** (weights.c) */
void gg_take_weights(builder *b);

#endif
