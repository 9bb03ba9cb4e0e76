/* State of gpugraph_create, which graph.c and weights.c share. */
#ifndef GPUGRAPH_GRAPH_BUILDER_H
#define GPUGRAPH_GRAPH_BUILDER_H

#include "graph_data.h"

typedef struct builder {
    gpugraph_graph *graph;
    gpugraph_edges *edges; /* a copy: columns that are taken over become NULL */
    gpugraph_run *run;
    uint64_t m;
    int threads;
    void *order; /* by edge number: the input row; NULL: rows are in order */
} builder;

static inline uint64_t input_row(const builder *b, uint64_t e) {
    return b->order ? gg_edge_at(b->order, b->graph->wide, e) : e;
}

/* Checks the column of weights and moves it into the graph, in the narrowest type.
** (weights.c) */
void gg_take_weights(builder *b);

#endif
