/* Data and functions that the methods of mis.cu share: a graph for kernels, the word of a
** vertex, and the look at the neighbours of a vertex.
**
**     word[v]    0          JOINED
**                1 ..       open; the smaller, the earlier a greedy pass takes v
**                2^32 - 1   DROPPED
**
** A word is the leading part of the key in mis.c. An open vertex joins if the words of
** all neighbours are larger, and drops if a neighbour has joined. A DROPPED vertex blocks
** no vertex. Keys by degree (degree << 32 | hash) become 5 bits of exponent and 27 bits
** of mantissa, which preserves their order. The few neighbours with equal words are
** compared by their whole keys, then by number, so the set is exactly the greedy one. */
#ifndef GPUGRAPH_MIS_CUH
#define GPUGRAPH_MIS_CUH

#include "algorithm.h"
#include "graph/frontier.cuh"
#include "words.h"

/* The balanced look begins with this number of arcs of 32 rows, three of each. This holds
** if the mean row has fewer than SHORT_ROW arcs and the second-level cache does not hold
** the words. Most looks end within these arcs. (H200: mesh16m 1.30 ms with 96, 1.35 with
** 64 and with 1024.) */
#define GG_MIS_FIRST_SHARE 96
#define GG_MIS_SHORT_ROW   8

/* The first pass looks at vertices with at most this many neighbours. On rmat20 this is a
** tenth faster than a look at all (H200). Roads and meshes have lower degrees. */
#define GG_MIS_FIRST_DEGREE 12
/* The most passes of one launch, about ten milliseconds of waiting. The number of passes
** between two looks at the stop flag, which is in host memory. */
#define GG_MIS_PASSES      20000
#define GG_MIS_STOP_PASSES 1024
/* Nanoseconds of rest after a pass without a decision: about a load from the second-level
** cache. */
#define GG_MIS_REST_NS 100
/* Blocks of a multiprocessor. The compiler limits registers so that they fit. */
#define GG_MIS_BALANCED_BLOCKS 4

/* ---- hashes of ids ---- */

/* The hashes of gg_hash_ids for kernels. Kernels compute the hashes of consecutive ids.
** Other hashes come from the host. */
struct id_hashes {
    uint64_t salt, first;
    const uint32_t *stored; /* NULL: ids are first, first + 1, ... */
};
static inline bool gg_ids_are_consecutive(const gpugraph_graph *graph) {
    return graph->ids.integer_count == graph->n && !graph->ids.integer;
}
static __device__ __forceinline__ uint32_t gg_id_hash(const id_hashes &h, uint32_t v) {
    return h.stored
               ? h.stored[v]
               : (uint32_t)(gg_fixed_hash(gg_fixed_hash(h.salt ^ (h.first + v))) >> 32);
}

/* ---- the graph ---- */

struct mis_graph {
    uint32_t n;
    uint64_t m;
    const uint64_t *offset, *end; /* by row */
    const uint32_t *target;       /* may lie in pinned host memory */
    uint32_t *word;
    uint8_t *code; /* in place of words (codes.h) */
    uint8_t *member;
    gpugraph_priority priority;
    struct id_hashes hashes;
    int shift;            /* leading zeros of the largest number */
    uint32_t first_share; /* arcs of 32 rows that are looked at first (balanced.h) */
    const uint32_t *stop; /* set by the host after an interrupt */
};

/* Carves word and member, runs, and leaves the members in g->member. Marks when the
** kernels, preprocessing included, began and ended. balanced: arcs are distributed
** evenly. report: a text of at most `room` bytes for the phase "search". */
bool gg_mis_one_launch(struct cuda_job *job, struct mis_graph *g, bool balanced,
                       char *report, size_t room);
/* The kernel with codes in place of words. */
const void *gg_mis_by_codes(void);
/* Bytes of the workspace of gg_mis_one_launch. */
uint64_t gg_mis_one_launch_bytes(uint32_t n);

/* ---- words ---- */

/* The key of a vertex with that number. hash() returns the hash of its id, if the
** priority needs one. */
template <typename hash_type>
static __device__ __forceinline__ uint64_t mis_key_of(const mis_graph &g, uint32_t number,
                                                      uint64_t degree,
                                                      const hash_type &hash) {
    switch (g.priority) {
    case GPUGRAPH_BY_DEGREE:
        return degree << 32 | hash();
    case GPUGRAPH_BY_DEGREE_ID:
        return degree << 32 | number << g.shift;
    case GPUGRAPH_BY_RANDOM:
        return hash();
    default:
        return number;
    }
}

/* The word of an open vertex with that key. The degree is not 0. */
static __device__ __forceinline__ uint32_t mis_word_of(const mis_graph &g, uint64_t key) {
    if (g.priority == GPUGRAPH_BY_DEGREE || g.priority == GPUGRAPH_BY_DEGREE_ID) {
        int top = 63 - __clzll((long long)key);
        key = (uint64_t)(top - 32) << 27 | key << (64 - top) >> 37;
    }
    return (key < MIS_DROPPED - 2 ? (uint32_t)key : MIS_DROPPED - 2) + 1;
}

/* The key of mis.c, without the number that breaks the last tie. */
static __device__ __forceinline__ uint64_t mis_key(const mis_graph &g, uint32_t row,
                                                   uint64_t degree) {
    return mis_key_of(g, row, degree, [&] { return gg_id_hash(g.hashes, row); });
}

/* The word of an open vertex. The degree is not 0. */
static __device__ __forceinline__ uint32_t mis_word(const mis_graph &g, uint32_t row,
                                                    uint64_t degree) {
    return mis_word_of(g, mis_key(g, row, degree));
}

/* Of two neighbours with equal words, is u earlier than v? */
static __device__ __noinline__ bool mis_wins_tie(const mis_graph &g, uint32_t u,
                                                 uint32_t v) {
    uint64_t of_u = mis_key(g, u, g.end[u] - g.offset[u]);
    uint64_t of_v = mis_key(g, v, g.end[v] - g.offset[v]);
    return of_u != of_v ? of_u < of_v : u < v;
}

/* One thread for each row. */
static __device__ __forceinline__ void mis_first_word(const mis_graph &g, uint32_t row) {
    uint64_t degree = g.end[row] - g.offset[row];
    g.word[row] = degree ? mis_word(g, row, degree) : MIS_JOINED;
}

/* ---- a look at neighbours, by a thread or a warp ---- */

struct sight {
    uint64_t at;      /* the first arc whose end is open and earlier; or the end */
    uint32_t blocker; /* the end of that arc */
    uint32_t word;    /* the word of the blocker */
    bool joined;      /* a neighbour has joined: the other fields have no meaning */
};

template <int lanes> static __device__ __forceinline__ bool mis_any(bool value) {
    return lanes == 1 ? value : __any_sync(ALL_LANES, value);
}

/* Notes the blocker of the first lane that has one, among arcs base .. base + lanes -
** 1. */
template <int lanes>
static __device__ __forceinline__ void mis_note(sight &s, bool blocks, uint64_t base,
                                                uint32_t u, uint32_t word) {
    if (lanes == 1) {
        if (blocks) {
            s.at = base;
            s.blocker = u;
            s.word = word;
        }
    } else {
        unsigned mask = __ballot_sync(ALL_LANES, blocks);
        if (mask) {
            s.at = base + (__ffs(mask) - 1);
            s.blocker = __shfl_sync(ALL_LANES, u, __ffs(mask) - 1);
            s.word = __shfl_sync(ALL_LANES, word, __ffs(mask) - 1);
        }
    }
}

/* Looks at arcs at .. end - 1 of a vertex with the word `own`, until the first neighbour
** that has joined, is earlier, or has the same word. In the last case mis_past_tie
** compares, because the comparison is a call that costs registers. `lanes` threads look
** together, and each loads `each` words at a time. Chunks begin at multiples of 128
** bytes. */
template <int lanes, int each>
static __device__ __forceinline__ sight mis_scan(const mis_graph &g, uint32_t own,
                                                 uint64_t at, uint64_t end) {
    sight s = {end, GPUGRAPH_NONE, MIS_DROPPED, false};
    const unsigned lane = threadIdx.x % lanes;
    for (uint64_t base = at / lanes * lanes; base < end; base += lanes * each) {
        uint32_t u[each], word[each];
        bool joined = false;
#pragma unroll
        for (int k = 0; k < each; k++) {
            uint64_t i = base + k * lanes + lane;
            bool live = i >= at && i < end;
            u[k] = live ? __ldg(&g.target[i]) : GPUGRAPH_NONE;
        }
#pragma unroll
        for (int k = 0; k < each; k++) {
            word[k] = u[k] != GPUGRAPH_NONE ? gg_peek(&g.word[u[k]]) : MIS_DROPPED;
            joined |= word[k] == MIS_JOINED;
        }
        s.joined = mis_any<lanes>(joined);
        if (s.joined)
            return s;
#pragma unroll
        for (int k = 0; k < each; k++)
            if (s.at == end)
                mis_note<lanes>(s, word[k] <= own, base + k * lanes, u[k], word[k]);
        if (s.at != end)
            return s;
    }
    return s;
}

/* Handles a tie that has ended the look of v. If v is the earlier vertex, the next look
** continues behind the tie. */
static __device__ __forceinline__ void mis_past_tie(const mis_graph &g, uint32_t v,
                                                    uint32_t own, sight *s) {
    if (s->blocker != GPUGRAPH_NONE && s->word == own &&
        !mis_wins_tie(g, s->blocker, v)) {
        s->at++;
        s->blocker = GPUGRAPH_NONE;
    }
}

/* ---- the list of a warp ---- */

/* Appends the vertices of lanes with `wanted` to the first `count` entries. All lanes
** must have read their entries of the list. Returns the new count. */
static __device__ __forceinline__ uint32_t mis_keep(waiting *list, uint32_t count,
                                                    bool wanted, const waiting &w) {
    unsigned mask = __ballot_sync(ALL_LANES, wanted);
    if (wanted)
        list[count + __popc(mask & ((1u << gg_lane()) - 1))] = w;
    __syncwarp();
    return count + __popc(mask);
}

static __device__ __forceinline__ uint32_t *mis_room_for_notes() {
    __shared__ uint32_t notes[GG_BLOCK / GG_WARP][GG_MIS_NOTES];
    return notes[threadIdx.x / GG_WARP];
}

#endif
