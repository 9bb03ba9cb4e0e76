/* Maximal independent set, method "one-launch-balanced": a byte for each vertex in place
** of its word. The second-level cache holds the bytes of graphs whose words it does not
** hold.
**
**     code[v]     0 JOINED     1 .. 254 open, in the order of words     255 DROPPED
**
**     word        [ bin, 8 bits | place in the bin, 24 bits ]
**     edge[bin]   the first code of the bin: a bin with many vertices of a sample has
**                 many codes
**
** Neighbours with equal codes are compared by their whole keys, so the set does not
** depend on the sample. If codes are distributed as words are, one of about 250
** comparisons needs the keys. A code is loaded as a signed byte and extended to a word,
** which preserves JOINED, DROPPED and the order of all other codes. */
#ifndef GPUGRAPH_MIS_CODES_H
#define GPUGRAPH_MIS_CODES_H

#include "words.h"
#include "base/warp.h"

enum { MIS_BINS = 256, MIS_CODES = 254 };

/* The first code of a bin. The sample has `all` vertices, `before` of them in earlier
** bins. */
WARP_FUNCTION uint8_t mis_edge(uint32_t before, uint32_t all) {
    return (uint8_t)(1 + (all > 0 ? before * (MIS_CODES - 1) / all : 0));
}

/* The code of an open vertex. edge[MIS_BINS] is MIS_CODES. */
WARP_FUNCTION uint8_t mis_code(const uint8_t *edge, uint32_t word) {
    const uint32_t bin = word >> 24, first = edge[bin], codes = edge[bin + 1] - first;
    return (uint8_t)(first + ((word & 0xffffff) * codes >> 24));
}

#endif
