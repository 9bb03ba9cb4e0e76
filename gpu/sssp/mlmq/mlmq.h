/* The multi-level multi-queue of shortest paths, for distances of 32 bits: common
** declarations of its parts.
**
**     L0   registers      an element of each lane                local.h
**     L1   shared memory  one queue of each warp                 local.h
**     L2   device memory  of all warps: FIFOs of segments        fifo.h
**
** Device memory:
**
**     ring of FIFOs     [k] [k+1] ... [k+31]     buckets from `base` on, by key % 32
**     piles             open, closed             keys beyond the ring: see fifo.h
**     segments          slots of all FIFOs, from one pool
**     directory         for each FIFO: its n-th segment, n modulo the entries
**
** Each level has a read and a write that a whole warp calls. An empty level reads from
** the one below, and a full level passes elements down. work.h relaxes arcs between a
** read and a write. After Hu, Sun, Jiang, Wang, Lin, Zong, Sun, "Beyond a Single Queue:
** Multi-Level-Multi-Queue". This code adds the order of memory accesses, which their
** listings leave out.
**
** Accounts. Every queue in device memory counts the elements that were ever written to it
** (tail) and those that are finished (done). The start counts the warps that write the
** sources. An element is finished when all elements that it led to are finished or
** written to device memory. A manager (warp 0) reads all `done`, then all tails. If both
** agree, the account was balanced: the queue was empty and no warp worked on its
** elements.
**
** Overflow. A writer never waits for room. If there are no more segments, it ends the
** search (MLMQ_FULL), and the driver takes another engine.
**
** A sum beyond max_distance is neither written nor relaxed. Targets and limits do not end
** a search: all vertices get their distances.
**
** A .cu file includes this header for warps of 32 lanes, a test for single threads. */
#ifndef GPUGRAPH_MLMQ_H
#define GPUGRAPH_MLMQ_H

#include "gpugraph.h"
#include "base/warp.h"

#include <string.h>

#define MLMQ_UNREACHED UINT32_MAX
#define MLMQ_NONE      UINT32_MAX
#define MLMQ_EMPTY     UINT64_MAX /* an empty slot */

enum {
    MLMQ_RING = 32,
    MLMQ_PILE = MLMQ_RING, /* the first of two */
    MLMQ_FIFOS = MLMQ_PILE + 2,
    MLMQ_START = MLMQ_FIFOS, /* the account of the start, behind those of the FIFOs */
    MLMQ_ACCOUNTS = 64,
    MLMQ_UNROLL = 4, /* arcs that a lane relaxes at once */
    MLMQ_L1_MOST = 64,
    MLMQ_WON = MLMQ_UNROLL * 32,
    MLMQ_OUT = 31 + 32 + 32 + MLMQ_L1_MOST + 1 /* see mlmq_write */
};
#define MLMQ_KEY_MOST 0x7fffffffu

/* Rounds of a wait: LOOKS between two polls whether the search is over, EAGER without a
** pause, and PATIENCE in all, which take many seconds. */
#define MLMQ_LOOKS   64
#define MLMQ_EAGER   16
#define MLMQ_WAIT_NS 64
#ifndef MLMQ_PATIENCE /* a test sets it, to wait without a result */
#define MLMQ_PATIENCE (1u << 26)
#endif

enum { MLMQ_GOES_ON, MLMQ_DONE, MLMQ_STOPPED, MLMQ_FULL, MLMQ_FAILED }; /* ->over */

struct mlmq_control {
    /* the cache line that every warp polls */
    uint32_t over; /* mlmq_look reads words 0 to 3 */
    uint32_t base; /* the key of the first bucket of the ring */
    uint32_t bnum; /* buckets that may be read */
    uint32_t pile; /* 0 or 1: takes new elements; the other pile is open */
    uint32_t rest_of_line[28];
    /* By account; first those of FIFOs: elements to be read, written, read, finished */
    uint32_t available[MLMQ_ACCOUNTS];
    uint32_t tail[MLMQ_ACCOUNTS];
    uint32_t head[MLMQ_ACCOUNTS];
    uint32_t done[MLMQ_ACCOUNTS];
    uint32_t floor[MLMQ_ACCOUNTS]; /* all segments before this number are finished */
    /* pool */
    uint64_t free_segments;    /* list: version << 32 | first */
    uint32_t touched_segments; /* all later segments are free, too */
    uint32_t pile_least[2];
    /* reports */
    uint32_t failed, dropped;
    uint64_t served, rounds;
};

/* Argument of the kernel, passed by value. */
struct mlmq {
    uint32_t n;
    const uint64_t *begin, *end;
    const uint32_t *target;
    const uint32_t *weight;
    uint32_t *distance;
    struct mlmq_control *control;
    const uint32_t *host_stop;
    /* FIFOs */
    uint64_t *slot;
    uint64_t *directory; /* (number in the FIFO + 1) << 32 | segment */
    uint32_t *consumed;  /* by entry: finished elements over all its uses */
    uint32_t *next;      /* links of the free segments */
    uint32_t segments, directory_size, shift; /* 1 << shift: slots of a segment */
    uint32_t crowd;         /* positions that all warps together may be taking */
    const uint32_t *source; /* sources, which may repeat */
    uint32_t sources;
    /* limits */
    uint32_t most; /* largest distance */
    bool tight;    /* `most` is max_distance, not the range of the type */
    /* parameters */
    bool l0;
    uint32_t l1_capacity, write_back, bnum, cooperative;
    uint64_t scale; /* 2^32 / bucket width */
    uint32_t warps; /* manager included */
};

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
    /* the control line, as last read */
    uint32_t over, base, bnum, pile;
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

/* Ends the search after a wait that should never happen. The driver reports it. */
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

/* ---- the driver's side ---- */

/* Sizes of the arrays in elements, from m->shift and warps of `lanes` lanes each. */
struct mlmq_sizes {
    uint64_t slots, directory, segments;
};

static inline struct mlmq_sizes mlmq_size(struct mlmq *m, uint64_t capacity,
                                          uint32_t lanes) {
    struct mlmq_sizes size = {0, 0, 0};
    m->segments = (uint32_t)(capacity >> m->shift) + 1;
    /* Each warp may take positions beyond the segments once, and mlmq_has_room keeps as
    ** many entries free. */
    m->crowd = m->warps * lanes;
    m->directory_size = 1;
    while (m->directory_size < m->segments + 2 * ((m->crowd >> m->shift) + 2))
        m->directory_size *= 2;
    size.segments = m->segments;
    size.slots = (uint64_t)m->segments << m->shift;
    size.directory = (uint64_t)m->directory_size * MLMQ_FIFOS;
    return size;
}

/* Sets the members that do not begin as 0. */
static inline void mlmq_start(const struct mlmq *m, struct mlmq_control *control) {
    control->bnum = m->bnum;
    control->free_segments = UINT32_MAX; /* an empty list */
    control->tail[MLMQ_START] = m->warps - 1;
    control->pile_least[0] = control->pile_least[1] = MLMQ_KEY_MOST;
}

/* The scale for buckets of that width. From 2^32 on there is one bucket. */
static inline uint64_t mlmq_scale_of(double delta) {
    uint64_t scale = delta > 1 ? (uint64_t)(4294967296.0 / delta) : 4294967296u;
    return scale > 0 ? scale : 1;
}

#endif
