/* The arithmetic that features.c and features.cu share, so that both come to the same
** numbers, to the bit.
**
**     degrees   of all vertices: sums of integers, in any order
**     weights   of at most FEATURE_WEIGHTS edges, evenly spread: number i is added to part
**               i % FEATURE_PARTS, part after part is added up in groups, groups in order
*/
#ifndef GPUGRAPH_SSSP_FEATURES_H
#define GPUGRAPH_SSSP_FEATURES_H

#include "sssp_choice.h"

#include <math.h>
#include <stdlib.h>

enum {
    FEATURE_WEIGHTS = 1 << 22,
    FEATURE_PARTS = 1 << 14,
    FEATURE_GROUPS = 1 << 8,
    FEATURE_SAMPLE = 512 /* weights whose median is the typical one */
};

struct degree_sums {
    unsigned long long square_low, square_high; /* of squares, by halves of 32 bits */
    unsigned long long most;
};

struct weight_sums {
    double sum, square, most;
};

/* Edge i of those that are looked at is number i * step. */
static inline uint64_t feature_step(uint64_t m, uint64_t looks) {
    return m / looks + (m % looks != 0);
}
static inline uint64_t feature_looks(uint64_t m, uint64_t step) {
    return step ? (m + step - 1) / step : 0;
}

static inline int compare_weights(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double deviation_of(double mean, double mean_square) {
    double variance = mean_square - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

/* sample: `count` weights, which are sorted here. */
static inline void finish_features(struct sssp_features *f, uint64_t n, uint64_t arcs,
                                   const struct degree_sums *degrees,
                                   const struct weight_sums *weights, uint64_t looks,
                                   double *sample, size_t count) {
    double squares =
        (double)degrees->square_high * 4294967296.0 + (double)degrees->square_low;
    size_t zeros = 0;
    f->vertices = n;
    f->arcs = arcs;
    f->degree = n ? (double)arcs / (double)n : 0;
    f->degree_deviation = n ? deviation_of(f->degree, squares / (double)n) : 0;
    f->most_degree = (double)degrees->most;
    f->weight = looks ? weights->sum / (double)looks : 0;
    f->weight_deviation =
        looks ? deviation_of(f->weight, weights->square / (double)looks) : 0;
    f->most_weight = weights->most;
    qsort(sample, count, sizeof *sample, compare_weights);
    while (zeros < count && !(sample[zeros] > 0))
        zeros++;
    f->typical_weight = zeros < count ? sample[zeros + (count - zeros) / 2] : 0;
}

#endif
