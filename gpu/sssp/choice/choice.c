/* Chooses the engine of a search, its queues and their parameters (choice.h).
**
** A Gaussian process predicts how much time each candidate loses to the best one. It was
** learned from measured graphs. tests/bench/sssp_process.py describes the model, and
** computes the same predictions.
**
**     features --- units ---> inputs, and a tilt: the logarithm of the arcs
**     inputs --- distances to remembered graphs ---> likenesses, 2^-distance
**     mean + sum of likeness * weights ---> the loss of every candidate
**     tilt * sum of 2^-(distance / WIDE) * tilts ---> the slope of losses over widths */
#include "choice.h"
#include "base/limits.h"
#include "learned/tables.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- parameters ---- */

/* The width of a bucket in typical weights. */
static double in_weights(const struct sssp_features *f, double weights) {
    double delta = f->typical_weight * weights;
    return delta > 0 && delta < 1e300 ? delta : 1;
}

/* That width divided by the mean degree, if the degree is over 1. */
static double width(const struct sssp_features *f, double weights) {
    return in_weights(f, weights / (f->degree > 1 ? f->degree : 1));
}

/* Multi-queues. More blocks only repeat more work. L0 is off: with an L0 that is read
** before L1 a grid of a million vertices takes four times as long (H200). */
static void set_queues(const struct sssp_features *f, struct sssp_parameters *p) {
    p->delta = width(f, GG_MLMQ_DELTA);
    p->blocks = 1;
    p->cooperative = 128;
    p->write_back = 16;
    p->l1_capacity = 32;
    p->bnum = 4;
}

/* Mean degree below which small rounds stay within blocks. */
#define THIN_DEGREE 8.0

/* Far vertices pull in graphs with a vertex of 64 times the mean degree. The bound lies 4
** typical weights, divided by the mean degree, behind its bucket; 2 and 8 take as long.
** The transpose is made after 4 searches, because it costs about what it saves in 4.
** Buckets become wider once the rest falls by an eighth (H200: rmat24 11.0 to 9.2 ms). */
static void set_persistent(const struct sssp_features *f, struct sssp_parameters *p) {
    p->local = f->degree < THIN_DEGREE;
    p->blocks = 4;
    p->fall = 0.875;
    p->pull = f->most_degree > 64 * f->degree ? width(f, 4) : 0;
    p->turn_after = 4;
    p->delta = p->local ? in_weights(f, 8) : width(f, 4);
}

/* Sets the parameters of a method by simple rules. Buckets of regions are 32 typical
** weights wide (H200, road24m: 19.6 ms with 8, 19.0 with 16, 18.9 with 32 and 64). */
static void set_parameters(const struct sssp_features *f, enum sssp_kind kind,
                           struct sssp_parameters *p) {
    memset(p, 0, sizeof *p);
    p->kind = kind;
    if (kind == SSSP_PERSISTENT)
        set_persistent(f, p);
    else if (kind == SSSP_REGIONS)
        p->delta = in_weights(f, 32);
    else
        set_queues(f, p);
}

/* The candidates of `auto`: a method, and the parameters that differ from the rules. */
static const struct candidate {
    enum sssp_kind kind;
    /* bucket width in typical weights, divided by the degree unless rounds are LOCAL */
    double weights;
    double blocks;                /* "persistent": for each multiprocessor */
    enum { WHOLE, LOCAL } rounds; /* LOCAL: small ones stay within blocks */
    uint32_t write_back;          /* multi-queues; 0: as by the rules */
} candidates[] = {
    {SSSP_PERSISTENT, .5, 4, LOCAL, 0}, {SSSP_PERSISTENT, 1, 4, LOCAL, 0},
    {SSSP_PERSISTENT, 2, 4, LOCAL, 0},  {SSSP_PERSISTENT, 4, 4, LOCAL, 0},
    {SSSP_PERSISTENT, 4, 2, LOCAL, 0},  {SSSP_PERSISTENT, 8, 2, LOCAL, 0},
    {SSSP_PERSISTENT, 16, 2, LOCAL, 0}, {SSSP_PERSISTENT, 32, 2, LOCAL, 0},
    {SSSP_PERSISTENT, 64, 2, LOCAL, 0}, {SSSP_L1V_L2DQ, 20, 0, WHOLE, 4},
    {SSSP_L1V_L2V, 20, 0, WHOLE, 0},    {SSSP_PERSISTENT, 1, 4, WHOLE, 0},
    {SSSP_PERSISTENT, 4, 4, WHOLE, 0},  {SSSP_PERSISTENT, 16, 4, WHOLE, 0},
    {SSSP_PERSISTENT, 32, 4, WHOLE, 0}, {SSSP_PERSISTENT, 256, 4, WHOLE, 0},
};

bool gg_sssp_candidate(size_t i, const struct sssp_features *f,
                       struct sssp_parameters *p) {
    if (i >= sizeof candidates / sizeof *candidates)
        return false;
    const struct candidate *c = &candidates[i];
    set_parameters(f, c->kind, p);
    p->delta = c->rounds == LOCAL ? in_weights(f, c->weights) : width(f, c->weights);
    if (p->kind == SSSP_PERSISTENT) {
        p->blocks = c->blocks;
        p->local = c->rounds == LOCAL;
    } else {
        p->write_back = c->write_back ? c->write_back : p->write_back;
    }
    return true;
}

static_assert((size_t)PROCESS_CANDIDATES == sizeof candidates / sizeof *candidates,
              "the choice was learned for these candidates: measure and learn again");

/* ---- the process ---- */

/* The largest input, in units: no measured graph is farther. */
#define FAR 8192.0

/* Rounds a value to whole units, at least -FAR and at most FAR. NaN becomes -FAR. */
static double in_units(double value, double unit) {
    const double scaled = value * unit;
    return round(scaled > -FAR ? (scaled < FAR ? scaled : FAR) : -FAR);
}

/* Most inputs are logarithms: of sizes, and of values divided by their means. */
static void set_inputs(const struct sssp_features *f, double *input) {
    const double degree = f->degree > 0 ? f->degree : 1;
    const double weight = f->weight > 0 ? f->weight : 1;
    const double inputs[PROCESS_INPUTS] = {log2((double)f->vertices + 1),
                                           log2(f->degree + 1),
                                           log2(f->degree_deviation / degree + 0.02),
                                           log2(f->most_degree / degree + 1),
                                           f->weight_deviation / weight,
                                           f->ball_depth};
    for (int i = 0; i < PROCESS_INPUTS; i++)
        input[i] = in_units(inputs[i], process_units[i]) - process_low[i];
}

/* Four times log2 of the arcs, minus a middle. No tilt is below that of the smallest
** measured graph. */
static double tilt_of(const struct sssp_features *f) {
    const double tilt = in_units(log2((double)f->arcs + 1), 4) - PROCESS_TILT;
    return tilt > PROCESS_LEAST_TILT ? tilt : PROCESS_LEAST_TILT;
}

/* The distance to a remembered graph, in octaves. */
static double distance_to(int point, const double *input) {
    double distance = 0;
    for (int i = 0; i < PROCESS_INPUTS; i++)
        distance += fabs(input[i] - process_points[i][point]);
    return distance / PROCESS_OCTAVE;
}

/* The candidate with the least predicted loss. Takes some microseconds. */
static size_t quickest_candidate(const struct sssp_features *f) {
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

/* A graph of low degree with a hub of 64 times the mean is not thin: with the parameters
** of roads an R-MAT of degree 8 takes 3.7 ms, otherwise 1.0. */
bool gg_path_is_thin(const struct sssp_features *f) {
    return f->degree < THIN_DEGREE && f->most_degree < f->degree * 64;
}

/* On R-MATs half and twice the bucket width are as good within a tenth, and 8 times the
** width is 1.5 to 4 times as slow. */
void gg_path_choose(const struct sssp_features *f, struct sssp_parameters *p) {
    set_parameters(f, SSSP_PERSISTENT, p);
    p->local = true;
    p->delta = gg_path_is_thin(f) ? in_weights(f, 8) : width(f, 0.12);
    if (gg_limits.sssp_adjust)
        gg_limits.sssp_adjust(p);
}

void gg_sssp_choose(const struct sssp_features *f, enum sssp_kind kind,
                    struct sssp_parameters *p) {
    if (kind == SSSP_AUTO)
        gg_sssp_candidate(quickest_candidate(f), f, p);
    else
        set_parameters(f, kind, p);
    if (gg_limits.sssp_adjust)
        gg_limits.sssp_adjust(p);
}
