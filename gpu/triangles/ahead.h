/* Rows of neighbours that rank higher, on the CPU: what counting triangles begins with.
**
**     rank       vertices by degree, equal degrees by number
**     ahead[v]   the neighbours of v that rank higher, by number */
#ifndef GPUGRAPH_AHEAD_H
#define GPUGRAPH_AHEAD_H

#include "graph_data.h"

struct ahead {
    csr simple;
    gpugraph_run *run;
    int threads;
    uint64_t *offset; /* n + 1 */
    uint32_t *target;
    uint64_t taken;
};

/* offset and target, of simple, by threads. False: the run must end. */
bool gg_make_ahead(struct ahead *a);
void gg_free_ahead(struct ahead *a);
/* Takes the next vertices [*first, *end), behind a->taken; false: none is left, or the run ends. */
bool gg_take_vertices(struct ahead *a, uint32_t *first, uint32_t *end);

static inline uint64_t gg_simple_degree(const csr *g, uint32_t v) {
    return g->end[v] - g->begin[v];
}

#endif
