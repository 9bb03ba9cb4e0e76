/* Which candidate will be fastest: a Gaussian process of what each loses to the best, learned from
** measured graphs. tests/bench/sssp_process.py says how, and computes the same.
**
**     features --- whole units ---> 9 inputs and a tilt (of the arcs)
**     inputs --- distances to remembered graphs ---> likenesses, 2^-distance
**     mean + sum of likeness * weights ---> the loss of every candidate
**     tilt * sum of likeness, wider, * tilts ---> the slope of losses over the width of buckets
**
** Beyond the logarithms and their rounding to units all is of integers, so the choice is the same on
** every machine. */
#include "process.h"
#include "sssp/choice/learned/tables.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAR = 1 << 13, /* units; no graph is farther */
    HALVING = PROCESS_OCTAVE * PROCESS_WIDE,
    MOST_HALVINGS = 15 /* nothing is left of a likeness */
};
static_assert((int)GG_PROCESS_CANDIDATES == (int)PROCESS_CANDIDATES,
              "the tables are of other candidates: measure and learn again");
static_assert((int64_t)FAR * 2 * PROCESS_INPUTS * PROCESS_WIDE < INT32_MAX,
              "distances fit 32 bits");

const uint64_t gg_process_learned_from = PROCESS_LEARNED_FROM;

/* Whole units; a feature that is no number, or beyond all graphs, is put at an end. */
static int32_t units(double value, double unit) {
    const double scaled = value * unit;
    return (int32_t)lround(scaled > -FAR ? (scaled < FAR ? scaled : FAR) : -FAR);
}

/* Sizes by their logarithms, the rest in units of a mean. */
static void set_inputs(const struct sssp_features *f, int32_t *input) {
    const double degree = f->degree > 0 ? f->degree : 1;
    const double weight = f->weight > 0 ? f->weight : 1;
    const double inputs[PROCESS_INPUTS] = {log2((double)f->vertices + 1),
                                           log2(f->degree + 1),
                                           log2(f->degree_deviation / degree + 0.02),
                                           log2(f->most_degree / degree + 1),
                                           f->weight_deviation / weight,
                                           f->ball_depth,
                                           f->ball_radius,
                                           f->probe_met,
                                           f->probe_radius};
    for (int i = 0; i < PROCESS_INPUTS; i++)
        input[i] = units(inputs[i], process_units[i]) - process_low[i];
}

/* Quarters of an octave of arcs. Fewer than were learned from are as good as the fewest. */
static int32_t tilt_of(const struct sssp_features *f) {
    const int32_t tilt = units(log2((double)f->arcs + 1), 4) - PROCESS_TILT;
    return tilt > PROCESS_LEAST_TILT ? tilt : PROCESS_LEAST_TILT;
}

/* To every remembered graph. */
static void set_distances(const int32_t *input, uint32_t *distance) {
    memset(distance, 0, PROCESS_POINTS * sizeof *distance);
    for (int i = 0; i < PROCESS_INPUTS; i++)
        for (int point = 0; point < PROCESS_POINTS; point++)
            distance[point] += (uint32_t)abs(input[i] - process_points[i][point]);
}

static short likeness(uint32_t distance) {
    const uint32_t halvings = distance / HALVING;
    return halvings < MOST_HALVINGS
               ? (short)(process_likeness[distance % HALVING] >> halvings)
               : 0;
}

size_t gg_process_choose(const struct sssp_features *f) {
    int32_t input[PROCESS_INPUTS];
    uint32_t distance[PROCESS_POINTS];
    int32_t loss[PROCESS_CHOICES]; /* the learner sees that they fit */
    int64_t slope = 0, least = INT64_MAX;
    size_t best = 0;
    set_inputs(f, input);
    set_distances(input, distance);
    for (int c = 0; c < PROCESS_CHOICES; c++)
        loss[c] = process_mean[c];
    for (int i = 0; i < PROCESS_POINTS; i++) {
        const short alike = likeness(PROCESS_WIDE * distance[i]);
        slope += likeness(distance[i]) * process_tilts[i];
        if (alike == 0)
            continue;
        for (int c = 0; c < PROCESS_CHOICES; c++)
            loss[c] += alike * process_weights[i][c];
    }
    slope = slope * tilt_of(f) / ((int64_t)1 << PROCESS_SHIFT);
    for (int c = 0; c < PROCESS_CHOICES; c++) {
        const int64_t loses = loss[c] + slope * process_slopes[c];
        best = loses < least ? (size_t)c : best;
        least = loses < least ? loses : least;
    }
    return process_choices[best];
}
