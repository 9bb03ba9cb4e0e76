/* Which candidate will be fastest: a Gaussian process of what each loses to the best,
** learned from measured graphs. tests/bench/sssp_process.py says how, and computes the
** same.
**
**     features --- units ---> 7 inputs, and a tilt (of the arcs)
**     inputs --- distances to remembered graphs ---> likenesses, 2^-distance
**     mean + sum of likeness * weights ---> the loss of every candidate
**     tilt * sum of likeness, wider, * tilts ---> the slope of losses over the width of buckets */
#include "process.h"
#include "sssp/choice/learned/tables.h"

#include <assert.h>
#include <math.h>

/* Units; no graph is farther. */
#define FAR 8192.0
static_assert((int)GG_PROCESS_CANDIDATES == (int)PROCESS_CANDIDATES,
              "the tables are of other candidates: measure and learn again");

const uint64_t gg_process_learned_from = PROCESS_LEARNED_FROM;

/* Whole units; a feature that is no number, or beyond all graphs, is put at an end. */
static double in_units(double value, double unit) {
    const double scaled = value * unit;
    return round(scaled > -FAR ? (scaled < FAR ? scaled : FAR) : -FAR);
}

/* Sizes by their logarithms, the rest in units of a mean. */
static void set_inputs(const struct sssp_features *f, double *input) {
    const double degree = f->degree > 0 ? f->degree : 1;
    const double weight = f->weight > 0 ? f->weight : 1;
    const double inputs[PROCESS_INPUTS] = {log2((double)f->vertices + 1),
                                           log2(f->degree + 1),
                                           log2(f->degree_deviation / degree + 0.02),
                                           log2(f->most_degree / degree + 1),
                                           f->weight_deviation / weight,
                                           f->ball_depth,
                                           f->ball_radius};
    for (int i = 0; i < PROCESS_INPUTS; i++)
        input[i] = in_units(inputs[i], process_units[i]) - process_low[i];
}

/* Quarters of an octave of arcs. Fewer than were learned from are as good as the fewest. */
static double tilt_of(const struct sssp_features *f) {
    const double tilt = in_units(log2((double)f->arcs + 1), 4) - PROCESS_TILT;
    return tilt > PROCESS_LEAST_TILT ? tilt : PROCESS_LEAST_TILT;
}

/* Octaves from a remembered graph. */
static double distance_to(int point, const double *input) {
    double distance = 0;
    for (int i = 0; i < PROCESS_INPUTS; i++)
        distance += fabs(input[i] - process_points[i][point]);
    return distance / PROCESS_OCTAVE;
}

size_t gg_process_choose(const struct sssp_features *f) {
    double input[PROCESS_INPUTS], loss[PROCESS_CANDIDATES], slope = 0;
    size_t best = 0;
    set_inputs(f, input);
    for (int c = 0; c < PROCESS_CANDIDATES; c++)
        loss[c] = process_mean[c];
    for (int i = 0; i < PROCESS_POINTS; i++) {
        const double distance = distance_to(i, input), alike = exp2(-distance);
        slope += exp2(-distance / PROCESS_WIDE) * process_tilts[i];
        for (int c = 0; c < PROCESS_CANDIDATES; c++)
            loss[c] += alike * process_weights[i][c];
    }
    slope *= tilt_of(f) / (1 << PROCESS_SHIFT);
    for (size_t c = 0; c < PROCESS_CANDIDATES; c++) {
        loss[c] += slope * process_slopes[c];
        best = loss[c] < loss[best] ? c : best;
    }
    return best;
}
