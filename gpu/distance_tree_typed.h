/* The half of distance_tree.h that touches distances. Included once for each type of them,
** with these defined, and undefined again at the end:
**     NAMED(x)        x with the type's name behind it
**     WORD            uint32_t or uint64_t: a distance, of REAL ones the bits
**     WEIGHT          the type of a stored weight
**     UNREACHED       the distance of what is not reached
**     SUM(d, w)       d and a weight; UNREACHED, or more than any distance, where that leaves
**                     the range
**     FROM(d, lane)   what that lane passed */
#include "distance_tree.h"

enum { NAMED(TREE_TURNS) = 2 * sizeof(uint32_t) / sizeof(WEIGHT) };

struct NAMED(tree_walk) {
    struct tree_rows rows;
    const WEIGHT *weight; /* by arc */
    const WORD *distance;
    uint32_t *key; /* by vertex; NONE: no tight arc so far */
};

/* On chip, of one warp: arcs put aside. */
struct NAMED(tree_aside) {
    uint32_t arc[TREE_ASIDE], vertex[TREE_ASIDE];
    WEIGHT weight[TREE_ASIDE];
};

/* A row for each lane; past the last vertex an empty one. */
struct NAMED(tree_window) {
    uint32_t first, begin, end; /* first: lane 0's */
    WORD most;                  /* no tight arc weighs more; 0: there is none */
};

WARP_FUNCTION struct NAMED(tree_window)
    NAMED(tree_look_at_rows)(const struct NAMED(tree_walk) * j, uint64_t first) {
    const struct tree_rows *r = &j->rows;
    const uint64_t row = first + warp_lane();
    struct NAMED(tree_window) w = {(uint32_t)first, r->arcs, r->arcs, 0};
    if (row < r->n) {
        w.begin = (uint32_t)r->offset[row];
        w.end = (uint32_t)r->offset[row + 1];
        w.most = j->distance[row];
        if (w.most == UNREACHED)
            w.most = 0;
    }
    return w;
}

/* Four entries at a multiple of four, as streams are read. */
WARP_FUNCTION void NAMED(tree_load)(const WEIGHT *from, WEIGHT *to) {
#ifdef __CUDACC__
    static_assert(TREE_LOAD * sizeof(WEIGHT) % sizeof(uint4) == 0, "whole reads");
#pragma unroll
    for (int i = 0; i < (int)(TREE_LOAD * sizeof(WEIGHT) / sizeof(uint4)); i++)
        reinterpret_cast<uint4 *>(to)[i] =
            __ldcs(reinterpret_cast<const uint4 *>(from) + i);
#else
    for (int i = 0; i < TREE_LOAD; i++)
        to[i] = from[i];
#endif
}

/* ---- tight arcs ---- */

/* A lane to an arc that was put aside: is it tight? Leaves fewer than `least` of *count. */
WARP_FUNCTION void NAMED(tree_settle)(const struct NAMED(tree_walk) * j,
                                      const struct NAMED(tree_aside) * aside,
                                      uint32_t *count, uint32_t least) {
    while (*count >= least && *count > 0) {
        const uint32_t taken = *count < warp_width ? *count : warp_width;
        const uint32_t i = *count - taken + warp_lane();
        warp_sync();
        if (warp_lane() < taken) {
            const uint32_t at = aside->arc[i], v = aside->vertex[i];
            const uint32_t u = j->rows.target[at];
            const WORD to = j->distance[v], from = j->distance[u];
            if (from < to && SUM(from, aside->weight[i]) == to) {
                uint32_t key = tree_key(&j->rows, v, at, u);
                if (key < device_load(&j->key[v]))
                    device_min(&j->key[v], key);
            }
        }
        warp_sync();
        *count -= taken;
    }
}

WARP_FUNCTION void NAMED(tree_put_aside)(struct NAMED(tree_aside) * aside,
                                         uint32_t *count, bool wanted, uint32_t arc,
                                         uint32_t v, WEIGHT weight) {
    const uint32_t lanes = warp_ballot(wanted);
    if (wanted) {
        uint32_t i = *count + set_bits(lanes & (((uint32_t)1 << warp_lane()) - 1));
        aside->arc[i] = arc;
        aside->vertex[i] = v;
        aside->weight[i] = weight;
    }
    *count += set_bits(lanes);
}

/* ---- the walk ---- */

/* The lane whose row has that arc: the last one that begins no later. */
WARP_FUNCTION unsigned NAMED(tree_owner)(const struct NAMED(tree_window) * w,
                                         uint32_t arc) {
    unsigned owner = 0;
    for (unsigned step = warp_width / 2; step > 0; step /= 2)
        if (warp_from(w->begin, owner + step) <= arc)
            owner += step;
    return owner;
}

/* Puts aside who survives of the arcs from `at` on, four to a lane, that are in low .. high - 1.
** A tight arc from a nearer vertex weighs something, and no more than the distance. Most groups
** lie in one row. */
WARP_FUNCTION void NAMED(tree_sift)(const struct NAMED(tree_window) * w, uint32_t at,
                                    uint32_t low, uint32_t high, const WEIGHT *weight,
                                    struct NAMED(tree_aside) * aside, uint32_t *count) {
    const uint32_t first = at > low ? at : low;
    const uint32_t last = at + TREE_GROUP < high ? at + TREE_GROUP : high;
    const unsigned row = set_bits(warp_ballot(w->begin <= first)) - 1;
    const WORD most_of_row = FROM(w->most, row);
    const bool one = warp_from(w->end, row) >= last;
    if (one && most_of_row == 0)
        return;
#ifdef __CUDACC__
#pragma unroll
#endif
    for (uint32_t i = 0; i < TREE_LOAD; i++) {
        const uint32_t arc = at + warp_lane() * TREE_LOAD + i;
        unsigned owner = row;
        WORD most = most_of_row;
        if (!one) {
            owner = NAMED(tree_owner)(w, arc);
            most = FROM(w->most, owner);
        }
        const WORD alone = SUM(0, weight[i]);
        NAMED(tree_put_aside)
        (aside, count, arc >= first && arc < last && alone > 0 && alone <= most, arc,
         w->first + owner, weight[i]);
    }
}

WARP_FUNCTION void NAMED(tree_walk_arcs)(const struct NAMED(tree_walk) * j,
                                         const struct NAMED(tree_window) * w,
                                         uint32_t low, uint32_t high,
                                         struct NAMED(tree_aside) * aside,
                                         uint32_t *count) {
    enum { STEP = NAMED(TREE_TURNS) * TREE_GROUP };
    for (uint32_t at = low / TREE_LOAD * TREE_LOAD; at < high; at += STEP) {
        WEIGHT weight[NAMED(TREE_TURNS)][TREE_LOAD] = {{0}};
        const uint32_t mine = at + warp_lane() * TREE_LOAD;
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t i = 0; i < NAMED(TREE_TURNS); i++)
            if (mine + i * TREE_GROUP < high)
                NAMED(tree_load)(j->weight + mine + i * TREE_GROUP, weight[i]);
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t i = 0; i < NAMED(TREE_TURNS); i++) {
            if (at + i * TREE_GROUP >= high)
                break;
            NAMED(tree_sift)
            (w, at + i * TREE_GROUP, low, high, weight[i], aside, count);
            NAMED(tree_settle)(j, aside, count, warp_width);
        }
    }
}

/* One warp: the work from place `begin` to before `end`. Arrays of weights can be read up to
** the next multiple of TREE_LOAD. */
WARP_FUNCTION void NAMED(tree_walk_places)(const struct NAMED(tree_walk) * j,
                                           uint64_t begin, uint64_t end,
                                           struct NAMED(tree_aside) * aside,
                                           uint32_t *count) {
    uint64_t first = tree_row_at(&j->rows, begin);
    for (bool more = true; more; first += warp_width) {
        const struct NAMED(tree_window) w = NAMED(tree_look_at_rows)(j, first);
        uint32_t low = warp_from(w.begin, 0), high = warp_from(w.end, warp_width - 1);
        const uint32_t end_of_first = warp_from(w.end, 0);
        if (begin > tree_place(low, first)) { /* within the first row */
            const uint64_t arc = begin - first * GG_TREE_ROW;
            low = arc < end_of_first ? (uint32_t)arc : end_of_first;
        }
        more = tree_place(high, first + warp_width) < end;
        if (!more) { /* the last row that begins before the end */
            const bool begins = tree_place(w.begin, first + warp_lane()) <= end;
            const unsigned last = set_bits(warp_ballot(begins)) - 1;
            const uint32_t end_of_last = warp_from(w.end, last);
            const uint64_t arc = end - (first + last) * GG_TREE_ROW;
            high = arc < end_of_last ? (uint32_t)arc : end_of_last;
        }
        if (warp_ballot(w.most != 0))
            NAMED(tree_walk_arcs)(j, &w, low, high, aside, count);
    }
}

#undef NAMED
#undef WORD
#undef WEIGHT
#undef UNREACHED
#undef SUM
#undef FROM
