/* The walk of a topological order on a device, for one warp.
**
**     vertex[v]    [ level | left ]    level: one more than the largest level of the
**                                      predecessors that have one; left: predecessors
**                                      that have none
**     slot         [ s0 l0 ] [ s1 l1 ] [ s2 l2 ] [ 0 0 ] [ 0 0 ] ...    slices of rows
**                                         ^given: claimed    ^asked: tickets
**
** A warp takes a slice of a row from the list, one arc for each lane. For each arc one
** atomic operation raises the level of the target, if it is too low, and decrements
** `left`. The lane that takes the last predecessor knows the level of the target and has
** found a ready vertex. So there are no rounds: a vertex is ready as soon as its last
** predecessor is, and its level is the length of the longest path to it. The warp
** continues with one slice of the rows that become ready. The other slices go on the
** list, each with its level, so that a long path waits for no other warp.
**
** A warp that has slices claims slots behind `given` and fills them. A warp without work
** takes a ticket, the number of the slot that it waits at, and polls the slot until both
** words are there: a slice and the level of its vertex. So a slot has one writer and one
** reader, and is used once. A warp takes its next ticket after it has done all work that
** came from the last one. If as many tickets have no slot as there are warps, no work is
** left and no work will come.
**
** No word depends on another word, so the order of changes of one word, which each memory
** model guarantees, is enough. */
#ifndef GPUGRAPH_TOPOLOGICAL_ORDER_WALK_H
#define GPUGRAPH_TOPOLOGICAL_ORDER_WALK_H

#include "base/warp.h"

enum {
    READY_ARCS = warp_width, /* arcs of a slice, at most: one for each lane */
    READY_ARC_BITS = 6,      /* bits of the number of arcs */
    READY_APART = 128 / 8    /* words of a line of the second-level cache */
};

struct ready_slot { /* 0: not yet there */
    uint64_t slice; /* first arc << READY_ARC_BITS | arcs */
    uint64_t level; /* + 1 */
};

struct ready_counts { /* each on a line of its own */
    uint64_t given[READY_APART], asked[READY_APART];
};

struct ready_list {
    struct ready_slot *slot; /* one for each possible slice, and one for each warp */
    struct ready_counts *counts;
    uint32_t warps;
};

WARP_FUNCTION uint64_t ready_slice(uint64_t first, uint64_t end) {
    const uint64_t arcs = end - first;
    return first << READY_ARC_BITS | (arcs < READY_ARCS ? arcs : READY_ARCS);
}

WARP_FUNCTION uint32_t ready_slices(uint64_t first, uint64_t end) {
    return (uint32_t)((end - first + READY_ARCS - 1) / READY_ARCS);
}

/* ---- giving slices ---- */

/* Claims slots for that number of slices. Returns the first. */
WARP_FUNCTION uint64_t ready_claim(const struct ready_list *list, uint32_t slices) {
    return device_add_64(list->counts->given, slices);
}

WARP_FUNCTION void ready_put(const struct ready_list *list, uint64_t at, uint64_t slice,
                             uint32_t level) {
    device_store_64(&list->slot[at].slice, slice);
    device_store_64(&list->slot[at].level, (uint64_t)level + 1);
}

/* ---- taking slices ---- */

/* Returns the next ticket. The first ticket of a warp is its number. Before the call, the
** warp must have claimed slots for all its slices. */
WARP_FUNCTION uint64_t ready_ask(const struct ready_list *list) {
    return list->warps + device_arrive_64(list->counts->asked, 1);
}

/* True if the slice is there. */
WARP_FUNCTION bool ready_look(const struct ready_list *list, uint64_t ticket,
                              uint64_t *slice, uint32_t *level) {
    const uint64_t first = device_load_64(&list->slot[ticket].slice);
    const uint64_t second = device_load_64(&list->slot[ticket].level);
    *slice = first;
    *level = (uint32_t)(second - 1);
    return first != 0 && second != 0;
}

/* True if no warp has work. Tickets are counted before slots: a warp that has a slice has
** not asked again, and a warp that asked had claimed slots for all slices that it
** gave. */
WARP_FUNCTION bool ready_ended(const struct ready_list *list) {
    const uint64_t asked = device_acquire_64(list->counts->asked);
    return device_load_64(list->counts->given) == asked;
}

/* ---- the walk ---- */

enum {
    WATCH_NS = 500, /* between two looks at whether the walk is over */
    WATCH_HOST = 16 /* one of these looks also reads the host's flag */
};

enum walk_end { WALK_GOES_ON, WALK_IS_OVER, WALK_IS_STOPPED };

enum { ORDER_LEVEL_SHIFT = 32 }; /* in the word of a vertex; `left` lies below */

struct order_walk {
    const uint64_t *row_begin, *row_end;
    const uint32_t *target;
    uint64_t *vertex;
    struct ready_list list;
    uint32_t *end; /* enum walk_end, for all warps */
    const uint32_t *host_stop;
};

#ifdef __CUDACC__
#define WALK_LOAD   gg_load_now /* device/cuda.cuh: the load is issued where it stands */
#define WALK_WAIT() (void)0     /* a warp need not let others run */
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

/* Takes one predecessor, of the level below `level`, from a vertex. Returns the new
** word. */
WARP_FUNCTION uint64_t walk_take(uint64_t *vertex, uint32_t level) {
    uint64_t was = device_load_64(vertex);
    while (order_level(was) < level) {
        const uint64_t now = (uint64_t)level << ORDER_LEVEL_SHIFT | (order_left(was) - 1);
        if (device_try_64(vertex, &was, now))
            return now;
    }
    return device_add_64(vertex, ~(uint64_t)0) - 1; /* levels only rise */
}

/* Gives the lanes' rows first .. end - 1 of vertices of that level to the list, except
** the first `kept` slices. A row may be empty. All lanes call. */
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

/* Walks the arcs of a slice of a vertex of that level. If a row becomes ready, its first
** slice is the next one. All lanes call. */
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

/* Walks until *end, which the warps of a block share, says that the walk is over. All
** lanes call. */
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

/* One thread of each block waits until the walk is over. The thread of the first block
** tests this, and the others read its result. */
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
