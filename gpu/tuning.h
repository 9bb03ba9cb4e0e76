/* Every number chosen by measurement: its unit, why it has that value, and what it was
** measured on. One section for each file that uses them; related numbers are asserted
** at compile time beside their use. */
#ifndef GPUGRAPH_TUNING_H
#define GPUGRAPH_TUNING_H

/* ---- base/run.c ---- */

/* Milliseconds between two calls of run->interrupted: an interrupt is felt well within
** half a second, and asking costs less than a thousandth of the time. */
#define GG_POLL_MS 10.0
/* Items that a loop handles between two looks at gg_pause: well under a millisecond. */
#define GG_POLL_ITEMS 65536
/* Items for which one more thread pays: starting and joining a team costs 5 to 20
** microseconds, an item some nanoseconds. */
#define GG_THREAD_GRAIN 32768
/* Threads of a team, whatever is asked for: arrays with a row for each stay small. */
#define GG_MOST_THREADS 256

/* ---- base/team.c ---- */

/* Turns that a thread waits awake, the first ones without a system call: about 10
** microseconds, then 200 where no one else wants the processor. Sleep and wake cost 50. */
#define GG_SPIN_TURNS  300
#define GG_YIELD_TURNS 400
/* Bytes of a worker's stack: sorting a row takes 32 KiB, SQLite's reading of a number less. */
#define GG_WORKER_STACK (1 << 20)
/* Milliseconds until a thread is asked for again that the system did not give. */
#define GG_THREAD_RETRY_MS 1000.0

/* ---- base/team.c ---- */

/* While a device is being opened, one core in so many is left to the driver: 16 threads that search
** beside it kept it from opening for 350 ms in place of 220, and waited for each other
** whenever it took a core from one of them. Fewer cores than that are shared. */
#define GG_SHARED_CORES 8

/* ---- device/opening.c ---- */

/* A driver that needs so many times what opening usually takes may hang; its cores are used. */
#define GG_SHARED_LONGEST 3

/* exit() and fork() wait for a device that is being opened, at most so many times as long as that usually takes: ten
** seconds. With twelve processes at once an opening took 2.9 s. */
#define GG_OPENING_LONGEST 40

/* ---- device/rent.h ---- */

/* A device is opened in the background once it would have saved such a share of the time that opening
** takes. Opening costs the foreground no more than some of one core's time. */
#define GG_OPENING_SHARE 0.1

/* Arrays that updates may make grow have room for one element more in so many. */
#define GG_ROOM_SHARE 64

/* ---- graph/adjacency.c ---- */

/* Rows that grow go to the end of the array: room there for one arc more in so many, and for so
** many at least. A row of four that goes there takes nine; so a sixtieth of all edges may come
** before the array grows. Pages that are not written to take no memory. */
#define GG_ADJACENCY_SPARE 4
#define GG_ADJACENCY_LEAST 65536
/* The array has grown to so many places for an arc when all is made anew. */
#define GG_ADJACENCY_MOST 4

/* ---- graph/roomy.c ---- */

/* A batch that changes more than one arc in so many moves packed rows: 20,000 arcs among 733,846 take
** 4 to 13 ms with room, of which every other batch fills a quarter of all, and 3 to 4 without. */
#define GG_ROOM_BATCH 256
/* Room behind all rows, for one arc in so many, and for so many at least. */
#define GG_ROOM_SPARE 4
#define GG_ROOM_LEAST 4096
/* Rows are made anew when one place in so many is left behind. */
#define GG_ROOM_DEAD 4

/* ---- update/gone.c and its neighbours ---- */

/* Items of a batch whose memory is asked for before the first of them is looked at: a core has that many
** lines under way, or some more. */
#define GG_FETCH_AHEAD 16
/* Items of GG_THREAD_GRAIN in the time that it takes to look at one then. */
#define GG_FETCH_ITEMS 8

/* ---- graph/gaps.c, update/gaps.c ---- */

/* A batch of more than one edge for so many blocks closes the gaps and moves all arrays. */
#define GG_GAP_BATCH 4

/* ---- graph/zones.h, graph/device_roomy.cu, update/patch_roomy.cu ---- */

/* Spare places of a zone: so many, and one for so many arcs, so that a zone that all new arcs come to has
** to be laid out some 32 times until it is e times as large. */
#define GG_ZONE_LEAST 4
#define GG_ZONE_SHARE 32
/* Changes up to which rows with room take a batch: beyond, all rows move in about that time. Of fewer arcs
** one in GG_ROOM_BATCH. */
#define GG_ZONE_BATCH 65536
/* Batches for which rows that had to be packed move as they are: who asks for packed rows, or renumbers
** vertices, may do so again, and to give room and take it is twice what one such move takes. */
#define GG_ZONE_WAITS 4
/* Arcs of one zone that a batch may take out, and put in: one warp does so one by one, at some 2 us each,
** and a block of threads puts the first in order by comparing all. */
#define GG_ZONE_MOST 1024

/* ---- update/edges.c ---- */

/* Numbers up to which each one's new number is looked up by itself, whatever the pieces: a
** table of 4 MiB, at half the time of finding the piece. */
#define GG_MAP_NUMBERS ((uint64_t)1 << 20)
/* Above that, blocks of 64 numbers to a piece below which it is looked up by itself, too. */
#define GG_MAP_BLOCKS 8

/* ---- pack/unpack.c ---- */

/* Chunks by which threads that wait for something to check clear pages ahead of the
** reading. 344 MB are read in 68 ms in place of 80 where a second
** core has nothing to check, as of many cores, and in 118 in place of 117 where it has. */
#define GG_CLEAR_CHUNKS 8

/* ---- update/update.c ---- */

/* A block is given back when an update leaves less than this share of it in use. */
#define GG_ROOM_WASTE 8
/* Unused numbers that a graph of n vertices may have: half of them, and no more than 4,096 and a 1,024th. A
** list of so many is written in some microseconds, and searches look at no more vertices in vain. */
#define GG_UNUSED_MOST(n) ((n) / 2 < 4096 + (n) / 1024 ? (n) / 2 : 4096 + (n) / 1024)

/* For an id that comes between others vertices up to the next unused number give way: so many at most, with so many
** edges, and no more than one in GG_WAY_SHARE of all, which take as long as moving all numbers does; for so many
** ids of a batch of so many edges. */
#define GG_WAY_VERTICES 256
#define GG_WAY_EDGES    1024
#define GG_WAY_SHARE    1024
#define GG_WAY_IDS      16
#define GG_WAY_BATCH    256
/* Unused numbers are spread one to so many vertices, or to as few as give way together, and no more than so many, as
** each change may have to write their list, and so many where an id has just come between two others; again, once
** they had to be given up, after so many more such ids. */
#define GG_SPREAD_EVERY    64
#define GG_SPREAD_NEAR     8
#define GG_SPREAD_MOST     65536
#define GG_SPREAD_HERE     64
#define GG_SPREAD_LEAST    1024 /* vertices: numbers of fewer move in no time */
#define GG_SPREAD_PATIENCE 8

/* Edges from which on their copy on a device is asked which vertices have any: the way
** there and back takes as long as the host needs for some 100,000. */
#define GG_LOOK_ON_DEVICE 65536
/* Items of GG_THREAD_GRAIN in the time that it takes to look up an id. */
#define GG_LOOKUP_ITEMS 32

/* ---- base/narrow.c ---- */

/* Entries that are narrowed by way of a buffer: 4 KiB, which stays in the first cache. A
** power of two that divides GG_POLL_ITEMS. */
#define GG_NARROW_ITEMS 1024
/* Bytes of a copy for which one more thread pays, and threads that fill any bus. */
#define GG_COPY_BYTES   ((size_t)256 << 10)
#define GG_COPY_THREADS 8

/* ---- base/order.c ---- */

/* Bits of one digit of the radix sort: 2048 write streams still fit the second-level
** cache; below GG_RADIX_SMALL items clearing that many counters costs more than a
** further pass. */
#define GG_RADIX_BITS       11
#define GG_RADIX_SMALL_BITS 8
#define GG_RADIX_SMALL      8192

/* Values below this (depths, mostly) are ordered by one counting pass. */
#define GG_COUNTED_VALUES 16384

/* ---- ids/ids.c ---- */

/* INTEGER ids are numbered by a bitmap where it has at most that many bits for each id
** that occurs (and in any case up to GG_DIRECT_FREE bits), else by hashing. */
#define GG_DIRECT_SPREAD 8
#define GG_DIRECT_FREE   1024

/* ---- ids/sparse.c ---- */

/* Parts that ids are put into: at most as many as there are lines of the second-level cache
** to write to, GG_ID_PART ids or more in each, so that its table stays in that cache. */
#define GG_ID_PART_BITS 11
#define GG_ID_PART      32768
/* Slots of a thread's first hash table of ids, a power of two. */
#define GG_HASH_SLOTS 256

/* ---- ids/texts.c ---- */

/* Groups of texts up to this size are sorted by insertion. */
#define GG_FEW_TEXTS 24

/* ---- graph/csr.c ---- */

/* The counting sort first parts the arcs into at most GG_CSR_PARTS ranges of rows, each
** of GG_CSR_PART_ARCS arcs or more on average, so that the second pass writes within
** the cache. */
#define GG_CSR_PARTS     2048
#define GG_CSR_PART_ARCS 4096

/* ---- bfs/bfs.c and sssp/sssp.c ---- */

/* Entries of an array that are filled in the time of one item of GG_THREAD_GRAIN. */
#define GG_FILL_ITEMS 16

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

/* ---- backend/lists.c ---- */

/* Searches for which it is not asked, after one whose list was too long: that search is run twice. Its rows,
** a 64th of the vertices at least, mostly cost more; one that needs few of them shall pay once in a while. */
#define GG_LISTS_SKIPPED 7

/* ---- bfs/list.c, sssp/list.c ---- */

/* Arcs for each vertex that a list has room for, from which on arrays are quicker: an arc costs some
** 5 nanoseconds through a hash, and a vertex of the whole graph some 2 to clear and to pass over. */
#define GG_LIST_ARCS 8

/* ---- device/cluster.cuh ---- */

/* Waits for what other blocks have sent, each of them some microseconds at most: only a
** fault lets it come to that. */
#define GG_CLUSTER_WAITS (1u << 22)

/* ---- components/components.c ---- */

/* Edges for each vertex from which a sample of them comes first, and rows that are there take the place of the list: R-MAT of scale 20 14.5 ms
** with them and 25.4 without, New York, which has 1.4, 5.5 and 3.2 (two threads). */
#define GG_COMPONENTS_ROW 4

/* ---- pagerank/split.h ---- */

/* Bytes of targets ahead at which they are asked for: an arc of R-MAT of scale 20 takes 1.08 ns so, and 1.48
** without; 1 to 4 KiB are alike, half of one 1.15. (One thread of an AMD EPYC.) */
#define GG_PAGERANK_AHEAD 2048

/* ---- path/both_ends.c ---- */

/* A way in doubles is compared with another whose weights were added in another order: the relative
** error of a sum of 2^32 doubles is below 2^-20, and no more than four sums are compared. */
#define GG_PATH_ROUNDING (1 + 4.0 / 1048576)

/* ---- graph/device_light_arcs.cu ---- */

/* Light arcs are made where they are one of so many, at most: otherwise few are spared. */
#define GG_LIGHT_SHARE 2

/* ---- graph/device_fixed.cu ---- */

/* Arcs of the longest row of a graph that gets fixed rows: a warp looks at the rest of a row. */
#define GG_FIXED_LONGEST 128

/* ---- regions/ ---- */

/* ---- graph/device_rows.cu ---- */

/* Rows between those of two edges, one after the other, that still count as near where a
** row has fewer than GG_THIN_DEGREE arcs: counting then takes half the time of sorting
** (road24m on an H200: IN 1.7 ms against 3.5), elsewhere twice to four times as much. */
#define GG_ROWS_NEAR 16384
/* 1: rows by a radix sort where there is room for it; 0: always by counting. */
#ifndef GG_ROWS_BY_SORTING
#define GG_ROWS_BY_SORTING 1
#endif

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
#define GG_TRIANGLES_CPU_NS  80
#define GG_TRIANGLES_CUDA_NS 0.4
#define GG_TRIANGLES_STEP_US 100
/* Components and an iteration of ranks: one thread over 8 M edges of an R-MAT in no order, and rmat24
** on a device (docs/lab/components_and_ranks.md). */
#define GG_COMPONENTS_CPU_NS   14
#define GG_COMPONENTS_CUDA_NS  0.03
#define GG_COMPONENTS_STEP_US  10
#define GG_COMPONENTS_STEPS    12
#define GG_STRONG_CPU_NS       32
#define GG_STRONG_CUDA_NS      0.1
#define GG_STRONG_STEP_US      40
#define GG_PAGERANK_CPU_NS     3
#define GG_PAGERANK_CUDA_NS    0.012
#define GG_PAGERANK_STEP_US    30
#define GG_PAGERANK_ITERATIONS 30
/* Where several devices share the graph. (Two H100, ten iterations: R-MAT of scale 20, 34 M arcs, 3.26 ms, one 4.09 and, by the same
** kernel as two, 4.60; of scale 26, 2.1 G arcs, 262 ms, one by that kernel 511.) */
#define GG_PAGERANK_SEVERAL_NS      0.0132
#define GG_PAGERANK_SEVERAL_STEP_US 120
/* Topological order: one thread over 1.5 M edges in no order; on a device predictions, not measured. */
#define GG_TOPOLOGICAL_CPU_NS      9
#define GG_TOPOLOGICAL_CUDA_NS     0.05
#define GG_TOPOLOGICAL_STEP_US     3
#define GG_TOPOLOGICAL_LEVELS      500
#define GG_TOPOLOGICAL_THIN_LEVELS 5000
/* Vertices of a level from which threads share it: below, waking them takes longer. On a device blocks of 1,024 threads for
** each multiprocessor. */
#define GG_TOPOLOGICAL_WIDE   4096
#define GG_TOPOLOGICAL_BLOCKS 1
/* Core numbers: blocks for each multiprocessor. */
#define GG_PEEL_BLOCKS 1
/* Core numbers: one thread over 3 M such edges; predictions, too; vertices from which threads share a pass. */
#define GG_CORES_CPU_NS      14
#define GG_CORES_CUDA_NS     0.08
#define GG_CORES_STEP_US     4
#define GG_CORES_PASSES      3000
#define GG_CORES_THIN_PASSES 300
#define GG_CORES_WIDE        4096
/* Spanning forests. Edges for each vertex that come first, of graphs that have at least twice as many, and
** edges from which that is worth it; edges by chance that say which these are. One thread takes 17 ns for an edge of an R-MAT graph,
** 60 of a road network; on a device 0.064 and 0.15. */
#define GG_FOREST_LIGHT 3
/* On a device: edges for each vertex on the first list, and how full a later one is to be. (H100, R-MAT 24: 23.9 ms, and
** 26.1 with 3 on each list. R-MAT 22: 5.90 ms; with 3 on each 6.07; with 1 and then 3, which takes a third list, 6.90.) */
#define GG_FOREST_FIRST       2
#define GG_FOREST_FILL        0.9
#define GG_FOREST_CPU_NS      30
#define GG_FOREST_CUDA_NS     0.06
#define GG_FOREST_STEP_US     40
#define GG_FOREST_STEPS       24
#define GG_MATRIX_CPU_NS      20
#define GG_MATRIX_CUDA_NS     0.1
#define GG_MATRIX_STEP_US     8
#define GG_MATRIX_THIN_ROUNDS 3
/* On a device: weights that are looked at for the width of a step, which is so many mean ones in thin
** graphs, in others; rows for which memory is asked for before a search. */
#define GG_MATRIX_SAMPLE       4096
#define GG_MATRIX_THIN_DELTA   8.0
#define GG_MATRIX_DELTA        1.0
#define GG_MATRIX_PLANNED_ROWS 4
/* Triangles of each vertex. */
#define GG_EACH_TRIANGLES_CPU_NS  120
#define GG_EACH_TRIANGLES_CUDA_NS 0.4
#define GG_EACH_TRIANGLES_STEP_US 100
/* An iteration of label propagation: its arcs are those of both directions. */
#define GG_LABELS_CPU_NS     5
#define GG_LABELS_CUDA_NS    0.06
#define GG_LABELS_STEP_US    40
#define GG_LABELS_ITERATIONS 10
#define GG_DEGREES_CPU_NS    3
#define GG_DEGREES_CUDA_NS   0.06
#define GG_DEGREES_STEP_US   30
/* Nanoseconds for an arc of making a CSR, and a CSR_SIMPLE, by one CPU thread; of either
** on the device. */
#define GG_COST_CSR    15.0
#define GG_COST_SIMPLE 18.0
#define GG_COST_DEVICE 0.11
/* Nanoseconds that several devices take to make an arc of rows which they share, for each arc that is
** one device's. */
#define GG_COST_SEVERAL 0.3
/* Several devices are taken where they are predicted to be so many times faster than one: below it a
** prediction that errs would cost more than is gained. */
#define GG_SEVERAL_GAIN 1.15
/* Milliseconds that each device takes to join those that share searches out: a thread, a turn. */
#define GG_SHARE_MS 0.1
/* Edges for each vertex below which a graph counts as thin (roads, chains). Then
** shortest paths have GG_THIN_ROUNDS as many rounds as a square grid has rows. Other graphs: GG_FEW_LEVELS. */
#define GG_THIN_DEGREE 4
#define GG_THIN_ROUNDS 3
#define GG_FEW_LEVELS  20
/* Nanoseconds for an edge whose ids become numbers on the host: by one thread, and at least,
** however many there are; on the device, columns up and numbers down, and milliseconds
** beside them. Of R-MAT edges with INTEGER ids close together; ids far apart cost the host
** three times as much, the device a fifth more. */
#define GG_COST_MAP           18.0
#define GG_COST_MAP_LEAST     2.3
#define GG_COST_MAP_DEVICE    0.85
#define GG_COST_MAP_DEVICE_MS 0.5
/* Threads beyond which the CPU's searches, and its making of rows, become no faster: memory's limit. (60 M
** edges, 16 threads: 60 ms, and 96.) */
#define GG_COST_SPEEDUP      5.0
#define GG_COST_ROWS_SPEEDUP 9.0
/* The first of these for searches of thin graphs, whose frontiers are narrow. (Roads of 10 M edges by weight, on
** a machine that others used, too: 160 to 240 ms with 28 threads, where 15 ns an arc by one are 150.) */
#define GG_COST_THIN_SPEEDUP 2.0
/* Milliseconds to start CUDA's driver and to open a context, once for each process. (H200 220, H100 202 to
** 217, with nothing else to do.) */
#define GG_CUDA_START_MS 250.0
/* A graph is copied to a device that is open once its searches on the CPU have taken longer, beyond the
** device's, by such a share of what the copy takes. */
#define GG_COPY_SHARE 0.5
/* Milliseconds, predicted or measured, from which the one says something about the other. */
#define GG_LEARN_MS 0.5
/* Dynamic graphs: entries over places of a base when it is made (the paper's 0.7), and how
** many slabs of bases there are for one of a chain, which makes the arena's first size. */
#define GG_SLAB_LOAD 0.7
/* An operation on a slab waits for memory several times: as long as so many items of
** GG_THREAD_GRAIN. */
#define GG_SLAB_WORK   16
#define GG_SLAB_CHAINS 12
/* Operations that a thread takes at a time. */
#define GG_SLAB_ITEMS 64
/* On a device a batch of insertions is announced as a whole from so many on, and from one for so many vertices;
** where the graph has many edges for one of it, only from so many for each vertex, or large ones, or where one of
** so many came behind many of its vertex. Another is announced unless the graph has so many edges for one of it.
** A table of slabs that grows has room for so many entries more, for each it needs. */
#define GG_SLAB_SORTED   (1 << 18)
#define GG_SLAB_SPREAD   2
#define GG_SLAB_DENSE    2
#define GG_SLAB_LARGE    (1 << 22)
#define GG_SLAB_SKEW     5
#define GG_SLAB_SURPRISE 4
#define GG_SLAB_SLACK    1.0
/* Items of a batch of edges up to which the host puts them in order, by insertion, and asks for no number
** before the last step: a sort on a device and the way back take 0.1 ms however few they are. */
#define GG_CHAIN_FEW 256
/* Bytes that go to the device, or come back, in a millisecond, through pinned buffers: for each thread
** that fills them, and the bus's own speed. */
#define GG_UPLOAD_BYTES_PER_MS 5e6
/* Bytes of edges that come home from a device, into memory that nobody has touched: H200, 16 cores. */
#define GG_HOME_BYTES_PER_MS 8e6
#define GG_UPLOAD_MOST       4e7

#endif
