/* What "auto" chooses for shortest paths on a device, against the figures that the forest was
** learned from: the table in C and the code around it must come to candidates that were
** fast. Named methods keep their engine; odd features choose something. */
#include "expect.h"
#include "suite.h"
#include "sssp/choice/choice.h"

#include <check.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static bool same(const struct sssp_parameters *a, const struct sssp_parameters *b) {
    return a->engine == b->engine && a->delta == b->delta && a->blocks == b->blocks &&
           a->apart == b->apart && a->local == b->local && a->l1 == b->l1 &&
           a->l2 == b->l2 && a->near_far == b->near_far && a->filter == b->filter &&
           a->write_back == b->write_back && a->bnum == b->bnum;
}

/* The number of the candidate that is chosen; fails where it is none. */
static size_t chosen(const struct sssp_features *f) {
    struct sssp_parameters p, candidate;
    const char *method, *name = gg_sssp_choose(f, "auto", &p);
    ck_assert_str_eq(name, gg_sssp_choose(f, NULL, &candidate));
    ck_assert(same(&p, &candidate));
    struct sssp_features judged = *f;
    gg_sssp_judge(&judged);
    ck_assert_str_eq(name, gg_sssp_choose(&judged, "auto", &candidate));
    ck_assert(same(&p, &candidate));
    for (size_t i = 0; gg_sssp_candidate(i, f, &method, &candidate); i++)
        if (strcmp(method, name) == 0 && same(&p, &candidate))
            return i;
    ck_abort_msg("%s with delta %g is no candidate", name, p.delta);
    return 0;
}

/* A field that may be empty: DBL_MAX then. */
static double figure(const char **line) {
    char *end;
    double value = strtod(*line, &end);
    value = end > *line ? value : DBL_MAX;
    *line = *end == ',' ? end + 1 : end;
    return value;
}

/* A line of the table is a graph: its name, features, and the ms of every candidate. */
START_TEST(learned_figures) {
    FILE *file = fopen(GPUGRAPH_SOURCE_DIR "/tests/bench/data/sssp_training.csv", "r");
    char line[1000];
    int graphs = 0, good = 0;
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        const char *at = strchr(line, ',') + 1;
        struct sssp_features f = {0};
        double ms[MOST], best = DBL_MAX;
        size_t count = 0;
        f.vertices = (uint64_t)figure(&at);
        f.arcs = (uint64_t)figure(&at);
        f.degree = figure(&at);
        f.degree_deviation = figure(&at);
        f.most_degree = figure(&at);
        f.weight = f.typical_weight = figure(&at);
        f.weight_deviation = figure(&at);
        f.most_weight = figure(&at);
        f.ball_depth = figure(&at);
        f.ball_radius = figure(&at);
        f.probe_met = figure(&at);
        f.probe_work = figure(&at);
        f.probe_radius = figure(&at);
        for (; *at && *at != '\n' && count < MOST; count++) {
            ms[count] = figure(&at);
            best = ms[count] < best ? ms[count] : best;
        }
        size_t c = chosen(&f);
        ck_assert_uint_lt(c, count);
        graphs++;
        good += best >= 0.9 * ms[c];
    }
    fclose(file);
    ck_assert_int_ge(graphs, 120);
    /* A tree goes down to a single graph, so those that it has seen come out right, all;
    ** of others fewer. */
    expect(good == graphs, "%d of %d graphs reach 0.9 of the best", good, graphs);
}
END_TEST

START_TEST(named_methods) {
    struct sssp_features f = {.vertices = 1000, .arcs = 3000, .degree = 3};
    struct sssp_parameters p;
    f.weight = f.typical_weight = 10;
    ck_assert_str_eq(gg_sssp_choose(&f, "frontier", &p), "frontier");
    ck_assert(p.engine == SSSP_FRONTIER && p.delta > 0);
    ck_assert_str_eq(gg_sssp_choose(&f, "persistent", &p), "persistent");
    ck_assert(p.engine == SSSP_PERSISTENT && p.delta > 0 && p.blocks > 0);
    ck_assert(p.local && !p.apart);
    f.degree = 50;
    ck_assert_str_eq(gg_sssp_choose(&f, "persistent", &p), "persistent");
    ck_assert(!p.apart && !p.local);
}
END_TEST

/* No vertices, no weights, weights that are all 0, the largest ones. */
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
                f.weight = f.typical_weight = f.most_weight = weights[w];
                chosen(&f);
                gg_sssp_choose(&f, NULL, &p);
                expect(p.delta > 0 && p.delta <= DBL_MAX, "delta %g", p.delta);
                gg_sssp_choose(&f, "persistent", &p);
                expect(p.delta > 0 && p.delta <= DBL_MAX, "delta %g", p.delta);
            }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sssp choice");
    TCase *cases = tcase_create("sssp choice");
    tcase_add_test(cases, learned_figures);
    tcase_add_test(cases, named_methods);
    tcase_add_test(cases, odd_features);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
