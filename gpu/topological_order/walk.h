/* The walk of a topological order on a device, as each of its warps does it.
**
**     vertex[v]    [ level: one more than the largest of those predecessors that have one | left: predecessors that have none ]
**
** A warp takes a slice of a row off the list of what is ready, an arc for each lane. For each arc it raises the target's level,
** where that is too low, and takes one from what is left, both by one atomic operation: who takes the last one
** has the vertex's level in hand, and has found a ready vertex. So there are no rounds: a vertex is ready as soon as its last
** predecessor is, whatever others do, and its level is the longest path to it. Of the rows that become ready by one
** slice the warp walks on with one slice, and the others go on the list, each with its level. A long path
** waits for nobody, then.
**
** Nothing is ordered here but changes of one word, which every memory model orders: no word says something of another one. */
#ifndef GPUGRAPH_TOPOLOGICAL_ORDER_WALK_H
#define GPUGRAPH_TOPOLOGICAL_ORDER_WALK_H

#include "ready.h"

enum {
    WATCH_NS = 500, /* between two looks at whether the walk is over */
    WATCH_HOST = 16 /* of these, one at the host's flag */
};

enum walk_end { WALK_GOES_ON, WALK_IS_OVER, WALK_IS_STOPPED };

enum { ORDER_LEVEL_SHIFT = 32 }; /* in a vertex's word; left lies below */

struct order_walk {
    const uint64_t *row_begin, *row_end;
    const uint32_t *target;
    uint64_t *vertex;
    struct ready_list list;
    uint32_t *end; /* enum walk_end, for all */
    const uint32_t *host_stop;
};

#ifdef __CUDACC__
#define WALK_LOAD   gg_load_now /* device/cuda.cuh: asked for where it stands */
#define WALK_WAIT() (void)0     /* a warp has nobody to make room for */
#else
#define WALK_LOAD(at, wanted) ((wanted) ? *(at) : 0)
#define WALK_WAIT()           warp_pause(0)
#endif

WARP_FUNCTION uint32_t order_left(uint64_t vertex) {
    return (uint32_t)vertex;
}
WARP_FUNCTION uint32_t order_level(uint64_t vertex) {
    return (uint32_t)(vertex >> ORDER_LEVEL_SHIFT);
}

/* One predecessor, of the level below `level`, is taken away. Returns the word after. */
WARP_FUNCTION uint64_t walk_take(uint64_t *vertex, uint32_t level) {
    uint64_t was = device_load_64(vertex);
    while (order_level(was) < level) {
        const uint64_t now = (uint64_t)level << ORDER_LEVEL_SHIFT | (order_left(was) - 1);
        if (device_try_64(vertex, &was, now))
            return now;
    }
    return device_add_64(vertex, ~(uint64_t)0) - 1; /* levels only rise */
}

/* The lanes' rows first..end-1 of vertices of a level, empty where there is none, but for `kept` slices. All lanes call. */
WARP_FUNCTION void walk_give(const struct ready_list *list, uint32_t level,
                             uint64_t first, uint64_t end, uint32_t kept) {
    const uint32_t mine = ready_slices(first, end) - kept;
    uint32_t total;
    uint64_t claimed = 0, at = warp_sum_before(mine, &total);
    if (total == 0)
        return;
    if (warp_lane() == 0)
        claimed = ready_claim(list, total);
    at += warp_from_64(claimed, 0);
    first += (uint64_t)kept * READY_ARCS;
    if (mine > 0)
        ready_put(list, at, ready_slice(first, end), level);
    for (uint32_t lanes = warp_ballot(mine > 1); lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = warp_first(lanes);
        const uint32_t its = warp_from(mine, lane), its_level = warp_from(level, lane);
        const uint64_t place = warp_from_64(at, lane), arc = warp_from_64(first, lane),
                       last = warp_from_64(end, lane);
        for (uint32_t k = 1 + warp_lane(); k < its; k += warp_width)
            ready_put(list, place + k, ready_slice(arc + (uint64_t)k * READY_ARCS, last),
                      its_level);
    }
}

/* Takes the arcs of a slice away, of a vertex of that level. Has a row become ready, its first slice is the next one. All
** lanes call. */
WARP_FUNCTION bool walk_slice(const struct order_walk *w, uint64_t *slice,
                              uint32_t *level) {
    const bool live = warp_lane() < (uint32_t)(*slice & ((1u << READY_ARC_BITS) - 1));
    const uint32_t to =
        WALK_LOAD(w->target + (*slice >> READY_ARC_BITS) + warp_lane(), live);
    const uint64_t now = live ? walk_take(&w->vertex[to], *level + 1) : 1;
    const bool ready = order_left(now) == 0;
    if (warp_ballot(ready) == 0)
        return false;
    const uint64_t first = WALK_LOAD(w->row_begin + to, ready);
    const uint64_t end = WALK_LOAD(w->row_end + to, ready);
    const uint32_t rows = warp_ballot(first < end);
    if (rows == 0)
        return false;
    const unsigned keeper = warp_first(rows);
    walk_give(&w->list, order_level(now), first, end, warp_lane() == keeper);
    *level = warp_from(order_level(now), keeper);
    *slice = warp_from_64(ready_slice(first, end), keeper);
    return true;
}

/* A warp: until the walk is over, as *end, which the warps of a block share, says. All lanes call. */
WARP_FUNCTION void walk_work(const struct order_walk *w, uint32_t warp, uint32_t *end) {
    uint64_t ticket = warp, slice;
    uint32_t level;
    for (;;) {
        while (warp_ballot(!ready_look(&w->list, ticket, &slice, &level))) {
            if (warp_ballot(block_load(end) != WALK_GOES_ON))
                return;
            WALK_WAIT();
        }
        while (walk_slice(w, &slice, &level))
            if (warp_ballot(block_load(end) != WALK_GOES_ON))
                return;
        if (warp_lane() == 0)
            ticket = ready_ask(&w->list);
        ticket = warp_from_64(ticket, 0);
    }
}

/* One thread of a block: until the walk is over, which the first block's finds out. */
WARP_FUNCTION void walk_watch(const struct order_walk *w, bool first, uint32_t *end) {
    uint32_t now = WALK_GOES_ON;
    for (uint32_t looks = 1; now == WALK_GOES_ON; looks++) {
        if (!first)
            now = device_load(w->end);
        else if (ready_ended(&w->list))
            now = WALK_IS_OVER;
        else if (looks % WATCH_HOST == 0 && host_load(w->host_stop))
            now = WALK_IS_STOPPED;
        if (now == WALK_GOES_ON)
            warp_pause(WATCH_NS);
    }
    if (first)
        device_store(w->end, now);
    block_store(end, now);
}

#endif
