/* The weights of a graph that is made: none that is negative, infinite or not a number; 32 bits
** where no path is too long for them. */
#include "builder.h"
#include "cells.h"
#include "copy.h"
#include "tuning.h"

#include <math.h>

typedef struct weighing {
    const builder *b;
    uint64_t bad; /* smallest number of an edge whose weight is not allowed; m: none */
    uint64_t largest, total; /* INTEGER weights, in the sum 2^32 - 1 each at most */
    void *weight;            /* by edge number, in the layout of graph->distance_type */
    uint32_t *top;           /* by vertex: the largest weight of its edges */
} weighing;

static void check_weights(void *job, uint64_t low, uint64_t high) {
    weighing *w = job;
    const builder *b = w->b;
    const int64_t *integer = b->edges->weight;
    const double *real = b->edges->weight;
    bool is_real = b->edges->weight_type == GPUGRAPH_REAL_WEIGHTS;
    uint64_t bad = b->m, top = 0, sum = 0;
    for (uint64_t e = low; e < high && !gg_leave(b->run, e); e++) {
        uint64_t row = input_row(b, e);
        bool good;
        if (is_real) {
            good = real[row] >= 0 && real[row] <= 1.7976931348623157e308;
        } else {
            uint64_t weight = (uint64_t)integer[row];
            good = integer[row] >= 0;
            top = good && weight > top ? weight : top;
            sum += weight < UINT32_MAX ? weight : UINT32_MAX;
        }
        bad = !good && e < bad ? e : bad;
    }
    gg_lower(&w->bad, bad);
    gg_raise(&w->largest, top);
    __atomic_fetch_add(&w->total, sum, __ATOMIC_RELAXED);
}

void gg_report_integer(gpugraph_run *run, int64_t id, int64_t weight) {
    gg_fail(run, GPUGRAPH_INVALID,
            "edge %lld has the negative weight %lld; weights must be 0 or more",
            (long long)id, (long long)weight);
}

void gg_report_real(gpugraph_run *run, int64_t edge_id, double weight) {
    long long id = edge_id;
    if (isnan(weight))
        gg_fail(run, GPUGRAPH_INVALID, "edge %lld has a weight that is not a number", id);
    else if (isinf(weight))
        gg_fail(run, GPUGRAPH_INVALID,
                "edge %lld has an infinite weight; weights must be finite", id);
    else
        gg_fail(run, GPUGRAPH_INVALID,
                "edge %lld has the negative weight %.17g; weights must be 0 or more", id,
                weight);
}

static void report_weight(const builder *b, uint64_t e) {
    const gpugraph_graph *graph = b->graph;
    int64_t id = graph->edge_id ? graph->edge_id[e] : (int64_t)e + 1;
    uint64_t row = input_row(b, e);
    if (b->edges->weight_type == GPUGRAPH_INTEGER_WEIGHTS)
        gg_report_integer(b->run, id, ((const int64_t *)b->edges->weight)[row]);
    else
        gg_report_real(b->run, id, ((const double *)b->edges->weight)[row]);
}

/* The weights of edges low .. high - 1 as 32 bits; fits gg_narrow. */
static void narrow_part(const void *of, uint64_t low, uint64_t high, uint32_t *to) {
    const int64_t *integer = ((const builder *)of)->edges->weight;
    for (uint64_t e = low; e < high; e++)
        to[e - low] = (uint32_t)integer[e];
}

static void make_zeros_positive(void *weight, uint64_t low, uint64_t high) {
    double *real = weight;
    for (uint64_t e = low; e < high; e++)
        real[e] += 0.0; /* -0.0 + 0.0 is 0.0 */
}

/* The column itself, which is in the order of edges already, becomes the weights. */
static void *keep_weights(const builder *b) {
    void *weight = (void *)b->edges->weight;
    if (b->graph->distance_type == GPUGRAPH_UINT32) {
        weight = gg_narrow(b->run, weight, b->m, narrow_part, b);
    } else {
        if (b->graph->distance_type == GPUGRAPH_REAL)
            gg_slices(b->threads, b->m, make_zeros_positive, weight);
        void *larger = gg_grow(weight, b->m + b->m / GG_ROOM_SHARE, sizeof(int64_t));
        weight = larger ? larger : weight;
    }
    b->edges->weight = NULL;
    return weight;
}

static void copy_slice(void *job, uint64_t low, uint64_t high) {
    const weighing *w = job;
    const builder *b = w->b;
    const gpugraph_distance_type type = b->graph->distance_type;
    const int64_t *integer = b->edges->weight;
    const double *real = b->edges->weight;
    for (uint64_t e = low; e < high && !gg_leave(b->run, e); e++) {
        uint64_t row = input_row(b, e);
        if (type == GPUGRAPH_REAL)
            ((double *)w->weight)[e] = real[row] + 0.0; /* -0.0 + 0.0 is 0.0 */
        else if (type == GPUGRAPH_UINT64)
            ((int64_t *)w->weight)[e] = integer[row];
        else
            ((uint32_t *)w->weight)[e] = (uint32_t)integer[row];
    }
}

static void *copy_weights(const builder *b) {
    if (b->edges->take_over && !b->order)
        return keep_weights(b);
    weighing w = {.b = b};
    w.weight = gg_alloc_roomy(b->run, b->m, gg_distance_size(b->graph->distance_type));
    if (w.weight)
        gg_slices(b->threads, b->m, copy_slice, &w);
    return w.weight;
}

static void raise(uint32_t *top, uint32_t weight) {
    uint32_t old = __atomic_load_n(top, __ATOMIC_RELAXED);
    while (old < weight &&
           !__atomic_compare_exchange_n(top, &old, weight, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

static void raise_slice(void *job, uint64_t low, uint64_t high) {
    const weighing *w = job;
    const gpugraph_graph *graph = w->b->graph;
    const int64_t *weight = w->b->edges->weight;
    for (uint64_t e = low; e < high && !gg_leave(w->b->run, e); e++) {
        uint32_t here = (uint32_t)weight[input_row(w->b, e)];
        raise(&w->top[graph->source[e]], here);
        raise(&w->top[graph->target[e]], here);
    }
}

/* The sum over all vertices of the largest weight of their edges: no path that visits
** every vertex at most once is longer. */
static uint64_t longest_path(const void *of) {
    const builder *b = of;
    uint64_t sum = 0, n = b->graph->n;
    if (gg_bring_away(b->graph, b->run))
        return 0;
    weighing w = {.b = b, .top = gg_alloc_zero(b->run, n, sizeof *w.top)};
    if (!w.top)
        return 0;
    gg_slices(b->threads, b->m, raise_slice, &w);
    for (uint64_t v = 0; v < n; v++)
        sum += w.top[v];
    gg_release(w.top);
    return sum;
}

/* Two bounds on the longest path come first, since they cost nothing: n of the largest
** weights, and every edge once for each of its ends, unless the sum may have run over. The
** bounds are kept for updates; in them a weight of 2^32 - 1 stands for itself and for all
** that are larger. */
void gg_choose_width(gpugraph_graph *graph, uint64_t largest, uint64_t total,
                     uint64_t (*longest)(const void *of), const void *of) {
    if (!gg_sum_holds(graph->m, largest))
        total = UINT64_MAX;
    graph->path_low = largest < UINT32_MAX ? largest : UINT32_MAX;
    graph->path_high = UINT64_MAX;
    if (largest < UINT32_MAX) {
        graph->path_high = largest * graph->n;
        if (graph->path_high >= UINT32_MAX)
            graph->path_high = total < UINT32_MAX ? 2 * total : UINT64_MAX;
        if (graph->path_high >= UINT32_MAX)
            graph->path_low = graph->path_high = longest(of);
    }
    graph->distance_type =
        graph->path_high < UINT32_MAX ? GPUGRAPH_UINT32 : GPUGRAPH_UINT64;
}

void gg_take_weights(builder *b) {
    weighing w = {.b = b, .bad = b->m};
    if (b->edges->weight_type == GPUGRAPH_UNWEIGHTED)
        return;
    if (b->edges->cells && b->edges->cells->weights.stay) {
        gg_copies.take_weights(b->graph, b->edges->cells, b->run);
        return;
    }
    gg_slices(b->threads, b->m, check_weights, &w);
    if (gg_stopping(b->run))
        return;
    if (w.bad < b->m) {
        report_weight(b, w.bad);
    } else if (b->edges->weight_type == GPUGRAPH_REAL_WEIGHTS) {
        b->graph->distance_type = GPUGRAPH_REAL;
        b->graph->weight = copy_weights(b);
    } else {
        gg_choose_width(b->graph, w.largest, w.total, longest_path, b);
        if (!gg_stopping(b->run))
            b->graph->weight = copy_weights(b);
    }
}
