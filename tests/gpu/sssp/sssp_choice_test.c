/* The choices of `auto` for shortest paths on a device, against the figures that it was
** learned from. The tables in C and the code around them must make the learner's choices,
** which were fast. Named methods keep their engine, and odd features have a valid
** choice. */
/* ctest: serial */
#include "expect.h"
#include "suite.h"
#include "sssp/choice/choice.h"
#include "sssp/choice/learned/tables.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static bool same(const struct sssp_parameters *a, const struct sssp_parameters *b) {
    return a->kind == b->kind && a->delta == b->delta && a->blocks == b->blocks &&
           a->local == b->local && a->write_back == b->write_back && a->bnum == b->bnum;
}

/* The number of the chosen candidate. Fails if there is none. */
static size_t chosen(const struct sssp_features *f) {
    struct sssp_parameters p, candidate;
    gg_sssp_choose(f, SSSP_AUTO, &p);
    for (size_t i = 0; gg_sssp_candidate(i, f, &candidate); i++)
        if (same(&p, &candidate))
            return i;
    ck_abort_msg("kind %d with delta %g is no candidate", (int)p.kind, p.delta);
    return 0;
}

/* Reads a field; DBL_MAX: it is empty. */
static double figure(const char **line) {
    char *end;
    double value = strtod(*line, &end);
    value = end > *line ? value : DBL_MAX;
    *line = *end == ',' ? end + 1 : end;
    return value;
}

#define FIGURES GPUGRAPH_SOURCE_DIR "/tests/bench/data/sssp_training.csv"

/* Reads the features of a line. Returns the beginning of its times. */
static const char *read_features(const char *line, struct sssp_features *f) {
    const char *at = strchr(line, ',') + 1;
    memset(f, 0, sizeof *f);
    f->vertices = (uint64_t)figure(&at);
    f->arcs = (uint64_t)figure(&at);
    f->degree = figure(&at);
    f->degree_deviation = figure(&at);
    f->most_degree = figure(&at);
    f->weight = f->typical_weight = figure(&at);
    f->weight_deviation = figure(&at);
    f->ball_depth = figure(&at);
    return at;
}

/* The speed of candidate c relative to the best one, by the times of a line. */
static double speed_of(const char *at, size_t c) {
    double ms[MOST], best = DBL_MAX;
    size_t count = 0;
    for (; *at && *at != '\n' && count < MOST; count++) {
        ms[count] = figure(&at);
        best = ms[count] < best ? ms[count] : best;
    }
    ck_assert_uint_lt(c, count);
    return best / ms[c];
}

/* A line is a graph: name, features, and the ms of every candidate. The choice must be
** the learner's, and nearly always fast. */
START_TEST(learned_figures) {
    FILE *file = fopen(FIGURES, "r");
    FILE *told = fopen(GPUGRAPH_SOURCE_DIR "/tests/bench/data/sssp_chosen.txt", "r");
    char line[1000];
    int graphs = 0, good = 0;
    unsigned c;
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(told);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        struct sssp_features f;
        const char *times = read_features(line, &f);
        const size_t mine = chosen(&f);
        const double speed = speed_of(times, mine);
        ck_assert_int_eq(fscanf(told, "%u", &c), 1);
        expect(mine == c, "%.30s: %zu is chosen, %u was by the learner", line, mine, c);
        /* Names of benchmark graphs have no dash. */
        if (strchr(line, '-') > strchr(line, ','))
            expect(speed >= 0.95, "%.30s: %.2f of the best", line, speed);
        graphs++;
        good += speed >= 0.9;
    }
    ck_assert_int_eq(fscanf(told, "%u", &c), EOF);
    fclose(told);
    fclose(file);
    ck_assert_int_ge(graphs, 700);
    expect(good >= 0.91 * graphs, "%d of %d graphs reach 0.9 of the best", good, graphs);
}
END_TEST

/* The tables were learned from these figures: FNV-1a of the file. */
START_TEST(learned_anew) {
    FILE *file = fopen(FIGURES, "rb");
    uint64_t value = 0xcbf29ce484222325;
    int byte;
    ck_assert_ptr_nonnull(file);
    while ((byte = getc(file)) != EOF)
        value = (value ^ (unsigned)byte) * 0x100000001b3;
    fclose(file);
    ck_assert_msg(
        value == PROCESS_LEARNED_FROM,
        "figures have changed: tests/bench/sssp_learn.py says how to learn anew");
}
END_TEST

START_TEST(named_methods) {
    struct sssp_features f = {.vertices = 1000, .arcs = 3000, .degree = 3};
    struct sssp_parameters p;
    f.weight = f.typical_weight = 10;
    gg_sssp_choose(&f, SSSP_PERSISTENT, &p);
    ck_assert(p.kind == SSSP_PERSISTENT && p.delta > 0 && p.blocks > 0);
    ck_assert(p.local);
    f.degree = 50;
    gg_sssp_choose(&f, SSSP_PERSISTENT, &p);
    ck_assert(!p.local);
}
END_TEST

/* R-MATs larger than any measured one do not get wider buckets, and rounds stay with all
** blocks: slopes continue, and no other candidate takes over. */
START_TEST(larger_graphs) {
    struct sssp_features f = {.vertices = 1 << 24, .arcs = 520759762};
    struct sssp_parameters p;
    double delta = DBL_MAX;
    f.degree = 31.04;
    f.degree_deviation = 460;
    f.most_degree = 406319;
    f.weight = f.typical_weight = 128;
    f.weight_deviation = 73.6;
    f.ball_depth = 1.4;
    for (int octave = 0; octave < 7; octave++) {
        gg_sssp_choose(&f, SSSP_AUTO, &p);
        ck_assert_int_eq(p.kind, SSSP_PERSISTENT);
        expect(!p.local && p.delta <= delta, "%d octaves: delta %g after %g", octave,
               p.delta, delta);
        delta = p.delta;
        f.vertices *= 2;
        f.arcs *= 2;
    }
}
END_TEST

/* No vertices, no weights, weights of 0 only, the largest weights. */
START_TEST(odd_features) {
    static const double weights[] = {0, DBL_TRUE_MIN, 1, 1e18, DBL_MAX};
    static const uint64_t sizes[] = {0, 1, UINT32_MAX};
    for (size_t w = 0; w < 5; w++)
        for (size_t n = 0; n < 3; n++)
            for (size_t m = 0; m < 3; m++) {
                struct sssp_features f = {.vertices = sizes[n], .arcs = sizes[m]};
                struct sssp_parameters p;
                f.degree = sizes[n] ? (double)sizes[m] / (double)sizes[n] : 0;
                f.most_degree = (double)sizes[m];
                f.weight = f.typical_weight = weights[w];
                chosen(&f);
                gg_sssp_choose(&f, SSSP_AUTO, &p);
                expect(p.delta > 0 && p.delta <= DBL_MAX, "delta %g", p.delta);
                gg_sssp_choose(&f, SSSP_PERSISTENT, &p);
                expect(p.delta > 0 && p.delta <= DBL_MAX, "delta %g", p.delta);
            }
}
END_TEST

const struct suite suite = {
    "sssp choice",
    {{"sssp choice", .cases = {{&learned_figures},
                               {&learned_anew},
                               {&larger_graphs},
                               {&named_methods},
                               {&odd_features}}}},
};
