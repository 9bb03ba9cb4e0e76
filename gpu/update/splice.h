/* The new places of an array's elements when some are removed and others inserted.
**
**     before   a b c d e f          taken out: c;  put in: x before b, y and z at the end
**     after    a x b d e f y z
**     pieces   a | b | d e f        what stays, with its old and its new place
**
** An element that is inserted before a removed one takes its place, and nothing moves. The pieces
** also renumber the edge numbers in rows. */
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
    /* One of these, by gg_splice_index: */
    uint32_t *first; /* first[x / 64]: the first piece that ends beyond x / 64 * 64 */
    uint32_t *map;   /* map[x]: the new number of x; where pieces are many */
    bool still;      /* no element moves */
    /* what stays from place `bound` on moves by `shift`, and nothing else does; bound is
    ** UINT64_MAX where that is not so */
    uint64_t bound, shift;
    int threads; /* that work on an array of so many elements */
} splice;

/* removed: ascending places; inserted: ascending places before which something is put,
** those with the same place in order. place[i]: where what is inserted comes to lie. */
gpugraph_status gg_splice_make(gpugraph_run *run, splice *s, uint64_t before,
                               const uint64_t *removed, uint64_t removed_count,
                               const uint64_t *inserted, uint64_t inserted_count,
                               uint64_t *place);
void gg_splice_free(splice *s);

/* Threads for so many elements of an array. */
static inline int gg_splice_threads(const splice *s, uint64_t elements) {
    return elements < ((uint64_t)1 << 18) ? 1 : s->threads;
}
/* Moves what stays to its new places; `to` and `from` may be the same array. */
void gg_splice_move(const splice *s, void *to, const void *from, size_t size);

/* Numbers of elements that stay. Makes what gg_renumber needs, or, wide, what
** gg_renumber_wide does. */
gpugraph_status gg_splice_index(gpugraph_run *run, splice *s, bool wide);
void gg_renumber_all(const splice *s, uint32_t *number, uint64_t count);
void gg_renumber_all_wide(const splice *s, uint64_t *number, uint64_t count);
/* Does any number change? */
static inline bool gg_renumbers(const splice *s) {
    return !s->still || s->after < s->before;
}
/* A number that is none of an element that stays gives any number that is in range. */
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
