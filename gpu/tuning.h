/* Every number chosen by measurement: its unit, why it has that value, and what it was
** measured on. One section for each file that uses them; related numbers are asserted
** at compile time beside their use. */
#ifndef GPUGRAPH_TUNING_H
#define GPUGRAPH_TUNING_H

/* ---- run.c ---- */

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
/* Bytes of a huge page, and of the smallest block that is aligned to them and advised to
** lie in them: one fault brings 2 MiB in place of 4 KiB. */
#define GG_HUGE_BLOCK ((size_t)2 << 20)
#define GG_HUGE_PAGE  ((size_t)2 << 20)

/* ---- narrow.c ---- */

/* Entries that are narrowed by way of a buffer: 4 KiB, which stays in the first cache. A
** power of two that divides GG_POLL_ITEMS. */
#define GG_NARROW_ITEMS 1024
/* Bytes of a copy for which one more thread pays, and threads that fill any bus. */
#define GG_COPY_BYTES   ((size_t)256 << 10)
#define GG_COPY_THREADS 8

/* ---- order.c ---- */

/* Bits of one digit of the radix sort: 2048 write streams still fit the second-level
** cache; below GG_RADIX_SMALL items clearing that many counters costs more than a
** further pass. */
#define GG_RADIX_BITS       11
#define GG_RADIX_SMALL_BITS 8
#define GG_RADIX_SMALL      8192

/* Values below this (depths, mostly) are ordered by one counting pass. */
#define GG_COUNTED_VALUES 16384

/* ---- ids.c ---- */

/* INTEGER ids are numbered by a bitmap where it has at most that many bits for each id
** that occurs (and in any case up to GG_DIRECT_FREE bits), else by hashing. */
#define GG_DIRECT_SPREAD 8
#define GG_DIRECT_FREE   1024

/* Slots of a thread's first hash table of ids, a power of two. */
#define GG_HASH_SLOTS 1024

/* Ids whose slots are fetched into the cache together. */
#define GG_HASH_BATCH 32

/* ---- texts.c ---- */

/* Groups of texts up to this size are sorted by insertion. */
#define GG_FEW_TEXTS 24

/* ---- csr.c ---- */

/* The counting sort first parts the arcs into at most GG_CSR_PARTS ranges of rows, each
** of GG_CSR_PART_ARCS arcs or more on average, so that the second pass writes within
** the cache. */
#define GG_CSR_PARTS     2048
#define GG_CSR_PART_ARCS 4096

/* ---- bfs.c and sssp.c ---- */

/* Entries of an array that are filled in the time of one item of GG_THREAD_GRAIN. */
#define GG_FILL_ITEMS 16

/* ---- bfs.c ---- */

/* Vertices, and their arcs, up to which a frontier stays with one thread: waking a second
** one costs as much as expanding a few hundred. */
#define GG_BFS_NARROW      2048
#define GG_BFS_NARROW_ARCS 16384
/* Vertices of the frontier, and words of the bitmap, that a thread takes at a time. */
#define GG_BFS_GRAB       64
#define GG_BFS_GRAB_WORDS 16
/* Found vertices that a thread keeps before it moves them to the queue: 4 KiB. */
#define GG_BFS_FINDS 1024
/* Beamer's switches: bottom-up when the frontier has more than 1 / ALPHA of the arcs not
** looked at, top-down again below 1 / BETA of the vertices. */
#define GG_BFS_ALPHA 15
#define GG_BFS_BETA  18
/* Searches of a graph before one of them may make the other direction's CSR for bottom-up
** levels: it costs some three searches. */
#define GG_BFS_REVERSE_AFTER 1

/* ---- sssp.c ---- */

/* Typical weights that a bucket is wide, divided by the arcs of the vertex at the end of an
** arc. */
#define GG_SSSP_DELTA 8.0
/* Chunks of 125 vertices from which threads share a round. */
#define GG_SSSP_WIDE 8
/* Arcs up to which one bucket for each distance, by one thread, is as fast. */
#define GG_SSSP_SMALL 4096
/* Arcs that a thread has found to shorten a way before it acts on them. */
#define GG_SSSP_OFFERS 64
/* Vertices ahead at which arcs are asked of memory; twice that for what leads to them. */
#define GG_SSSP_AHEAD 4
/* Weights that are looked at for the typical one. */
#define GG_SSSP_SAMPLE 256

/* ---- sssp_choice.c ---- */

/* Weights that are looked at for a graph's typical one. */
#define GG_SSSP_WEIGHTS 512
/* "frontier": typical weights between two thresholds, divided by the average degree. */
#define GG_SSSP_FRONTIER_DELTA 32.0

/* ---- sssp_mlmq.cu ---- */

/* Blocks for each multiprocessor that the compiler leaves registers for, and how many are
** used: more only find more work that is done again. */
#define GG_MLMQ_BLOCKS_FIT 3
#define GG_MLMQ_BLOCKS     1
/* Vertices for which one more block pays. */
#define GG_MLMQ_BLOCK_VERTICES 256
/* Typical weights that a bucket is wide, divided by the average degree. */
#define GG_MLMQ_DELTA 20.0
/* Arcs from which a warp relaxes a vertex by itself. */
#define GG_MLMQ_COOPERATIVE 128
/* Arcs over which a vertex is cut into tasks for many warps, and those of a task. */
#define GG_MLMQ_HUB   2048
#define GG_MLMQ_SLICE 1024
/* Writes to L1V between two that go through; elements of L0 for each lane, of L1. A grid of a
** million vertices takes four times as long with an L0 that is read before L1 (H200). */
#define GG_MLMQ_WRITE_BACK 16
#define GG_MLMQ_L0         0
#define GG_MLMQ_L1         32
/* Buckets that are read, at most; heaps of L2MPQ. */
#define GG_MLMQ_BNUM   4
#define GG_MLMQ_QUEUES 64
/* Elements of a segment, as a power of two: 2 KiB, of 32-bit distances. */
#define GG_MLMQ_SEGMENT_SHIFT 8

/* ---- dfs.cu ---- */

/* Blocks of a search: as many for each multiprocessor, at most; one for so many vertices;
** all of "block-stealing". */
#define GG_DFS_BLOCKS         4
#define GG_DFS_BLOCK_VERTICES 512
#define GG_DFS_FEW_BLOCKS     33
/* Entries: of a HotRing (half a kilobyte on chip for each warp), of a chunk of a ColdSeg,
** hot_cutoff, from which a ring is stolen from, and cold_cutoff, likewise a ColdSeg. */
#define GG_DFS_RING        64
#define GG_DFS_BATCH       32
#define GG_DFS_HOT_CUTOFF  4
#define GG_DFS_COLD_CUTOFF 32
/* Vertices from which the device numbers a tree: some forty kernels, half a millisecond. */
#define GG_DFS_NUMBER_MIN 32768
/* "many-paths": arcs that a lane looks at together; entries of a ring, arcs of a step;
** entries of a ring from which a chunk is offered to other blocks, a further one too; arcs of a step up to
** which a claim is cheaper than a test before it. */
#ifndef GG_PATHS_LANE_ARCS
#define GG_PATHS_LANE_ARCS 4
#endif
#define GG_PATHS_BLOCKS 2
#define GG_PATHS_RING   256
#define GG_PATHS_ARCS   512
#define GG_PATHS_BATCH  32
#define GG_PATHS_SHARE  8
#define GG_PATHS_DEEP   128
/* Empty chunks that a warp keeps for itself; looks round all blocks for one where there
** seems to be none. */
#define GG_PATHS_SPARES 8
#define GG_PATHS_LOOKS  64
#define GG_PATHS_DIRECT 128
/* Arcs for each vertex below which a graph counts as thin; arcs of a step there, and
** entries in the hands of a warp. */
#define GG_PATHS_THIN_ROW   8
#define GG_PATHS_ARCS_THIN  128
#define GG_PATHS_HANDS_THIN 12
/* Looks of an idle warp round its block for one beyond it; looks after which it rests
** longer, and both rests in nanoseconds. */
#define GG_PATHS_FAR     4
#define GG_PATHS_EAGER   64
#define GG_PATHS_NAP_NS  64
#define GG_PATHS_REST_NS 400

/* ---- mis.cu ---- */

/* Arcs of a row that a thread looks at by itself before its warp helps, and how many of
** them at a time: their words are loaded together. */
#define GG_MIS_SERIAL 32
#define GG_MIS_PROBE  4
/* Neighbours up to which the first pass of "one-launch" looks at a vertex: a tenth faster
** than all of them on rmat20 (H200), and above the degrees of roads and meshes. */
#define GG_MIS_FIRST_DEGREE 12
/* Blocks for each multiprocessor that the compiler leaves registers for. */
#define GG_MIS_BLOCKS 6
/* Nanoseconds of rest after a pass that has decided nothing: about a load from the second
** level cache. */
#define GG_MIS_REST_NS 100
/* Passes of one launch, some ten milliseconds of waiting; between two looks at the stop
** flag across the bus; rounds between two such looks. */
#define GG_MIS_PASSES      20000
#define GG_MIS_STOP_PASSES 1024
#define GG_MIS_STOP_ROUNDS 16
/* Neighbours from which a warp, and a block, looks at a row together in "rounds". */
#define GG_MIS_WARP_DEGREE  32
#define GG_MIS_BLOCK_DEGREE 1024

/* ---- dispatch.c: what `auto` weighs ----
** Measured with an H200 and one thread of the processor beside it, on R-MAT graphs of
** scale 16 and 20 and a road-like grid of 512 x 512. */

/* Nanoseconds for an arc, by one CPU thread and by the device (kernels alone), and
** microseconds of one dependent step (a level, a round) on the device. Arcs are edges,
** twice as many where the graph is taken as undirected. */
#define GG_COST_BFS                                                                      \
    { "bfs", 5, 0.05, 12 }
#define GG_COST_SSSP                                                                     \
    { "sssp", 15, 0.35, 15 }
#define GG_COST_DFS                                                                      \
    { "dfs", 10, 0.4, 1.2 }
#define GG_COST_MIS                                                                      \
    { "mis", 3, 0.15, 25 }
#define GG_COST_TRIANGLES                                                                \
    { "triangles", 80, 0.4, 100 }
#define GG_COST_DEGREES                                                                  \
    { "degrees", 3, 0.06, 30 }
/* Nanoseconds for an arc of making a CSR, and a CSR_SIMPLE, by one CPU thread; of either
** on the device. */
#define GG_COST_CSR    15.0
#define GG_COST_SIMPLE 35.0
#define GG_COST_DEVICE 0.11
/* Edges for each vertex below which a graph counts as thin (roads, chains). Then a
** breadth-first search has GG_THIN_LEVELS as many levels as a square grid has rows, one
** for shortest paths GG_THIN_ROUNDS as many rounds, and a depth-first search as many
** dependent steps as a GG_THIN_STEPS-th of the vertices. Other graphs: GG_FEW_LEVELS. */
#define GG_THIN_DEGREE 4
#define GG_THIN_LEVELS 2
#define GG_THIN_ROUNDS 3
#define GG_THIN_STEPS  16
#define GG_FEW_LEVELS  20
/* Milliseconds to open a CUDA context, once for each process. */
#define GG_CUDA_START_MS 350.0
/* Bytes that go to the device, or come back, in a millisecond, through pinned buffers. */
#define GG_UPLOAD_BYTES_PER_MS 5e6

#endif
