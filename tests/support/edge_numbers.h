/* Arrays of edge numbers, as tests look at them: the library fills them in as wide as the
** graph asks for (gpugraph_edge_size), and small graphs are compared by 32 bits. An array that
** may become wide has room for 8 bytes an entry. */
#ifndef TEST_EDGE_NUMBERS_H
#define TEST_EDGE_NUMBERS_H

#include "gpugraph.h"

#include <string.h>

/* The graph's edge numbers become uint32_t, GPUGRAPH_NONE for none, in their own place. */
static inline void narrow_edges(const gpugraph_graph *graph, void *edge, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t wide = gpugraph_edge_at(graph, edge, i);
        uint32_t narrow = wide == GPUGRAPH_NO_EDGE ? GPUGRAPH_NONE : (uint32_t)wide;
        memcpy((char *)edge + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

/* And back. */
static inline void widen_edges(const gpugraph_graph *graph, void *edge, uint64_t count) {
    for (uint64_t i = count; gpugraph_edge_size(graph) == sizeof(uint64_t) && i-- > 0;) {
        uint32_t narrow;
        memcpy(&narrow, (char *)edge + i * sizeof narrow, sizeof narrow);
        uint64_t wide = narrow == GPUGRAPH_NONE ? GPUGRAPH_NO_EDGE : narrow;
        memcpy((char *)edge + i * sizeof wide, &wide, sizeof wide);
    }
}

#endif
