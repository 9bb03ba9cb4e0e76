/* PageRank over partitions. Each row adds its share to the fixed-point sums of its
** targets. Sums of ghosts are reduced into their masters. Each master computes its rank
** from its sum. Fixed-point sums are exact, so the ranks are bitwise equal to those of
** pagerank.c for every partition of the rows. steps.h has the arithmetic. */
#include "distributed/partition/part.h"
#include "pagerank/pagerank.h"
#include "pagerank/split.h"
#include "pagerank/steps.h"

#include <string.h>

struct part_ranking {
    gpugraph_part *p;
    gpugraph_run *run;
    const gpugraph_part_ranks *how;
    double *rank; /* of masters; the caller's array */
    /* entries of locals */
    double *share, *out; /* out: out-degrees, of masters only */
    gg_fixed *sum;
    uint8_t *is_place; /* of masters; NULL: every vertex is a source */
    uint64_t places;   /* sources of all partitions */
    gg_fixed lost, change;
};

static bool is_place(const struct part_ranking *r, uint32_t v) {
    return !r->is_place || r->is_place[v];
}

static bool reduce_sums(struct part_ranking *r) {
    const struct part_field sums = {r->sum, sizeof *r->sum, part_sum_128};
    return gg_reduce(r->p, r->run, sums, NULL) == GPUGRAPH_OK;
}
static bool broadcast_shares(struct part_ranking *r) {
    const struct part_field shares = {r->share, sizeof *r->share, NULL};
    return !part_reads_ghosts(r->p) ||
           gg_broadcast(r->p, r->run, shares, NULL) == GPUGRAPH_OK;
}

/* ---- arcs out of a vertex ---- */

static bool count_rows_of_parts(struct part_ranking *r) {
    const gpugraph_part *p = r->p;
    for (uint32_t u = 0; u < p->locals; u++)
        r->sum[u] = p->offset[u + 1] - p->offset[u];
    if (part_reads_ghosts(p) && !reduce_sums(r))
        return false;
    for (uint32_t u = 0; u < p->masters; u++)
        r->out[u] = (double)(uint64_t)r->sum[u];
    return true;
}

/* ---- an iteration ---- */

/* The share of a master. The rank of a vertex without outgoing arcs is lost. */
static double share_of(struct part_ranking *r, uint32_t u) {
    const double share = gg_share(r->rank[u], r->out[u]);
    if (!(r->out[u] > 0))
        r->lost += gg_fix(r->rank[u]);
    return split_cut(share);
}

static bool push_shares(struct part_ranking *r) {
    const gpugraph_part *p = r->p;
    memset(r->sum, 0, p->locals * sizeof *r->sum);
    for (uint32_t u = 0; u < p->locals && !gg_leave(r->run, u); u++) {
        const gg_fixed fixed = gg_fix(r->share[u]);
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++)
            r->sum[p->target[a]] += fixed;
    }
    return !gg_stopping(r->run) && (!part_writes_ghosts(p) || reduce_sums(r));
}

static void take_sums(struct part_ranking *r) {
    const rank_gift gift = gg_rank_gift(r->how->damping, r->lost, r->places),
                    none = {0, 0};
    r->lost = r->change = 0;
    for (uint32_t v = 0; v < r->p->masters; v++) {
        const double now = gg_rank_of(r->how->damping, gg_unfix(r->sum[v]),
                                      is_place(r, v) ? gift : none);
        r->change += gg_change(now, r->rank[v]);
        r->rank[v] = now;
        r->share[v] = share_of(r, v);
    }
}

/* Adds up `lost` and `change` of all partitions. */
static bool add_up(struct part_ranking *r) {
    uint64_t word[4] = {(uint64_t)r->lost, (uint64_t)(r->lost >> 64), (uint64_t)r->change,
                        (uint64_t)(r->change >> 64)};
    gpugraph_exchange *x = r->p->exchange;
    if (gg_combine(x, r->run, GPUGRAPH_SUM_128, word, 4) != GPUGRAPH_OK)
        return false;
    r->lost = (gg_fixed)word[1] << 64 | word[0];
    r->change = (gg_fixed)word[3] << 64 | word[2];
    return true;
}

static void iterate_ranks(struct part_ranking *r, uint32_t *iterations, double *change) {
    *iterations = 0;
    *change = 0;
    const double start = gg_now_ms();
    for (uint32_t v = 0; v < r->p->masters; v++) {
        r->rank[v] = is_place(r, v) ? RANK_DIVIDE(1.0, (double)r->places) : 0;
        r->share[v] = share_of(r, v);
    }
    if (!add_up(r))
        return;
    while (*iterations < r->how->iterations) {
        if (!broadcast_shares(r) || !push_shares(r))
            return;
        take_sums(r);
        if (!add_up(r))
            return;
        ++*iterations;
        *change = gg_unfix(r->change);
        if (r->how->tolerance > 0 && *change <= r->how->tolerance)
            break;
    }
    gg_phase(r->run, "search", start, (int64_t)r->p->arcs,
             "%u iterations over %u parts, last change %.3g", *iterations,
             r->p->exchange->parts, *change);
}

/* ---- the search ---- */

static bool check_arguments_of_ranks(const gpugraph_part *p,
                                     const gpugraph_part_ranks *how, gpugraph_run *run) {
    if (!gg_needs(run, how, 1, "how") ||
        !gg_needs(run, how->source, how->source_count, "how.source"))
        return false;
    if (!(how->damping >= 0 && how->damping <= 1))
        gg_fail(run, GPUGRAPH_INVALID, "damping is %g, not from 0 to 1", how->damping);
    else if (!(how->tolerance >= 0))
        gg_fail(run, GPUGRAPH_INVALID, "tolerance is %g, not 0 or more", how->tolerance);
    else if (p->simple)
        gg_fail(run, GPUGRAPH_INVALID,
                "PageRank counts parallel edges, which a simple partition does not have");
    for (uint64_t i = 0; !run->status && i < how->source_count; i++)
        if (how->source[i] >= p->vertices)
            gg_fail(run, GPUGRAPH_INVALID, "source %llu is no vertex",
                    (unsigned long long)how->source[i]);
    return !run->status;
}

static bool prepare_parts(struct part_ranking *r) {
    const gpugraph_part *p = r->p;
    r->share = gg_alloc_zero(r->run, p->locals, sizeof *r->share);
    r->out = gg_alloc(r->run, p->locals, sizeof *r->out);
    r->sum = gg_alloc(r->run, p->locals, sizeof *r->sum);
    if (r->how->source_count > 0)
        r->is_place = gg_alloc_zero(r->run, p->masters, sizeof *r->is_place);
    if (r->run->status)
        return false;
    for (uint64_t i = 0; r->is_place && i < r->how->source_count; i++) {
        const uint32_t v = part_master_of(p, r->how->source[i]);
        if (v != GPUGRAPH_NONE && !r->is_place[v]) {
            r->is_place[v] = 1;
            r->places++;
        }
    }
    if (!r->is_place)
        r->places = p->vertices;
    else if (!part_sum(r->p, r->run, &r->places))
        return false;
    return count_rows_of_parts(r);
}

gpugraph_status gpugraph_part_pagerank(gpugraph_part *p, const gpugraph_part_ranks *how,
                                       gpugraph_run *run, double *rank,
                                       uint32_t *iterations, double *change) {
    gg_begin(run);
    struct part_ranking r = {.p = p, .run = run, .how = how, .rank = rank};
    const bool ready = check_arguments_of_ranks(p, how, run) &&
                       gg_needs(run, rank, p->masters, "rank") &&
                       gg_needs(run, iterations, 1, "iterations") &&
                       gg_needs(run, change, 1, "change") && prepare_parts(&r);
    if (ready && p->device) {
        const gpugraph_pagerank_options options = {
            .damping = how->damping,
            .tolerance = how->tolerance,
            .iterations = how->iterations,
            .source_count = r.is_place ? (uint32_t)r.places : 0};
        gg_part_services.pagerank(p, &options, r.out, r.is_place, run, rank, iterations,
                                  change);
    }
    if (ready && !p->device)
        iterate_ranks(&r, iterations, change);
    gg_release(r.share);
    gg_release(r.out);
    gg_release(r.sum);
    gg_release(r.is_place);
    return part_end(p->exchange, run);
}
