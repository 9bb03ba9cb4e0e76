/* Places: where the vertices of a partitioned graph lie. Arithmetic maps numbers to
** places and back; no array holds them.
**
**     number v     0 .. n - 1          the graph's own, which decides ties and hashes
**     block        1 << shift successive numbers
**     group        `parts` successive blocks: one for each owner, in an order that is
**                  rotated by a hash of the group
**     place s      the index of v in every array with an entry for each vertex
**
**     numbers      | b0 b1 b2 | b3 b4 b5 | ...       parts = 3, groups of three blocks
**     places       owner 0: b0 b5 ...   | owner 1: b1 b3 ...   | owner 2: b2 b4 ...
**                  0                    stride                 2 * stride
**
** Each owner has one segment of places, and one block of each group. So owners have
** equally many vertices in any order of numbers, and neighbours by number mostly stay
** neighbours. The last places of a segment are gaps without a vertex: at most one block,
** and the places that round the segment up.
**
** A graph of partitions on CPUs may have more vertices than 32 bits can number. These
** partitions use the owner of a number, and its place within the owner's segment, which
** always fits. */
#ifndef GPUGRAPH_PLACES_H
#define GPUGRAPH_PLACES_H

#include "language.h"

#include <stdbool.h>
#include <stdint.h>

/* Places of a segment are a multiple of this, so that words of bitmaps and cache lines
** have one owner. */
#define SEVERAL_UNIT 1024u
/* log2 of the numbers in a block: one word of a bitmap, one cache line. Larger blocks
** leave the hubs of a graph that is ordered by degree to few owners. */
#define SEVERAL_BLOCK_BITS 5

struct several_places {
    uint64_t n;
    uint32_t parts;
    uint32_t shift;  /* a block has 1 << shift numbers: 2 to 10 */
    uint32_t stride; /* places of a segment */
};

/* The number of owners by which the blocks of the group are rotated. */
GG_ANYWHERE uint32_t several_rotation(const struct several_places *p, uint32_t group) {
    uint32_t x = (group ^ group >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    x ^= x >> 15;
    return (uint32_t)((uint64_t)x * p->parts >> 32);
}

GG_ANYWHERE uint32_t several_owner(const struct several_places *p, uint32_t place) {
    return place / p->stride;
}

/* The first place of the owner's segment. */
GG_ANYWHERE uint32_t several_first(const struct several_places *p, uint32_t owner) {
    return owner * p->stride;
}

GG_ANYWHERE uint32_t several_place(const struct several_places *p, uint32_t number) {
    uint32_t block = number >> p->shift, group = block / p->parts;
    uint32_t owner = block - group * p->parts + several_rotation(p, group);
    owner -= owner >= p->parts ? p->parts : 0;
    return owner * p->stride + (group << p->shift) + (number & ((1u << p->shift) - 1));
}

/* The owner of a number; *local: its place within the owner's segment. */
static inline uint32_t several_owner_of(const struct several_places *p, uint64_t number,
                                        uint32_t *local) {
    const uint64_t block = number >> p->shift, group = block / p->parts;
    uint32_t owner =
        (uint32_t)(block - group * p->parts) + several_rotation(p, (uint32_t)group);
    owner -= owner >= p->parts ? p->parts : 0;
    *local = (uint32_t)((group << p->shift) + (number & ((1u << p->shift) - 1)));
    return owner;
}

/* The number at a place within the owner's segment. A gap has n or more, perhaps beyond
** 32 bits. */
GG_ANYWHERE uint64_t several_number_of(const struct several_places *p, uint32_t owner,
                                       uint32_t local) {
    uint32_t group = local >> p->shift, turn = several_rotation(p, group);
    uint64_t block = (uint64_t)group * p->parts + owner - turn;
    block += owner < turn ? p->parts : 0;
    return (block << p->shift) + (local & ((1u << p->shift) - 1));
}

GG_ANYWHERE uint64_t several_all_places(const struct several_places *p) {
    return (uint64_t)p->stride * p->parts;
}

/* The number of vertices in an owner's segment; gaps follow them. */
GG_ANYWHERE uint32_t several_vertices(const struct several_places *p, uint32_t owner) {
    const uint32_t block = 1u << p->shift;
    const uint64_t groups = p->n / ((uint64_t)block * p->parts); /* full ones */
    const uint64_t last = several_number_of(p, owner, (uint32_t)(groups << p->shift));
    const uint64_t rest = last < p->n ? p->n - last : 0;
    return (uint32_t)((groups << p->shift) + (rest < block ? rest : block));
}

/* False if the places do not fit 32 bits. */
static inline bool several_lay_out(struct several_places *p, uint64_t n, uint32_t parts,
                                   uint32_t shift) {
    const uint64_t blocks = (n + (1u << shift) - 1) >> shift;
    const uint64_t groups = (blocks + parts - 1) / parts;
    uint64_t stride =
        ((groups << shift) + SEVERAL_UNIT - 1) / SEVERAL_UNIT * SEVERAL_UNIT;
    stride = stride ? stride : SEVERAL_UNIT;
    p->n = n;
    p->parts = parts;
    p->shift = shift;
    p->stride = (uint32_t)stride;
    return stride * parts <= UINT32_MAX - SEVERAL_UNIT;
}

#endif
