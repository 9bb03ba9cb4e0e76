/* A graph whose vertices were all contracted, one after the other: contract.c makes it, contraction.c
** asks it for distances.
**
**     up arcs of v    first[v] .. first[v] + count[v] - 1 of arc[]: to vertices contracted later
**     parent[v]       the earliest of these; the chain of parents up to a root holds all vertices
**                     that up arcs lead to, over any number of steps */
#ifndef GPUGRAPH_CONTRACTION_H
#define GPUGRAPH_CONTRACTION_H

#include "matrix.h"

/* Weights are of 32 bits; UINT32_MAX is no way, and so is a sum that would not fit: it is no
** shortest one. */
typedef struct up_arc {
    uint32_t to;
    uint32_t out, in; /* from v, to v */
} up_arc;

typedef struct contracted {
    up_arc *arc;
    uint64_t arcs, room;
    uint64_t *first;
    uint32_t *count,
        *place;       /* place[v]: room of the list, then v's number in the order */
    uint32_t *parent; /* GPUGRAPH_NONE: a root */
    uint64_t work;    /* arcs that were looked at */
} contracted;

static inline uint32_t gg_add_ways(uint32_t a, uint32_t b) {
    uint32_t sum = a + b;
    return sum < a ? UINT32_MAX : sum;
}

/* Contracts all vertices of the matrix's graph. False: the run must end, or it has looked at more than
** `most` arcs. */
bool gg_contract(const matrix *m, uint64_t most, contracted *c);
void gg_free_contracted(contracted *c);

#endif
