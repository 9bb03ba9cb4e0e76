/* What the files of breadth-first search on the CPU share: the state of a search (bfs.c,
** bottom_up.c), and the number of vertices that a thread takes at a time (batch.c,
** too). */
#ifndef GPUGRAPH_BFS_WORK_H
#define GPUGRAPH_BFS_WORK_H

#include "graph_data.h"
#include "base/claims.h"

enum {
    /* A frontier of at most this many vertices and arcs stays with one thread, because
    ** waking a second thread costs as much as expanding a few hundred vertices. */
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
    uint64_t taken; /* work of a step that threads have taken */
    uint32_t *depth;
    uint32_t *queue;
    uint64_t *visited, *next; /* next: the second bitmap of bottom-up levels */
    uint64_t words;
    uint64_t begin, end, tail; /* positions in the queue */
    uint64_t found;            /* vertices reached so far */
    uint64_t arcs_seen;        /* arcs that top-down and narrow levels looked at */
    uint64_t since;            /* gg_worked of the calling thread */
    uint32_t level;            /* the level of the frontier */
    uint32_t pending;          /* targets not reached yet: target[0 .. pending - 1] */
    uint32_t bottom_up_levels;
    double csr_ms; /* time of making the transpose within this search */
};

/* True if the search has found what it needs. A vertex is final as soon as it is
** found. */
static inline bool gg_bfs_satisfied(struct bfs *b) {
    const gpugraph_search *search = b->search;
    while (b->pending > 0 && b->depth[search->target[b->pending - 1]] != GPUGRAPH_NONE)
        b->pending--;
    if (search->target_count > 0 && b->pending == 0)
        return true;
    return search->limit > 0 && b->found >= search->limit;
}

/* ---- bottom_up.c ---- */

/* True if a bottom-up level is less work than a top-down level with that number of arcs.
** The function then makes the transpose if that pays. */
bool gg_bfs_goes_bottom_up(struct bfs *b, uint64_t arcs);
/* Runs bottom-up levels until the frontier is small and shrinks. */
void gg_bfs_bottom_up(struct bfs *b);

#endif
