/* Removes vertices on the CPU, for core numbers and for topological orders (k = 0). A
** vertex is removed when its counter drops to k. Each of its arcs then decrements the
** counter of a neighbour.
**
**     left[v]      the counter of v. It never stays below k: a thread that decrements it
**                  below k restores it. So a vertex is removed once.
**     queue        | pass 0 | pass 1 . . . | pass 2 ...     each vertex once
**                           ^first         ^last  ^tail
**
** The vertices that a pass makes drop to k are the next pass. Threads share a wide pass,
** and the calling thread takes a narrow pass alone. */
#ifndef GPUGRAPH_PEEL_H
#define GPUGRAPH_PEEL_H

#include "graph_data.h"

enum { GG_PEEL_WIDE = 4096 /* vertices from which on threads share a pass */ };

struct gg_peeling {
    gpugraph_run *run;
    csr rows;
    uint32_t *left, *queue;
    uint32_t *level; /* of each vertex of the queue: its pass. NULL: not wanted */
    uint64_t first, last, tail; /* in the queue; tail: by atomic addition */
    uint64_t since;             /* gg_worked of the calling thread */
    uint32_t k, pass;
    int threads;
};

/* Removes the vertices of the queue from p->last on, and all vertices that drop to k. */
void gg_peel_queue(struct gg_peeling *p);

#endif
