/* Rows of which an arc comes or goes by a few moves: vertices lie in zones, and behind the arcs of a
** zone is room.
**
**     zone     0                       1
**     row      | a b c | d e | f . . . | g h | i | j k . . |      ". ": spare places
**     offset   0       3     5         9     11  12
**
**     f leaves nobody; an arc comes to the first row:
**              | a b c x | e d | f . . |           d, the first of its row, makes room behind it
**     b goes:  | a c | d e | f . . . . |           of each row behind it the last arc goes ahead
**
** So a row of a million arcs costs one move, as every other one, and nothing moves in other zones. The
** spare places are the last ones of the zone's last row. There are loops at that vertex in them, of
** weight 0, which no search minds: kernels read rows as if they were packed. Who counts arcs, or takes
** loops for arcs, has rows packed first. The order of arcs in a row is nobody's business.
**
** Here is the arithmetic of one change, which a warp does on a device; tests run it, too. */
#ifndef GPUGRAPH_ZONES_H
#define GPUGRAPH_ZONES_H

#include "base/limits.h"
#include "base/warp.h"

/* Slack of a zone: 4 arcs, and one for 32 arcs. A zone that takes all new arcs is laid
** out about 32 times until it is e times as large. */
#define GG_ZONE_LEAST 4
#define GG_ZONE_SHARE 32
/* Arcs that a batch may take out of one zone, and put in. One warp does so one by one, 2
** us each, and a block of threads sorts the first ones by comparing all. */
#define GG_ZONE_MOST 1024

static inline uint64_t gg_zones_of(uint64_t n) {
    return (n + ((uint64_t)1 << gg_limits.zone_shift) - 1) >> gg_limits.zone_shift;
}

typedef struct zone_rows {
    uint64_t n;
    uint64_t *offset; /* n + 1 */
    uint32_t *target;
    void *weight;    /* NULL: there are none */
    size_t size;     /* of a weight */
    uint32_t *spare; /* of each zone */
    unsigned shift;  /* a zone has 1 << shift vertices */
} zone_rows;

/* Spare places of a zone of so many arcs, as it is laid out. */
WARP_FUNCTION uint64_t zone_room(uint64_t arcs) {
    return GG_ZONE_LEAST + arcs / GG_ZONE_SHARE;
}

/* Spare places behind the arcs of row v, of rows that have room where spare is not NULL. */
WARP_FUNCTION uint32_t zone_spare_of_row(const uint32_t *spare, unsigned shift,
                                         uint64_t n, uint64_t v) {
    const bool last = v + 1 == n || ((v + 1) >> shift) != v >> shift;
    return spare && last ? spare[v >> shift] : 0;
}

/* Where its arcs end. */
WARP_FUNCTION uint64_t zone_end_of_row(const uint64_t *offset, const uint32_t *spare,
                                       unsigned shift, uint64_t n, uint64_t v) {
    return offset[v + 1] - zone_spare_of_row(spare, shift, n, v);
}

/* The vertices of a zone: `first` .. `end` - 1; and where its arcs end. */
typedef struct zone {
    uint64_t first, end, used;
} zone;

WARP_FUNCTION zone zone_at(const zone_rows *r, uint64_t number) {
    zone z;
    z.first = number << r->shift;
    z.end = z.first + ((uint64_t)1 << r->shift);
    z.end = z.end < r->n ? z.end : r->n;
    z.used = r->offset[z.end] - r->spare[number];
    return z;
}

/* Where the arcs of row v, of zone z, end. */
WARP_FUNCTION uint64_t zone_row_end(const zone_rows *r, const zone *z, uint64_t v) {
    return v + 1 == z->end ? z->used : r->offset[v + 1];
}

/* An arc on its way from one place to another. */
typedef struct zone_arc {
    uint64_t weight;
    uint32_t target;
} zone_arc;

WARP_FUNCTION zone_arc zone_take(const zone_rows *r, uint64_t at) {
    zone_arc arc;
    arc.target = r->target[at];
    arc.weight = !r->weight                    ? 0
                 : r->size == sizeof(uint32_t) ? ((const uint32_t *)r->weight)[at]
                                               : ((const uint64_t *)r->weight)[at];
    return arc;
}

WARP_FUNCTION void zone_put(const zone_rows *r, uint64_t at, zone_arc arc) {
    r->target[at] = arc.target;
    if (r->weight && r->size == sizeof(uint32_t))
        ((uint32_t *)r->weight)[at] = (uint32_t)arc.weight;
    else if (r->weight)
        ((uint64_t *)r->weight)[at] = arc.weight;
}

/* What lies in a spare place of the zone. */
WARP_FUNCTION zone_arc zone_filler(const zone *z) {
    zone_arc arc;
    arc.target = (uint32_t)(z->end - 1);
    arc.weight = 0;
    return arc;
}

/* One warp: the arc at place `at` of row v goes. */
WARP_FUNCTION void zone_remove(const zone_rows *r, zone *z, uint64_t v, uint64_t at) {
    const uint64_t hole = zone_row_end(r, z, v) - 1; /* of row v; later ones move it on */
    if (warp_lane() == 0 && hole != at)
        zone_put(r, at, zone_take(r, hole));
    warp_sync();
    for (uint64_t low = v + 1; low < z->end; low += warp_width) {
        const uint64_t w = low + warp_lane();
        uint64_t begin = 0, end = 0;
        zone_arc last = {0, 0};
        if (w < z->end) {
            begin = r->offset[w];
            end = zone_row_end(r, z, w);
            if (begin < end)
                last = zone_take(r, end - 1);
        }
        warp_sync(); /* all have read */
        if (begin < end)
            zone_put(r, begin - 1, last);
        if (w < z->end)
            r->offset[w] = begin - 1;
        warp_sync();
    }
    z->used--;
    if (warp_lane() == 0)
        zone_put(r, z->used, zone_filler(z));
    warp_sync();
}

/* One warp: an arc comes to row v of a zone that has a spare place. */
WARP_FUNCTION void zone_insert(const zone_rows *r, zone *z, uint64_t v, zone_arc come) {
    uint64_t hole = z->used; /* where the first arc of the row before goes */
    const uint64_t rows = z->end - v - 1;
    for (uint64_t done = 0; done < rows; done += warp_width) {
        const uint64_t here = rows - done < warp_width ? rows - done : warp_width;
        const uint64_t low = z->end - done - here, w = low + warp_lane();
        const bool moves = warp_lane() < here;
        uint64_t begin = 0, next = 0, lowest = r->offset[low];
        zone_arc first = {0, 0};
        if (moves) {
            begin = r->offset[w];
            next = warp_lane() + 1 == here ? hole : r->offset[w + 1];
            if (begin < next)
                first = zone_take(r, begin);
        }
        warp_sync(); /* all have read */
        if (begin < next)
            zone_put(r, next, first);
        if (moves)
            r->offset[w] = begin + 1;
        warp_sync();
        hole = lowest;
    }
    z->used++;
    if (warp_lane() == 0)
        zone_put(r, hole, come);
    warp_sync();
}

/* Vertices that come behind all others: each zone that gets some has `more` places more than it had, at
** its end, which is at `end`. */
typedef struct zone_growth {
    uint64_t zone, end;
    uint32_t more;
} zone_growth;

/* One warp. r->n: vertices afterwards; before: there were. */
WARP_FUNCTION void zone_grow(const zone_rows *r, uint64_t before, const zone_growth *g) {
    const uint64_t first = g->zone << r->shift;
    zone z;
    z.first = first > before ? first : before;
    z.end = first + ((uint64_t)1 << r->shift);
    z.end = z.end < r->n ? z.end : r->n;
    const uint32_t spare = g->more + (first < before ? r->spare[g->zone] : 0);
    z.used = g->end - spare;
    warp_sync(); /* all have read */
    for (uint64_t v = z.first + warp_lane(); v < z.end; v += warp_width)
        r->offset[v] = z.used;
    for (uint64_t at = z.used + warp_lane(); at < g->end; at += warp_width)
        zone_put(r, at, zone_filler(&z));
    if (warp_lane() == 0) {
        r->spare[g->zone] = spare;
        if (z.end == r->n)
            r->offset[z.end] = g->end;
    }
    warp_sync();
}

#endif
