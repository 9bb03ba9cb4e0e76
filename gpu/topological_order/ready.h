/* The list of what is ready: slices of rows of vertices that have no predecessor left, on their way from the warps that
** found them to the warps that have nothing to do.
**
**     slot     [ s0 l0 ] [ s1 l1 ] [ s2 l2 ] [ 0 0 ] [ 0 0 ] [ 0 0 ] ...
**                                     ^given: room claimed     ^asked: tickets
**
** Who has slices claims room behind `given` and fills it. Who has nothing to do takes a ticket, the number of the slot
** that he waits at, and looks at it until both its words are there: a slice and the level of its vertex. So a slot has one
** writer and one reader, each is used once, nobody looks at a word that many others look at, and whoever has both words needs no other one
** of the writer's. A warp asks for its next ticket when it is through with all that came of the last one: where there are as many
** tickets without a slot as warps, nothing is left to do, and nothing will come. */
#ifndef GPUGRAPH_TOPOLOGICAL_ORDER_READY_H
#define GPUGRAPH_TOPOLOGICAL_ORDER_READY_H

#include "base/warp.h"

enum {
    READY_ARCS = warp_width, /* of a slice, at most: one for a lane */
    READY_ARC_BITS = 6,      /* of their number */
    READY_APART = 128 / 8    /* words of a line of the second cache */
};

struct ready_slot { /* 0: not yet there */
    uint64_t slice; /* first arc << READY_ARC_BITS | arcs */
    uint64_t level; /* + 1 */
};

struct ready_counts { /* each on a line of its own */
    uint64_t given[READY_APART], asked[READY_APART];
};

struct ready_list {
    struct ready_slot *slot; /* as many as slices may come, and one for each warp */
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

/* ---- who gives ---- */

/* Room for so many slices; where it begins. */
WARP_FUNCTION uint64_t ready_claim(const struct ready_list *list, uint32_t slices) {
    return device_add_64(list->counts->given, slices);
}

WARP_FUNCTION void ready_put(const struct ready_list *list, uint64_t at, uint64_t slice,
                             uint32_t level) {
    device_store_64(&list->slot[at].slice, slice);
    device_store_64(&list->slot[at].level, (uint64_t)level + 1);
}

/* ---- who takes ---- */

/* The ticket after the first, which is the warp's number. All that it has given is claimed. */
WARP_FUNCTION uint64_t ready_ask(const struct ready_list *list) {
    return list->warps + device_arrive_64(list->counts->asked, 1);
}

/* Is the slice there? */
WARP_FUNCTION bool ready_look(const struct ready_list *list, uint64_t ticket,
                              uint64_t *slice, uint32_t *level) {
    const uint64_t first = device_load_64(&list->slot[ticket].slice);
    const uint64_t second = device_load_64(&list->slot[ticket].level);
    *slice = first;
    *level = (uint32_t)(second - 1);
    return first != 0 && second != 0;
}

/* Has everybody nothing to do? Tickets are counted before slots: nobody who has a slice has asked again, and who asked had
** claimed room for all that he gave. */
WARP_FUNCTION bool ready_ended(const struct ready_list *list) {
    const uint64_t asked = device_acquire_64(list->counts->asked);
    return device_load_64(list->counts->given) == asked;
}

#endif
