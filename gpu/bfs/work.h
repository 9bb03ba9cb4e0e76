/* What the files of breadth-first search on the CPU share: the search while it is under
** way (bfs.c, bottom_up.c), and how threads take vertices (batch.c, too). */
#ifndef GPUGRAPH_BFS_WORK_H
#define GPUGRAPH_BFS_WORK_H

#include "graph_data.h"
#include "base/claims.h"

enum {
    /* Vertices, and their arcs, up to which a frontier stays with one thread: waking a
    ** second one costs as much as expanding a few hundred. */
    BFS_ALONE = 2048,
    BFS_ALONE_ARCS = 16384,
    BFS_GRAB = 64 /* vertices of the frontier that a thread takes at a time */
};

struct bfs {
    gpugraph_run *run;
    const gpugraph_search *search;
    gpugraph_graph *graph;
    csr forward, reverse;
    bool may_reverse, has_reverse;
    int threads;
    uint64_t taken; /* of a step's work, by its threads */
    uint32_t *depth;
    uint32_t *queue;
    uint64_t *visited, *next; /* next: bottom-up's second bitmap */
    uint64_t words;
    uint64_t begin, end, tail; /* of the queue */
    uint64_t found;            /* vertices reached so far */
    uint64_t arcs_seen;        /* by top-down and narrow levels */
    uint64_t since;            /* gg_worked of the calling thread */
    uint32_t level;            /* of the frontier */
    uint32_t pending;          /* targets not reached yet: target[0 .. pending - 1] */
    uint32_t bottom_up_levels;
    double csr_ms; /* spent on the reverse within this search */
};

/* Is there nothing left to look for? A vertex is final as soon as it is found. */
static inline bool gg_bfs_satisfied(struct bfs *b) {
    const gpugraph_search *search = b->search;
    while (b->pending > 0 && b->depth[search->target[b->pending - 1]] != GPUGRAPH_NONE)
        b->pending--;
    if (search->target_count > 0 && b->pending == 0)
        return true;
    return search->limit > 0 && b->found >= search->limit;
}

/* ---- bottom_up.c ---- */

/* Is the frontier about to see so much of the graph that a bottom-up level is less
** work? Then makes sure of the transpose, where it is worth its making. */
bool gg_bfs_goes_bottom_up(struct bfs *b, uint64_t arcs);
/* Bottom-up levels, until the frontier is small again and shrinks. */
void gg_bfs_bottom_up(struct bfs *b);

#endif
