/* Steps of a worker of paths.h by fixed rows. The position of a fixed row follows from
** the number of its vertex (graph/fixed_rows.cuh).
**
**     by places   a lane has one place of a row of the hands. It loads a target, then
**                 claims it: two dependent memory accesses for each step.
**     ahead       a lane has an arc whose target is known. It claims the target and loads
**                 its row at the same time: one memory access for each step.
**
**     hand      parent << 32 | depth, target     an arc (PATHS_FOUND)
**       |       vertex << 32 | depth, place      a vertex of the tree (PATHS_FROM)
**       |   claim, if it is an arc, and load of the vertex's row, together
**     row       the targets of the vertex that this lane has taken
**       |
**     hand      Each free lane gets a target. The other places go to the ring, as a
**               vertex and the first of these places.
**
** A row that is loaded without use costs a sector. A row that comes from the ring costs a
** step whose lane claims nothing. The arc back to the parent is skipped. paths_walk_arcs
** looks at the arcs of a row beyond its places, as soon as the hands have no arcs. */
#ifndef GPUGRAPH_DFS_PATHS_ROWS_H
#define GPUGRAPH_DFS_PATHS_ROWS_H

#include "paths_stack.h"

/* ---- by places ---- */

/* True if all entries of the hands are looked at by their places. */
WARP_FUNCTION bool paths_by_places(const struct paths_worker *w) {
    return w->crew.fixed && !w->crew.ahead &&
           !warp_ballot(w->count > 0 && w->begin != PATHS_ROW_BEGIN);
}

/* Looks at places base .. base + warp_width - 1 of the fixed rows of the hands, which
** have `total` places together. */
WARP_FUNCTION void paths_look_at_places(struct paths_worker *w, uint32_t base,
                                        uint32_t total, uint32_t *held) {
    const uint32_t places = w->crew.places, k = base + warp_lane();
    const uint64_t up = warp_from_64(w->who, k / places % warp_width);
    const uint64_t down = (up >> 32) << 32 | (uint32_t)(up + 1); /* parent, depth */
    uint32_t v = k < total ? w->crew.fixed[(up >> 32) * places + k % places] : DFS_NONE;
    uint32_t before = UINT32_MAX, beyond = 0;
    const bool looks = v < w->crew.n, more = v == PATHS_MORE;
    if (looks)
        before = device_or(&w->crew.visited[v / 32], 1u << v % 32);
    uint64_t arcs = PATHS_WHOLE;
    if (more) {
        const uint64_t begin = w->crew.begin[up >> 32] + places - 1;
        arcs = paths_arcs(begin, w->crew.end[up >> 32] - begin);
    }
    const bool taken = !(before >> v % 32 & 1);
    if (taken)
        w->crew.tree[v] = down;
    w->reached += taken;
    paths_keep(w, taken || more, taken ? (uint64_t)v << 32 | (uint32_t)down : up, arcs,
               held, &beyond);
    if (beyond > 0)
        paths_publish(w, beyond);
}

/* Looks at all arcs of hands whose entries are whole. */
WARP_FUNCTION bool paths_walk_places(struct paths_worker *w, uint32_t *held) {
    const uint32_t rows = set_bits(warp_ballot(w->count > 0));
    const uint32_t total = rows * w->crew.places;
    for (uint32_t base = 0; base < total; base += warp_width) {
        if (!paths_make_room(w))
            return false;
        paths_look_at_places(w, base, total, held);
    }
    return true;
}

/* ---- ahead ---- */

enum { PATHS_MOST_PLACES = 8, PATHS_ASKED = 4 };

/* Loads PATHS_ASKED words for a lane that asks. The load is issued here, so that it
** overlaps with the claim that follows. */
#ifdef __CUDACC__
WARP_FUNCTION void paths_ask(const uint32_t *at, bool asks, uint32_t *row) {
    for (int i = 0; i < PATHS_ASKED; i++)
        row[i] = DFS_NONE;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;"
                 " @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "+r"(row[0]), "+r"(row[1]), "+r"(row[2]), "+r"(row[3])
                 : "l"(at), "r"((uint32_t)asks));
}
#else
WARP_FUNCTION void paths_ask(const uint32_t *at, bool asks, uint32_t *row) {
    for (int i = 0; i < PATHS_ASKED; i++)
        row[i] = asks ? at[i] : DFS_NONE;
}
#endif

/* True if this is a step by rows ahead. Entries of other kinds and found arcs are never
** in the hands together (paths_top_up). */
WARP_FUNCTION bool paths_by_rows(const struct paths_worker *w) {
    return w->crew.fixed && w->crew.ahead &&
           !warp_ballot(w->count > 0 && !paths_is_found(w) &&
                        (w->begin != PATHS_ROW_BEGIN ||
                         paths_first_place(w) >= w->crew.places - 1));
}

struct paths_row { /* of this lane's vertex, which it has taken */
    uint64_t who;
    uint32_t target[PATHS_MOST_PLACES];
    uint32_t open; /* bits of places that are worth a claim */
    bool more;     /* the row has arcs beyond its places */
};

/* Finds the places of a taken row that lead on: not to the vertex itself or to
** `above`. */
WARP_FUNCTION void paths_read_row(const struct paths_worker *w, uint32_t first,
                                  uint32_t above, struct paths_row *row) {
    const uint32_t v = (uint32_t)(row->who >> 32), last = w->crew.places - 1;
    WARP_UNROLL
    for (uint32_t i = 0; i < PATHS_MOST_PLACES; i++) {
        const uint32_t t = row->target[i];
        if (i < first || i > last || t >= w->crew.n)
            row->more |= i == last && t == PATHS_MORE;
        else
            row->open |= (uint32_t)(t != v && t != above) << i;
    }
}

/* Claims the lane's arc, if it has one, and loads the row of the vertex. The row stays
** empty if another worker has taken the vertex. */
WARP_FUNCTION void paths_take_row(struct paths_worker *w, struct paths_row *row) {
    const bool there = w->count > 0, found = there && paths_is_found(w);
    const uint32_t above = (uint32_t)(w->who >> 32);
    const uint32_t v = found ? (uint32_t)w->begin : above, bit = found ? 1u << v % 32 : 0;
    const uint32_t *at = &w->crew.fixed[(uint64_t)v * w->crew.places];
    uint32_t before = 0;
    row->who = w->who;
    row->open = 0;
    row->more = false;
    WARP_UNROLL
    for (uint32_t i = 0; i < PATHS_MOST_PLACES; i += PATHS_ASKED)
        paths_ask(at + i, there && i < w->crew.places, &row->target[i]);
    if (found)
        before = device_or(&w->crew.visited[v / 32], bit);
    if (!there || (before & bit))
        return;
    if (found) {
        row->who = (uint64_t)v << 32 | (uint32_t)(w->who + 1);
        w->crew.tree[v] = (uint64_t)above << 32 | (uint32_t)row->who;
        w->reached++;
    }
    paths_read_row(w, found ? 0 : paths_first_place(w), found ? above : v, row);
}

/* Distributes the open places of the row over the hands from number `at` on. Returns the
** first place for which no lane is free, or PATHS_MOST_PLACES. */
WARP_FUNCTION uint32_t paths_deal(struct paths_worker *w, const struct paths_row *row,
                                  uint32_t at) {
    uint32_t left = PATHS_MOST_PLACES;
    WARP_UNROLL
    for (uint32_t i = 0; i < PATHS_MOST_PLACES; i++) {
        if (!(row->open >> i & 1))
            continue;
        if (at < warp_width) {
            w->hand[2 * at] = row->who;
            w->hand[2 * at + 1] = (PATHS_FOUND | row->target[i]) << 24 | 1;
            at++;
        } else if (left == PATHS_MOST_PLACES) {
            left = i;
        }
    }
    return left;
}

/* One step. *held lanes have an arc afterwards. */
WARP_FUNCTION bool paths_walk_rows(struct paths_worker *w, uint32_t *held) {
    if (!paths_make_room(w))
        return false;
    struct paths_row row;
    paths_take_row(w, &row);
    uint32_t total, at = warp_sum_before(set_bits(row.open), &total);
    uint32_t left = paths_deal(w, &row, at);
    if (left == PATHS_MOST_PLACES && row.more)
        left = w->crew.places - 1;
    const uint32_t lanes = warp_ballot(left < PATHS_MOST_PLACES);
    if (left < PATHS_MOST_PLACES)
        paths_put(w->ring, w->head + set_bits(lanes & ((1u << warp_lane()) - 1)), row.who,
                  PATHS_FROM((uint64_t)left));
    if (lanes)
        paths_publish(w, set_bits(lanes));
    *held = total < warp_width ? total : warp_width;
    return true;
}

#endif
