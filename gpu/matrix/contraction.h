/* A contracted graph. contract.c makes it, and contraction.c computes distances from it.
**
**     pool        owner | to to to - | out out out - | in in in -   list of one vertex
**                 NONE  | words                                     hole
**     list[v]     position in the pool of the first target of v's up arcs
**     room[v]     arcs that fit into v's list; count[v] arcs are in it
**     parent[v]   the vertex contracted earliest among the ends of v's up arcs. The chain
**                 of parents up to a root has all vertices that up arcs lead to, over any
**                 number of steps
**
** If every arc goes both ways, `out` serves for `in` as well. */
#ifndef GPUGRAPH_CONTRACTION_H
#define GPUGRAPH_CONTRACTION_H

#include "matrix.h"

/* Weights have 32 bits. UINT32_MAX means that there is no path, and so does a sum that
** does not fit, because it is not a shortest one. */
typedef struct up_arcs {
    uint32_t *to;
    uint32_t *out, *in; /* from v, to v */
} up_arcs;

typedef struct contracted {
    uint32_t *pool;
    uint32_t *list, *room, *count;
    uint32_t *parent; /* GPUGRAPH_NONE: a root */
    uint32_t *depth;  /* 0 for a root, otherwise the parent's depth + 1 */
    bool both_ways;   /* `out` and `in` are one array */
    uint64_t work;    /* arcs that were read */
} contracted;

/* The arrays of v's list. They move when any list grows. */
static inline up_arcs gg_up_arcs(const contracted *c, uint32_t v) {
    uint32_t *list = c->pool + c->list[v];
    const uint64_t room = c->room[v];
    return (up_arcs){list, list + room, list + room * (c->both_ways ? 1 : 2)};
}

static inline uint32_t gg_add_distances(uint32_t a, uint32_t b) {
    uint32_t sum = a + b;
    return sum < a ? UINT32_MAX : sum;
}

/* Contracts all vertices of the matrix's graph. False: the run must end, or the limit is
** reached. */
bool gg_contract(const matrix *m, const contraction_limit *most, contracted *c);
void gg_free_contracted(contracted *c);

#endif
