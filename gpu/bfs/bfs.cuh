/* What the files of breadth-first search on the device share: the search's arrays, its
** queue, and who goes on after a level.
**
**     queue    [ level 0 | level 1 | ... | frontier | being found |       ]  room for n
**     entry    row's first arc, arcs of the level before the row
**
** A vertex comes into the queue as its row, when it is found: two numbers, from which the
** next level deals its arcs out evenly, without a vertex, an offset or a scan. A level's
** entries and arcs are counted in one word, so that both stay in the same order. A vertex
** without arcs is not queued.
**
** Two kernels take turns, each going on from struct bfs_control until the frontier suits
** the other one:
**     wide     the whole grid, a grid barrier to a level        wide.cu
**     narrow   one cluster of blocks, its barrier, frontiers in shared memory
**                                                               narrow.cu
** The host queues them in turns; who has nothing to do returns at once. */
#ifndef GPUGRAPH_BFS_CUH
#define GPUGRAPH_BFS_CUH

#include "algorithm.h"
#include "bfs.h"
#include "graph/frontier.cuh"

/* Entries in the low, arcs in the high half. */
typedef unsigned long long bfs_size;

enum bfs_next { BFS_OVER, BFS_NARROW, BFS_WIDE };

/* What blocks tell each other at a barrier; three, used in turn: one being filled, one
** being read, one being cleared. All that they go by after it is in here: of a word that
** is still added to, one block may read what another, which is ahead, has found since. */
struct bfs_step {
    unsigned long long arrived; /* blocks, and from bit 16 what they found */
    bfs_size size;              /* of what was queued */
    uint32_t rest;              /* vertices left over, in the list of those */
    uint32_t hits;              /* targets reached */
    uint32_t stop;              /* the host was interrupted */
};

struct bfs_control {
    uint32_t next; /* enum bfs_next */
    uint32_t level;
    uint32_t first,
        tail; /* entries of the queue: where the frontier begins, where it ends */
    bfs_size frontier;
    bfs_size spill; /* narrow: what went to the queue after all */
    struct bfs_step step[3];
    uint32_t phase;                /* steps so far */
    uint32_t missing;              /* targets not reached */
    uint32_t has_rest, rest, side; /* the list of vertices left over, and which of two */
    uint32_t odd;                  /* which bitmap holds the visited vertices */
    uint32_t failed;               /* a barrier was waited for too long */
    uint32_t explodes; /* a frontier was so large that a bottom-up look would have paid */
    uint32_t narrow_levels, bottom_up, turns;
    unsigned long long reached, seen;
};

struct bfs_bounds {
    uint32_t max_depth;
    bool targets;
    uint64_t limit;       /* 0: none */
    const uint32_t *stop; /* set by the host after an interrupt */
};

/* Entries of a frontier for each block of the cluster below which it takes over, and
** above which it leaves to the whole grid; levels in a row before it does; arcs of a row
** that is too long for it. */
#ifndef GG_BFS_NARROW_ROW
#define GG_BFS_NARROW_IN     256
#define GG_BFS_NARROW_OUT    768
#define GG_BFS_NARROW_LEVELS 8
#define GG_BFS_NARROW_ROW    128
#endif

/* These numbers, as a kernel and a graph need them. */
struct bfs_shape {
    uint32_t narrow_in, narrow_out; /* entries below which, above which */
    uint32_t narrow_levels;         /* in a row, before the cluster takes over */
};

/* What the bottom-up look needs beside the transpose; kept with the graph.
** (prepare.cu) */
struct bfs_below {
    struct device_csr rows; /* begin NULL: there is none */
    /* Of each row a target that is likely visited when it is looked at: the one that was,
    ** the last time that it mattered. NONE: the row is empty. */
    uint32_t *hub;
    const uint32_t *closed; /* bit v: the row is empty; bits past n are set */
};

/* Words of a bitmap of all vertices, whole reads of four. */
static inline uint64_t gg_hub_words(uint32_t n) {
    return ((uint64_t)n + 127) / 128 * 4;
}

struct bfs_arrays {
    struct bfs_control *control;
    uint32_t *depth;
    void *tree;           /* edge numbers */
    uint32_t *ends;       /* sources, then targets */
    uint32_t *wanted;     /* bit v: v is a target that counts as missing */
    uint32_t *visited[2]; /* bit v */
    uint2 *queue;
    uint32_t *rest[2];
    uint8_t *scratch; /* of the tree */
};

/* What a search leaves on the device. */
struct bfs_outcome {
    uint32_t *depth;
    void *tree;       /* edge numbers; NULL unless wanted */
    uint32_t deepest; /* no depth is larger */
    uint8_t *scratch; /* of the tree */
};

/* ---- drivers ---- */

/* bfs.cu: chooses a method and searches. Phase "search". */
bool gg_bfs_search(struct cuda_job *job, const gpugraph_search *search, bool tree,
                   struct bfs_outcome *out);
/* Brings n depths to the host, of which none is larger than `deepest`, from an address
** that 16 divides. (bring.cu) */
bool gg_bfs_bring(struct cuda_job *job, uint32_t *to, const uint32_t *from, uint64_t n,
                  uint32_t deepest);
/* Fills out->tree. Phase "parents". */
bool gg_bfs_tree(struct cuda_job *job, const gpugraph_search *search,
                 const struct bfs_outcome *out);

/* levels.cu: the methods "persistent" and, where `below` is set, "direction-optimizing":
** large frontiers are found by the transpose and hubs, made on first need. */
bool gg_bfs_levels(struct cuda_job *job, const gpugraph_search *search, bool below,
                   bool tree, struct bfs_outcome *out);
/* Along rows that the caller has, without a graph where tree is false. */
bool gg_bfs_levels_by(struct cuda_job *job, const gpugraph_search *search,
                      const struct device_csr *g, const struct bfs_below *below,
                      bool tree, struct bfs_outcome *out);
/* What such a search carves, with so many sources and targets and a tree; the look from
** below aside. */
uint64_t gg_bfs_levels_bytes(const struct cuda_job *job, uint32_t ends);

/* by_regions.cu: the method "regions", or where the graph does not suit "persistent". */
bool gg_bfs_regions(struct cuda_job *job, const gpugraph_search *search, bool tree,
                    struct bfs_outcome *out);
/* Could it serve that search? It goes through all that can be reached. */
bool gg_fits_regions(const gpugraph_search *search);

/* prepare.cu: the kind of rows that holds the transpose: of a graph known to be symmetric
** OUT's own. */
enum csr_kind gg_bfs_turned(const gpugraph_graph *graph, gpugraph_direction direction);
/* Fills hubs of those rows, gg_hub_words(rows->n) words of `closed` included. */
bool gg_bfs_first_hubs(struct cuda_job *job, const struct device_csr *rows, uint32_t *hub,
                       uint32_t *closed);
/* Of the rows of `kind` (made on first need); false when the job must end. */
bool gg_bfs_below(struct cuda_job *job, enum csr_kind kind, struct bfs_below *below);
/* Are hubs of those rows there? */
bool gg_bfs_has_hubs(const gpugraph_graph *graph, enum csr_kind kind);
/* Has a search along those rows met a frontier for which a look from below would have
** paid? */
bool gg_bfs_explodes(const gpugraph_graph *graph, enum csr_kind kind);
void gg_bfs_note_explosion(struct cuda_job *job, enum csr_kind kind);

/* Kernels and their launches. */
bool gg_bfs_wide(struct cuda_job *job, const struct device_csr *g,
                 const struct bfs_below *below, const struct bfs_arrays *b,
                 struct bfs_bounds bounds, struct bfs_shape shape);
bool gg_bfs_narrow(struct cuda_job *job, const struct device_csr *g,
                   const struct bfs_arrays *b, struct bfs_bounds bounds,
                   struct bfs_shape shape);
/* Blocks of the cluster that narrow.cu runs in. */
int gg_bfs_cluster(struct cuda_job *job);

/* ---- kernels' helpers ---- */

static __device__ __forceinline__ bool gg_bit(const uint32_t *bits, uint32_t v) {
    return bits[v / 32] >> v % 32 & 1;
}

/* What this lane passed and all before it. */
static __device__ __forceinline__ uint32_t gg_sum_to(uint32_t value) {
    for (int step = 1; step < GG_WARP; step *= 2) {
        uint32_t other = __shfl_up_sync(ALL_LANES, value, step);
        if ((int)gg_lane() >= step)
            value += other;
    }
    return value;
}

/* Rows on their way into the queue: of each lane up to `count`. */
template <int count> struct bfs_rows {
    uint32_t begin[count], arcs[count];
    uint32_t entries_before, arcs_before; /* in the warp, before this lane */
    bfs_size total;                       /* of the warp */
};

/* One warp: what is before each lane, and the total. */
template <int count>
static __device__ __forceinline__ void gg_add_up(bfs_rows<count> *r) {
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

/* One warp: looks the rows up and adds up. NONE: no vertex. */
template <int count>
static __device__ __forceinline__ void
gg_weigh(const device_csr &g, const uint32_t (&v)[count], bfs_rows<count> *r) {
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

/* Puts them behind `start`, entries and arcs of the level so far. */
template <int count>
static __device__ __forceinline__ void gg_place(uint2 *level, bfs_size start,
                                                const bfs_rows<count> &r) {
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

/* One warp: both, with a reservation of its own. */
template <int count>
static __device__ __forceinline__ void gg_enqueue(uint2 *level, bfs_size *size,
                                                  const bfs_rows<count> &r) {
    bfs_size start = 0;
    if (r.total == 0)
        return;
    if (gg_lane() == 0)
        start = atomicAdd(size, r.total);
    gg_place(level, __shfl_sync(ALL_LANES, start, 0), r);
}

#endif
