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
    /* gg_splice_index makes one of these: */
    uint32_t *first; /* first[x / 64]: the first piece that ends beyond x / 64 * 64 */
    uint32_t *map;   /* map[x]: the new number of x; if there are many pieces */
    bool still;      /* no element moves */
    /* Elements that stay from `bound` on move by `shift`, and no others move. bound is
    ** UINT64_MAX if this does not hold. */
    uint64_t bound, shift;
    int threads; /* for an array of this many elements */
} splice;

/* removed: ascending positions; inserted: ascending positions before which elements are
** inserted, ties in order. place[i]: the new position of inserted element i. */
gpugraph_status gg_splice_make(gpugraph_run *run, splice *s, uint64_t before,
                               const uint64_t *removed, uint64_t removed_count,
                               const uint64_t *inserted, uint64_t inserted_count,
                               uint64_t *place);
void gg_splice_free(splice *s);

/* Threads for this many elements of an array. */
static inline int gg_splice_threads(const splice *s, uint64_t elements) {
    return elements < ((uint64_t)1 << 18) ? 1 : s->threads;
}
/* Moves elements that stay to their new positions; `to` may be `from`. */
void gg_splice_move(const splice *s, void *to, const void *from, size_t size);

/* Prepares gg_renumber or, if wide, gg_renumber_wide, which map numbers of elements that
** stay. */
gpugraph_status gg_splice_index(gpugraph_run *run, splice *s, bool wide);
void gg_renumber_all(const splice *s, uint32_t *number, uint64_t count);
void gg_renumber_all_wide(const splice *s, uint64_t *number, uint64_t count);
/* True if any number changes. */
static inline bool gg_renumbers(const splice *s) {
    return !s->still || s->after < s->before;
}
/* A number of a removed element gives an arbitrary number in range. */
static inline uint64_t gg_renumber_wide(const splice *s, uint64_t x) {
    if (!gg_renumbers(s))
        return x;
    const splice_piece *piece = s->piece + s->first[x / 64];
    const splice_piece *last = s->piece + s->pieces - 1;
    while (piece < last && x >= piece->from + piece->count)
        piece++;
    uint64_t number = x - piece->from + piece->to;
    return number < s->after ? number : 0;
}
static inline uint32_t gg_renumber(const splice *s, uint32_t x) {
    return s->map ? s->map[x] : (uint32_t)gg_renumber_wide(s, x);
}

#endif
