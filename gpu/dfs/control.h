/* What all workers of a depth-first search on the device share, whichever crew they are
** of (crew.h, paths.h), and how often they look at it. */
#ifndef GPUGRAPH_DFS_CONTROL_H
#define GPUGRAPH_DFS_CONTROL_H

#include "base/warp.h"

#define DFS_NONE UINT32_MAX

enum {
    DFS_ATTEND = 256, /* steps between two looks at `stop`: half a millisecond */
    DFS_ASK_HOST =
        1024, /* steps between two looks at the host's flag: two milliseconds. With 8,192
                            an interrupt took 145 ms to end work-stealing on a grid */
    DFS_ASK_SELDOM = 8, /* looks between two at the end, for all but a block's first */
    DFS_ASK_IDLE = 128  /* vain looks for work between two looks at the host's flag */
};

struct dfs_control { /* in memory that all workers share; busy words lie far apart */
    uint64_t free;   /* the pool's */
    uint32_t touched;
    char apart[64];
    uint32_t busy;
    char apart_too[64];
    uint32_t over, stop;
    char apart_again[64];
    uint32_t next_root; /* of the list */
    uint32_t opened;    /* vertices below were looked at for a root; the opener's alone */
    uint32_t openings;  /* of roots, by openers */
    uint32_t group;     /* the next for roots at will (paths.h) */
    uint32_t exhausted; /* the pool was: a fault of this code */
    uint32_t late;      /* a worker came to its limit of steps (paths.h) */
    uint32_t left;      /* the crew had as many vertices as it was to take (paths.h) */
    uint32_t entered;   /* vertices with arcs into them, where that is asked for */
    uint32_t reached, stolen;
};

WARP_FUNCTION uint32_t dfs_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
