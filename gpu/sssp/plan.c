/* Sets the method, the bucket width and the bound of a search for shortest paths on the
** CPU. */
#include "algorithm.h"
#include "work.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The mean degree of the vertex at the end of an arc, over a sample of arcs. It tells how
** fast a frontier multiplies. A hub counts once for each arc that leads to it. */
static double branching(const struct sssp *s) {
    uint64_t step = s->arcs.m / GG_SSSP_SAMPLE + 1, arcs = 0, count = 0;
    for (uint64_t arc = 0; arc < s->arcs.m; arc += step) {
        uint32_t v = s->arcs.target[arc];
        arcs += s->arcs.end[v] - s->arcs.begin[v];
        count++;
    }
    return count && arcs > count ? (double)arcs / (double)count : 1;
}

/* Makes buckets as wide as a power of two near GG_SSSP_DELTA typical weights, divided by
** the mean degree at the end of an arc: vertices that a bucket reaches itself are served
** in it again. */
static void set_buckets(struct sssp *s) {
    if (s->one_by_one)
        return; /* buckets of one distance each: shift and scale stay 0 */
    double delta = s->layout->typical_weight(s) * GG_SSSP_DELTA / branching(s);
    if (s->type == GPUGRAPH_REAL) {
        int exponent = delta > 0 ? ilogb(delta) : 0;
        exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
        s->scale = ldexp(1, -exponent);
    } else if (delta > 1) {
        s->shift = ilogb(delta) < 62 ? ilogb(delta) : 62;
    }
}

/* Arcs up to which one thread with one bucket for each distance is as fast. */
#define SMALL_ARCS 4096

/* A search with a limit, or of a small graph, has one bucket for each distance. It hardly
** serves a vertex twice, and can end after each distance. */
static bool is_large(const void *task) {
    const struct sssp *s = task;
    return s->search->limit == 0 && s->arcs.m > SMALL_ARCS;
}

const gg_method gg_sssp_methods[] = {
    {.is = {"sssp", "delta-stepping", "cpu",
            "threads relax all vertices of a bucket of distances at once"},
     .may = is_large},
    {.is = {"sssp", "dijkstra", "cpu", "one thread, nearest vertex first, with a heap"},
     .may = gg_may_always},
    {.is = {0}},
};

void gg_sssp_plan(struct sssp *s) {
    s->one_by_one = gg_settle_method(s->run, gg_sssp_methods, s) == &gg_sssp_methods[1];
    const struct sssp_bound bound = gg_sssp_bound(s->search, s->type);
    s->bound = bound.most;
    s->real_bound = bound.none ? -1 : gg_word_real(bound.most);
    s->within_range = bound.tight;
    set_buckets(s);
}
