/* The multi-level multi-queue of shortest paths: what its parts share.
**
**     L0   registers      up to two elements of each lane        local.h
**     L1   shared memory  one queue of each warp                 local.h
**     L2   device memory  of all warps: FIFOs of segments        fifo.h
**
** Each level has a read and a write that a whole warp calls: a level that is empty
** reads from the one below, one that is full hands over to it. relax.h relaxes arcs
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
** Included once for each type of distances, with one of these defined: MLMQ_UINT32,
** MLMQ_UINT64, MLMQ_REAL; by a .cu file for warps of 32 lanes, by a test for threads. */
#ifndef GPUGRAPH_MLMQ_H
#define GPUGRAPH_MLMQ_H

#include "memory.h"
#include "base/warp.h"

#include <string.h>

#if defined MLMQ_UINT32
typedef uint32_t mlmq_word, mlmq_weight;
#define MLMQ_UNREACHED UINT32_MAX
#elif defined MLMQ_UINT64
typedef uint64_t mlmq_word;
typedef int64_t mlmq_weight;
#define MLMQ_UNREACHED UINT64_MAX
#else
typedef uint64_t mlmq_word; /* the bits of a double that is not negative: same order */
typedef double mlmq_weight;
#define MLMQ_UNREACHED 0x7ff0000000000000u
#endif

struct mlmq_element {
    mlmq_word distance;
    uint32_t vertex;
};

/* On chip, for one warp. */
struct mlmq_shared {
    mlmq_word distance[MLMQ_L1_MOST]; /* L1 */
    mlmq_word out_distance[MLMQ_OUT]; /* on the way to L2 */
    mlmq_word won_distance[MLMQ_WON]; /* just found, on the way to L0 */
    uint32_t vertex[MLMQ_L1_MOST], out_vertex[MLMQ_OUT], won_vertex[MLMQ_WON];
};

/* A warp. All lanes hold the same but for what says otherwise. */
struct mlmq_warp {
    const struct mlmq *m;
    struct mlmq_shared *shared;
    uint32_t number;
    /* the control line, as last looked at */
    uint32_t over, base, bnum, pile, exhausted;
    /* levels */
    struct mlmq_element l0[2]; /* of the lane */
    uint32_t l0_count;         /* of the lane */
    uint32_t l1_first, l1_count, writes;
    uint32_t out_count, won_count;
    bool urgent; /* something in `out` that others could work on now */
    /* to be settled */
    uint32_t account, taken; /* elements read from that account */
    uint32_t segment_number; /* in its FIFO, where the lane's element was, or MLMQ_NONE */
    uint32_t segment;        /* the segment by its place in the pool, or MLMQ_NONE */
    bool task; /* what was read is a slice: of hub `distance`, number `vertex` */
    /* of the lane: asked for, to be heard */
    uint32_t asked;
    uint64_t served;
};

/* ---- words ---- */

WARP_FUNCTION mlmq_word mlmq_word_from(mlmq_word value, unsigned lane) {
#ifdef MLMQ_UINT32
    return warp_from(value, lane);
#else
    return warp_from_64(value, lane);
#endif
}

WARP_FUNCTION mlmq_word mlmq_load_distance(const struct mlmq *m, uint32_t v) {
#ifdef MLMQ_UINT32
    return device_load((uint32_t *)m->distance + v);
#else
    return device_load_64((uint64_t *)m->distance + v);
#endif
}

/* The distance before. */
WARP_FUNCTION mlmq_word mlmq_lower_distance(const struct mlmq *m, uint32_t v,
                                            mlmq_word to) {
#ifdef MLMQ_UINT32
    return device_min((uint32_t *)m->distance + v, to);
#else
    return device_min_64((uint64_t *)m->distance + v, to);
#endif
}

#ifdef MLMQ_REAL
WARP_FUNCTION double mlmq_double(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

WARP_FUNCTION uint64_t mlmq_bits(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}
#endif

/* MLMQ_UNREACHED where the sum leaves the type. */
WARP_FUNCTION mlmq_word mlmq_sum(mlmq_word distance, mlmq_weight weight) {
#ifdef MLMQ_REAL
    return mlmq_bits(mlmq_double(distance) + weight);
#else
    mlmq_word sum = distance + (mlmq_word)weight;
    return sum < distance ? MLMQ_UNREACHED : sum;
#endif
}

/* The bucket of a distance: ascends with it. */
WARP_FUNCTION uint32_t mlmq_key(const struct mlmq *m, mlmq_word distance) {
#if defined MLMQ_UINT32
    uint64_t key = distance * m->scale.factor >> 32;
#elif defined MLMQ_UINT64 && defined __CUDA_ARCH__
    uint64_t key = __umul64hi(distance, m->scale.factor);
#elif defined MLMQ_UINT64
    uint64_t key = (uint64_t)((unsigned __int128)distance * m->scale.factor >> 64);
#else
    double key = mlmq_double(distance) * m->scale.real;
#endif
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
