/* The multi-level multi-queue of shortest paths, for distances of 32 bits: what its parts
** share.
**
**     L0   registers      an element of each lane                local.h
**     L1   shared memory  one queue of each warp                 local.h
**     L2   device memory  of all warps: FIFOs of segments        fifo.h
**
** Each level has a read and a write that a whole warp calls. An empty level reads from
** the one below, and a full level passes elements down. work.h relaxes arcs between a
** read and a write. After Hu, Sun, Jiang, Wang, Lin, Zong, Sun, "Beyond a Single Queue:
** Multi-Level-Multi-Queue". The order of memory accesses, which their listings leave out,
** is added.
**
** Accounts. Every queue in device memory, and the sweep, counts the elements that were
** ever written to it (tail) and those that are finished (done). An element is finished
** when all elements that it led to are finished or written to device memory. A manager
** (warp 0) reads all `done`, then all tails. Accounts that agree were even: the queue was
** empty and no warp worked on its elements.
**
** Overflow. A writer never waits for room. If there are no more segments, it marks the
** vertex in a bitmap. When all queues are empty, the manager starts a sweep of the
** bitmap, which writes its vertices again with their current distances. Sources begin as
** such marks.
**
** A sum beyond max_distance is neither written nor relaxed. Targets and limits do not end
** a search: all vertices get their distances.
**
** A .cu file includes this header for warps of 32 lanes, a test for threads. */
#ifndef GPUGRAPH_MLMQ_H
#define GPUGRAPH_MLMQ_H

#include "memory.h"
#include "base/warp.h"

#include <string.h>

#define MLMQ_UNREACHED UINT32_MAX

struct mlmq_element {
    uint32_t distance, vertex;
};

/* Shared memory of one warp. */
struct mlmq_shared {
    struct mlmq_element l1[MLMQ_L1_MOST];
    struct mlmq_element out[MLMQ_OUT]; /* on the way to L2 */
    struct mlmq_element won[MLMQ_WON]; /* just improved, on the way to L0 */
};

/* The state of a warp, equal in all lanes except where a comment says otherwise. */
struct mlmq_warp {
    const struct mlmq *m;
    struct mlmq_shared *shared;
    uint32_t number;
    /* the control line, as last read */
    uint32_t over, base, bnum, pile, exhausted;
    /* levels */
    struct mlmq_element l0; /* by lane */
    bool l0_full;           /* by lane */
    uint32_t l1_first, l1_count, writes;
    uint32_t out_count, won_count;
    bool urgent; /* `out` has elements that others could work on now */
    /* accounting */
    uint32_t account, taken; /* elements read from that account and not finished */
    /* by lane: number in its FIFO of the element's segment, or MLMQ_NONE */
    uint32_t segment_number;
    uint32_t segment; /* by lane: that segment in the pool, or MLMQ_NONE */
    /* by lane: the word of the control line that is being loaded */
    uint32_t asked;
    uint64_t served;
};

/* ---- distances ---- */

WARP_FUNCTION uint32_t mlmq_load_distance(const struct mlmq *m, uint32_t v) {
    return device_load(&m->distance[v]);
}

/* The sum, or MLMQ_UNREACHED if it leaves 32 bits. */
WARP_FUNCTION uint32_t mlmq_sum(uint32_t distance, uint32_t weight) {
    uint32_t sum = distance + weight;
    return sum < distance ? MLMQ_UNREACHED : sum;
}

/* The bucket of a distance, which ascends with it. */
WARP_FUNCTION uint32_t mlmq_key(const struct mlmq *m, uint32_t distance) {
    uint64_t key = distance * m->scale >> 32;
    return key < MLMQ_KEY_MOST ? (uint32_t)key : MLMQ_KEY_MOST;
}

/* The number of lanes with `there` before this one. */
WARP_FUNCTION uint32_t mlmq_rank(uint32_t lanes) {
    return set_bits(lanes & ((1u << warp_lane()) - 1));
}

/* ---- waiting, which never takes long ---- */

/* Ends the search after a wait that cannot happen. The driver reports it. */
WARP_FUNCTION void mlmq_give_up(const struct mlmq *m, uint32_t why) {
    device_store(&m->control->failed, why);
    device_store(&m->control->over, MLMQ_FAILED);
}

/* Called in a loop in which a lane waits for another warp in the middle of a step. False:
** leave the loop, the search is over. */
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

/* ---- overflow ---- */

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
