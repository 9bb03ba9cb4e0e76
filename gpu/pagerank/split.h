/* Sums in fixed point (fixed.h) by additions of doubles, several at a time, that round nothing away.
**
**     x       a multiple of 2^-96 below 2
**     high    the nearest multiple of 2^-50: of such the sums, below 4, are exact doubles
**     low     what is left, 2^-51 at most: of these the sums are exact as long as they are EXACT ones
**
** high + low is the sum, rounded once, as gg_unfix would round it. From SPLIT_CUT on every double is such
** an x; what is smaller must be cut first. */
#ifndef GPUGRAPH_SPLIT_H
#define GPUGRAPH_SPLIT_H

#include "fixed.h"

#define SPLIT_CUT 0x1p-43
#define SPLIT_BY                                                                         \
    4.0 /* doubles from it up to 8 are 2^-50 apart: a sum with it is rounded to that */
#define SPLIT_UNITS 0x1p96

enum { EXACT = 256 };

struct split {
    double high, low;
};

FIXED_HERE void split_add(struct split *sum, double x) {
    const double part = (x + SPLIT_BY) - SPLIT_BY;
    sum->high += part;
    sum->low += x - part;
}

/* Of at most EXACT numbers. */
FIXED_HERE gg_fixed split_fixed(struct split sum) {
    return gg_fix(sum.high) + (gg_fixed)(__int128)(int64_t)(sum.low * SPLIT_UNITS);
}

/* What gg_fix would cut off, cut off. */
FIXED_HERE double split_cut(double x) {
    return x < SPLIT_CUT ? gg_unfix(gg_fix(x)) : x;
}

#endif
