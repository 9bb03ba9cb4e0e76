/* Every number chosen by measurement: its unit, why it has that value, and what it was
** measured on. One section for each file that uses them; related numbers are asserted
** at compile time beside their use. */
#ifndef GPUGRAPH_TUNING_H
#define GPUGRAPH_TUNING_H

/* ---- base/team.c ---- */

/* Turns that a thread waits awake, the first ones without a system call: about 10
** microseconds, then 200 where no one else wants the processor. Sleep and wake cost 50. */
#define GG_SPIN_TURNS  300

/* ---- distributed/partition/part.c ---- */

/* 2^so many numbers in a row have one owner, as long as each part has so many of these blocks: New York
** over 4 parts then has 0.6 ghosts for a vertex, not 1.6, and the largest part 3 % above the mean. */
#define GG_PART_BLOCK_BITS 5
#define GG_PART_BLOCKS     1024

/* Up to so many parts all arcs of a vertex lie at one of them, which sends less than a grid does: half of a
** breadth-first search's bytes on an R-MAT, and as much of an independent set's up to 32. A grid has fewer
** peers, and from there on fewer ghosts. */
#define GG_PART_ONE_DIMENSION 16

/* ---- bfs/parts.c ---- */

/* A level is found bottom-up while its arcs are more than the last part of those not looked at yet. */
#define GG_PART_BOTTOM_UP 8

/* ---- sssp/parts.c ---- */

/* Arcs that a part relaxes, about, before others are told: a tenth of a millisecond or more. On an R-MAT parts
** otherwise wait for each other in turn. */
#define GG_PART_ARCS_A_ROUND (1 << 16)

/* ---- bfs/list.c, sssp/list.c ---- */

/* Arcs for each vertex that a list has room for, from which on arrays are quicker: an arc costs some
** 5 nanoseconds through a hash, and a vertex of the whole graph some 2 to clear and to pass over. */
#define GG_LIST_ARCS 8

/* ---- several devices ---- */

/* Nanoseconds that a kernel waits for another device's: many times the longest step, since all
** that ends such a wait sooner is the stop word. */
#define GG_SEVERAL_PATIENCE_NS 20000000000u
/* A block of numbers has 1 << so many: a word of a bitmap, a line of memory. Larger ones leave the hubs
** of a graph in order of degree to few owners. */
#define GG_SEVERAL_BLOCK_BITS 5
/* Edges that the devices together turn into arcs at a time: a copy of a chunk's arcs between two of
** them, 8 bytes each, takes many times what queueing it does. */
#define GG_SEVERAL_CHUNK ((uint64_t)1 << 24)

/* ---- backend/choose.c: what `auto` weighs ----
** Measured with an H200 and one thread of the processor beside it, on R-MAT graphs of
** scale 16 and 20 and a road-like grid of 512 x 512; shortest paths on the device on the
** benchmark's (tests/bench/gengraph.cuh). */

/* Nanoseconds for an arc, by one CPU thread and by the device (kernels alone), and
** microseconds of one dependent step (a level, a round) on the device. Arcs are edges,
** twice as many where the graph is taken as undirected. */
#define GG_BFS_CPU_NS        5
#define GG_BFS_CUDA_NS       0.013
#define GG_SSSP_CPU_NS       15
#define GG_SSSP_CUDA_NS      0.04
#define GG_SSSP_STEP_US      2
/* Edges for each vertex below which a graph counts as thin (roads, chains). Then
** shortest paths have GG_THIN_ROUNDS as many rounds as a square grid has rows. Other graphs: GG_FEW_LEVELS. */
#define GG_THIN_ROUNDS 3

#endif
