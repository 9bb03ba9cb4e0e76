/* memmove by several threads, for arrays that move by a few places.
**
**     from      | ........a | ........b | ........c |     a part for each; by d bytes down:
**     to      | ........a | ........b | ........c |
**
** A part's new place covers the end (or, where bytes move up, the beginning) of the part beside it.
** Those d bytes of each part are set aside first; then all parts move at once, and what was set
** aside is put at its place. Nothing is taken from the heap: a commit cannot fail. */
#include "update.h"

#include <string.h>

enum {
    ASIDE = 1 << 15, /* bytes that are set aside, of all parts together */
    PART = 1 << 20,  /* bytes of a part, at least */
    MOST_PARTS = 64
};

typedef struct shifting {
    char *to;
    const char *from;
    size_t bytes, by; /* by: the distance */
    int parts;
    bool down, apart; /* apart: the ranges do not meet */
    char aside[ASIDE];
} shifting;

/* Part `part`, without the bytes of it that are set aside. */
static void part_shift_of(const shifting *s, int part, size_t *begin, size_t *end) {
    *begin = gg_slice(s->bytes, part, s->parts);
    *end = gg_slice(s->bytes, part + 1, s->parts);
    if (!s->apart && s->down && part + 1 < s->parts)
        *end -= s->by;
    if (!s->apart && !s->down && part > 0)
        *begin += s->by;
}

static void shift_part(void *of, uint64_t part) {
    shifting *s = of;
    size_t begin, end;
    part_shift_of(s, (int)part, &begin, &end);
    memmove(s->to + begin, s->from + begin, end - begin);
}

/* The bytes of part `part` that are set aside: after its end, or before its beginning. */
static size_t place_aside(const shifting *s, int part) {
    size_t begin, end;
    part_shift_of(s, part, &begin, &end);
    return s->down ? end : begin - s->by;
}

void gg_shift(int threads, void *to, const void *from, size_t bytes) {
    shifting s = {.to = to, .from = from, .bytes = bytes};
    const size_t most = bytes / PART;
    s.down = (uintptr_t)to < (uintptr_t)from;
    s.by = s.down ? (uintptr_t)from - (uintptr_t)to : (uintptr_t)to - (uintptr_t)from;
    s.apart = s.by >= bytes;
    s.parts = threads < MOST_PARTS ? threads : MOST_PARTS;
    s.parts = most < (size_t)s.parts ? (int)most : s.parts;
    if (s.by == 0)
        return;
    if (s.parts < 2 || (!s.apart && s.by > (size_t)(ASIDE / s.parts))) {
        memmove(to, from, bytes);
        return;
    }
    const int first = s.down ? 0 : 1, last = s.down ? s.parts - 1 : s.parts;
    for (int part = first; !s.apart && part < last; part++)
        memcpy(s.aside + (size_t)(part - first) * s.by, s.from + place_aside(&s, part),
               s.by);
    gg_parts(threads, (uint64_t)s.parts, shift_part, &s);
    for (int part = first; !s.apart && part < last; part++)
        memcpy(s.to + place_aside(&s, part), s.aside + (size_t)(part - first) * s.by,
               s.by);
}
