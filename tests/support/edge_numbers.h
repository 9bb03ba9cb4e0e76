/* Arrays of edge numbers for tests: the library fills them with the width of the graph
** (gpugraph_edge_size), and tests compare small graphs by 32 bits. Allocate 8 bytes an
** entry for an array that may become wide. */
#ifndef TEST_EDGE_NUMBERS_H
#define TEST_EDGE_NUMBERS_H

#include "gpugraph.h"

#include <string.h>

/* Converts the graph's edge numbers to uint32_t in place, GPUGRAPH_NONE for none. */
static inline void narrow_edges(const gpugraph_graph *graph, void *edge, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t wide = gpugraph_edge_at(graph, edge, i);
        uint32_t narrow = wide == GPUGRAPH_NO_EDGE ? GPUGRAPH_NONE : (uint32_t)wide;
        memcpy((char *)edge + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

/* Converts them back. */
static inline void widen_edges(const gpugraph_graph *graph, void *edge, uint64_t count) {
    for (uint64_t i = count; gpugraph_edge_size(graph) == sizeof(uint64_t) && i-- > 0;) {
        uint32_t narrow;
        memcpy(&narrow, (char *)edge + i * sizeof narrow, sizeof narrow);
        uint64_t wide = narrow == GPUGRAPH_NONE ? GPUGRAPH_NO_EDGE : narrow;
        memcpy((char *)edge + i * sizeof wide, &wide, sizeof wide);
    }
}

#endif
