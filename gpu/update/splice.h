/* The new positions of an array's elements after removals and insertions.
**
**     before   a b c d e f          removed: c;  inserted: x before b, y and z at the end
**     after    a x b d e f y z
**     pieces   a | b | d e f        elements that stay, with old and new positions
**
** An element that is inserted before a removed one replaces it, and no element moves. The
** pieces also renumber edge numbers in rows. */
#ifndef GPUGRAPH_SPLICE_H
#define GPUGRAPH_SPLICE_H

#include "gpugraph.h"

typedef struct splice_piece {
    uint64_t from, to, count;
} splice_piece;

typedef struct splice {
    uint64_t before, after; /* elements */
    uint64_t pieces;
    splice_piece *piece;
    /* first[x / 64]: the first piece that ends beyond x / 64 * 64 (gg_splice_index) */
    uint32_t *first;
    bool still; /* no element moves */
    /* Elements that stay from `bound` on move by `shift`, and no others move. bound is
    ** UINT64_MAX if this does not hold. */
    uint64_t bound, shift;
} splice;

void gg_splice_free(splice *s);

/* The part of a piece that was at positions begin .. end - 1. */
static inline splice_piece gg_clip_piece(const splice_piece *piece, uint64_t begin,
                                         uint64_t end) {
    const uint64_t low = piece->from > begin ? piece->from : begin,
                   behind = piece->from + piece->count,
                   high = behind < end ? behind : end;
    const splice_piece part = {low, piece->to + (low - piece->from),
                               high > low ? high - low : 0};
    return part;
}

/* Moves elements that stay to their new positions; `to` may be `from`. */
void gg_splice_move(const splice *s, void *to, const void *from, size_t size);

/* True if any number changes. */
static inline bool gg_renumbers(const splice *s) {
    return !s->still || s->after < s->before;
}
/* Prepares gg_renumber. */
gpugraph_status gg_splice_index(gpugraph_run *run, splice *s);
/* Replaces entries low .. high - 1, which are numbers of `size` bytes, by the new numbers
** of their elements. The number of a removed element becomes an arbitrary number in
** range. Call it only if gg_renumbers. */
void gg_renumber(const splice *s, void *number, size_t size, uint64_t low, uint64_t high);

#endif
