/* The state that all workers of a depth-first search on the device share (crew.h,
** paths.h), and how often they look at it. */
#ifndef GPUGRAPH_DFS_CONTROL_H
#define GPUGRAPH_DFS_CONTROL_H

#include "base/warp.h"

#define DFS_NONE UINT32_MAX

enum {
    DFS_ATTEND = 256, /* steps between two looks at `stop`: half a millisecond */
    DFS_ASK_HOST =
        /* Steps between two looks at the host's flag: two milliseconds. With 8,192 steps
        ** an interrupt took 145 ms to end work-stealing on a grid. */
    1024,
    /* Looks between two looks at the end, except for the first worker of a block. */
    DFS_ASK_SELDOM = 8,
    DFS_ASK_IDLE = 128 /* failed looks for work between two looks at the host's flag */
};

struct dfs_control { /* in memory that all workers share; the busy words lie far apart */
    uint64_t free;   /* the list of free chunks of the pool */
    uint32_t touched;
    char apart[64];
    uint32_t busy;
    char apart_too[64];
    uint32_t over, stop;
    char apart_again[64];
    uint32_t next_root; /* the next root of the list */
    /* All vertices below were checked for a root; only the opener uses it. */
    uint32_t opened;
    uint32_t openings; /* roots that openers opened */
    uint32_t group;    /* the next group of vertices for roots at will (paths_roots.h) */
    /* The pool of chunks is exhausted, which is a fault of this code. */
    uint32_t exhausted;
    uint32_t late; /* a worker has reached its limit of steps (paths.h) */
    /* The workers have taken as many vertices as they were to take (paths.h). */
    uint32_t left;
    /* Vertices with arcs into them, if the search needs their number. */
    uint32_t entered;
    uint32_t reached, stolen;
};

WARP_FUNCTION uint32_t dfs_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
