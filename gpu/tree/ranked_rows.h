/* Arcs by the vertex they lead to, where whose arc it is is told by its rank, not looked for.
**
**     vertex    2       5           6            those that arcs lead to, in order: by rank
**     arc       0 1 2   3 4 5 6 7   8 9 ...      by vertex, then by edge number
**     head      1 0 0   1 0 0 0 0   1 0          a bit for each: the first of its vertex
**     before    0  ...                           heads in all tiles before, by tile
**
** The rank of an arc is the number of heads up to it, less one. A warp takes a tile of arcs, a
** word of heads to each lane: one sum over the warp, and then an arc costs the set bits of a
** part of a word, in place of a search for its row (Jacobson 1989: rank).
**
** Trees by weight come from these rows (ranked_rows_typed.h); tree.c has the rules. Written
** against base/warp.h: on CPU threads in tests. */
#ifndef GPUGRAPH_RANKED_ROWS_H
#define GPUGRAPH_RANKED_ROWS_H

#include "base/warp.h"

enum {
    RANK_BITS = 32, /* of a word of heads */
    RANK_TILE = RANK_BITS * warp_width
};

struct ranked_rows {
    uint64_t tiles;
    const uint32_t *head, *before;  /* whole tiles: no heads past the last arc */
    const uint32_t *vertex;         /* by rank; NULL: the rank is the vertex */
    const uint32_t *other, *number; /* by arc: where from, which edge */
};

static inline uint64_t rank_tiles(uint64_t arcs) {
    return (arcs + RANK_TILE - 1) / RANK_TILE;
}

/* Of one tile, in each lane: its word of heads, and how many come before that. */
struct rank_tile {
    uint32_t word, before;
};

/* On chip, of one warp: arcs of a tile that are put aside. */
struct rank_aside {
    uint16_t place[RANK_TILE];
};

WARP_FUNCTION struct rank_tile rank_tile_at(const uint32_t *head, const uint32_t *before,
                                            uint64_t tile) {
    struct rank_tile t;
    uint32_t total;
    t.word = head[tile * warp_width + warp_lane()];
    t.before = before[tile] + warp_sum_before(set_bits(t.word), &total);
    return t;
}

/* The rank of arc `at` of the tile, which may differ from lane to lane. Bit i of *next: the arc
** i + 1 further is a head; of those in the same word. */
WARP_FUNCTION uint32_t rank_of(const struct rank_tile *t, uint32_t at, uint32_t *next) {
    const unsigned lane = at / RANK_BITS, bit = at % RANK_BITS;
    const uint32_t word = warp_from(t->word, lane), before = warp_from(t->before, lane);
    *next = word >> bit >> 1;
    return before + set_bits(word & 0xffffffffu >> (RANK_BITS - 1 - bit)) - 1;
}

/* vertex, of the heads in this lane's word; row: whose arc it is, by arc. */
WARP_FUNCTION void rank_list_vertices(const struct rank_tile *t, uint64_t tile,
                                      const uint32_t *row, uint32_t *vertex) {
    const uint64_t first = tile * RANK_TILE + (uint64_t)warp_lane() * RANK_BITS;
    uint32_t rank = t->before;
    for (uint32_t left = t->word; left; left &= left - 1)
        vertex[rank++] = row[first + lowest_bit(left)];
}

#endif
