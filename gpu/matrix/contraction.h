/* A graph whose vertices were all contracted, one after the other: contract.c makes it, contraction.c
** asks it for distances.
**
**     list[v]     to  to  to  -     out  out  out  -     in  in  in  -       up arcs of v, with room for
**                                                                            gg_room_of(class[v])
**     parent[v]   the vertex contracted earliest that an up arc of v leads to; the chain of parents up to
**                 a root holds all vertices that up arcs lead to, over any number of steps
**
** Where arcs go both ways, out and in are one. */
#ifndef GPUGRAPH_CONTRACTION_H
#define GPUGRAPH_CONTRACTION_H

#include "matrix.h"

/* Weights are of 32 bits; UINT32_MAX is no path, and so is a sum that would not fit: it is no
** shortest one. */
typedef struct up_arcs {
    uint32_t *to;
    uint32_t *out, *in; /* from v, to v */
} up_arcs;

typedef struct contracted {
    uint32_t **list;
    uint8_t *class;
    uint32_t *count;
    uint32_t *parent;          /* GPUGRAPH_NONE: a root */
    uint32_t *depth;           /* of a root 0, of others one more than the parent's */
    bool both_ways;            /* out and in are one */
    struct word_block *blocks; /* that hold all lists */
    uint64_t bytes;            /* of these */
    uint64_t work;             /* arcs that were looked at */
} contracted;

/* Lists have room for 1, 2, 3, 4, 6, 8, 12, 16, ... arcs, a class each. */
static inline uint64_t gg_room_of(uint8_t class) {
    return class == 0      ? 1
           : class % 2 > 0 ? (uint64_t)1 << (class + 1) / 2
                           : (uint64_t)3 << (class / 2 - 1);
}

static inline up_arcs gg_up_arcs(const contracted *c, uint32_t v) {
    uint32_t *list = c->list[v];
    const uint64_t room = gg_room_of(c->class[v]);
    return (up_arcs){list, list + room, list + room * (c->both_ways ? 1 : 2)};
}

static inline uint32_t gg_add_ways(uint32_t a, uint32_t b) {
    uint32_t sum = a + b;
    return sum < a ? UINT32_MAX : sum;
}

/* Contracts all vertices of the matrix's graph. False: the run must end, or the limit is reached. */
bool gg_contract(const matrix *m, const contraction_limit *most, contracted *c);
void gg_free_contracted(contracted *c);

#endif
