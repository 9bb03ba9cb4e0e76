/* Words of vertices, and waiting vertices, for the kernels of maximal independent sets
** and for the part of the kernels that a test runs on threads. mis.cuh has the
** meaning. */
#ifndef GPUGRAPH_MIS_WORDS_H
#define GPUGRAPH_MIS_WORDS_H

#include <stdint.h>

#define MIS_JOINED  0u
#define MIS_DROPPED UINT32_MAX

/* The number of arcs of 32 rows that are distributed at a time, and the number of these
** arcs that a warp takes notes of in shared memory. 32 rows of a first pass have fewer
** arcs. */
#define GG_MIS_SHARE 1024
#define GG_MIS_NOTES 512

/* A vertex that waits. Its first `at` neighbours are later or have dropped. Neighbour
** number `at` is the blocker, GPUGRAPH_NONE before the first look. */
struct waiting {
    uint32_t vertex, blocker, at;
};

#endif
