/* Tree edges of a search by weight, from rows turned round; tree.c has the rules, and tree.cu
** the pass over all edges, of which this is the other way.
**
**     rows turned round, with weights         the arcs that may lead to each vertex
**       weight <= distance of the vertex?     a stream; where weights are spread and most arcs
**                                             lead near the sources most arcs end here
**       who survives                          put aside, a warp's worth at a time
**       tight, from a nearer vertex?          gathers: where from, how far that is
**     first tight arc -> edge number          once for each vertex
**
** Only rows whose arcs stand in the order of edge numbers will do, of edges in order of
** (source, target). A row then has its edges in two runs, each ascending by number:
**
**     direction   rows    leaving (v -> t)    coming (s -> v)
**     OUT         IN                          all
**     IN          OUT     all
**     BOTH        BOTH    first               then, without loops
**
** The edges of v itself have numbers between those of the smaller and of the larger vertices.
** A key says which arc of the row it is, and orders arcs as their edges:
**
**     0 ..                from smaller ones        its place among those that come
**     coming ..           leaving                  its place in the row, and `coming` more
**     all arcs ..         from larger ones         its place among those that come, and `all`
**
** (where none leave, the place alone). Edge numbers are searched for at last, for one arc of
** each vertex: the first edge between the two is found by halves, parallel ones stand in the
** same order in both. Written against warp.h: on CPU threads in tests. */
#ifndef GPUGRAPH_DISTANCE_TREE_H
#define GPUGRAPH_DISTANCE_TREE_H

#include "gpugraph.h"
#include "tuning.h"
#include "warp.h"

enum {
    TREE_LOAD = 4,                            /* arcs that a lane loads at a time */
    TREE_GROUP = warp_width * TREE_LOAD,      /* all lanes */
    TREE_ASIDE = warp_width * (TREE_LOAD + 1) /* arcs that may be put aside */
};

/* No row has more arcs, so that keys, and places a step beyond them, fit 32 bits. */
#define TREE_MOST_ARCS ((uint64_t)1 << 31)

struct tree_rows {
    uint32_t n, arcs;
    bool leave; /* there are arcs that leave */
    const uint64_t *offset;
    const uint32_t *target;
    const uint64_t *start;       /* n + 1: where the edges of each source begin */
    const uint32_t *edge_target; /* by edge number */
};

/* ---- arcs and edges ---- */

WARP_FUNCTION uint32_t tree_leaving(const struct tree_rows *r, uint32_t v) {
    return r->leave ? (uint32_t)(r->start[v + 1] - r->start[v]) : 0;
}

/* Of the arc between u and v at place `at` of all arcs, in v's row. */
WARP_FUNCTION uint32_t tree_key(const struct tree_rows *r, uint32_t v, uint32_t at,
                                uint32_t u) {
    const uint32_t place = at - (uint32_t)r->offset[v];
    if (!r->leave)
        return place;
    const uint32_t all = (uint32_t)(r->offset[v + 1] - r->offset[v]);
    const uint32_t leaving = tree_leaving(r, v);
    if (place < leaving)
        return all - leaving + place;
    return u < v ? place - leaving : place - leaving + all;
}

/* The first of those ascending entries that is not less than `least`. */
WARP_FUNCTION uint64_t tree_first_from(const uint32_t *entry, uint64_t low, uint64_t high,
                                       uint32_t least) {
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (entry[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the arc of that key in v's row. */
WARP_FUNCTION uint64_t tree_edge_number(const struct tree_rows *r, uint32_t v,
                                        uint32_t key) {
    const uint64_t begin = r->offset[v];
    const uint32_t all = (uint32_t)(r->offset[v + 1] - begin);
    const uint32_t leaving = tree_leaving(r, v), coming = all - leaving;
    if (key >= coming && key < all)
        return r->start[v] + (key - coming);
    const uint32_t place = key < coming ? key : key - all;
    const uint32_t *from = r->target + begin + leaving;
    const uint32_t u = from[place];
    uint64_t first = place;
    if (place > 0 && from[place - 1] == u)
        first = tree_first_from(from, 0, place, u);
    return tree_first_from(r->edge_target, r->start[u], r->start[u + 1], v) +
           (place - first);
}

/* The first edge whose source is not less than v, of m in order of their sources. */
WARP_FUNCTION uint64_t tree_start(const uint32_t *source, uint64_t m, uint32_t v) {
    return tree_first_from(source, 0, m, v);
}

/* ---- places: what work is dealt out by ----
** A row is as much work as its arcs and GG_TREE_ROW arcs more, and begins at the place of so
** many arcs of work before it. */

WARP_FUNCTION uint64_t tree_place(uint64_t arcs, uint64_t row) {
    return arcs + row * GG_TREE_ROW;
}

static inline uint64_t tree_places(uint64_t arcs, uint32_t n) {
    return arcs + (uint64_t)n * GG_TREE_ROW;
}

/* The last row that begins at that place or before it; all lanes ask for the same. */
WARP_FUNCTION uint64_t tree_row_at(const struct tree_rows *r, uint64_t place) {
    uint64_t low = 0, high = (uint64_t)r->n + 1;
    while (high - low > 1) {
        const uint64_t step = (high - low - 1) / (warp_width + 1) + 1;
        const uint64_t row = low + step * (warp_lane() + 1);
        const bool before = row < high && tree_place(r->offset[row], row) <= place;
        low += step * set_bits(warp_ballot(before));
        high = low + step < high ? low + step : high;
    }
    return low;
}

#endif
