/* PageRank: the public function and the CPU backend. steps.h has the arithmetic.
**
**     rank[v]     jump + damping * (sum of share[u] over the arcs u -> v, + lost)
**     next[v]     rank[v] / out[v], the share of the next iteration; one pass over the
**                 rows of arcs into vertices makes both
**
** Vertices pull: one thread writes each vertex, and sums are in fixed point, so ranks do
** not depend on the order of threads. Each share is split into two doubles, whose sums
** are exact. They are added and rounded once at the end of a row (split.h). After Page,
** Brin, Motwani, Winograd (1999). Vertices without outgoing arcs give their rank to all
** vertices, or to the sources (LDBC Graphalytics). */
#include "pagerank.h"
#include "split.h"
#include "steps.h"
#include "graph/graph.h"

#include <math.h>
#include <string.h>

enum { PAGERANK_ITERATIONS = 30 }; /* predicted */

enum { CHUNK = 2048 }; /* vertices that a thread takes at a time */

struct ranking {
    const gpugraph_graph *graph;
    const gpugraph_pagerank_options *how;
    gpugraph_run *run;
    csr out, in;
    double *rank, *share, *next; /* shares of this iteration, and of the next */
    double *total;      /* sum of u's relative weights (steps.h); NULL without weights */
    int16_t *exponent;  /* of u's largest weight; NULL without weights */
    uint64_t *is_place; /* bit v: jumps lead there; NULL: everywhere */
    uint32_t places;
    rank_gift gift;
    bool keeps; /* keeps ranks and their change, which most iterations do not need */
    gg_fixed lost, change; /* under the lock */
    gg_brief_lock lock;
    int threads;
};

static inline double arc_weight(const struct ranking *r, const csr *rows, uint64_t arc) {
    const gpugraph_distance_type type = r->graph->distance_type;
    const uint64_t word = gg_word_weight(type, rows->weight, arc);
    return type == GPUGRAPH_REAL ? gg_word_real(word) : (double)(int64_t)word;
}

static inline bool is_rank_place(const struct ranking *r, uint64_t v) {
    return !r->is_place || (r->is_place[v / 64] >> v % 64 & 1);
}

static void add_to_rank_sum(struct ranking *r, gg_fixed *sum, gg_fixed part) {
    gg_lock(&r->lock);
    *sum += part;
    gg_unlock(&r->lock);
}

/* ---- the passes ---- */

static void sum_weights(void *ranking, uint64_t low, uint64_t high) {
    struct ranking *r = ranking;
    uint64_t since = GG_POLL_ITEMS; /* the first row polls: chunks may have few arcs */
    for (uint64_t u = low; u < high; u++) {
        double largest = 0;
        gg_fixed sum = 0;
        if (gg_worked(r->run, &since, 2 * (r->out.end[u] - r->out.begin[u]) + 1))
            return;
        for (uint64_t i = r->out.begin[u]; i < r->out.end[u] && !gg_leave(r->run, i);
             i++) {
            const double weight = arc_weight(r, &r->out, i);
            largest = weight > largest ? weight : largest;
        }
        r->exponent[u] = (int16_t)gg_weight_exponent(largest);
        for (uint64_t i = r->out.begin[u];
             i < r->out.end[u] && largest > 0 && !gg_leave(r->run, i); i++)
            sum += gg_fix(gg_relative_weight(arc_weight(r, &r->out, i), r->exponent[u]));
        r->total[u] = gg_unfix(sum);
    }
}

static inline double out_of(const struct ranking *r, uint64_t u) {
    return r->total ? r->total[u] : (double)(int64_t)(r->out.end[u] - r->out.begin[u]);
}

/* Returns the share of u. Without weights, cuts off what fixed point cannot hold. Adds
** the rank of a vertex without outgoing arcs to *lost. */
static inline double rank_share(const struct ranking *r, uint64_t u, double rank,
                                gg_fixed *lost) {
    const double out = out_of(r, u), share = gg_share(rank, out);
    if (!(out > 0))
        *lost += gg_fix(rank);
    return r->total ? share : split_cut(share);
}

/* Sets the first ranks and their shares. */
static void share_out(void *ranking, uint64_t low, uint64_t high) {
    struct ranking *r = ranking;
    gg_fixed lost = 0;
    for (uint64_t u = low; u < high && !gg_leave(r->run, u); u++) {
        r->rank[u] = is_rank_place(r, u) ? RANK_DIVIDE(1.0, (double)r->places) : 0;
        r->next[u] = rank_share(r, u, r->rank[u], &lost);
    }
    add_to_rank_sum(r, &r->lost, lost);
}

/* Returns the sum of the weighted shares that arrive at v. */
static double arrived_at(const struct ranking *r, uint64_t v) {
    const uint32_t *target = r->in.target;
    gg_fixed sum = 0;
    for (uint64_t i = r->in.begin[v]; i < r->in.end[v] && !gg_leave(r->run, i); i++)
        sum += gg_fix(RANK_MULTIPLY(
            r->share[target[i]],
            gg_relative_weight(arc_weight(r, &r->in, i), r->exponent[target[i]])));
    return gg_unfix(sum);
}

struct pulled { /* the sums of a thread */
    gg_fixed changed, lost;
    uint64_t since; /* gg_worked */
};

static void end_one(struct ranking *r, uint64_t v, double arrived, struct pulled *p) {
    const rank_gift none = {0, 0};
    const double now =
        gg_rank_of(r->how->damping, arrived, is_rank_place(r, v) ? r->gift : none);
    if (r->keeps) {
        p->changed += gg_change(now, r->rank[v]);
        r->rank[v] = now;
    }
    r->next[v] = rank_share(r, v, now, &p->lost);
}

struct block { /* of vertices */
    double arrived[EXACT], out[EXACT], now[EXACT];
};

/* Ends the rows of an even number of vertices from v on, if jumps lead everywhere.
** Returns false, with no rank changed, if a share or an old rank is below SPLIT_CUT, or
** if a share is more than 2 or not a number, as without outgoing arcs. (A rank is not
** smaller than its share. The bits of nonnegative doubles sort like the doubles.) keeps:
** r->keeps. */
static inline bool end_block(struct ranking *r, uint64_t v, uint64_t count,
                             struct block *b, struct pulled *p, bool keeps) {
    const two_doubles damping = two_of(r->how->damping), jump = two_of(r->gift.jump),
                      lost = two_of(r->gift.lost), cut = two_of(SPLIT_CUT);
    const struct two_splits none = split_none();
    struct two_splits change = none;
    two_words odd = {0, 0}; /* negative as soon as some number is out of range */
    for (uint64_t i = 0; i < count; i += 2) {
        const two_doubles now = jump + damping * (two_at(&b->arrived[i]) + lost);
        const two_doubles share = now / two_at(&b->out[i]);
        odd |= (two_words)share - (two_words)cut;
        odd |= (two_words)two_of(2) - (two_words)share;
        memcpy(&r->next[v + i], &share, sizeof share);
        if (keeps) {
            const two_doubles before = two_at(&r->rank[v + i]);
            odd |= (two_words)before - (two_words)cut;
            split_add_two(&change, two_distances(now, before));
            memcpy(&b->now[i], &now, sizeof now);
        }
    }
    if ((odd[0] | odd[1]) < 0)
        return false;
    if (!keeps)
        return true;
    memcpy(&r->rank[v], b->now, count * sizeof *b->now);
    p->changed += split_fixed(split_of_both(change, none));
    return true;
}

/* The sum of the shares of a row, rounded once. padded: as in split_sum. */
static inline double gather_row(const struct ranking *r, uint64_t first, uint64_t end,
                                bool padded) {
    gg_fixed sum = 0;
    if (end - first <= EXACT) {
        const struct split one = split_sum(r->share, r->in.target, first, end, padded);
        return one.high + one.low;
    }
    for (uint64_t i = first, stop; i < end && !gg_leave(r->run, i - first + EXACT);
         i = stop) {
        stop = end - i < EXACT ? end : i + EXACT;
        sum += split_fixed(split_sum(r->share, r->in.target, i, stop, padded));
    }
    return gg_unfix(sum);
}

/* Returns the start of each row, and the end of the last row; NULL if the rows are not
** contiguous. Rows with slack are contiguous where no arc was added. */
static const uint64_t *rows_in_order(const csr *rows, uint64_t v, uint64_t count,
                                     uint64_t *copy) {
    if (gg_rows_packed(rows))
        return rows->begin + v;
    uint64_t apart = 0;
    for (uint64_t i = 1; i < count; i++)
        apart |= rows->begin[v + i] ^ rows->end[v + i - 1];
    if (apart)
        return NULL;
    memcpy(copy, rows->begin + v, count * sizeof *copy);
    copy[count] = rows->end[v + count - 1];
    return copy;
}

/* Returns false when the run must end. */
static bool gather_block(const struct ranking *r, uint64_t v, uint64_t count,
                         struct block *b, struct pulled *p) {
    uint64_t copy[SHORT_ROWS + 1];
    for (uint64_t i = 0, now; i < count; i += now) {
        now = count - i < SHORT_ROWS ? count - i : SHORT_ROWS;
        if (gg_worked(r->run, &p->since, r->in.end[v + i + now - 1] - r->in.begin[v + i]))
            return false;
        const uint64_t *in = rows_in_order(&r->in, v + i, now, copy);
        const bool padded = in && in[now] + GROUP <= r->in.m;
        if (in && in[now] - in[0] <= EXACT)
            split_differences(r->share, r->in.target, in, now, b->arrived + i);
        else
            for (uint64_t k = i; k < i + now; k++)
                b->arrived[k] =
                    gather_row(r, r->in.begin[v + k], r->in.end[v + k], padded);
    }
    for (uint64_t i = 0; i < count; i++)
        b->out[i] = out_of(r, v + i);
    return true;
}

static void pull_block(struct ranking *r, uint64_t v, uint64_t count, struct pulled *p) {
    struct block b;
    uint64_t done = 0;
    if (!r->total && !gather_block(r, v, count, &b, p))
        return;
    for (uint64_t i = 0; r->total && i < count; i++) {
        if (gg_worked(r->run, &p->since, r->in.end[v + i] - r->in.begin[v + i]))
            return;
        b.arrived[i] = arrived_at(r, v + i);
    }
    if (!r->total && !r->is_place &&
        (r->keeps ? end_block(r, v, count / 2 * 2, &b, p, true)
                  : end_block(r, v, count / 2 * 2, &b, p, false)))
        done = count / 2 * 2;
    for (uint64_t i = done; i < count; i++)
        end_one(r, v + i, b.arrived[i], p);
}

static void pull_shares(void *ranking, uint64_t low, uint64_t high) {
    struct ranking *r = ranking;
    struct pulled p = {0};
    for (uint64_t v = low; v < high && !gg_pause(r->run); v += EXACT)
        pull_block(r, v, high - v < EXACT ? high - v : EXACT, &p);
    add_to_rank_sum(r, &r->change, p.changed);
    add_to_rank_sum(r, &r->lost, p.lost);
}

/* ---- the driver ---- */

static bool over_vertices(struct ranking *r, gg_span *pass) {
    gg_chunks(r->threads, r->graph->n, CHUNK, pass, r);
    return !gg_stopping(r->run);
}

static void iterate_ranks(struct ranking *r, pagerank_end *end) {
    if (!over_vertices(r, share_out))
        return;
    while (end->iterations < r->how->iterations) {
        double *share = r->next;
        r->gift = gg_rank_gift(r->how->damping, r->lost, r->places);
        r->next = r->share;
        r->share = share;
        r->lost = r->change = 0;
        r->keeps = r->how->tolerance > 0 || end->iterations + 2 >= r->how->iterations;
        if (!over_vertices(r, pull_shares))
            return;
        end->iterations++;
        end->change = gg_unfix(r->change);
        if (r->how->tolerance > 0 && end->change <= r->how->tolerance)
            break;
    }
}

static bool prepare_ranking(struct ranking *r) {
    const uint32_t n = r->graph->n;
    r->places = r->how->source_count > 0 ? r->how->source_count : n;
    r->share = gg_alloc(r->run, n, sizeof *r->share);
    r->next = gg_alloc(r->run, n, sizeof *r->next);
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
    return !r->run->status;
}

static gpugraph_status rank_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                   const gpugraph_pagerank_options *how, double *rank,
                                   pagerank_end *end) {
    struct ranking r = {.graph = graph, .how = how, .run = run, .rank = rank};
    *end = (pagerank_end){0, 0};
    const enum csr_kind in = gg_forward_kind(gg_opposite(how->direction)),
                        out = gg_forward_kind(how->direction);
    if (gg_rows(graph, in, how->weighted, false, run, &r.in) ||
        gg_rows(graph, out, how->weighted, false, run, &r.out))
        return run->status;
    double start = gg_now_ms();
    r.threads = gg_threads(run, r.in.m + r.in.n);
    if (prepare_ranking(&r))
        iterate_ranks(&r, end);
    gg_release(r.share);
    gg_release(r.next);
    gg_release(r.total);
    gg_release(r.exponent);
    gg_release(r.is_place);
    return gg_search_phase(run, start, (int64_t)r.in.m,
                           "%d thread(s), %u iterations, last change %.3g", r.threads,
                           end->iterations, end->change);
}

/* ---- the descriptor ---- */

static double arcs(const gpugraph_graph *graph) {
    return PAGERANK_ITERATIONS * (double)graph->m;
}

const gg_algorithm gg_pagerank = {
    .name = "pagerank",
    .rows = CSR_IN,
    .arcs = arcs,
    /* Several: measured on two H100, ten iterations, R-MATs of scale 20 and 26. */
    .cpu_ns = 3,
    .cuda_ns = 0.012,
    .step_us = PAGERANK_ITERATIONS * 30,
    .several_ns = 0.0132,
    .several_step_us = PAGERANK_ITERATIONS * 120,
    .side = {[GPUGRAPH_CPU] =
                 GG_ONE_METHOD(pagerank_entry, rank_on_cpu, "pagerank", "pull",
                               "each vertex adds up what its incoming arcs "
                               "bring, in fixed point"),
             [GPUGRAPH_CUDA] = &gg_pagerank_cuda},
    .several = &gg_pagerank_distributed,
};

/* ---- the public function ---- */

static bool check_options(const gpugraph_graph *graph,
                          const gpugraph_pagerank_options *how, gpugraph_run *run,
                          const double *rank) {
    if (!gg_needs(run, how, 1, "how") ||
        !gg_needs(run, how->source, how->source_count, "how.source") ||
        !gg_needs(run, rank, graph->n, "rank") ||
        !gg_check_direction(run, how->direction))
        return false;
    if (!(how->damping >= 0 && how->damping <= 1))
        gg_fail(run, GPUGRAPH_INVALID, "damping is %g, not from 0 to 1", how->damping);
    else if (!(how->tolerance >= 0))
        gg_fail(run, GPUGRAPH_INVALID, "tolerance is %g, not 0 or more", how->tolerance);
    else if (how->weighted && gpugraph_weights(graph) == GPUGRAPH_UNWEIGHTED)
        gg_fail(run, GPUGRAPH_INVALID,
                "ranks by weight need weights, but the graph has none");
    for (uint32_t i = 0;
         !run->status && i < how->source_count && !gg_leave(run, i + (uint64_t)1); i++) {
        if (how->source[i] >= graph->n)
            gg_fail(run, GPUGRAPH_INVALID, "source %u is not one of %u vertices",
                    how->source[i], graph->n);
        else if (i > 0 && how->source[i] <= how->source[i - 1])
            gg_fail(run, GPUGRAPH_INVALID, "sources are not ascending: %u after %u",
                    how->source[i], how->source[i - 1]);
    }
    if (gg_stopping(run) && !run->status)
        gg_stopped(run);
    return !run->status;
}

gpugraph_status gpugraph_pagerank(gpugraph_graph *graph,
                                  const gpugraph_pagerank_options *how, gpugraph_run *run,
                                  double *rank) {
    pagerank_end end = {0, 0};
    gg_enter_graph(graph, run);
    if (check_options(graph, how, run, rank))
        GG_RUN(pagerank_entry, &gg_pagerank, NULL, graph, run,
               (graph, run, how, rank, &end));
    return gg_leave_graph(graph, run);
}
