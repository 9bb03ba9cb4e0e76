/* Common declarations of breadth-first search on the device: the arrays of a search, its
** queue, and the state that one kernel leaves to the other.
**
**     queue    [ level 0 | level 1 | ... | frontier | being found |       ]  room for n
**     entry    row's first arc, arcs of the level before the row
**
** A found vertex enters the queue as two numbers that describe its row. From these
** numbers the next level distributes its arcs evenly, without a vertex, an offset or a
** scan. One word counts the entries and the arcs of a level, so that both have the same
** order. A vertex without arcs is not queued.
**
** Two kernels alternate. Each continues from struct bfs_control until the frontier suits
** the other one:
**     wide     the whole grid, a grid barrier after each level        wide.cu
**     narrow   one cluster of blocks with frontiers in shared memory  narrow.cu
** The host queues both in turns. A kernel that has nothing to do returns at once. */
#ifndef GPUGRAPH_BFS_CUH
#define GPUGRAPH_BFS_CUH

#include "algorithm.h"
#include "bfs.h"
#include "graph/frontier.cuh"

/* entries in the low half, arcs in the high half */
typedef unsigned long long bfs_size;

enum bfs_next { BFS_OVER, BFS_NARROW, BFS_WIDE };

/* The data that blocks exchange at a barrier. Three steps are used in turn: one is
** filled, one is read, one is cleared. All decisions after the barrier depend on this
** struct alone. If a word could still change, a block might read a value to which a
** faster block has already added for the next level. */
struct bfs_step {
    unsigned long long arrived; /* blocks; from bit 16 on: vertices that they found */
    bfs_size size;              /* entries and arcs that were queued */
    uint32_t rest;              /* unvisited vertices in the list */
    uint32_t hits;              /* targets reached */
    uint32_t stop;              /* the host was interrupted */
};

/* The state that one launch of a kernel passes to the next launch. */
struct bfs_progress {
    uint32_t next; /* enum bfs_next */
    uint32_t level;
    /* positions in the queue: the begin and the end of the frontier */
    uint32_t first, tail;
    uint32_t phase;                /* steps so far */
    uint32_t missing;              /* targets not reached */
    uint32_t has_rest, rest, side; /* unvisited vertices: a list exists, size, array */
    uint32_t odd;                  /* which bitmap holds the visited vertices */
    uint32_t explodes; /* for some frontier a bottom-up level would have paid */
    uint32_t bottom_up;
    unsigned long long reached, seen;
};

struct bfs_control : bfs_progress {
    bfs_size frontier;
    bfs_size spill; /* narrow: entries and arcs that went to the queue */
    bfs_step step[3];
    uint32_t failed; /* bit 0: a barrier took too long; bit 1: the host was interrupted */
    uint32_t narrow_levels, turns;
};

struct bfs_bounds {
    uint32_t max_depth;
    bool targets;
    uint64_t limit;       /* 0: none */
    const uint32_t *stop; /* set by the host after an interrupt */
};

/* The cluster takes over below NARROW_IN entries of a frontier for each of its blocks,
** after NARROW_LEVELS such levels in a row. It gives up above NARROW_OUT entries for each
** block, or if a row has more than NARROW_ROW arcs. */
#ifndef GG_BFS_NARROW_ROW
#define GG_BFS_NARROW_IN     256
#define GG_BFS_NARROW_OUT    768
#define GG_BFS_NARROW_LEVELS 8
#define GG_BFS_NARROW_ROW    128
#endif

/* These limits multiplied by the number of blocks of the cluster. */
struct bfs_shape {
    uint32_t narrow_in, narrow_out; /* entries of a frontier: below, above */
};

/* The data of bottom-up levels. It is kept with the graph (prepare.cu). */
struct bfs_below {
    device_csr rows; /* begin NULL: there is no transpose */
    /* For each row a target that is likely to be visited: the target by which the latest
    ** search has found the row's vertex. NONE: the row is empty. */
    uint32_t *hub;
    const uint32_t *closed; /* bit v: the row is empty; bits past n are set */
};

/* Words of a bitmap of all vertices, a multiple of four for loads of four words. */
static inline uint64_t gg_hub_words(uint32_t n) {
    return ((uint64_t)n + 127) / 128 * 4;
}

struct bfs_arrays {
    bfs_control *control;
    uint32_t *depth;
    void *tree;           /* edge numbers */
    uint32_t *ends;       /* sources, then targets */
    uint32_t *wanted;     /* bit v: v is a target that counts as missing */
    uint32_t *visited[2]; /* bit v */
    uint2 *queue;
    uint32_t *rest[2];
    uint8_t *scratch; /* scratch memory for the tree */
};

/* The results of a search on the device. */
struct bfs_outcome {
    uint32_t *depth;
    void *tree;       /* edge numbers; NULL unless wanted */
    uint32_t deepest; /* no depth is larger */
    uint8_t *scratch; /* scratch memory for the tree */
};

/* ---- drivers ---- */

/* bfs.cu: chooses a method and searches. Phase "search". */
bool gg_bfs_search(cuda_job *job, const gpugraph_search *search, bool tree,
                   bfs_outcome *out);
/* Downloads n depths, none larger than `deepest`, from an address that is a multiple of
** 16. (bring.cu) */
bool gg_bfs_bring(cuda_job *job, uint32_t *to, const uint32_t *from, uint64_t n,
                  uint32_t deepest);
/* Fills out->tree. Phase "parents". */
bool gg_bfs_tree(cuda_job *job, const gpugraph_search *search, const bfs_outcome *out);

/* levels.cu: the methods "persistent" and, if `below` is set, "direction-optimizing". The
** latter finds large frontiers by the transpose and hubs. Both are made on first need. */
bool gg_bfs_levels(cuda_job *job, const gpugraph_search *search, bool below, bool tree,
                   bfs_outcome *out);
/* A search along rows of the caller. If tree is false, the job needs no graph. */
bool gg_bfs_levels_by(cuda_job *job, const gpugraph_search *search, const device_csr *g,
                      const bfs_below *below, bool tree, bfs_outcome *out);
/* Bytes that such a search carves, with that number of sources and targets and a tree,
** without the data of bottom-up levels. */
uint64_t gg_bfs_levels_bytes(const cuda_job *job, uint32_t ends);

/* by_regions.cu: the method "regions", or "persistent" if regions do not suit the
** graph. */
bool gg_bfs_regions(cuda_job *job, const gpugraph_search *search, bool tree,
                    bfs_outcome *out);
/* True if regions can serve the search: it has no target, limit or bound. */
bool gg_fits_regions(const gpugraph_search *search);

/* prepare.cu: the kind of rows that holds the transpose. For a graph known to be
** symmetric this is OUT itself. */
enum csr_kind gg_bfs_transpose(const gpugraph_graph *graph, gpugraph_direction direction);
/* Fills the hubs of these rows, and gg_hub_words(rows->n) words of `closed`. */
bool gg_bfs_first_hubs(cuda_job *job, const device_csr *rows, uint32_t *hub,
                       uint32_t *closed);
/* Gets the transpose and the hubs of the rows of `kind`, which are made on first need.
** Returns false when the job must end. */
bool gg_bfs_below(cuda_job *job, enum csr_kind kind, bfs_below *below);
/* True if the hubs of these rows are made. */
bool gg_bfs_has_hubs(const gpugraph_graph *graph, enum csr_kind kind);
/* True if a search along these rows has had a frontier for which a bottom-up level would
** have paid. */
bool gg_bfs_explodes(const gpugraph_graph *graph, enum csr_kind kind);
void gg_bfs_note_explosion(cuda_job *job, enum csr_kind kind);

/* The launches of the two kernels. */
bool gg_bfs_wide(cuda_job *job, const device_csr *g, const bfs_below *below,
                 const bfs_arrays *b, bfs_bounds bounds, bfs_shape shape);
bool gg_bfs_narrow(cuda_job *job, const device_csr *g, const bfs_arrays *b,
                   bfs_bounds bounds, bfs_shape shape);
/* Blocks of the cluster of narrow.cu. */
int gg_bfs_cluster(cuda_job *job);

/* ---- kernels' helpers ---- */

/* Steps of the kernels, compiled into their callers. */
#define BFS_STEP static __device__ __forceinline__

BFS_STEP bool gg_bit(const uint32_t *bits, uint32_t v) {
    return bits[v / 32] >> v % 32 & 1;
}

/* The sum of the values of this lane and of all lanes before it. */
BFS_STEP uint32_t gg_sum_to(uint32_t value) {
    for (int step = 1; step < GG_WARP; step *= 2) {
        uint32_t other = __shfl_up_sync(ALL_LANES, value, step);
        if ((int)gg_lane() >= step)
            value += other;
    }
    return value;
}

/* Rows on their way into the queue, up to `count` of each lane. */
template <int count> struct bfs_rows {
    uint32_t begin[count], arcs[count];
    uint32_t entries_before, arcs_before; /* sums over the earlier lanes */
    bfs_size total;                       /* sums over the warp */
};

/* One warp: fills the sums before each lane, and the total. */
template <int count> BFS_STEP void gg_add_up(bfs_rows<count> *r) {
    uint32_t entries = 0, arcs = 0;
#pragma unroll
    for (int i = 0; i < count; i++) {
        entries += r->arcs[i] > 0;
        arcs += r->arcs[i];
    }
    uint32_t entries_to = gg_sum_to(entries), arcs_to = gg_sum_to(arcs);
    r->entries_before = entries_to - entries;
    r->arcs_before = arcs_to - arcs;
    r->total = (bfs_size)__shfl_sync(ALL_LANES, arcs_to, GG_WARP - 1) << 32 |
               __shfl_sync(ALL_LANES, entries_to, GG_WARP - 1);
}

/* One warp: loads the rows of the vertices and fills the sums. NONE: no vertex. */
template <int count>
BFS_STEP void gg_weigh(const device_csr &g, const uint32_t (&v)[count],
                       bfs_rows<count> *r) {
#pragma unroll
    for (int i = 0; i < count; i++) {
        r->begin[i] = r->arcs[i] = 0;
        if (v[i] != GPUGRAPH_NONE) {
            uint64_t begin = g.begin[v[i]];
            r->begin[i] = (uint32_t)begin;
            r->arcs[i] = (uint32_t)(g.end[v[i]] - begin);
        }
    }
    gg_add_up(r);
}

/* Writes the rows behind `start`, the entries and arcs of the level so far. */
template <int count>
BFS_STEP void gg_place(uint2 *level, bfs_size start, const bfs_rows<count> &r) {
    uint32_t at = (uint32_t)start + r.entries_before;
    uint32_t before = (uint32_t)(start >> 32) + r.arcs_before;
#pragma unroll
    for (int i = 0; i < count; i++) {
        if (r.arcs[i] == 0)
            continue;
        level[at++] = make_uint2(r.begin[i], before);
        before += r.arcs[i];
    }
}

/* One warp: reserves space and writes the rows. */
template <int count>
BFS_STEP void gg_enqueue(uint2 *level, bfs_size *size, const bfs_rows<count> &r) {
    bfs_size start = 0;
    if (r.total == 0)
        return;
    if (gg_lane() == 0)
        start = atomicAdd(size, r.total);
    gg_place(level, __shfl_sync(ALL_LANES, start, 0), r);
}

#endif
