/* The last part of a tree of paths.h, for graphs with many arcs. Once half the vertices
** are taken, nearly every arc leads to a taken vertex. So the workers leave, and each
** remaining vertex looks for a parent itself.
**
**     crew     takes vertices depth-first, until it has GG_PATHS_PULL_SHARE sixteenths of
**              the vertices with arcs into them: in an R-MAT after a tenth of its arcs
**     words    each remaining vertex looks along the arcs into it for a taken vertex; a
**              warp handles the vertices of one word of bits
**     list     the vertices that found none look again, since the previous pass has taken
**              more vertices
**
** A pass does not change the bits that it reads. Its finds become visible between two
** passes. If a pass finds nothing, all vertices that can be reached are taken. A vertex
** takes the deepest of the first taken vertices that it meets, so the tree stays as deep
** as the workers have made it. */
#ifndef GPUGRAPH_DFS_PATHS_PULL_H
#define GPUGRAPH_DFS_PATHS_PULL_H

#include "deque.h"

/* The largest number of passes, and the number of arcs of an open row without a taken end
** after which the search gives up pulling. */
#define GG_PATHS_PULLS    48
#define GG_PATHS_PULL_ROW 4096

/* Arcs that a lane looks at together. */
enum { PULL_ARCS = 4 };

struct pull_counts {
    uint32_t found[GG_PATHS_PULLS];  /* by pass */
    uint32_t listed[GG_PATHS_PULLS]; /* by pass: vertices left to the next pass */
    uint32_t far; /* the first arcs of some long row all lead to open vertices */
};

struct paths_pull {              /* passed by value */
    const uint64_t *begin, *end; /* the arcs into each vertex */
    const uint32_t *target;
    uint32_t n, most; /* most: vertices that may be left after the first pass */
    uint32_t *visited;
    uint64_t *tree;
    uint32_t *fresh;   /* bits that the pass over words has found */
    uint32_t *list[2]; /* n entries each */
    uint32_t *found;   /* found by a pass over a list; n entries */
    struct pull_counts *counts;
};

WARP_FUNCTION bool pull_is_taken(struct paths_pull p, uint32_t v) {
    return p.visited[v / 32] >> v % 32 & 1;
}

/* Returns the deepest taken vertex at the end of up to PULL_ARCS arcs from `arc` on, as
** parent << 32 | depth, or all ones. */
WARP_FUNCTION uint64_t pull_look(struct paths_pull p, uint64_t arc, uint64_t end) {
    uint32_t from[PULL_ARCS];
    bool taken[PULL_ARCS];
    uint64_t up = UINT64_MAX;
    WARP_UNROLL
    for (uint32_t i = 0; i < PULL_ARCS; i++)
        from[i] = arc + i < end ? p.target[arc + i] : 0;
    WARP_UNROLL
    for (uint32_t i = 0; i < PULL_ARCS; i++)
        taken[i] = arc + i < end && pull_is_taken(p, from[i]);
    WARP_UNROLL
    for (uint32_t i = 0; i < PULL_ARCS; i++) {
        const uint32_t depth = taken[i] ? (uint32_t)p.tree[from[i]] : 0;
        if (taken[i] && (up == UINT64_MAX || depth > (uint32_t)up))
            up = (uint64_t)from[i] << 32 | depth;
    }
    return up;
}

/* All lanes look along one row. */
WARP_FUNCTION uint64_t pull_look_along(struct paths_pull p, uint64_t arc, uint64_t end) {
    for (; arc < end; arc += PULL_ARCS * warp_width) {
        const uint64_t up = pull_look(p, arc + (uint64_t)PULL_ARCS * warp_lane(), end);
        const uint32_t lanes = warp_ballot(up != UINT64_MAX);
        if (lanes)
            return warp_from_64(up, lowest_bit(lanes));
    }
    return UINT64_MAX;
}

/* Finds a parent for the vertex of each lane with `mine`. A lane looks at the first arcs
** of its row alone, then all lanes look at the rest of longer rows. */
WARP_FUNCTION bool pull_vertex(struct paths_pull p, bool mine, uint32_t v) {
    uint64_t arc = mine ? p.begin[v] : 0, up = UINT64_MAX;
    const uint64_t end = mine ? p.end[v] : 0;
    for (uint32_t i = 0; i < 2 && up == UINT64_MAX && arc < end; i++, arc += PULL_ARCS)
        up = pull_look(p, arc, end);
    uint32_t longer = warp_ballot(up == UINT64_MAX && arc < end);
    for (; longer; longer &= longer - 1) {
        const unsigned lane = lowest_bit(longer);
        const uint64_t from = warp_from_64(arc, lane), to = warp_from_64(end, lane);
        const bool far = to - from > GG_PATHS_PULL_ROW;
        const uint64_t there =
            pull_look_along(p, from, far ? from + GG_PATHS_PULL_ROW : to);
        if (lane == warp_lane())
            up = there;
        if (far && there == UINT64_MAX && warp_lane() == 0)
            device_store(&p.counts->far, 1);
    }
    if (up != UINT64_MAX)
        p.tree[v] = up + 1;
    return up != UINT64_MAX;
}

/* Appends the vertices of lanes with `mine` to a list. */
WARP_FUNCTION void pull_note(bool mine, uint32_t v, uint32_t *list, uint32_t *count) {
    const uint32_t lanes = warp_ballot(mine);
    uint32_t at = 0;
    if (!lanes)
        return;
    if (warp_lane() == 0)
        at = device_take(count, set_bits(lanes));
    at = warp_from(at, 0) + set_bits(lanes & ((1u << warp_lane()) - 1));
    if (mine)
        list[at] = v;
}

/* ---- passes, by warp number `warp` of `warps` ---- */

WARP_FUNCTION void pull_by_words(struct paths_pull p, uint64_t warp, uint64_t warps) {
    uint32_t found = 0;
    for (uint64_t word = warp; word < p.n / 32 + 1; word += warps) {
        const uint32_t taken = p.visited[word];
        uint32_t fresh = 0;
        for (unsigned i = 0; i < 32; i += warp_width) {
            const uint64_t v = word * 32 + i + warp_lane();
            const bool open =
                v < p.n && !(taken >> (i + warp_lane()) & 1) && p.begin[v] < p.end[v];
            const bool pulled = pull_vertex(p, open, (uint32_t)v);
            fresh |= warp_ballot(pulled) << i;
            pull_note(open && !pulled, (uint32_t)v, p.list[0], &p.counts->listed[0]);
        }
        if (warp_lane() == 0)
            p.fresh[word] = fresh;
        found += set_bits(fresh);
    }
    if (found > 0 && warp_lane() == 0)
        device_take(&p.counts->found[0], found);
}

/* Pass 1 and the later passes. */
WARP_FUNCTION void pull_by_list(struct paths_pull p, uint32_t pass, uint64_t warp,
                                uint64_t warps) {
    const uint32_t *from = p.list[(pass - 1) % 2], count = p.counts->listed[pass - 1];
    for (uint64_t at = warp * warp_width; at < count; at += warps * warp_width) {
        const bool open = at + warp_lane() < count;
        const uint32_t v = open ? from[at + warp_lane()] : 0;
        const bool pulled = pull_vertex(p, open, v);
        pull_note(pulled, v, p.found, &p.counts->found[pass]);
        pull_note(open && !pulled, v, p.list[pass % 2], &p.counts->listed[pass]);
    }
}

/* True if pass `pass` has found parents, and the next pass may find more. If too many
** vertices are far from the taken ones, more passes do not pay. */
WARP_FUNCTION bool pull_goes_on(struct paths_pull p, uint32_t pass) {
    return device_load(&p.counts->found[pass]) > 0 &&
           device_load(&p.counts->listed[pass]) > 0 &&
           device_load(&p.counts->listed[0]) <= p.most && !device_load(&p.counts->far);
}

/* ---- between passes, by threads ---- */

WARP_FUNCTION void pull_show_word(struct paths_pull p, uint64_t word) {
    p.visited[word] |= p.fresh[word];
}
WARP_FUNCTION void pull_show_found(struct paths_pull p, uint64_t at) {
    device_or(&p.visited[p.found[at] / 32], 1u << p.found[at] % 32);
}

/* ---- the end ---- */

/* Adds up the finds. Returns false if vertices that can be reached may be missing. */
static inline bool pull_is_whole(const struct pull_counts *counts, uint32_t most,
                                 uint32_t *found) {
    *found = 0;
    for (uint32_t pass = 0; pass < GG_PATHS_PULLS; pass++) {
        *found += counts->found[pass];
        if (counts->found[pass] == 0 || counts->listed[pass] == 0)
            return !counts->far && counts->listed[0] <= most;
    }
    return false;
}

#endif
