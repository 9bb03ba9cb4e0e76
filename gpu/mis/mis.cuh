/* What the methods of mis.cu share: a graph as the kernels see it, the word of a vertex,
** and the look at its neighbours.
**
**     word[v]    0          JOINED
**                1 ..       open; the smaller, the earlier a greedy pass would look at v
**                2^32 - 1   DROPPED
**
** A word is the leading part of the key of mis.c: an open vertex whose neighbours all
** have larger words joins, one with a JOINED neighbour drops, and a DROPPED one is in
** nobody's way. Keys by degree (degree << 32 | hash) become 5 bits of exponent and 27
** bits of mantissa, which is monotonic; the few neighbours with equal words are compared
** by their whole keys, then by number, so the set is exactly the greedy one. */
#ifndef GPUGRAPH_MIS_CUH
#define GPUGRAPH_MIS_CUH

#include "algorithm.h"
#include "graph/frontier.cuh"
#include "words.h"

/* Arcs of 32 rows that the balanced look begins with, three of each, where a row has
** fewer than so many and words would be more than the second-level cache holds: most
** looks end there. (H200: mesh16m 1.30 ms with 96, 1.35 with 64 and with 1024.) */
#define GG_MIS_FIRST_SHARE 96
#define GG_MIS_SHORT_ROW   8
/* Arcs that a thread looks at together: their words are loaded together. */
#define GG_MIS_PROBE 4

struct mis_graph {
    uint32_t n;
    uint64_t m;
    const uint64_t *offset;
    const uint32_t *target; /* perhaps in pinned host memory */
    const uint32_t *number; /* row r is vertex number[r]; NULL: r itself */
    uint32_t *word;         /* by row */
    uint8_t *code;          /* by row, in place of words (codes.h) */
    uint8_t *member;        /* by vertex number */
    gpugraph_priority priority;
    struct id_hashes hashes;
    int shift;            /* leading zeros of the largest number */
    uint32_t first_share; /* arcs of 32 rows that are looked at first (balanced.h) */
    const uint32_t *stop; /* set by the host after an interrupt */
};

/* What a method tells the driver in mis.cu. It marks when its kernels, preprocessing
** included, began and ended. */
struct mis_report {
    char text[200];
};

/* All carve word and member, run, and leave the members in g->member. balanced: arcs are
** dealt out evenly. */
bool gg_mis_one_launch(struct cuda_job *job, struct mis_graph *g, bool balanced,
                       struct mis_report *report);
/* Its kernel with codes in place of words. */
const void *gg_mis_by_codes(void);
/* Sorts the rows by degree first. */
bool gg_mis_rounds(struct cuda_job *job, struct mis_graph *g, struct mis_report *report);
/* Device bytes of the first one's workspace. */
uint64_t gg_mis_one_launch_bytes(uint32_t n);

/* Rows in order of degree, largest first, in place of g's; end[0] and end[1]: where those
** for blocks and those for warps end, zeroed before. (renumber.cu) */
struct mis_renumbered {
    uint8_t *code, *other_code;
    uint32_t *number, *other_number, *rank, *count;
    uint64_t *offset;
    uint32_t *target;
    unsigned char *cub;
    size_t cub_bytes;
};
void gg_mis_carve_renumbered(struct workspace *space, const struct mis_graph *g,
                             struct mis_renumbered *r);
bool gg_mis_renumber(struct cuda_job *job, struct mis_graph *g, struct mis_renumbered *r,
                     uint32_t *end);

/* ---- words ---- */

static __device__ __forceinline__ void gg_put(uint32_t *at, uint32_t value) {
    device_store(at, value);
}

/* Of a vertex with that number; hash(): of its id, where the priority asks for it. */
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

/* By the key of an open vertex, whose degree is not 0. */
static __device__ __forceinline__ uint32_t mis_word_of(const mis_graph &g, uint64_t key) {
    if (g.priority == GPUGRAPH_BY_DEGREE || g.priority == GPUGRAPH_BY_DEGREE_ID) {
        int top = 63 - __clzll((long long)key);
        key = (uint64_t)(top - 32) << 27 | key << (64 - top) >> 37;
    }
    return (key < MIS_DROPPED - 2 ? (uint32_t)key : MIS_DROPPED - 2) + 1;
}

/* Where a row ends. */
static __device__ __forceinline__ uint64_t mis_end(const mis_graph &g, uint32_t row) {
    return g.offset[row + (uint64_t)1];
}

static __device__ __forceinline__ uint32_t mis_number(const mis_graph &g, uint32_t row) {
    return g.number ? g.number[row] : row;
}

/* The key of mis.c without the last tie, by number; numbers take all of 32 bits. */
static __device__ __forceinline__ uint64_t mis_key(const mis_graph &g, uint32_t row,
                                                   uint64_t degree) {
    const uint32_t v = mis_number(g, row);
    return mis_key_of(g, v, degree, [&] { return gg_id_hash(g.hashes, v); });
}

/* The word of an open vertex; degree is not 0. */
static __device__ __forceinline__ uint32_t mis_word(const mis_graph &g, uint32_t row,
                                                    uint64_t degree) {
    return mis_word_of(g, mis_key(g, row, degree));
}

/* Neighbours of equal words: is u earlier than v? */
static __device__ __noinline__ bool mis_wins_tie(const mis_graph &g, uint32_t u,
                                                 uint32_t v) {
    uint64_t of_u = mis_key(g, u, mis_end(g, u) - g.offset[u]);
    uint64_t of_v = mis_key(g, v, mis_end(g, v) - g.offset[v]);
    return of_u != of_v ? of_u < of_v : mis_number(g, u) < mis_number(g, v);
}

/* One thread per row. */
static __device__ __forceinline__ void mis_first_word(const mis_graph &g, uint32_t row) {
    uint64_t degree = mis_end(g, row) - g.offset[row];
    g.word[row] = degree ? mis_word(g, row, degree) : MIS_JOINED;
}

/* ---- a look at neighbours, by a thread, a warp or a block ---- */

struct sight {
    uint64_t at;      /* the first arc whose end is open and earlier; else the end */
    uint32_t blocker; /* the end of that arc; GPUGRAPH_NONE where a block looked */
    uint32_t word;    /* the blocker's word */
    bool joined;      /* a neighbour has joined: the rest does not count */
};

template <int lanes> static __device__ __forceinline__ bool mis_any(bool value) {
    return lanes == 1    ? value
           : lanes == 32 ? __any_sync(ALL_LANES, value)
                         : __syncthreads_or(value) != 0;
}

/* Notes the first lane's blocker among arcs base .. base + lanes - 1. */
template <int lanes>
static __device__ __forceinline__ void mis_note(sight &s, bool blocks, uint64_t base,
                                                uint32_t u, uint32_t word) {
    if (lanes == 1) {
        if (blocks) {
            s.at = base;
            s.blocker = u;
            s.word = word;
        }
    } else if (lanes == 32) {
        unsigned mask = __ballot_sync(ALL_LANES, blocks);
        if (mask) {
            s.at = base + (__ffs(mask) - 1);
            s.blocker = __shfl_sync(ALL_LANES, u, __ffs(mask) - 1);
            s.word = __shfl_sync(ALL_LANES, word, __ffs(mask) - 1);
        }
    } else if (__syncthreads_or(blocks)) {
        s.at = base; /* not the end: that is all a block is asked */
    }
}

/* Looks at arcs at .. end - 1 of v, whose word is own: until the first neighbour that has
** joined and, patient, on behind the first earlier one; else no further. Each of `lanes`
** threads that look together reads `each` words at a time; chunks begin at multiples of
** 128 bytes.
**     TIES_SETTLED     neighbours of equal words are compared here
**     TIES_BLOCK       they end the look, and mis_past_tie is called: the comparison is a
**                      call that costs registers */
enum mis_look { TIES_SETTLED, TIES_BLOCK };
template <int lanes, int each, mis_look how>
static __device__ __forceinline__ sight mis_scan(const mis_graph &g, uint32_t v,
                                                 uint32_t own, uint64_t at, uint64_t end,
                                                 bool patient) {
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
            if (s.at == end) {
                bool blocks = how == TIES_SETTLED ? word[k] < own : word[k] <= own;
                if (how == TIES_SETTLED && word[k] == own)
                    blocks = mis_wins_tie(g, u[k], v);
                mis_note<lanes>(s, blocks, base + k * lanes, u[k], word[k]);
            }
        if (!patient && s.at != end)
            return s;
    }
    return s;
}

/* Has a tie ended the look of v? Where v is the earlier one, the next look goes on behind
** it. */
static __device__ __forceinline__ void mis_past_tie(const mis_graph &g, uint32_t v,
                                                    uint32_t own, sight *s) {
    if (s->blocker != GPUGRAPH_NONE && s->word == own &&
        !mis_wins_tie(g, s->blocker, v)) {
        s->at++;
        s->blocker = GPUGRAPH_NONE;
    }
}

#endif
