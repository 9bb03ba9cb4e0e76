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
    DFS_ASK_SELDOM = 8, /* looks between two looks at the end, but for first workers */
    DFS_ASK_IDLE = 128  /* failed looks for work between two looks at the host's flag */
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
    uint32_t opened;    /* vertices below were checked for roots; for openers alone */
    uint32_t openings;  /* roots that openers opened */
    uint32_t group;     /* the next group of vertices for roots at will (paths_roots.h) */
    uint32_t exhausted; /* the pool has no chunk left: a fault of this code */
    uint32_t late;      /* a worker has reached its limit of steps (paths.h) */
    uint32_t left;      /* the workers have taken their share of vertices (paths.h) */
    uint32_t entered;   /* vertices with arcs into them, if they are counted */
    uint32_t reached, stolen;
};

WARP_FUNCTION uint32_t dfs_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
