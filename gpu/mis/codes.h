/* Maximal independent set, method "one-launch-balanced": a byte for each vertex in place
** of its word, so that what looks at neighbours ask for stays in the second-level cache
** where words do not.
**
**     code[v]     0 JOINED     1 .. 254 open, in the order of words     255 DROPPED
**
**     word        [ bin, 8 bits | place in the bin, 24 bits ]
**     edge[bin]   the first code of the bin: bins of which a sample has many have many
**
** Neighbours of equal codes are compared by their whole keys, so the set does not depend
** on the sample; where the codes are dealt out as the words are, one comparison in some
** 250 comes to that. A code is loaded as a signed byte and extended to a word: that
** leaves JOINED and DROPPED what they are, and all others in order. */
#ifndef GPUGRAPH_MIS_CODES_H
#define GPUGRAPH_MIS_CODES_H

#include "words.h"
#include "base/warp.h"

enum { MIS_BINS = 256, MIS_CODES = 254 };

/* Where the sample has so many vertices, `before` of them in earlier bins. */
WARP_FUNCTION uint8_t mis_edge(uint32_t before, uint32_t all) {
    return (uint8_t)(1 + (all > 0 ? before * (MIS_CODES - 1) / all : 0));
}

/* Of an open vertex; edge[MIS_BINS] is MIS_CODES. */
WARP_FUNCTION uint8_t mis_code(const uint8_t *edge, uint32_t word) {
    const uint32_t bin = word >> 24, first = edge[bin], codes = edge[bin + 1] - first;
    return (uint8_t)(first + ((word & 0xffffff) * codes >> 24));
}

#endif
