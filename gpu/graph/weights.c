/* Checks the weights of a new graph (none may be negative, infinite or NaN), and stores
** them in 32 bits if every path fits. */
#include "builder.h"
#include "cells.h"
#include "copy.h"
#include "graph.h"

#include <math.h>

typedef struct weighing {
    const builder *b;
    bool bad;                /* some weight is invalid */
    uint64_t largest, total; /* of INTEGERs; each adds at most 2^32 - 1 to the total */
    void *weight;            /* by edge number, in the layout of graph->distance_type */
    uint32_t *top;           /* by vertex: the largest weight of its edges */
} weighing;

/* Summary of some weights. */
struct look {
    bool bad;
    uint64_t largest, total;
};

/* The compiler vectorizes these loops. If a weight is invalid, the sums are not used. */
static struct look look_at_narrow(const int32_t *weight, uint64_t count) {
    int32_t all = 0, largest = 0;
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++) {
        all |= weight[i];
        largest = weight[i] > largest ? weight[i] : largest;
        total += (uint32_t)weight[i];
    }
    return (struct look){all < 0, (uint64_t)largest, total};
}

static struct look look_at_wide(const int64_t *weight, uint64_t count) {
    int64_t all = 0;
    uint64_t largest = 0, total = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t here = (uint64_t)weight[i];
        all |= weight[i];
        largest = here > largest ? here : largest;
        total += here < UINT32_MAX ? here : UINT32_MAX;
    }
    return (struct look){all < 0, largest, total};
}

static bool is_allowed(double weight) {
    return weight >= 0 && weight <= 1.7976931348623157e308;
}

static struct look look_at_real(const double *weight, uint64_t count) {
    bool bad = false;
    for (uint64_t i = 0; i < count; i++)
        bad |= !is_allowed(weight[i]);
    return (struct look){.bad = bad};
}

/* Summarizes the weights of input rows. */
static void look_at_weights(void *job, uint64_t low, uint64_t high) {
    weighing *w = job;
    const gpugraph_edges *edges = w->b->edges;
    const bool real = edges->weight_type == GPUGRAPH_REAL_WEIGHTS;
    struct look all = {0};
    for (uint64_t i = low; i < high && !gg_pause(w->b->run); i += GG_POLL_ITEMS) {
        const uint64_t count = high - i < GG_POLL_ITEMS ? high - i : GG_POLL_ITEMS;
        const struct look here =
            real              ? look_at_real((const double *)edges->weight + i, count)
            : edges->weight32 ? look_at_narrow(edges->weight32 + i, count)
                              : look_at_wide((const int64_t *)edges->weight + i, count);
        all.bad |= here.bad;
        all.largest = here.largest > all.largest ? here.largest : all.largest;
        all.total += here.total;
    }
    if (all.bad)
        __atomic_store_n(&w->bad, true, __ATOMIC_RELAXED);
    gg_raise(&w->largest, all.largest);
    __atomic_fetch_add(&w->total, all.total, __ATOMIC_RELAXED);
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

/* Reports the first edge whose weight is invalid. */
static void report_weight(const builder *b) {
    const bool is_real = b->edges->weight_type == GPUGRAPH_REAL_WEIGHTS;
    const double *real = b->edges->weight;
    for (uint64_t e = 0; e < b->m && !b->run->status && !gg_leave(b->run, e + 1); e++) {
        const uint64_t row = input_row(b, e);
        const int64_t id = b->graph->edge_id ? b->graph->edge_id[e] : (int64_t)e + 1;
        if (is_real && !is_allowed(real[row]))
            gg_report_real(b->run, id, real[row]);
        else if (!is_real && gg_integer_weight(b->edges, row) < 0)
            gg_report_integer(b->run, id, gg_integer_weight(b->edges, row));
    }
}

/* A callback of gg_narrow: stores the weights of edges low .. high - 1 in 32 bits. */
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

/* Returns the bytes of an entry of the caller's column of weights. */
static size_t given_size(const gpugraph_edges *edges) {
    return edges->weight32 ? sizeof(int32_t) : sizeof(int64_t);
}

/* Takes over the caller's column, which is in edge order; narrows wider entries. */
static void *keep_weights(const builder *b, size_t size) {
    void *weight = (void *)(b->edges->weight32 ? (const void *)b->edges->weight32
                                               : b->edges->weight);
    if (given_size(b->edges) > size) {
        weight = gg_narrow(b->run, weight, b->m, narrow_part, b);
    } else {
        if (b->graph->distance_type == GPUGRAPH_REAL)
            gg_slices(b->threads, b->m, make_zeros_positive, weight);
        void *larger = gg_grow(weight, b->m + b->m / GG_ROOM_SHARE, size);
        weight = larger ? larger : weight;
    }
    b->edges->weight = NULL;
    b->edges->weight32 = NULL;
    return weight;
}

static void copy_slice(void *job, uint64_t low, uint64_t high) {
    const weighing *w = job;
    const builder *b = w->b;
    const gpugraph_distance_type type = b->graph->distance_type;
    const double *real = b->edges->weight;
    for (uint64_t e = low; e < high && !gg_leave(b->run, e); e++) {
        uint64_t row = input_row(b, e);
        if (type == GPUGRAPH_REAL)
            ((double *)w->weight)[e] = real[row] + 0.0; /* -0.0 + 0.0 is 0.0 */
        else if (type == GPUGRAPH_UINT64)
            ((int64_t *)w->weight)[e] = gg_integer_weight(b->edges, row);
        else
            ((uint32_t *)w->weight)[e] = (uint32_t)gg_integer_weight(b->edges, row);
    }
}

static void *copy_weights(const builder *b) {
    const size_t size = gg_distance_size(b->graph->distance_type);
    if (b->edges->take_over && !b->order && given_size(b->edges) >= size)
        return keep_weights(b, size);
    weighing w = {.b = b};
    w.weight = gg_alloc_slack(b->run, b->m, size);
    if (w.weight)
        gg_slices(b->threads, b->m, copy_slice, &w);
    return w.weight;
}

static void raise_weights(uint32_t *top, uint32_t weight) {
    uint32_t old = __atomic_load_n(top, __ATOMIC_RELAXED);
    while (old < weight &&
           !__atomic_compare_exchange_n(top, &old, weight, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

static void raise_slice(void *job, uint64_t low, uint64_t high) {
    const weighing *w = job;
    const builder *b = w->b;
    const gpugraph_edges edges = *b->edges;
    const uint32_t *source = b->graph->source, *target = b->graph->target;
    uint32_t *top = w->top;
    for (uint64_t e = low; e < high && !gg_leave(b->run, e); e++) {
        const uint32_t here = (uint32_t)gg_integer_weight(&edges, input_row(b, e));
        raise_weights(&top[source[e]], here);
        raise_weights(&top[target[e]], here);
    }
}

/* Returns the sum over all vertices of the largest weight of their edges. No path that
** visits each vertex at most once is longer. */
static uint64_t longest_path_of_weights(const void *of) {
    const builder *b = of;
    uint64_t sum = 0, n = b->graph->n;
    if (gg_download_edges(b->graph, b->run))
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

/* Tries two cheap bounds on the longest path first: n times the largest weight, and twice
** the total, unless the total may have overflowed. Updates use the bounds, in which a
** larger weight counts as 2^32 - 1. */
void gg_choose_width(gpugraph_graph *graph, uint64_t largest, uint64_t total,
                     uint64_t (*longest)(const void *of), const void *of) {
    if (graph->m > 0 && largest > UINT64_MAX / graph->m) /* the sum may overflow */
        total = UINT64_MAX;
    graph->known.path_low = largest < UINT32_MAX ? largest : UINT32_MAX;
    graph->known.path_high = UINT64_MAX;
    if (largest < UINT32_MAX) {
        graph->known.path_high = largest * graph->n;
        if (graph->known.path_high >= UINT32_MAX)
            graph->known.path_high = total < UINT32_MAX ? 2 * total : UINT64_MAX;
        if (graph->known.path_high >= UINT32_MAX)
            graph->known.path_low = graph->known.path_high = longest(of);
    }
    graph->distance_type =
        graph->known.path_high < UINT32_MAX ? GPUGRAPH_UINT32 : GPUGRAPH_UINT64;
}

void gg_take_weights(builder *b) {
    weighing w = {.b = b};
    if (b->edges->weight_type == GPUGRAPH_UNWEIGHTED)
        return;
    if (b->edges->cells && b->edges->cells->weights.stay) {
        gg_copies.take_weights(b->graph, b->edges->cells, b->run);
        return;
    }
    gg_slices(b->threads, b->m, look_at_weights, &w);
    if (gg_stopping(b->run))
        return;
    if (w.bad) {
        report_weight(b);
    } else if (b->edges->weight_type == GPUGRAPH_REAL_WEIGHTS) {
        b->graph->distance_type = GPUGRAPH_REAL;
        b->graph->weight = copy_weights(b);
    } else {
        gg_choose_width(b->graph, w.largest, w.total, longest_path_of_weights, b);
        if (!gg_stopping(b->run))
            b->graph->weight = copy_weights(b);
    }
}
