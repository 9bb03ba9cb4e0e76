/* Words of vertices and what waits, for the kernels of maximal independent sets and for
** the part of them that a test runs on threads: see mis.cuh. */
#ifndef GPUGRAPH_MIS_WORDS_H
#define GPUGRAPH_MIS_WORDS_H

#include <stdint.h>

#define MIS_JOINED  0u
#define MIS_DROPPED UINT32_MAX

/* Arcs of 32 rows that are dealt out at a time; of these, those of which a warp takes
** notes in shared memory: more than 32 rows of a first pass have. */
#define GG_MIS_SHARE 1024
#define GG_MIS_NOTES 512

/* A vertex that waits: its first `at` neighbours are later ones or dropped, and neighbour
** number `at` is the blocker, GPUGRAPH_NONE before the first look. */
struct waiting {
    uint32_t vertex, blocker, at;
};

#endif
