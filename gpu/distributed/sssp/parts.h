/* A search for shortest paths over parts while it is under way: what parts.c and several.cu share. */
#ifndef GPUGRAPH_SSSP_PARTS_H
#define GPUGRAPH_SSSP_PARTS_H

#include "distributed/partition/part.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sssp_part {
    gpugraph_part *p;
    gpugraph_run *run;
    enum part_layout layout;
    uint64_t bound;    /* a word: nothing farther is stored */
    bool within_range; /* the bound is the caller's: what lies beyond is not wanted */
    bool none;         /* it is below 0 */
    uint64_t over;     /* not 0: a sum left the range */
    void *distance, *scanned; /* as layout says */
    uint64_t limit;           /* a word: what is relaxed is within it */
    double delta;             /* that the limit grows by */
    /* Locals whose rows are to be relaxed: within the limit, in two lists, and beyond it. */
    struct part_changes now, next, later;
    struct part_changes told; /* ghosts and masters that other parts must know of */
    uint64_t rounds, arcs;
};

static inline void gg_sssp_put(const struct sssp_part *s, void *array, uint64_t i,
                               uint64_t word) {
    if (s->layout == PART_NARROW)
        ((uint32_t *)array)[i] = (uint32_t)word;
    else
        ((uint64_t *)array)[i] = word;
}
static inline uint64_t gg_sssp_at(const struct sssp_part *s, const void *array,
                                  uint64_t i) {
    return part_value(array, i, s->layout == PART_NARROW ? PART_NARROW : PART_WHOLE);
}
static inline struct part_field gg_sssp_distances(const struct sssp_part *s) {
    return s->layout == PART_NARROW
               ? (struct part_field){s->distance, sizeof(uint32_t), part_least_32}
               : (struct part_field){s->distance, sizeof(uint64_t), part_least_64};
}

#ifdef __cplusplus
}
#endif
#endif
