/* Levels of breadth-first searches from up to 64 sources at once, on a device: what each.c
** does, as steps that a grid makes with nothing but the end of a launch between them.
**
**     lanes_plant    sources           one thread each       next, list 0
**     lanes_settle   what was found    one thread each       next -> seen, visit, depths
**     lanes_turn     one thread        who goes on?  level + 1, the other list
**     lanes_spread   the frontier      one warp each, to a   visit -> next, the other list
**                                      slice of a long row
**     lanes_settle, lanes_turn, lanes_spread, ...            until state->over
**
** A step past the end finds state->over set and does nothing, so that the host may queue
** several levels before it looks. Written against base/warp.h: on CPU threads in tests. */
#ifndef GPUGRAPH_BFS_LANES_H
#define GPUGRAPH_BFS_LANES_H

#include "base/warp.h"

enum { LANES_MOST = 64 };

struct lanes_state {
    uint32_t level;     /* of the frontier; before the first turn NONE */
    uint32_t listed[2]; /* vertices of the lists: even levels, odd ones */
    uint32_t sliced[2]; /* slices of long rows, likewise */
    uint32_t over;
    uint64_t searching;              /* lanes that go on */
    uint64_t fresh;                  /* lanes that have found something in this level */
    uint64_t reached;                /* by all lanes */
    uint64_t reached_by[LANES_MOST]; /* under a limit */
};

struct lanes_search {
    const uint64_t *offset;
    const uint32_t *target;
    uint32_t n, lanes;
    struct lanes_state *state;
    uint64_t *seen, *visit, *next; /* by vertex, a bit for each lane */
    uint32_t *list[2];
    uint64_t *slice[2];     /* vertex << 32 | number; lanes_slices_at_most of them */
    uint32_t row;           /* arcs of a slice, and of a row that is not cut */
    uint32_t *depth;        /* of lane i from depth + i * n on */
    const uint32_t *source; /* source i begins lane i, or all of them lane 0 */
    uint32_t sources;
    bool together;
    const uint32_t *wanted; /* targets */
    uint32_t targets, max_depth;
    uint64_t limit;            /* of a lane; 0: none */
    const uint32_t *host_stop; /* set after an interrupt */
};

static inline uint64_t lanes_slices_at_most(uint64_t arcs, uint32_t row) {
    return arcs / row * 2 + 1;
}

/* All lanes of a warp: puts v behind the list, where it is new. */
WARP_FUNCTION void lanes_append(const struct lanes_search *s, unsigned list, uint32_t v,
                                bool fresh) {
    uint32_t total, at = 0, before = warp_sum_before(fresh, &total);
    if (total == 0)
        return;
    if (warp_lane() == 0)
        at = device_take(&s->state->listed[list], total);
    at = warp_from(at, 0);
    if (fresh)
        s->list[list][at + before] = v;
}

/* These searches come to v: true for the first of this level. */
WARP_FUNCTION bool lanes_offer(const struct lanes_search *s, uint32_t v, uint64_t lanes) {
    return (lanes & ~device_load_64(&s->next[v])) &&
           device_or_64(&s->next[v], lanes) == 0;
}

WARP_FUNCTION void lanes_plant(struct lanes_search s, uint32_t warp, uint32_t warps) {
    for (uint64_t first = (uint64_t)warp * warp_width; first < s.sources;
         first += (uint64_t)warps * warp_width) {
        uint64_t i = first + warp_lane();
        uint32_t v = i < s.sources ? s.source[i] : 0;
        bool fresh =
            i < s.sources && lanes_offer(&s, v, (uint64_t)1 << (s.together ? 0 : i));
        lanes_append(&s, 0, v, fresh);
    }
}

/* A lane to an arc. */
WARP_FUNCTION void lanes_follow(const struct lanes_search *s, unsigned list,
                                uint64_t bits, uint64_t begin, uint64_t end) {
    for (uint64_t first = begin; bits && first < end; first += warp_width) {
        uint64_t arc = first + warp_lane();
        uint32_t w = s->target[arc < end ? arc : begin];
        uint64_t coming = arc < end ? bits & ~s->seen[w] : 0;
        lanes_append(s, list ^ 1, w, coming && lanes_offer(s, w, coming));
    }
}

/* A warp to a vertex of the frontier, or to a slice of one with a long row. */
WARP_FUNCTION void lanes_spread(struct lanes_search s, uint32_t warp, uint32_t warps) {
    const unsigned list = s.state->level & 1;
    const uint32_t listed = s.state->over ? 0 : s.state->listed[list];
    const uint32_t sliced = s.state->over ? 0 : s.state->sliced[list];
    const uint64_t searching = s.state->searching;
    for (uint64_t i = warp; i < sliced; i += warps) {
        const uint32_t v = (uint32_t)(s.slice[list][i] >> 32);
        const uint64_t number = (uint32_t)s.slice[list][i], end = s.offset[v + 1];
        const uint64_t begin = s.offset[v] + number * s.row;
        lanes_follow(&s, list, s.visit[v] & searching, begin,
                     end - begin > s.row ? begin + s.row : end);
    }
    for (uint64_t i = warp; i < listed; i += warps) {
        const uint32_t v = s.list[list][i];
        const uint64_t begin = s.offset[v], end = s.offset[v + 1];
        if (end - begin <= s.row)
            lanes_follow(&s, list, s.visit[v] & searching, begin, end);
    }
}

/* A thread: the slices of v, where its row is long. */
WARP_FUNCTION void lanes_cut(const struct lanes_search *s, unsigned list, uint32_t v) {
    const uint64_t arcs = s->offset[v + 1] - s->offset[v];
    if (arcs <= s->row)
        return;
    const uint32_t count = (uint32_t)((arcs - 1) / s->row) + 1;
    const uint32_t at = device_take(&s->state->sliced[list], count);
    for (uint32_t i = 0; i < count; i++)
        s->slice[list][at + i] = (uint64_t)v << 32 | i;
}

WARP_FUNCTION uint32_t lanes_lowest(uint64_t lanes) {
    return (uint32_t)lanes ? lowest_bit((uint32_t)lanes)
                           : 32 + lowest_bit((uint32_t)(lanes >> 32));
}

/* A thread to a vertex. What a level has found lies in the list of the next one. */
WARP_FUNCTION void lanes_settle(struct lanes_search s, uint64_t thread,
                                uint64_t threads) {
    const uint32_t level = s.state->level + 1; /* NONE + 1 is 0 */
    const uint32_t listed = s.state->over ? 0 : s.state->listed[level & 1];
    uint64_t fresh = 0, reached = 0;
    for (uint64_t i = thread; i < listed; i += threads) {
        const uint32_t v = s.list[level & 1][i];
        const uint64_t lanes = s.next[v];
        s.visit[v] = lanes;
        s.seen[v] |= lanes;
        s.next[v] = 0;
        fresh |= lanes;
        lanes_cut(&s, level & 1, v);
        for (uint64_t left = lanes; left; left &= left - 1) {
            const uint32_t lane = lanes_lowest(left);
            s.depth[(uint64_t)lane * s.n + v] = level;
            reached++;
            if (s.limit)
                device_add_64(&s.state->reached_by[lane], 1);
        }
    }
    if (reached) {
        device_or_64(&s.state->fresh, fresh);
        device_add_64(&s.state->reached, reached);
    }
}

/* One thread. */
WARP_FUNCTION void lanes_turn(struct lanes_search s) {
    struct lanes_state *state = s.state;
    if (state->over)
        return;
    uint64_t done = s.targets ? ~(uint64_t)0 : 0;
    for (uint32_t i = 0; i < s.targets && done; i++)
        done &= s.seen[s.wanted[i]];
    for (uint32_t lane = 0; lane < s.lanes && s.limit; lane++)
        done |= (uint64_t)(state->reached_by[lane] >= s.limit) << lane;
    state->searching &= state->fresh & ~done;
    state->fresh = 0;
    state->listed[state->level & 1] = 0; /* no effect before level 0: list 1 is empty */
    state->sliced[state->level & 1] = 0;
    state->level++;
    state->over =
        !state->searching || state->level >= s.max_depth || host_load(s.host_stop);
}

#endif
