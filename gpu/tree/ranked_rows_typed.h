/* Tree edges of a search by weight, from ranked_rows.h: the pass over all edges gathers a value
** for each (distance.cu), this one for few.
**
**     weight of each arc           a stream
**     most[rank]                   how far where it leads is, often its neighbours' too
**       can it be tight?           by its weight and that
**     those that are left          put aside, then looked at by all lanes
**       where from, how far        sectors of a stream, a gather
**     who is tight: edge number    offered to the vertex, the smallest wins
**
** A tight arc comes from a vertex that is at 0, and then weighs what `most` says, or from one at
** `smallest` or farther, the smallest distance that is more than 0, and then `smallest` and its
** weight are no more than that; also in rounded sums, which keep the order of what is added. An
** arc that weighs nothing is never tight. On R-MAT graphs one arc in twenty is left, since most
** lead to hubs, which are near; and since `smallest` is taken off, from a source whose arcs are
** all heavy, too.
**
** Included once for each type of distances, with these defined, and undefined again at the end:
**     NAMED(x)      x with the type's name behind it
**     WORD          uint32_t or uint64_t: a distance, of REAL ones the bits
**     WEIGHT        the type of a stored weight
**     UNREACHED     the distance of what is not reached, larger than all others
**     SUM(d, w)     d and a weight; not reached, or more than any distance, where that leaves
**                   the range */
#include "ranked_rows.h"

enum {
    NAMED(RANK_LOAD) = 16 / sizeof(WEIGHT),           /* arcs that a lane loads at once */
    NAMED(RANK_LOADS) = 4,                            /* loads on their way */
    NAMED(RANK_TURN) = warp_width * NAMED(RANK_LOAD), /* arcs of all lanes' loads */
    NAMED(RANK_STEP) = NAMED(RANK_LOADS) * NAMED(RANK_TURN),
    NAMED(RANK_PAIR) = 2 /* arcs put aside that a lane looks at together */
};

/* What a walk needs to know of distances beforehand. */
struct NAMED(ranked_distances) {
    uint32_t vertices, ranks;
    const uint32_t *vertex; /* by rank; NULL: the rank is the vertex */
    const WORD *distance;   /* by vertex */
    WORD *most;             /* by rank: made here */
    uint64_t *smallest;     /* all bits before, then that of all vertices */
};

struct NAMED(ranked_walk) {
    struct ranked_rows rows;
    const WEIGHT *weight; /* by arc, in whole tiles: 0 past the last */
    const WORD *most;     /* by rank: the distance; 0: not reached */
    const WORD *distance; /* by vertex */
    const uint64_t *smallest;
    uint32_t *tree_edge; /* the smallest so far */
};

/* ---- before ---- */

/* Lane `first` of `lanes`. Not of those with ranks alone: what is reached by a side of the arcs
** may be in the other's rows only. */
WARP_FUNCTION void NAMED(rank_distances)(const struct NAMED(ranked_distances) * j,
                                         uint64_t first, uint64_t lanes) {
    uint64_t smallest = UNREACHED;
    for (uint64_t i = first; i < j->vertices; i += lanes) {
        const WORD here = j->distance[i];
        smallest = here > 0 && here < smallest ? here : smallest;
        if (i < j->ranks) {
            const WORD d = j->vertex ? j->distance[j->vertex[i]] : here;
            j->most[i] = d == UNREACHED ? 0 : d;
        }
    }
    for (unsigned apart = warp_width / 2; apart > 0; apart /= 2) {
        const uint64_t other = warp_from_64(smallest, warp_lane() ^ apart);
        smallest = other < smallest ? other : smallest;
    }
    if (warp_lane() == 0 && smallest < device_load_64(j->smallest))
        device_min_64(j->smallest, smallest);
}

WARP_FUNCTION void NAMED(rank_load)(const WEIGHT *from, WEIGHT *to) {
#ifdef __CUDACC__
    *reinterpret_cast<uint4 *>(to) = __ldcs(reinterpret_cast<const uint4 *>(from));
#else
    for (int i = 0; i < NAMED(RANK_LOAD); i++)
        to[i] = from[i];
#endif
}

/* ---- those that are left ---- */

/* How far where these arcs lead is. at: the lane's first, of the tile. */
WARP_FUNCTION void NAMED(rank_look_up)(const WORD *most, const struct rank_tile *t,
                                       uint32_t at, WORD to[][NAMED(RANK_LOAD)]) {
    WARP_UNROLL
    for (int k = 0; k < NAMED(RANK_LOADS); k++) {
        uint32_t next, rank = rank_of(t, at + (uint32_t)(k * NAMED(RANK_TURN)), &next);
        WARP_UNROLL
        for (int i = 0; i < NAMED(RANK_LOAD); i++) {
            rank += i > 0 ? next >> (i - 1) & 1 : 0;
            to[k][i] = most[rank];
        }
    }
}

/* to: the distance; 0: not reached. By & and |: branches would cost registers. */
WARP_FUNCTION bool NAMED(rank_may_be_tight)(WORD smallest, WEIGHT weight, WORD to) {
    const WORD alone = SUM(0, weight);
    return (alone > 0) & ((SUM(smallest, weight) <= to) | (alone == to));
}

/* Puts aside, behind *count, what may be tight; of a step of the tile. */
WARP_FUNCTION void NAMED(rank_sift)(WORD smallest, WEIGHT weight[][NAMED(RANK_LOAD)],
                                    WORD to[][NAMED(RANK_LOAD)], uint32_t at,
                                    struct rank_aside *aside, uint32_t *count) {
    uint32_t left = 0, total;
    WARP_UNROLL
    for (int k = 0; k < NAMED(RANK_LOADS); k++) {
        WARP_UNROLL
        for (int i = 0; i < NAMED(RANK_LOAD); i++) {
            const bool may = NAMED(rank_may_be_tight)(smallest, weight[k][i], to[k][i]);
            left |= may ? (uint32_t)1 << (k * NAMED(RANK_LOAD) + i) : 0;
        }
    }
    uint32_t behind = *count + warp_sum_before(set_bits(left), &total);
    for (; left; left &= left - 1) {
        const unsigned bit = lowest_bit(left);
        aside->place[behind++] =
            (uint16_t)(at + bit / NAMED(RANK_LOAD) * NAMED(RANK_TURN) +
                       bit % NAMED(RANK_LOAD));
    }
    *count += total;
}

/* ---- who is tight ---- */

WARP_FUNCTION void NAMED(rank_offer)(const struct NAMED(ranked_walk) * j, uint64_t arc,
                                     uint32_t rank) {
    const uint32_t v = j->rows.vertex ? j->rows.vertex[rank] : rank;
    const uint32_t e = j->rows.number[arc];
    if (e < device_load(&j->tree_edge[v]))
        device_min(&j->tree_edge[v], e);
}

/* Lanes without an arc take the tile's first one: loads then wait for nothing. */
WARP_FUNCTION void NAMED(rank_settle)(const struct NAMED(ranked_walk) * j,
                                      const struct rank_tile *t, uint64_t first,
                                      const struct rank_aside *aside, uint32_t count) {
    for (uint32_t begin = 0; begin < count; begin += NAMED(RANK_PAIR) * warp_width) {
        uint32_t place[NAMED(RANK_PAIR)], rank[NAMED(RANK_PAIR)], next;
        WEIGHT weight[NAMED(RANK_PAIR)];
        WORD from[NAMED(RANK_PAIR)], to[NAMED(RANK_PAIR)];
        WARP_UNROLL
        for (int i = 0; i < NAMED(RANK_PAIR); i++) {
            const uint32_t at = begin + (uint32_t)i * warp_width + warp_lane();
            place[i] = at < count ? aside->place[at] : 0;
            from[i] = j->rows.other[first + place[i]];
            weight[i] = j->weight[first + place[i]];
            rank[i] = rank_of(t, place[i], &next);
            to[i] = j->most[rank[i]];
        }
        WARP_UNROLL
        for (int i = 0; i < NAMED(RANK_PAIR); i++)
            from[i] = j->distance[from[i]];
        WARP_UNROLL
        for (int i = 0; i < NAMED(RANK_PAIR); i++)
            if (begin + (uint32_t)i * warp_width + warp_lane() < count &&
                from[i] < to[i] && SUM(from[i], weight[i]) == to[i])
                NAMED(rank_offer)(j, first + place[i], rank[i]);
    }
}

/* ---- one warp: all arcs of a tile ---- */

/* smallest: *j->smallest, read once. */
WARP_FUNCTION void NAMED(rank_walk_tile)(const struct NAMED(ranked_walk) * j,
                                         WORD smallest, uint64_t tile,
                                         struct rank_aside *aside) {
    const uint64_t first = tile * RANK_TILE;
    struct rank_tile t = {0, 0};
    uint32_t count = 0;
    for (uint32_t step = 0; step < RANK_TILE; step += NAMED(RANK_STEP)) {
        const uint32_t at = step + warp_lane() * NAMED(RANK_LOAD);
        WEIGHT weight[NAMED(RANK_LOADS)][NAMED(RANK_LOAD)];
        WORD to[NAMED(RANK_LOADS)][NAMED(RANK_LOAD)];
        WARP_UNROLL
        for (int k = 0; k < NAMED(RANK_LOADS); k++)
            NAMED(rank_load)(j->weight + first + at + k * NAMED(RANK_TURN), weight[k]);
        if (step == 0) /* while the weights are on their way */
            t = rank_tile_at(j->rows.head, j->rows.before, tile);
        NAMED(rank_look_up)(j->most, &t, at, to);
        NAMED(rank_sift)(smallest, weight, to, at, aside, &count);
    }
    warp_sync();
    NAMED(rank_settle)(j, &t, first, aside, count);
    warp_sync();
}

#undef NAMED
#undef WORD
#undef WEIGHT
#undef UNREACHED
#undef SUM
