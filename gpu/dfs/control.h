/* The state that all workers of a depth-first search on the device share (crew.h,
** paths.h), and how often they look at it. */
#ifndef GPUGRAPH_DFS_CONTROL_H
#define GPUGRAPH_DFS_CONTROL_H

#include "base/warp.h"

#define DFS_NONE UINT32_MAX

enum {
    DFS_ATTEND = 256, /* steps between two looks at `stop`: half a millisecond */
    /* Steps between two looks at the host's flag: two milliseconds. With 8,192 steps an
    ** interrupt took 145 ms to end work-stealing on a grid. */
    DFS_ASK_HOST = 1024,
    DFS_ASK_SELDOM = 8, /* looks for work between two looks at `over`; first workers: 1 */
    DFS_ASK_IDLE = 128  /* looks for work between two looks at the host's flag */
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
    uint32_t opened;    /* openers have checked all vertices with smaller numbers */
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

/* Loads a word for all lanes. */
WARP_FUNCTION uint32_t dfs_load(uint32_t *word) {
    uint32_t value = 0;
    if (warp_lane() == 0)
        value = device_load(word);
    return warp_from(value, 0);
}

/* True if the worker must leave. The host's flag is slow to load, so few workers ask. */
WARP_FUNCTION bool dfs_stops(struct dfs_control *control, bool ask_host,
                             const uint32_t *host_stop) {
    if (warp_lane() == 0 && ask_host && host_load(host_stop) != 0)
        device_store(&control->stop, 1);
    return dfs_load(&control->stop) != 0;
}

/* Ends the search, because the pool of chunks is exhausted. */
WARP_FUNCTION void dfs_exhaust(struct dfs_control *control) {
    device_store(&control->exhausted, 1);
    device_store(&control->stop, 1);
}

/* Takes up to `most` of the listed roots. Returns the number of the first one; a number
** that is not below `roots` means that no root was left. */
WARP_FUNCTION uint32_t dfs_take_roots(struct dfs_control *control, uint32_t roots,
                                      uint32_t most) {
    uint32_t at = DFS_NONE;
    if (warp_lane() == 0 && device_load(&control->next_root) < roots)
        at = device_add(&control->next_root, most);
    return warp_from(at, 0);
}

#endif
