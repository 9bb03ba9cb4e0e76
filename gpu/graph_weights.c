/* The weights of a graph that is made: none that is negative, infinite or not a number; 32 bits
** where no path is too long for them. */
#include "graph_builder.h"
#include "tuning.h"

#include <math.h>
#include <omp.h>

/* Smallest number of an edge whose weight is not allowed (m: none). Of INTEGER weights
** *largest is the largest, *total their sum, each counted as 2^32 - 1 at most. */
static uint64_t check_weights(const builder *b, uint64_t *largest, uint64_t *total) {
    const int64_t *integer = b->edges->weight;
    const double *real = b->edges->weight;
    bool is_real = b->edges->weight_type == GPUGRAPH_REAL_WEIGHTS;
    uint64_t bad = b->m, top = 0, sum = 0;
#pragma omp parallel num_threads(b->threads) reduction(min : bad) reduction(max : top)   \
    reduction(+ : sum)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t end = gg_slice(b->m, t + 1, team);
        for (uint64_t e = gg_slice(b->m, t, team); e < end && !gg_leave(b->run, e); e++) {
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
    }
    *largest = top;
    *total = sum;
    return bad;
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

/* The column itself, which is in the order of edges already, becomes the weights. */
static void *keep_weights(const builder *b) {
    void *weight = (void *)b->edges->weight;
    double *real = weight;
    if (b->graph->distance_type == GPUGRAPH_UINT32) {
        weight = gg_narrow(b->run, weight, b->m, narrow_part, b);
    } else if (b->graph->distance_type == GPUGRAPH_REAL) {
#pragma omp parallel for num_threads(b->threads) schedule(static)
        for (uint64_t e = 0; e < b->m; e++)
            real[e] += 0.0; /* -0.0 + 0.0 is 0.0 */
    }
    b->edges->weight = NULL;
    return weight;
}

/* The weights by edge number, in the layout of graph->distance_type. */
static void *copy_weights(const builder *b) {
    gpugraph_distance_type type = b->graph->distance_type;
    const int64_t *integer = b->edges->weight;
    const double *real = b->edges->weight;
    if (b->edges->take_over && !b->order)
        return keep_weights(b);
    void *weight = gg_alloc_roomy(b->run, b->m, gg_distance_size(type));
    if (!weight)
        return NULL;
#pragma omp parallel num_threads(b->threads)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t end = gg_slice(b->m, t + 1, team);
        for (uint64_t e = gg_slice(b->m, t, team); e < end && !gg_leave(b->run, e); e++) {
            uint64_t row = input_row(b, e);
            if (type == GPUGRAPH_REAL)
                ((double *)weight)[e] = real[row] + 0.0; /* -0.0 + 0.0 is 0.0 */
            else if (type == GPUGRAPH_UINT64)
                ((int64_t *)weight)[e] = integer[row];
            else
                ((uint32_t *)weight)[e] = (uint32_t)integer[row];
        }
    }
    return weight;
}

static void raise(uint32_t *top, uint32_t weight) {
    uint32_t old = __atomic_load_n(top, __ATOMIC_RELAXED);
    while (old < weight &&
           !__atomic_compare_exchange_n(top, &old, weight, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

/* The sum over all vertices of the largest weight of their edges: no path that visits
** every vertex at most once is longer. */
static uint64_t longest_path(const builder *b) {
    const gpugraph_graph *graph = b->graph;
    const int64_t *weight = b->edges->weight;
    uint64_t sum = 0;
    uint32_t *top = gg_alloc_zero(b->run, graph->n, sizeof *top);
    if (!top)
        return 0;
#pragma omp parallel num_threads(b->threads)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t end = gg_slice(b->m, t + 1, team);
        for (uint64_t e = gg_slice(b->m, t, team); e < end && !gg_leave(b->run, e); e++) {
            uint32_t here = (uint32_t)weight[input_row(b, e)];
            raise(&top[graph->source[e]], here);
            raise(&top[graph->target[e]], here);
        }
    }
    for (uint64_t v = 0; v < graph->n; v++)
        sum += top[v];
    gg_release(top);
    return sum;
}

/* Two bounds on longest_path come first, since they cost nothing: n of the largest
** weights, and every edge once for each of its ends, unless the sum may have run over. The
** bounds are kept for updates; in them a weight of 2^32 - 1 stands for itself and for all
** that are larger. */
static void narrow_weights(builder *b, uint64_t largest, uint64_t total) {
    gpugraph_graph *graph = b->graph;
    if (!gg_sum_holds(b->m, largest))
        total = UINT64_MAX;
    graph->path_low = largest < UINT32_MAX ? largest : UINT32_MAX;
    graph->path_high = UINT64_MAX;
    if (largest < UINT32_MAX) {
        graph->path_high = largest * graph->n;
        if (graph->path_high >= UINT32_MAX)
            graph->path_high = total < UINT32_MAX ? 2 * total : UINT64_MAX;
        if (graph->path_high >= UINT32_MAX)
            graph->path_low = graph->path_high = longest_path(b);
    }
    graph->distance_type =
        graph->path_high < UINT32_MAX ? GPUGRAPH_UINT32 : GPUGRAPH_UINT64;
    if (!gg_stopping(b->run))
        graph->weight = copy_weights(b);
}

void gg_take_weights(builder *b) {
    uint64_t largest, total;
    if (b->edges->weight_type == GPUGRAPH_UNWEIGHTED)
        return;
    uint64_t bad = check_weights(b, &largest, &total);
    if (gg_stopping(b->run))
        return;
    if (bad < b->m) {
        report_weight(b, bad);
    } else if (b->edges->weight_type == GPUGRAPH_REAL_WEIGHTS) {
        b->graph->distance_type = GPUGRAPH_REAL;
        b->graph->weight = copy_weights(b);
    } else {
        narrow_weights(b, largest, total);
    }
}
