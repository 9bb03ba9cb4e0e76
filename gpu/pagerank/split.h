/* Exact sums in fixed point (fixed.h) by additions of doubles, several at a time.
**
**     x       a multiple of 2^-96 below 2
**     high    the nearest multiple of 2^-50; sums of these below 4 are exact doubles
**     low     the rest, at most 2^-51; sums of up to EXACT of these are exact
**
** high + low is the sum, rounded once, as gg_unfix would round it. Each double from
** SPLIT_CUT on is such an x. Smaller doubles must be cut first. */
#ifndef GPUGRAPH_SPLIT_H
#define GPUGRAPH_SPLIT_H

#include "fixed.h"

#include <stdbool.h>

/* Targets are prefetched this number of bytes ahead. An arc of R-MAT of scale 20 takes
** 1.08 ns with prefetching and 1.48 ns without. 1 to 4 KiB are equally good. (One thread
** of an AMD EPYC.) */
enum { PAGERANK_AHEAD = 2048 };

#define SPLIT_CUT 0x1p-43
/* Doubles from 4 to 8 are 2^-50 apart, so x + 4 is rounded to a multiple of 2^-50. */
#define SPLIT_BY    4.0
#define SPLIT_UNITS 0x1p96

enum { EXACT = 256 };

struct split {
    double high, low;
};

GG_ANYWHERE void split_add(struct split *sum, double x) {
    const double part = (x + SPLIT_BY) - SPLIT_BY;
    sum->high += part;
    sum->low += x - part;
}

/* The sum must have at most EXACT numbers. */
GG_ANYWHERE gg_fixed split_fixed(struct split sum) {
    return gg_fix(sum.high) + (gg_fixed)(__int128)(int64_t)(sum.low * SPLIT_UNITS);
}

/* Cuts off what gg_fix would cut off. */
GG_ANYWHERE double split_cut(double x) {
    return x < SPLIT_CUT ? gg_unfix(gg_fix(x)) : x;
}

#ifndef __CUDACC__ /* a device uses its lanes instead */

/* Two numbers, and two sums side by side. */
typedef double two_doubles __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t two_words __attribute__((vector_size(2 * sizeof(int64_t))));

struct two_splits {
    two_doubles high, low;
};

/* A sum begins at SPLIT_BY, where doubles are as far apart as high parts, so that adding
** rounds to a high part. */
static inline struct two_splits split_none(void) {
    return (struct two_splits){{SPLIT_BY, SPLIT_BY}, {0, 0}};
}

static inline void split_add_two(struct two_splits *sum, two_doubles x) {
    const two_doubles high = sum->high + x;
    sum->low += x - (high - sum->high);
    sum->high = high;
}

static inline struct split split_of_both(struct two_splits one, struct two_splits other) {
    const two_doubles by = {SPLIT_BY, SPLIT_BY};
    one.high = (one.high - by) + (other.high - by);
    one.low += other.low;
    return (struct split){one.high[0] + one.high[1], one.low[0] + one.low[1]};
}

static inline two_doubles two_at(const double *at) {
    return (two_doubles){at[0], at[1]};
}

static inline two_doubles two_of(double x) {
    return (two_doubles){x, x};
}

static inline two_doubles two_distances(two_doubles x, two_doubles y) {
    const two_words sign = {INT64_MAX, INT64_MAX};
    return (two_doubles)((two_words)(x - y) & sign);
}

/* ---- sums over rows ---- */

enum { GROUP = 4 }; /* entries that are added side by side */

/* A row of one group. `keep` selects the entries that count. */
static inline struct split split_group(const double *share, const uint32_t *at,
                                       const two_words keep[2]) {
    const two_doubles by = {SPLIT_BY, SPLIT_BY}, low = {share[at[0]], share[at[1]]},
                      high = {share[at[2]], share[at[3]]};
    const two_doubles one = (two_doubles)((two_words)low & keep[0]),
                      other = (two_doubles)((two_words)high & keep[1]);
    const two_doubles part = (one + by) - by, part_of_other = (other + by) - by;
    const two_doubles rest = (one - part) + (other - part_of_other),
                      sum = part + part_of_other;
    return (struct split){sum[0] + sum[1], rest[0] + rest[1]};
}

/* The sum of share[target[first .. end - 1]], at most EXACT entries. padded: GROUP
** entries exist behind the row. Entries of the last group that are not in the row count
** as 0. So no branch depends on the length of a row, except the loop over its groups.
**
** Targets come in order, but the processor does not prefetch them far enough among all
** the loads of shares. They are prefetched for one use, and a prefetch past the end of
** the array does no harm. */
static inline struct split split_sum(const double *share, const uint32_t *target,
                                     uint64_t first, uint64_t end, bool padded) {
    static const two_words keep[GROUP + 1][2] = {{{0, 0}, {0, 0}},
                                                 {{-1, 0}, {0, 0}},
                                                 {{-1, -1}, {0, 0}},
                                                 {{-1, -1}, {-1, 0}},
                                                 {{-1, -1}, {-1, -1}}};
    const uint32_t *at = target + first;
    uint64_t left = end - first;
    if (!padded) {
        struct split sum = {0, 0};
        for (uint64_t i = 0; i < left; i++)
            split_add(&sum, share[at[i]]);
        return sum;
    }
    if (left <= GROUP)
        return split_group(share, at, keep[left]);
    struct two_splits one = split_none(), other = one;
    for (; left > GROUP; left -= GROUP, at += GROUP) {
        __builtin_prefetch((const void *)((uintptr_t)at + PAGERANK_AHEAD), 0, 0);
        split_add_two(&one, (two_doubles){share[at[0]], share[at[1]]});
        split_add_two(&other, (two_doubles){share[at[2]], share[at[3]]});
    }
    const two_doubles low = {share[at[0]], share[at[1]]},
                      high = {share[at[2]], share[at[3]]};
    split_add_two(&one, (two_doubles)((two_words)low & keep[left][0]));
    split_add_two(&other, (two_doubles)((two_words)high & keep[left][1]));
    return split_of_both(one, other);
}

/* ---- sums over short rows ---- */

enum { SHORT_ROWS = 64 }; /* rows that are added up together, at most */

/* arrived[r] is the sum of share[target[i]] over row[r] <= i < row[r + 1], rounded once,
** for rows with at most EXACT arcs together. The running sums over all arcs are exact, so
** the difference of two running sums is the sum of a row, and no branch depends on the
** length of a row. (High parts stay below 4, because all shares together are at most
** 1.) */
static inline void split_differences(const double *share, const uint32_t *target,
                                     const uint64_t *row, uint64_t rows,
                                     double *arrived) {
    const two_doubles by = {SPLIT_BY, SPLIT_BY};
    const uint64_t first = row[0], arcs = row[rows] - first;
    two_doubles to[EXACT + 1], sum = {0, 0}; /* high, low */
    uint64_t i = 0;
    to[0] = sum;
    target += first;
    for (; i + 1 < arcs; i += 2) { /* a sum depends on the last one once in two arcs */
        const two_doubles x = {share[target[i]], share[target[i + 1]]},
                          part = (x + by) - by, rest = x - part;
        const two_doubles one = {part[0], rest[0]}, other = {part[1], rest[1]};
        to[i + 1] = sum + one;
        sum += one + other;
        to[i + 2] = sum;
    }
    if (i < arcs) {
        const double x = share[target[i]], part = (x + SPLIT_BY) - SPLIT_BY;
        to[arcs] = sum + (two_doubles){part, x - part};
    }
    for (i = 0; i + 1 < rows; i += 2) {
        const two_doubles middle = to[row[i + 1] - first],
                          one = middle - to[row[i] - first],
                          other = to[row[i + 2] - first] - middle;
        const two_doubles arrives =
            (two_doubles){one[0], other[0]} + (two_doubles){one[1], other[1]};
        memcpy(&arrived[i], &arrives, sizeof arrives);
    }
    if (i < rows) {
        const two_doubles last = to[arcs] - to[row[i] - first];
        arrived[i] = last[0] + last[1];
    }
}

#endif
#endif
