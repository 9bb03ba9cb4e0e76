/* Roads with weights of every kind, and their shortest paths by Bellman and Ford in
** arithmetic that cannot overflow: distances, and the tree by the literal rule. */
#ifndef TEST_SSSP_ORACLE_H
#define TEST_SSSP_ORACLE_H

#include "expect.h"
#include "graphs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

#define FAR (~(wide)0) /* not reached */

/* A shape with weights of one of the two kinds. */
struct roads {
    shape s;
    int64_t *whole; /* NULL: REAL weights */
    double *real;
    gpugraph_graph *graph;
};

/* The expected answer. */
struct answer {
    wide *whole;  /* distances, exact */
    double *real; /* rounded at each step from the source on */
    uint32_t *edge, *steps;
};

/* ---- graphs ---- */

enum weights {
    SMALL, /* 0 .. 9 */
    ZERO,  /* all 0 */
    MOSTLY_ZERO,
    SPREAD,    /* 1 .. 2^40, few bits or many */
    HUGE_ONES, /* about 2^60: some sums leave the range */
    LARGEST,   /* INT64_MAX or small */
    FRACTIONS, /* REAL from here on */
    LOST,      /* tiny and large ones: sums that do not grow */
    REAL_ZERO,
    ALL_SIZES, /* over the whole range of doubles: some sums are infinite */
    WEIGHTS
};

static bool is_real(enum weights kind) {
    return kind >= FRACTIONS;
}

static int64_t whole_weight(enum weights kind, uint64_t dice) {
    switch (kind) {
    case SMALL:
        return (int64_t)(dice % 10);
    case ZERO:
        return 0;
    case MOSTLY_ZERO:
        return dice % 5 ? 0 : (int64_t)(dice % 3);
    case SPREAD:
        return (int64_t)(dice >> 24 >> dice % 40);
    case HUGE_ONES:
        return (int64_t)(((uint64_t)1 << 59) + (dice >> 4 >> dice % 3));
    default:
        return dice % 3 ? (int64_t)(dice % 7) : INT64_MAX - (int64_t)(dice % 2);
    }
}

static double real_weight(enum weights kind, uint64_t dice) {
    switch (kind) {
    case FRACTIONS:
        return (double)(dice % 1000) / 7.0;
    case LOST:
        return dice % 3 ? (double)(dice % 4) * 1e-17 : 1.0 + (double)(dice % 4);
    case REAL_ZERO:
        return dice % 4 ? 0.0 : -0.0;
    default:
        if (dice % 5 == 0)
            return DBL_MAX / (double)(1 + dice % 3);
        return ldexp(1.0 + (double)(dice % 8) / 8, (int)(dice / 8 % 2090) - 1074);
    }
}

static struct roads make_roads(shape s, enum weights kind, uint64_t seed) {
    struct roads r = {.s = s};
    int64_t *vertex = malloc((s.vertices + 1) * sizeof *vertex);
    if (is_real(kind))
        r.real = malloc((size_t)(s.edges + 1) * sizeof *r.real);
    else
        r.whole = malloc((size_t)(s.edges + 1) * sizeof *r.whole);
    for (int64_t e = 0; e < s.edges; e++) {
        if (is_real(kind)) {
            r.real[e] = real_weight(kind, shape_random(&seed) >> 1);
        } else {
            r.whole[e] = whole_weight(kind, shape_random(&seed) >> 1);
        }
    }
    gpugraph_edges edges = shape_edges(&s, vertex);
    edges.weight_type = is_real(kind) ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
    edges.weight = is_real(kind) ? (void *)r.real : (void *)r.whole;
    gpugraph_run run = {0};
    gpugraph_create(&edges, &run, &r.graph);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    free(vertex);
    return r;
}

static void roads_free(struct roads *r) {
    gpugraph_free(r->graph);
    free(r->whole);
    free(r->real);
    shape_free(&r->s);
}

/* ---- the right answer ---- */

/* Calls use[u, v] for both directions of an edge, as far as the direction allows. */
typedef bool use_arc(const struct roads *r, struct answer *a, int64_t e, uint32_t u,
                     uint32_t v);

static bool use_edge(const struct roads *r, struct answer *a, int64_t e,
                     gpugraph_direction direction, use_arc *use) {
    uint32_t u = (uint32_t)r->s.source[e], v = (uint32_t)r->s.target[e];
    bool out = direction != GPUGRAPH_IN && use(r, a, e, u, v);
    bool in = direction != GPUGRAPH_OUT && use(r, a, e, v, u);
    return out || in;
}

static bool relax(const struct roads *r, struct answer *a, int64_t e, uint32_t u,
                  uint32_t v) {
    if (r->real) {
        if (a->real[u] + r->real[e] >= a->real[v])
            return false;
        a->real[v] = a->real[u] + r->real[e];
        return true;
    }
    if (a->whole[u] == FAR || a->whole[u] + (uint64_t)r->whole[e] >= a->whole[v])
        return false;
    a->whole[v] = a->whole[u] + (uint64_t)r->whole[e];
    return true;
}

/* True if the edge is tight; *strictly: v is farther than u, not as far. */
static bool tight(const struct roads *r, const struct answer *a, int64_t e, uint32_t u,
                  uint32_t v, bool *strictly) {
    if (u == v)
        return false;
    if (r->real) {
        *strictly = a->real[u] < a->real[v];
        return a->real[v] < INFINITY && a->real[u] + r->real[e] == a->real[v];
    }
    *strictly = a->whole[u] < a->whole[v];
    return a->whole[v] != FAR && a->whole[u] != FAR &&
           a->whole[u] + (uint64_t)r->whole[e] == a->whole[v];
}

static bool take_strict(const struct roads *r, struct answer *a, int64_t e, uint32_t u,
                        uint32_t v) {
    bool strictly;
    if (!tight(r, a, e, u, v, &strictly) || !strictly || a->steps[v] == 0)
        return false;
    a->steps[v] = 0;
    a->edge[v] = (uint32_t)e;
    return true;
}

static uint32_t round_number;

static bool take_level(const struct roads *r, struct answer *a, int64_t e, uint32_t u,
                       uint32_t v) {
    bool strictly;
    if (!tight(r, a, e, u, v, &strictly) || strictly || a->steps[v] != GPUGRAPH_NONE ||
        a->steps[u] != round_number - 1)
        return false;
    a->steps[v] = round_number;
    a->edge[v] = (uint32_t)e;
    return true;
}

static bool take_all(const struct roads *r, struct answer *a,
                     gpugraph_direction direction, use_arc *use) {
    bool any = false;
    for (int64_t e = 0; e < r->s.edges; e++)
        any |= use_edge(r, a, e, direction, use);
    return any;
}

static struct answer right_answer(const struct roads *r, const gpugraph_search *search) {
    uint32_t n = r->s.vertices;
    struct answer a = {malloc((n + 1) * sizeof(wide)), malloc((n + 1) * sizeof(double)),
                       malloc((n + 1) * sizeof(uint32_t)),
                       malloc((n + 1) * sizeof(uint32_t))};
    for (uint32_t v = 0; v < n; v++) {
        a.whole[v] = FAR;
        a.real[v] = INFINITY;
        a.edge[v] = a.steps[v] = GPUGRAPH_NONE;
    }
    for (uint32_t i = 0; i < search->source_count; i++) {
        a.whole[search->source[i]] = 0;
        a.real[search->source[i]] = 0;
        a.steps[search->source[i]] = 0;
    }
    while (take_all(r, &a, search->direction, relax))
        ;
    take_all(r, &a, search->direction, take_strict);
    round_number = 1;
    while (take_all(r, &a, search->direction, take_level))
        round_number++;
    return a;
}

static void answer_free(struct answer *a) {
    free(a->whole);
    free(a->real);
    free(a->edge);
    free(a->steps);
}

#endif
