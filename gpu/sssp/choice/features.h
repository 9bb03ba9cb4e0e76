/* The arithmetic that features.c and features.cu share, so that both come to the same
** numbers, to the bit.
**
**     degrees   of all vertices: sums of integers, in any order
**     weights   of at most FEATURE_WEIGHTS edges, evenly spread: number i is added to part
**               i % FEATURE_PARTS, part after part is added up in groups, groups in order
**     balls     around FEATURE_BALLS vertices, each the start of an arc: how many levels a
**               breadth-first search takes to meet FEATURE_BALL vertices. Degrees cannot
**               tell a graph of near neighbours from one of random ones; this can.
**     radii     around the same vertices: how far, in typical weights, the FEATURE_NEAR-th
**               nearest vertex is, by Dijkstra's search, one vertex at a time and of equally
**               near ones the least. So wide are the buckets that hold so many vertices. Of
**               a row with more than FEATURE_NEAR_ARCS arcs only a share is walked, chosen
**               by hash: arcs of a row are in any order.
**     probes    around the same vertices: a search in rounds (Bellman and Ford), in each of
**               which all vertices whose distance has fallen are relaxed, from what it was
**               when the round began; rows are walked as for radii. It ends before the round
**               that would meet too many vertices. How many it met, how often it relaxed the
**               same one, and how far the nearest was that was still to be relaxed.
*/
#ifndef GPUGRAPH_SSSP_FEATURES_H
#define GPUGRAPH_SSSP_FEATURES_H

#include "choice.h"

#include <math.h>
#include <stdlib.h>

enum {
    FEATURE_WEIGHTS = 1 << 22,
    FEATURE_PARTS = 1 << 14,
    FEATURE_GROUPS = 1 << 8,
    FEATURE_SAMPLE = 512, /* weights whose median is the typical one */
    FEATURE_BALLS = 16,
    FEATURE_BALL = 1024,
    FEATURE_BALL_TABLE = 4 * FEATURE_BALL, /* places of a set of its vertices */
    FEATURE_BALL_LEVELS = 64, /* also of a search that ends before; no more are tried */
    FEATURE_BALL_ARCS = 4096, /* of a row; more only repeat what was met */
    FEATURE_NEAR = 64,
    FEATURE_NEAR_ARCS = 32,    /* of a row, at most, and at least half, on average */
    FEATURE_NEAR_ROW = 1024,   /* a longer row is not walked */
    FEATURE_NEAR_MET = 1536,   /* a search that has met more vertices ends */
    FEATURE_NEAR_TABLE = 3584, /* places of a set of them */
    FEATURE_PROBE_MET = 1024,
    FEATURE_PROBE_TABLE = 2 * FEATURE_PROBE_MET,
    FEATURE_PROBE_ROUNDS = 32
};

/* What came of a probe; nothing relaxed: there was none. */
struct feature_probe {
    double least; /* distance of the nearest vertex to relax in its last round */
    uint32_t met; /* vertices, in the rounds that were completed */
    uint32_t relaxed, settled; /* times that one was relaxed; how many vertices were */
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

#ifdef __CUDACC__
#define FEATURE_SIDES static inline __host__ __device__
#else
#define FEATURE_SIDES static inline
#endif

/* The edge whose start is the middle of ball i. */
FEATURE_SIDES uint64_t feature_ball_edge(uint64_t m, int i) {
    uint64_t part = m / (2 * FEATURE_BALLS), rest = m % (2 * FEATURE_BALLS);
    uint64_t odd = 2 * (uint64_t)i + 1;
    return odd * part + odd * rest / (2 * FEATURE_BALLS);
}

/* Of a row with so many arcs, those are walked whose hash has so many leading zeros. */
FEATURE_SIDES int feature_near_zeros(uint64_t degree) {
    int zeros = 0;
    while (degree >> zeros > FEATURE_NEAR_ARCS)
        zeros++;
    return zeros;
}

/* Weights that no search takes are walked by none of these either. */
FEATURE_SIDES bool feature_near_arc(uint32_t row, uint32_t target, double weight,
                                    int zeros) {
    uint32_t hash = (target + row * 0x9E3779B9u) * 2654435761u;
    return weight >= 0 && (zeros == 0 || hash >> (32 - zeros) == 0);
}

/* Mean of log2(levels + 1). */
static inline double feature_ball_depth(const uint32_t *levels) {
    double sum = 0;
    for (int i = 0; i < FEATURE_BALLS; i++)
        sum += log2((double)levels[i] + 1);
    return sum / FEATURE_BALLS;
}

/* radius: not 0 or more where a search found nothing but its source. Mean of the others'
** logarithms; 0: there are none. */
static inline double feature_ball_radius(const double *radius, double typical) {
    double sum = 0;
    int balls = 0;
    for (int i = 0; i < FEATURE_BALLS; i++) {
        double weights = typical > 0 ? radius[i] / typical : 0;
        if (!(radius[i] >= 0))
            continue;
        sum += log2((weights < 1e12 ? weights : 1e12) + 1.0 / 1024);
        balls++;
    }
    return balls > 0 ? sum / balls : 0;
}

/* Means of the probes' logarithms; 0: there are none. */
static inline void feature_probes(const struct feature_probe *probe,
                                  struct sssp_features *f) {
    double met = 0, work = 0, radius = 0;
    int probes = 0;
    for (int i = 0; i < FEATURE_BALLS; i++) {
        double weights = f->typical_weight > 0 ? probe[i].least / f->typical_weight : 0;
        if (probe[i].relaxed == 0)
            continue;
        met += log2((double)probe[i].met);
        work += log2((double)probe[i].relaxed / probe[i].settled);
        radius += log2((weights < 1e12 ? weights : 1e12) + 1.0 / 1024);
        probes++;
    }
    f->probe_met = probes > 0 ? met / probes : 0;
    f->probe_work = probes > 0 ? work / probes : 0;
    f->probe_radius = probes > 0 ? radius / probes : 0;
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
