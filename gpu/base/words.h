/* Distances of every type as 64-bit words, and a heap of vertices by such words.
**
**     UINT32, UINT64    the number
**     REAL              the bits of the double; doubles of 0 or more keep their order
**     GG_INFINITE       a vertex that is not reached, or a sum beyond the range */
#ifndef GPUGRAPH_WORDS_H
#define GPUGRAPH_WORDS_H

#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define GG_INFINITE UINT64_MAX

GG_ANYWHERE double gg_word_real(uint64_t word) {
    double d;
    memcpy(&d, &word, sizeof d);
    return d;
}

GG_ANYWHERE uint64_t gg_real_word(double d) {
    uint64_t word;
    memcpy(&word, &d, sizeof word);
    return word;
}

/* Returns a + b; GG_INFINITE if the sum is beyond the range or a summand is infinite. */
static inline uint64_t gg_word_sum(gpugraph_distance_type type, uint64_t a, uint64_t b) {
    if (a == GG_INFINITE || b == GG_INFINITE)
        return GG_INFINITE;
    if (type != GPUGRAPH_REAL)
        return a + b > INT64_MAX ? GG_INFINITE : a + b;
    double sum = gg_word_real(a) + gg_word_real(b);
    return sum <= DBL_MAX ? gg_real_word(sum) : GG_INFINITE;
}

/* Returns entry i of the weights of arcs or edges. NULL: each weight is 1. */
static inline uint64_t gg_word_weight(gpugraph_distance_type type, const void *weight,
                                      uint64_t i) {
    if (!weight)
        return 1;
    switch (type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)weight)[i];
    case GPUGRAPH_UINT64:
        return (uint64_t)((const int64_t *)weight)[i];
    default:
        return gg_real_word(((const double *)weight)[i] + 0.0);
    }
}

/* Returns entry i of an array of distances. */
static inline uint64_t gg_word_at(gpugraph_distance_type type, const void *distance,
                                  uint64_t i) {
    switch (type) {
    case GPUGRAPH_UINT32: {
        uint32_t d = ((const uint32_t *)distance)[i];
        return d == UINT32_MAX ? GG_INFINITE : d;
    }
    case GPUGRAPH_UINT64:
        return ((const uint64_t *)distance)[i];
    default: {
        double d = ((const double *)distance)[i];
        return d <= DBL_MAX ? gg_real_word(d) : GG_INFINITE;
    }
    }
}

static inline void gg_put_word(gpugraph_distance_type type, void *distance, uint64_t i,
                               uint64_t word) {
    switch (type) {
    case GPUGRAPH_UINT32:
        ((uint32_t *)distance)[i] = word == GG_INFINITE ? UINT32_MAX : (uint32_t)word;
        break;
    case GPUGRAPH_UINT64:
        ((uint64_t *)distance)[i] = word;
        break;
    default:
        ((double *)distance)[i] = word == GG_INFINITE ? INFINITY : gg_word_real(word);
    }
}

/* ---- a heap with four children for each node; a vertex may have several entries ---- */

typedef struct gg_waiting {
    uint64_t word;
    uint32_t vertex;
} gg_waiting;

typedef struct gg_heap { /* empty if all members are 0 */
    gg_waiting *item;    /* free it by gg_release */
    uint64_t count, room;
} gg_heap;

/* Returns false if memory is exhausted. */
static inline bool gg_heap_put(gpugraph_run *run, gg_heap *h, uint32_t vertex,
                               uint64_t word) {
    if (h->count == h->room) {
        void *block = h->item;
        bool made = gg_make_room(run, &block, h->count, &h->room, sizeof *h->item);
        h->item = (gg_waiting *)block;
        if (!made)
            return false;
    }
    uint64_t at = h->count++;
    while (at > 0 && h->item[(at - 1) / 4].word > word) {
        h->item[at] = h->item[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    h->item[at] = (gg_waiting){word, vertex};
    return true;
}

/* Removes and returns the smallest entry; the heap must not be empty. */
static inline gg_waiting gg_heap_take(gg_heap *h) {
    gg_waiting least = h->item[0], last = h->item[--h->count];
    uint64_t at = 0, below = 1;
    while (below < h->count) {
        uint64_t end = below + 4 < h->count ? below + 4 : h->count, best = below;
        for (uint64_t i = below + 1; i < end; i++)
            best = h->item[i].word < h->item[best].word ? i : best;
        if (h->item[best].word >= last.word)
            break;
        h->item[at] = h->item[best];
        at = best;
        below = 4 * at + 1;
    }
    h->item[at] = last;
    return least;
}

#endif
