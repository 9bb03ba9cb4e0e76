/* Common declarations of labels.cu and hubs.cu: the arrays of a run, counting on chip,
** and the functions of hubs.cu.
**
**     key    label  -  label  label    an open table on chip, of a warp or of a block. A
**     count    3    0    1      9      slot has a label or NONE. After each row all slots
**                                      are empty. */
#ifndef GPUGRAPH_LABELS_CUH
#define GPUGRAPH_LABELS_CUH

#include "labels.h"
#include "base/handed.cuh"
#include "graph/frontier.cuh"

#include <algorithm>

enum {
    NONE = -1,
    LANE_ROW = 8,
    LEAST_SLOTS = 64,   /* the least number of slots that a row uses */
    WARP_SLOTS = 512,   /* slots of a warp's table */
    WARP_ROW = 384,     /* arcs that a warp's table can hold */
    BLOCK_SLOTS = 4096, /* slots of a block's table */
    SLICE = 3072,       /* arcs that a block's table can hold */
    AT_ONCE = 4,        /* labels that a lane loads together */
    ROW_BLOCKS = 32,    /* for each multiprocessor */
    WARPS = GG_BLOCK / GG_WARP
};

typedef unsigned long long word;

struct state {
    uint32_t rows, hubs; /* numbers of long rows and of hubs */
    uint32_t changed;
};

struct hub {
    uint64_t at;    /* at first its number of arcs; then the place of its table */
    uint32_t slots; /* more than its largest number of labels */
    uint32_t v;
};

struct batch { /* hubs whose tables fit the room together */
    uint64_t slice, end, slots;
};

struct plan {
    struct batch *batch;
    uint32_t hubs, batches;
};

struct spreading {
    struct device_csr rows;
    const uint32_t *label;
    uint32_t *next;
    struct state *state;
    uint32_t *row;   /* vertices whose rows one block counts */
    struct hub *hub; /* vertices whose rows many blocks count */
    uint64_t *slice; /* number of the hub << 32 | slice of its row */
    word *best;      /* of each hub: count << 32 | ~label */
    uint32_t *key;   /* the room: keys */
    uint32_t *count; /* the room: counts, as many as keys */
    uint64_t room;
    uint32_t odd; /* the odd number of the placing hash */
};

/* ---- hubs.cu ---- */

/* Carves the arrays of hubs. Only the sizes of s->rows must be known. */
void gg_carve_hubs(struct workspace *space, struct spreading *s);
/* Gives tables to the hubs that state->hubs counts. The caller frees plan->batch. */
bool gg_plan_hubs(struct cuda_job *job, const struct spreading *s, struct plan *plan);
/* Queues an iteration of the hubs. */
void gg_queue_hubs(struct cuda_job *job, const struct spreading *s,
                   const struct plan *plan);

/* ---- counting on chip ---- */

/* The binary logarithm of the number of slots for the labels of `arcs` arcs. There are at
** least twice as many slots as arcs, if the table allows. */
static __device__ __forceinline__ uint32_t slot_bits(uint64_t arcs, uint32_t most) {
    const uint32_t slots = arcs < LEAST_SLOTS / 2 ? LEAST_SLOTS
                           : 2 * arcs > most      ? most
                                                  : 2 * (uint32_t)arcs;
    return 32 - (uint32_t)__clz((int)(slots - 1));
}

static __device__ __forceinline__ void count_on_chip(uint32_t odd, uint32_t *key,
                                                     uint32_t *count, uint32_t bits,
                                                     uint32_t label) {
    const uint32_t last = (1u << bits) - 1;
    uint32_t at = gg_place_number(odd, label) >> (32 - bits);
    for (uint32_t looks = 0; looks <= last; looks++, at = (at + 1) & last) {
        uint32_t there = gg_handed_now(&key[at]);
        if (there == (uint32_t)NONE)
            there = atomicCAS(&key[at], (uint32_t)NONE, label);
        if (there == (uint32_t)NONE || there == label) {
            atomicAdd(&count[at], 1u);
            return;
        }
    }
}

/* Counts the labels at arcs first, first + step, ... before end, without loops. */
static __device__ __forceinline__ void count_arc_labels(const spreading &s, uint32_t v,
                                                        uint64_t first, uint64_t end,
                                                        uint32_t step, uint32_t *key,
                                                        uint32_t *count, uint32_t bits) {
    for (uint64_t i = first; i < end; i += (uint64_t)AT_ONCE * step) {
        uint32_t target[AT_ONCE], label[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint64_t arc = i + (uint64_t)k * step;
            target[k] = arc < end ? s.rows.target[arc] : v;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            label[k] = target[k] != v ? __ldg(&s.label[target[k]]) : (uint32_t)NONE;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (label[k] != (uint32_t)NONE)
                count_on_chip(s.odd, key, count, bits, label[k]);
    }
}

static __device__ __forceinline__ word vote(uint32_t label, uint32_t count) {
    return count > 0 ? (word)count << 32 | (uint32_t)~label : 0;
}

static __device__ __forceinline__ word better(word a, word b) {
    return a > b ? a : b;
}

static __device__ __forceinline__ word best_of_warp(word mine) {
    const uint32_t count = __reduce_max_sync(ALL_LANES, (uint32_t)(mine >> 32));
    const uint32_t low = __reduce_max_sync(
        ALL_LANES, (uint32_t)(mine >> 32) == count ? (uint32_t)mine : 0);
    return (word)count << 32 | low;
}

/* Returns the best label of the slots first, first + step, ... of a table, and empties
** these slots. */
static __device__ __forceinline__ word best_on_chip(uint32_t *key, uint32_t *count,
                                                    uint32_t first, uint32_t slots,
                                                    uint32_t step) {
    word best = 0;
    for (uint32_t at = first; at < slots; at += step) {
        best = better(best, vote(key[at], count[at]));
        key[at] = (uint32_t)NONE;
        count[at] = 0;
    }
    return best;
}

/* ---- the table of a block ---- */

struct block_table {
    uint32_t key[BLOCK_SLOTS], count[BLOCK_SLOTS];
    word best[WARPS];
};

static __device__ __forceinline__ void empty_table(block_table *table) {
    for (uint32_t at = threadIdx.x; at < BLOCK_SLOTS; at += GG_BLOCK) {
        table->key[at] = (uint32_t)NONE;
        table->count[at] = 0;
    }
    __syncthreads();
}

/* Returns the best label of all threads to thread 0. */
static __device__ __forceinline__ word best_of_block(block_table *table, word best) {
    best = best_of_warp(best);
    if (gg_lane() == 0)
        table->best[threadIdx.x / GG_WARP] = best;
    __syncthreads();
    for (int i = 0; i < WARPS && threadIdx.x == 0; i++)
        best = better(best, table->best[i]);
    __syncthreads();
    return best;
}

/* Sets the next label of v. Returns true if the label has changed. */
static __device__ __forceinline__ bool settle_label(const spreading &s, uint32_t v,
                                                    word best) {
    const uint32_t old = s.label[v], now = best ? ~(uint32_t)best : old;
    s.next[v] = now;
    return now != old;
}

#endif
