/* Tree edges of a search by weight, from ranked_rows.h: the pass over all edges of tree.cu
** gathers a value for each edge; this one for few.
**
**     weight of each arc                a stream
**     most[rank]                        the distance of the arc's vertex, often its neighbours',
**                                       too: no tight arc weighs more, nor nothing
**     who is left: where from           sectors of a stream
**                  how far is that?     a gather
**     who is tight: its edge number     offered to the vertex, the smallest wins
**
** On R-MAT graphs one arc in twenty is left, since most lead to hubs, which are near.
**
** Included once for each type of distances, with these defined, and undefined again at the end:
**     NAMED(x)                x with the type's name behind it
**     WORD                    uint32_t or uint64_t: a distance, of REAL ones the bits
**     WEIGHT                  the type of a stored weight
**     SUM(d, w)               d and a weight
**     REST(to, w)             what is kept of a weight: integers keep what it leaves of `to`
**     TIGHT(from, rest, to)   from is nearer than to, by that weight */
#include "ranked_rows.h"

enum {
    NAMED(RANK_LOAD) = 16 / sizeof(WEIGHT), /* arcs that a lane loads at once */
    NAMED(RANK_LOADS) = 4,                  /* loads on their way */
    NAMED(RANK_STEPS) = RANK_BITS / (NAMED(RANK_LOAD) * NAMED(RANK_LOADS)) /* of a tile */
};

struct NAMED(ranked_walk) {
    struct ranked_rows rows;
    const WEIGHT *weight; /* by arc, in whole tiles: 0 past the last */
    const WORD *most;     /* by rank: the distance; 0: not reached */
    const WORD *distance; /* by vertex */
    uint32_t *tree_edge;  /* the smallest so far */
};

/* This lane's place in the tile, of load number k. */
WARP_FUNCTION uint32_t NAMED(rank_place)(uint32_t k) {
    return (k * warp_width + warp_lane()) * NAMED(RANK_LOAD);
}

WARP_FUNCTION void NAMED(rank_load)(const WEIGHT *from, WEIGHT *to) {
#ifdef __CUDACC__
    *reinterpret_cast<uint4 *>(to) = __ldcs(reinterpret_cast<const uint4 *>(from));
#else
    for (int i = 0; i < NAMED(RANK_LOAD); i++)
        to[i] = from[i];
#endif
}

/* Some arcs of each lane: RANK_LOADS loads of RANK_LOAD. */
struct NAMED(rank_arcs) {
    uint32_t rank[NAMED(RANK_LOADS)], next[NAMED(RANK_LOADS)];
    WEIGHT weight[NAMED(RANK_LOADS)][NAMED(RANK_LOAD)]; /* soon what REST keeps of it */
    WORD to[NAMED(RANK_LOADS)][NAMED(RANK_LOAD)];
    uint32_t left; /* bits: those that may be tight */
};

WARP_FUNCTION bool NAMED(rank_is_left)(const struct NAMED(rank_arcs) * a, uint32_t k,
                                       uint32_t i) {
    return a->left >> (k * NAMED(RANK_LOAD) + i) & 1;
}

/* Whose arcs they are: where they lead to. */
WARP_FUNCTION void NAMED(rank_look_up)(const struct NAMED(ranked_walk) * j,
                                       const struct rank_tile *t, uint32_t step,
                                       struct NAMED(rank_arcs) * a) {
    WARP_UNROLL
    for (uint32_t k = 0; k < NAMED(RANK_LOADS); k++)
        a->rank[k] =
            rank_of(t, NAMED(rank_place)(step * NAMED(RANK_LOADS) + k), &a->next[k]);
    WARP_UNROLL
    for (uint32_t k = 0; k < NAMED(RANK_LOADS); k++) {
        a->to[k][0] = j->most[a->rank[k]];
        WARP_UNROLL
        for (uint32_t i = 1; i < NAMED(RANK_LOAD); i++) {
            a->to[k][i] = a->to[k][i - 1];
            if (a->next[k] >> (i - 1) & 1)
                a->to[k][i] = j->most[rank_further(a->rank[k], a->next[k], i)];
        }
    }
}

/* A tight arc from a nearer vertex weighs something, and no more than the distance. */
WARP_FUNCTION void NAMED(rank_sift)(struct NAMED(rank_arcs) * a) {
    a->left = 0;
    WARP_UNROLL
    for (uint32_t k = 0; k < NAMED(RANK_LOADS); k++) {
        WARP_UNROLL
        for (uint32_t i = 0; i < NAMED(RANK_LOAD); i++) {
            const WORD alone = SUM(0, a->weight[k][i]);
            const bool may = alone > 0 && alone <= a->to[k][i];
            a->left |= (uint32_t)may << (k * NAMED(RANK_LOAD) + i);
            a->weight[k][i] = REST(a->to[k][i], a->weight[k][i]);
        }
    }
}

/* The distances of where those that are left come from. */
WARP_FUNCTION void NAMED(rank_gather)(const struct NAMED(ranked_walk) * j,
                                      const struct NAMED(rank_arcs) * a, uint64_t first,
                                      WORD from[][NAMED(RANK_LOAD)]) {
    uint32_t other[NAMED(RANK_LOADS)][NAMED(RANK_LOAD)];
    WARP_UNROLL
    for (uint32_t k = 0; k < NAMED(RANK_LOADS); k++) {
        const uint32_t *of = j->rows.other + first + NAMED(rank_place)(k);
        WARP_UNROLL
        for (uint32_t i = 0; i < NAMED(RANK_LOAD); i++) {
            other[k][i] = 0;
            if (NAMED(rank_is_left)(a, k, i))
                other[k][i] = rank_stream(of + i);
        }
    }
    WARP_UNROLL
    for (uint32_t k = 0; k < NAMED(RANK_LOADS); k++) {
        WARP_UNROLL
        for (uint32_t i = 0; i < NAMED(RANK_LOAD); i++) {
            from[k][i] = 0;
            if (NAMED(rank_is_left)(a, k, i))
                from[k][i] = j->distance[other[k][i]];
        }
    }
}

/* Arc number `arc` of all is tight, and its vertex has that rank. */
WARP_FUNCTION void NAMED(rank_offer)(const struct NAMED(ranked_walk) * j, uint64_t arc,
                                     uint32_t rank) {
    const uint32_t v = j->rows.vertex ? j->rows.vertex[rank] : rank;
    const uint32_t e = j->rows.number[arc];
    if (e < device_load(&j->tree_edge[v]))
        device_min(&j->tree_edge[v], e);
}

/* first: the step's first arc, of all. */
WARP_FUNCTION void NAMED(rank_settle)(const struct NAMED(ranked_walk) * j,
                                      const struct NAMED(rank_arcs) * a, uint64_t first) {
    WORD from[NAMED(RANK_LOADS)][NAMED(RANK_LOAD)];
    NAMED(rank_gather)(j, a, first, from);
    WARP_UNROLL
    for (uint32_t k = 0; k < NAMED(RANK_LOADS); k++) {
        WARP_UNROLL
        for (uint32_t i = 0; i < NAMED(RANK_LOAD); i++)
            if (NAMED(rank_is_left)(a, k, i) &&
                TIGHT(from[k][i], a->weight[k][i], a->to[k][i]))
                NAMED(rank_offer)
        (j, first + NAMED(rank_place)(k) + i, rank_further(a->rank[k], a->next[k], i));
    }
}

/* One warp: all arcs of a tile. */
WARP_FUNCTION void NAMED(rank_walk_tile)(const struct NAMED(ranked_walk) * j,
                                         uint64_t tile) {
    enum { STEP_ARCS = RANK_TILE / NAMED(RANK_STEPS) };
    struct rank_tile t = {0, 0};
    for (uint32_t step = 0; step < NAMED(RANK_STEPS); step++) {
        const uint64_t first = tile * RANK_TILE + (uint64_t)step * STEP_ARCS;
        struct NAMED(rank_arcs) a;
        WARP_UNROLL
        for (uint32_t k = 0; k < NAMED(RANK_LOADS); k++)
            NAMED(rank_load)(j->weight + first + NAMED(rank_place)(k), a.weight[k]);
        if (step == 0) /* while the weights are on their way */
            t = rank_tile_at(j->rows.head, j->rows.before, tile);
        NAMED(rank_look_up)(j, &t, step, &a);
        NAMED(rank_sift)(&a);
        if (warp_ballot(a.left != 0))
            NAMED(rank_settle)(j, &a, first);
    }
}

#undef NAMED
#undef WORD
#undef WEIGHT
#undef SUM
#undef REST
#undef TIGHT
