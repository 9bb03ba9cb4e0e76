/* PageRank: the public function and the CPU's side. steps.h has the arithmetic.
**
**     share[u]    rank[u] / out[u]                       a pass over the vertices
**     rank[v]     jump + damping * (sum of share[u] over the arcs u -> v, + lost)
**                                                        a pass over the rows that lead to v
**
** Pulled, not pushed: each vertex is written by one thread, and the sums are in fixed point, so no
** order of threads is seen in the ranks. After Page, Brin, Motwani, Winograd (1999); the rank of
** vertices without a way out as in LDBC Graphalytics. */
#include "pagerank.h"
#include "steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 2048 }; /* vertices that a thread takes at a time */

struct ranking {
    const gpugraph_graph *graph;
    const gpugraph_pagerank_options *how;
    gpugraph_run *run;
    csr out, in;
    double *rank, *share,
        *total;         /* total: the weights of the arcs of u, NULL without weights */
    int16_t *exponent;  /* of these; NULL without weights */
    uint64_t *is_place; /* bit v: jumps lead there; NULL: everywhere */
    uint32_t places;
    rank_gift gift;
    gg_fixed lost, change; /* under the lock */
    gg_brief_lock lock;
    int threads;
};

static inline double weight_of(const struct ranking *r, const csr *rows, uint64_t arc) {
    switch (r->graph->distance_type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)rows->weight)[arc];
    case GPUGRAPH_UINT64:
        return (double)((const int64_t *)rows->weight)[arc];
    default:
        return ((const double *)rows->weight)[arc];
    }
}

static inline bool is_place(const struct ranking *r, uint64_t v) {
    return !r->is_place || (r->is_place[v / 64] >> v % 64 & 1);
}

static void add_up(struct ranking *r, gg_fixed *sum, gg_fixed part) {
    gg_lock(&r->lock);
    *sum += part;
    gg_unlock(&r->lock);
}

/* ---- the passes ---- */

static void sum_weights(void *ranking, uint64_t low, uint64_t high) {
    struct ranking *r = ranking;
    for (uint64_t u = low; u < high && !gg_leave(r->run, u); u++) {
        double largest = 0;
        gg_fixed sum = 0;
        for (uint64_t i = r->out.offset[u]; i < r->out.offset[u + 1]; i++) {
            const double weight = weight_of(r, &r->out, i);
            largest = weight > largest ? weight : largest;
        }
        r->exponent[u] = (int16_t)gg_weight_exponent(largest);
        for (uint64_t i = r->out.offset[u]; i < r->out.offset[u + 1] && largest > 0; i++)
            sum += gg_fix(gg_relative_weight(weight_of(r, &r->out, i), r->exponent[u]));
        r->total[u] = gg_unfix(sum);
    }
}

static inline double out_of(const struct ranking *r, uint64_t u) {
    return r->total ? r->total[u] : (double)(r->out.offset[u + 1] - r->out.offset[u]);
}

static void begin(void *ranking, uint64_t low, uint64_t high) {
    struct ranking *r = ranking;
    for (uint64_t v = low; v < high && !gg_leave(r->run, v); v++)
        r->rank[v] = is_place(r, v) ? RANK_DIVIDE(1.0, (double)r->places) : 0;
}

static void share_out(void *ranking, uint64_t low, uint64_t high) {
    struct ranking *r = ranking;
    gg_fixed lost = 0;
    for (uint64_t u = low; u < high && !gg_leave(r->run, u); u++) {
        const double out = out_of(r, u);
        r->share[u] = gg_share(r->rank[u], out);
        if (!(out > 0))
            lost += gg_fix(r->rank[u]);
    }
    add_up(r, &r->lost, lost);
}

static inline gg_fixed arrived_at(const struct ranking *r, uint64_t v) {
    const uint32_t *target = r->in.target;
    gg_fixed sum = 0;
    if (!r->total) {
        for (uint64_t i = r->in.offset[v]; i < r->in.offset[v + 1]; i++)
            sum += gg_fix(r->share[target[i]]);
        return sum;
    }
    for (uint64_t i = r->in.offset[v]; i < r->in.offset[v + 1]; i++)
        sum += gg_fix(RANK_MULTIPLY(
            r->share[target[i]],
            gg_relative_weight(weight_of(r, &r->in, i), r->exponent[target[i]])));
    return sum;
}

static void pull(void *ranking, uint64_t low, uint64_t high) {
    struct ranking *r = ranking;
    gg_fixed change = 0;
    for (uint64_t v = low; v < high && !gg_leave(r->run, v); v++) {
        const rank_gift none = {0, 0};
        const double now = gg_new_rank(r->how->damping, arrived_at(r, v),
                                       is_place(r, v) ? r->gift : none);
        change += gg_change(now, r->rank[v]);
        r->rank[v] = now;
    }
    add_up(r, &r->change, change);
}

/* ---- the driver ---- */

static bool over_vertices(struct ranking *r, gg_span *pass) {
    gg_chunks(r->threads, r->graph->n, CHUNK, pass, r);
    return !gg_stopping(r->run);
}

static bool iterate(struct ranking *r, pagerank_end *end) {
    while (end->iterations < r->how->iterations) {
        r->lost = r->change = 0;
        if (!over_vertices(r, share_out))
            return false;
        r->gift = gg_rank_gift(r->how->damping, r->lost, r->places);
        if (!over_vertices(r, pull))
            return false;
        end->iterations++;
        end->change = gg_unfix(r->change);
        if (r->how->tolerance > 0 && end->change <= r->how->tolerance)
            break;
    }
    return true;
}

static bool prepare(struct ranking *r) {
    const uint32_t n = r->graph->n;
    r->places = r->how->source_count > 0 ? r->how->source_count : n;
    r->share = gg_alloc(r->run, n, sizeof *r->share);
    if (r->how->weighted) {
        r->total = gg_alloc(r->run, n, sizeof *r->total);
        r->exponent = gg_alloc(r->run, n, sizeof *r->exponent);
        if (!r->total || !r->exponent || !over_vertices(r, sum_weights))
            return false;
    }
    if (r->how->source_count > 0) {
        r->is_place = gg_alloc_zero(r->run, (uint64_t)n / 64 + 1, sizeof *r->is_place);
        for (uint32_t i = 0; r->is_place && i < r->how->source_count; i++)
            r->is_place[r->how->source[i] / 64] |= (uint64_t)1 << r->how->source[i] % 64;
    }
    return r->share && (r->how->source_count == 0 || r->is_place) &&
           over_vertices(r, begin);
}

static gpugraph_status rank_on_cpu(gpugraph_graph *graph,
                                   const gpugraph_pagerank_options *how,
                                   gpugraph_run *run, double *rank, pagerank_end *end) {
    struct ranking r = {.graph = graph, .how = how, .run = run, .rank = rank};
    char more[100];
    if (gg_csr(graph, gg_rows_in(how->direction), how->weighted, false, run, &r.in) ||
        gg_csr(graph, gg_rows_out(how->direction), how->weighted, false, run, &r.out))
        return run->status;
    double start = gg_now_ms();
    r.threads = gg_threads(run, r.in.m + r.in.n);
    bool go = prepare(&r) && iterate(&r, end);
    gg_release(r.share);
    gg_release(r.total);
    gg_release(r.exponent);
    gg_release(r.is_place);
    if (!go)
        return gg_stopped(run);
    snprintf(more, sizeof more, "%d thread(s), %u iterations, last change %.3g",
             r.threads, end->iterations, end->change);
    gg_search_phase(run, start, (int64_t)r.in.m, more);
    return run->status;
}

/* ---- the descriptor ---- */

static double arcs(const gpugraph_graph *graph) {
    return GG_PAGERANK_ITERATIONS * (double)graph->m;
}

static double steps(const gpugraph_graph *graph) {
    (void)graph;
    return GG_PAGERANK_ITERATIONS;
}

static const gpugraph_method methods[] = {
    {"pagerank", "pull", "cpu",
     "each vertex adds up what its incoming arcs bring, in fixed point"},
    {0},
};

static const struct pagerank_calls cpu_calls = {.rank = rank_on_cpu};

static const algorithm_side cpu_side = {
    .methods = methods,
    .calls = &cpu_calls,
};

const gg_algorithm gg_pagerank = {
    .name = "pagerank",
    .rows = CSR_IN,
    .arcs = arcs,
    .steps = steps,
    .cpu_ns = GG_PAGERANK_CPU_NS,
    .cuda_ns = GG_PAGERANK_CUDA_NS,
    .step_us = GG_PAGERANK_STEP_US,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_pagerank_cuda},
};

static const struct pagerank_calls *calls(gpugraph_backend on) {
    return gg_pagerank.side[on]->calls;
}

/* ---- the public function ---- */

static bool check(const gpugraph_graph *graph, const gpugraph_pagerank_options *how,
                  gpugraph_run *run) {
    if ((unsigned)how->direction > GPUGRAPH_BOTH)
        gg_fail(run, GPUGRAPH_INVALID,
                "direction is %d, not one of GPUGRAPH_OUT, _IN and _BOTH",
                (int)how->direction);
    else if (!(how->damping >= 0 && how->damping <= 1))
        gg_fail(run, GPUGRAPH_INVALID, "damping is %g, not from 0 to 1", how->damping);
    else if (!(how->tolerance >= 0))
        gg_fail(run, GPUGRAPH_INVALID, "tolerance is %g, not 0 or more", how->tolerance);
    else if (how->weighted && gpugraph_weights(graph) == GPUGRAPH_UNWEIGHTED)
        gg_fail(run, GPUGRAPH_INVALID, "the edges have no weights to share rank by");
    for (uint32_t i = 0; !run->status && i < how->source_count; i++) {
        if (how->source[i] >= graph->n)
            gg_fail(run, GPUGRAPH_INVALID, "source %u is not one of %u vertices",
                    how->source[i], graph->n);
        else if (i > 0 && how->source[i] <= how->source[i - 1])
            gg_fail(run, GPUGRAPH_INVALID, "sources are not ascending: %u after %u",
                    how->source[i], how->source[i - 1]);
    }
    return !run->status;
}

static void find_ranks(gpugraph_graph *graph, const gpugraph_pagerank_options *how,
                       gpugraph_run *run, double *rank) {
    bool fallback;
    pagerank_end end = {0, 0};
    if (!check(graph, how, run))
        return;
    gpugraph_backend on = gg_choose(graph, &gg_pagerank, NULL, run, &fallback);
    if (!on || graph->n == 0)
        return;
    calls(on)->rank(graph, how, run, rank, &end);
    if (gg_fall_back(run, &gg_pagerank, fallback)) {
        end = (pagerank_end){0, 0};
        rank_on_cpu(graph, how, run, rank, &end);
    }
}

gpugraph_status gpugraph_pagerank(gpugraph_graph *graph,
                                  const gpugraph_pagerank_options *how, gpugraph_run *run,
                                  double *rank) {
    gg_enter_graph(graph, run);
    find_ranks(graph, how, run, rank);
    return gg_leave_graph(graph, run);
}
