/* Edges of a batch: which numbers go, where those that come are put, and how wide weights
** have to be.
**
** Weights are narrow when the sum of each vertex's largest weight (longest_path in graph.c)
** is below 2^32 - 1. That sum is kept between two bounds: an edge that comes raises it by
** its weight for each end at most, and one that goes lowers it by no more. Only when the
** limit lies between the bounds is it worked out anew. */
#include "update.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- edge numbers ---- */

/* The first edge from `from` on whose id is not below `id`: a search that doubles its
** step, for ids that come in order. */
static uint64_t first_edge(const gpugraph_graph *graph, uint64_t from, int64_t id) {
    uint64_t low = from, high = from, step = 1, m = graph->m;
    if (!graph->edge_id)
        return id < 1 ? 0 : (uint64_t)id - 1 < m ? (uint64_t)id - 1 : m;
    while (high < m && graph->edge_id[high] < id) {
        low = high + 1;
        high = m - high > step ? high + step : m;
        step *= 2;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->edge_id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_id(const gpugraph_graph *graph, uint64_t e, int64_t id) {
    return e < graph->m && (graph->edge_id ? graph->edge_id[e] : (int64_t)e + 1) == id;
}

static void find_removed(update *u) {
    const gpugraph_graph *graph = u->graph;
    for (uint64_t i = 0, e = 0; i < u->removed_count; i++, e++) {
        int64_t id = u->removed_id[i];
        if (gg_leave(u->run, i))
            return;
        if (i > 0 && u->removed_id[i - 1] >= id) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "the ids of removed edges are not ascending at %lld", (long long)id);
            return;
        }
        u->removed[i] = e = first_edge(graph, e, id);
        bool there = has_id(graph, e, id);
        if (!there || has_id(graph, e + 1, id)) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "edge %lld is to be removed, and the graph has %s", (long long)id,
                    there ? "several" : "no such edge");
            return;
        }
    }
}

static void find_added(update *u) {
    const gpugraph_graph *graph = u->graph;
    const int64_t *added = u->added->edge_id;
    for (uint64_t i = 0, r = 0, e = 0; i < u->added_count; i++) {
        int64_t id = added[i];
        if (gg_leave(u->run, i))
            return;
        if (i > 0 && added[i - 1] >= id) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "the ids of added edges are not ascending at %lld", (long long)id);
            return;
        }
        while (r < u->removed_count && u->removed_id[r] < id)
            r++;
        bool changes = r < u->removed_count && u->removed_id[r] == id;
        u->added_at[i] = e = changes ? u->removed[r] : first_edge(graph, e, id);
        if (!changes && has_id(graph, e, id)) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "edge %lld is to be added, and the graph has it already",
                    (long long)id);
            return;
        }
    }
}

/* The smallest id of edges that stay, from the low end or from the high one; false: none
** stays. */
static bool kept_id(const update *u, bool last, int64_t *id) {
    const splice_piece *piece = u->edges.piece + (last ? u->edges.pieces - 1 : 0);
    if (!u->edges.pieces)
        return false;
    uint64_t e = last ? piece->from + piece->count - 1 : piece->from;
    *id = u->graph->edge_id ? u->graph->edge_id[e] : (int64_t)e + 1;
    return true;
}

/* Ids ascend strictly where none is there twice: then the first and the last say all. */
static bool plain_afterwards(const update *u) {
    int64_t first = INT64_MAX, last = INT64_MIN, id;
    if (u->edges.after == 0)
        return true;
    for (int end = 0; end < 2; end++)
        if (kept_id(u, end, &id)) {
            first = id < first ? id : first;
            last = id > last ? id : last;
        }
    if (u->added_count) {
        int64_t low = u->added->edge_id[0], high = u->added->edge_id[u->added_count - 1];
        first = low < first ? low : first;
        last = high > last ? high : last;
    }
    if (first != 1 || last != (int64_t)u->edges.after)
        return false;
    if (!u->graph->has_equal_edge_ids || !u->graph->edge_id)
        return true;
    int64_t before = 0;
    for (uint64_t k = 0; k < u->edges.pieces; k++) {
        const splice_piece *piece = &u->edges.piece[k];
        for (uint64_t i = 0; i < piece->count; i++) {
            int64_t here = u->graph->edge_id[piece->from + i];
            if (here == before)
                return false;
            before = here;
        }
    }
    return true;
}

/* The bound grows with each batch; where it has come too near it is settled anew. */
static void bound_degrees(update *u) {
    gpugraph_graph *graph = u->graph;
    const uint64_t more = 2 * u->added_count;
    if (graph->degree_high + more > gg_most_degree &&
        gg_bound_degrees(graph, u->added_count, u->run))
        return;
    u->degree_high = graph->degree_high + more;
    if (u->degree_high > 2 * u->edges.after)
        u->degree_high = 2 * u->edges.after;
    if (u->degree_high > gg_most_degree)
        gg_fail(u->run, GPUGRAPH_TOO_LARGE,
                "a vertex may come to have more than %llu edges, the most that a graph "
                "holds",
                (unsigned long long)gg_most_degree);
}

void gg_update_edges(update *u) {
    gpugraph_run *run = u->run;
    u->removed = gg_alloc(run, u->removed_count, sizeof *u->removed);
    u->added_at = u->removed ? gg_alloc(run, u->added_count, sizeof *u->added_at) : NULL;
    u->added_edge =
        u->added_at ? gg_alloc(run, u->added_count, sizeof *u->added_edge) : NULL;
    if (u->added_edge)
        find_removed(u);
    if (!gg_stopping(run))
        find_added(u);
    if (gg_stopping(run))
        return;
    if (!gg_splice_make(run, &u->edges, u->graph->m, u->removed, u->removed_count,
                        u->added_at, u->added_count, u->added_edge))
        u->plain = plain_afterwards(u);
    if (!gg_stopping(run))
        bound_degrees(u);
}

/* ---- weights ---- */

static uint64_t capped(int64_t weight) {
    return weight < UINT32_MAX ? (uint64_t)weight : UINT32_MAX;
}

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* Checks weights of added edges. Of INTEGER ones: *sum and *largest, capped. */
static void check_added(const update *u, uint64_t *sum, uint64_t *largest) {
    const int64_t *integer = u->added->weight;
    const double *real = u->added->weight;
    *sum = *largest = 0;
    for (uint64_t i = 0; i < u->added_count && !gg_leave(u->run, i); i++) {
        if (u->added->weight_type == GPUGRAPH_REAL_WEIGHTS) {
            if (!(real[i] >= 0) || isinf(real[i])) {
                gg_report_real(u->run, u->added->edge_id[i], real[i]);
                return;
            }
        } else {
            if (integer[i] < 0) {
                gg_report_integer(u->run, u->added->edge_id[i], integer[i]);
                return;
            }
            *sum += capped(integer[i]);
            *largest = capped(integer[i]) > *largest ? capped(integer[i]) : *largest;
        }
    }
}

static uint64_t old_weight(const gpugraph_graph *graph, uint64_t e) {
    return graph->distance_type == GPUGRAPH_UINT32
               ? ((const uint32_t *)graph->weight)[e]
               : capped(((const int64_t *)graph->weight)[e]);
}

static void raise(uint32_t *top, uint64_t weight) {
    uint32_t old = __atomic_load_n(top, __ATOMIC_RELAXED);
    while (old < weight &&
           !__atomic_compare_exchange_n(top, &old, (uint32_t)weight, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* The first of the removed edges that is not below e. */
static uint64_t removed_from(const update *u, uint64_t e) {
    uint64_t low = 0, high = u->removed_count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (u->removed[middle] < e)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void raise_kept(const update *u, uint32_t *top) {
    const gpugraph_graph *graph = u->graph;
    int threads = gg_threads(u->run, graph->m);
#pragma omp parallel num_threads(threads)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t e = gg_slice(graph->m, t, team), end = gg_slice(graph->m, t + 1, team);
        for (uint64_t r = removed_from(u, e); e < end && !gg_leave(u->run, e); e++) {
            if (r < u->removed_count && u->removed[r] == e) {
                r++;
                continue;
            }
            raise(&top[graph->source[e]], old_weight(graph, e));
            raise(&top[graph->target[e]], old_weight(graph, e));
        }
    }
}

/* The sum of each vertex's largest weight afterwards; fresh ones come after old ones. */
static uint64_t longest_path(const update *u) {
    uint64_t n = u->graph->n + u->fresh, sum = 0;
    const int64_t *weight = u->added->weight;
    uint32_t *top = gg_alloc_zero(u->run, n, sizeof *top);
    if (!top)
        return 0;
    raise_kept(u, top);
    for (uint64_t ref = 0; ref < 2 * u->added_count; ref++) {
        const added_end *end = &u->end[ref];
        uint64_t v = end->old == GPUGRAPH_NONE ? u->graph->n + end->fresh : end->old;
        raise(&top[v], capped(weight[ref / 2]));
    }
    for (uint64_t v = 0; v < n; v++)
        sum += top[v];
    gg_release(top);
    return sum;
}

uint64_t gg_longest_path(const gpugraph_graph *graph, gpugraph_run *run) {
    static const gpugraph_edges none;
    const update as_it_is = {
        .graph = (gpugraph_graph *)graph, .added = &none, .run = run};
    return longest_path(&as_it_is);
}

static void settle_layout(update *u, uint64_t sum, uint64_t largest) {
    uint64_t gone = 0;
    for (uint64_t i = 0; i < u->removed_count; i++)
        gone += old_weight(u->graph, u->removed[i]);
    u->path_low = u->graph->path_low > 2 * gone ? u->graph->path_low - 2 * gone : 0;
    u->path_low = largest > u->path_low ? largest : u->path_low;
    u->path_high = add_capped(u->graph->path_high, 2 * sum);
    if (u->edges.after == u->added_count)
        u->path_high = 2 * sum;
    if (u->path_low < UINT32_MAX && u->path_high >= UINT32_MAX)
        u->path_low = u->path_high = longest_path(u);
    u->distance_type = u->path_high < UINT32_MAX ? GPUGRAPH_UINT32 : GPUGRAPH_UINT64;
}

static void put_weights(update *u) {
    const int64_t *integer = u->added->weight;
    const double *real = u->added->weight;
    bool given_real = u->added->weight_type == GPUGRAPH_REAL_WEIGHTS;
    u->weight = gg_alloc(u->run, u->added_count, gg_distance_size(u->distance_type));
    for (uint64_t i = 0; u->weight && i < u->added_count; i++) {
        if (u->distance_type == GPUGRAPH_REAL)
            ((double *)u->weight)[i] =
                given_real ? real[i] + 0.0 : (double)integer[i]; /* -0.0 + 0.0 is 0.0 */
        else if (u->distance_type == GPUGRAPH_UINT64)
            ((int64_t *)u->weight)[i] = integer[i];
        else
            ((uint32_t *)u->weight)[i] = (uint32_t)integer[i];
    }
}

void gg_update_weights(update *u) {
    uint64_t sum, largest;
    u->distance_type = u->graph->distance_type;
    if (u->graph->edges.weight_type == GPUGRAPH_UNWEIGHTED)
        return;
    check_added(u, &sum, &largest);
    if (!gg_stopping(u->run) && u->distance_type != GPUGRAPH_REAL)
        settle_layout(u, sum, largest);
    if (!gg_stopping(u->run))
        put_weights(u);
}
