/* The multi-level multi-queue of shortest paths, for distances of 32 bits: what its parts
** share.
**
**     L0   registers      an element of each lane                local.h
**     L1   shared memory  one queue of each warp                 local.h
**     L2   device memory  of all warps: FIFOs of segments        fifo.h
**
** Each level has a read and a write that a whole warp calls: a level that is empty
** reads from the one below, one that is full hands over to it. work.h relaxes arcs
** between a read and a write. After Hu, Sun, Jiang, Wang, Lin, Zong, Sun, "Beyond a
** Single Queue: Multi-Level-Multi-Queue", with the order of memory accesses that their
** listings leave out.
**
** Accounts. Every queue in device memory (and the sweep) counts what was ever written
** to it (tail) and what of that is finished with (done). An element is finished with
** when all it led to is finished with or written to device memory. A manager (warp 0)
** reads all done, then all tails: where they agree, the queues were empty and nobody
** was at work.
**
** Overflow. Nobody waits for room. Where segments are used up a vertex is marked in a
** bitmap, and when all queues are empty the manager has the bitmap swept: its vertices
** are written again with their distances of then. Sources begin as such marks.
**
** A sum beyond max_distance is neither written nor relaxed. Targets and limits end no
** search: all vertices get their distances.
**
** A .cu file includes it for warps of 32 lanes, a test for threads. */
#ifndef GPUGRAPH_MLMQ_H
#define GPUGRAPH_MLMQ_H

#include "memory.h"
#include "base/warp.h"

#include <string.h>

#define MLMQ_UNREACHED UINT32_MAX

struct mlmq_element {
    uint32_t distance, vertex;
};

/* On chip, for one warp. */
struct mlmq_shared {
    struct mlmq_element l1[MLMQ_L1_MOST];
    struct mlmq_element out[MLMQ_OUT]; /* on the way to L2 */
    struct mlmq_element won[MLMQ_WON]; /* just found, on the way to L0 */
};

/* A warp. All lanes hold the same but for what says otherwise. */
struct mlmq_warp {
    const struct mlmq *m;
    struct mlmq_shared *shared;
    uint32_t number;
    /* the control line, as last looked at */
    uint32_t over, base, bnum, pile, exhausted;
    /* levels */
    struct mlmq_element l0; /* of the lane */
    bool l0_full;           /* likewise */
    uint32_t l1_first, l1_count, writes;
    uint32_t out_count, won_count;
    bool urgent; /* something in `out` that others could work on now */
    /* to be settled */
    uint32_t account, taken; /* elements read from that account */
    uint32_t segment_number; /* in its FIFO, where the lane's element was, or MLMQ_NONE */
    uint32_t segment;        /* the segment by its place in the pool, or MLMQ_NONE */
    /* of the lane: asked for, to be heard */
    uint32_t asked;
    uint64_t served;
};

/* ---- distances ---- */

WARP_FUNCTION uint32_t mlmq_load_distance(const struct mlmq *m, uint32_t v) {
    return device_load(&m->distance[v]);
}

/* MLMQ_UNREACHED if the sum leaves 32 bits. */
WARP_FUNCTION uint32_t mlmq_sum(uint32_t distance, uint32_t weight) {
    uint32_t sum = distance + weight;
    return sum < distance ? MLMQ_UNREACHED : sum;
}

/* The bucket of a distance: ascends with it. */
WARP_FUNCTION uint32_t mlmq_key(const struct mlmq *m, uint32_t distance) {
    uint64_t key = distance * m->scale >> 32;
    return key < MLMQ_KEY_MOST ? (uint32_t)key : MLMQ_KEY_MOST;
}

/* Which of the lanes with `there` this one is. */
WARP_FUNCTION uint32_t mlmq_rank(uint32_t lanes) {
    return set_bits(lanes & ((1u << warp_lane()) - 1));
}

/* ---- waiting: never for long ---- */

/* Something that cannot be: the search ends, and its driver says so. */
WARP_FUNCTION void mlmq_give_up(const struct mlmq *m, uint32_t why) {
    device_store(&m->control->failed, why);
    device_store(&m->control->over, MLMQ_FAILED);
}

/* Called in a loop that waits for another warp in the middle of a step; by lanes alone.
** False: leave it, the search is over. */
WARP_FUNCTION bool mlmq_waits(const struct mlmq *m, uint32_t *rounds, uint32_t why) {
    if (++*rounds % MLMQ_LOOKS == 0 && device_load(&m->control->over) != MLMQ_GOES_ON)
        return false;
    if (*rounds > MLMQ_PATIENCE) {
        mlmq_give_up(m, why);
        return false;
    }
    if (*rounds > MLMQ_EAGER)
        warp_pause(MLMQ_WAIT_NS);
    return true;
}

/* ---- what finds no room ---- */

/* Marks the vertices of the lanes with `lost`. */
WARP_FUNCTION void mlmq_spill(const struct mlmq_warp *w, struct mlmq_element e,
                              bool lost) {
    struct mlmq_control *control = w->m->control;
    if (lost) {
        device_or(&w->m->dirty[e.vertex / 32], 1u << e.vertex % 32);
        device_min(&control->spilled_least, mlmq_key(w->m, e.distance));
        device_store(&control->spilled, 1);
    }
}

#endif
