/* Stores the weights of added edges, in the layout that gpugraph_create would choose.
**
** Weights have 32 bits if the sum of the largest weight of each vertex is below 2^32 - 1.
** The graph keeps two bounds on this sum. For each of its two ends an added edge raises
** the sum by at most its weight, and a removed edge lowers the sum by at most its weight.
** The sum is computed again only if 2^32 - 1 lies between the bounds. */
#include "update.h"

#include <math.h>

static uint64_t capped(int64_t weight) {
    return weight < UINT32_MAX ? (uint64_t)weight : UINT32_MAX;
}

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* Checks the weights of added edges. Sets *sum and *largest of capped INTEGER weights. */
static void check_added(const update *u, uint64_t *sum, uint64_t *largest) {
    const double *real = u->added->weight;
    uint64_t count = u->added_count;
    *sum = *largest = 0;
    for (uint64_t i = 0; i < count && !gg_leave(u->run, i); i++) {
        if (u->added->weight_type == GPUGRAPH_REAL_WEIGHTS) {
            if (!(real[i] >= 0) || isinf(real[i])) {
                gg_report_real(u->run, u->added->edge_id[i], real[i]);
                return;
            }
        } else {
            const int64_t integer = gg_integer_weight(u->added, i);
            if (integer < 0) {
                gg_report_integer(u->run, u->added->edge_id[i], integer);
                return;
            }
            *sum += capped(integer);
            *largest = capped(integer) > *largest ? capped(integer) : *largest;
        }
    }
}

static uint64_t old_weight(const gpugraph_graph *graph, uint64_t at) {
    return capped((int64_t)gg_weight_at(gg_weights_of(graph), at,
                                        gg_distance_size(graph->distance_type)));
}

static void raise_top(uint32_t *top, uint64_t weight) {
    uint32_t old = __atomic_load_n(top, __ATOMIC_RELAXED);
    while (old < weight &&
           !__atomic_compare_exchange_n(top, &old, (uint32_t)weight, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

typedef struct raising {
    const update *u;
    uint32_t *top; /* by vertex: the largest weight of its edges */
} raising;

static void raise_kept(void *job, uint64_t begin, uint64_t end) {
    const raising *r = job;
    const gpugraph_graph *graph = r->u->graph;
    for (uint64_t k = 0; k < r->u->edges.pieces; k++) {
        const splice_piece piece = gg_clip_piece(&r->u->edges.piece[k], begin, end);
        const uint64_t high = piece.from + piece.count;
        for (uint64_t e = piece.from; e < high && !gg_leave(r->u->run, e); e++) {
            const uint64_t at = gg_edge_place(graph, e), weight = old_weight(graph, at);
            raise_top(&r->top[gg_sources_of(graph)[at]], weight);
            raise_top(&r->top[gg_targets_of(graph)[at]], weight);
        }
    }
}

/* Returns the sum of the largest weight of each vertex after the batch. */
static uint64_t longest_path(const update *u) {
    uint64_t n = (uint64_t)u->graph->n + u->fresh, sum = 0;
    uint32_t *top = gg_alloc_zero(u->run, n, sizeof *top);
    if (!top)
        return 0;
    raising kept = {u, top};
    gg_slices(gg_threads(u->run, u->graph->m), u->graph->m, raise_kept, &kept);
    for (uint64_t i = 0; i < u->added_count; i++) {
        const uint64_t weight = capped(gg_integer_weight(u->added, i));
        raise_top(&top[u->added_ends.source[i]], weight);
        raise_top(&top[u->added_ends.target[i]], weight);
    }
    for (uint64_t v = 0; v < n; v++)
        sum += top[v];
    gg_release(top);
    return sum;
}

uint64_t gg_longest_path(const gpugraph_graph *graph, gpugraph_run *run) {
    static const gpugraph_edges none;
    splice_piece all = {0, 0, graph->m};
    const update as_it_is = {.graph = (gpugraph_graph *)graph,
                             .added = &none,
                             .run = run,
                             .edges = {.piece = &all, .pieces = 1}};
    return longest_path(&as_it_is);
}

static void settle_width(update *u, uint64_t sum, uint64_t largest) {
    const struct graph_statistics *known = &u->graph->known;
    uint64_t removed = 0;
    u->path_low = largest;
    u->path_high = 2 * sum;
    if (u->edges.after > u->added_count) { /* some edges stay, so the type stays */
        for (uint64_t i = 0; i < u->removed_count; i++)
            removed += capped((int64_t)u->removed_weight[i]);
        if (known->path_low > 2 * removed && known->path_low - 2 * removed > largest)
            u->path_low = known->path_low - 2 * removed;
        u->path_high = add_capped(known->path_high, 2 * sum);
    }
    if (u->path_low < UINT32_MAX && u->path_high >= UINT32_MAX)
        u->path_low = u->path_high = longest_path(u);
    u->distance_type = u->path_high < UINT32_MAX ? GPUGRAPH_UINT32 : GPUGRAPH_UINT64;
}

static void put_weights(update *u) {
    const double *real = u->added->weight;
    bool given_real = u->added->weight_type == GPUGRAPH_REAL_WEIGHTS;
    uint64_t count = u->added_count;
    u->weight = gg_alloc(u->run, count, gg_distance_size(u->distance_type));
    for (uint64_t i = 0; u->weight && i < count; i++) {
        if (u->distance_type == GPUGRAPH_REAL && given_real)
            ((double *)u->weight)[i] = real[i] + 0.0; /* -0.0 + 0.0 is 0.0 */
        else if (u->distance_type == GPUGRAPH_REAL)
            ((double *)u->weight)[i] = (double)gg_integer_weight(u->added, i);
        else if (u->distance_type == GPUGRAPH_UINT64)
            ((int64_t *)u->weight)[i] = gg_integer_weight(u->added, i);
        else
            ((uint32_t *)u->weight)[i] = (uint32_t)gg_integer_weight(u->added, i);
    }
}

/* Sets the type of weights after the batch: INTEGER weights become REAL if the batch adds
** REAL weights; a graph that loses all its edges takes the type of the added edges. */
static void settle_type(update *u) {
    const gpugraph_weight_type before = u->graph->edges.weight_type,
                               added = u->added->weight_type;
    u->weight_type = GPUGRAPH_REAL_WEIGHTS;
    if (u->added_count == 0 || before == added)
        u->weight_type = before;
    else if (u->removed_count == u->graph->m)
        u->weight_type = added;
    else if (!before || !added)
        gg_fail(u->run, GPUGRAPH_INVALID, "the graph's edges have %s, added ones %s",
                before ? "weights" : "no weights", before ? "have none" : "have weights");
}

void gg_update_weights(update *u) {
    uint64_t sum, largest;
    settle_type(u);
    const bool real = u->weight_type == GPUGRAPH_REAL_WEIGHTS;
    u->distance_type = real ? GPUGRAPH_REAL : GPUGRAPH_UINT32;
    if (gg_stopping(u->run) || u->weight_type == GPUGRAPH_UNWEIGHTED)
        return;
    check_added(u, &sum, &largest);
    if (!gg_stopping(u->run) && !real)
        settle_width(u, sum, largest);
    if (!gg_stopping(u->run))
        put_weights(u);
}
