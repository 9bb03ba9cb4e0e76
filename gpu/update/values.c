/* What vertices and edges are called and weigh after a batch, laid out as gpugraph_create
** would lay it out.
**
**     old vertices that stay, in pieces   1 3 . 7        + fresh ones at their places
**     integer                             1 3 5 7        none where they are consecutive
**     present, rank                       1 0 1 0 1 0 1  where they lie close together
**     texts                               texts.c
**
** Ids (ids/ids.c draws how they lie) are made anew as a whole where they change, or where fewer
** or more edges make another layout the right one. INTEGERs that come behind all others are but put there.
**
** Weights are narrow when the sum of each vertex's largest weight is below 2^32 - 1. That sum
** is kept between two bounds: an edge that comes raises it by its weight for each end at most,
** and one that goes lowers it by no more. Only when the limit lies between the bounds is it
** worked out anew. */
#include "update.h"
#include "ids/ids.h"

#include <math.h>
#include <string.h>

/* ---- INTEGER ids ---- */

/* Smallest and largest INTEGER afterwards, and how many there are. */
static uint64_t span_of(const update *u, int64_t *first, int64_t *last) {
    const gpugraph_ids *ids = &u->graph->ids;
    uint64_t count = u->fresh_integers;
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint64_t k = 0; k < u->vertices.pieces; k++) {
        const splice_piece *piece = &u->vertices.piece[k];
        uint64_t end = piece->from + piece->count;
        end = end < ids->integer_count ? end : ids->integer_count;
        if (piece->from >= end)
            break;
        if (count == u->fresh_integers)
            *first = gg_integer_at(ids, piece->from);
        *last = gg_integer_at(ids, end - 1);
        count += end - piece->from;
    }
    if (u->fresh_integers) {
        int64_t low = u->fresh_id[0], high = u->fresh_id[u->fresh_integers - 1];
        *first = low < *first ? low : *first;
        *last = high > *last ? high : *last;
    }
    return count;
}

static void list_integers(update *u, uint64_t count) {
    const gpugraph_ids *ids = &u->graph->ids;
    int64_t *to = gg_alloc_roomy(u->run, count, sizeof *to);
    u->ids.id.integer = to;
    for (uint64_t k = 0; to && k < u->vertices.pieces; k++) {
        const splice_piece *piece = &u->vertices.piece[k];
        uint64_t end = piece->from + piece->count;
        end = end < ids->integer_count ? end : ids->integer_count;
        for (uint64_t v = piece->from; v < end && !gg_leave(u->run, v); v++)
            to[piece->to + v - piece->from] = gg_integer_at(ids, v);
    }
    for (uint64_t i = 0; to && i < u->fresh_integers; i++)
        to[u->fresh_new[i]] = u->fresh_id[i];
    u->ids.ids.integer = to;
}

static void lay_out_integers(update *u, uint64_t count, int64_t first, int64_t last) {
    uint64_t span = (uint64_t)last - (uint64_t)first + 1;
    u->ids.ids.integer_count = (uint32_t)count;
    if (count == 0)
        return;
    if (span == count) {
        u->ids.ids.first_integer = first;
        u->ids.id.span = span;
        return;
    }
    list_integers(u, count);
    if (!gg_stopping(u->run))
        gg_index_integers(u->run, &u->ids, u->ids.known.integer_ends);
}

/* ---- INTEGER ids that come behind all others ---- */

static uint64_t words_of(uint64_t span) {
    return (span + 63) / 64;
}

static bool come_behind(const update *u, bool mapped) {
    const gpugraph_graph *graph = u->graph;
    return u->fresh_integers > 0 && u->fresh_integers == u->fresh && u->vanished == 0 &&
           graph->ids.texts.count == 0 && graph->id.integer &&
           u->fresh_at[0] == graph->ids.integer_count &&
           mapped == (graph->id.present != NULL);
}

void *gg_longer(const update *u, void *block, uint64_t count, uint64_t after,
                size_t size) {
    if (gg_stopping(u->run) || after * size <= gg_room(block))
        return NULL;
    void *longer = gg_alloc_roomy(u->run, after, size);
    if (longer)
        gg_copy(u->run, longer, block, count * size);
    return longer;
}

void gg_take_longer(void **array, void **longer) {
    if (!*longer)
        return;
    gg_release(*array);
    *array = *longer;
    *longer = NULL;
}

static void plan_behind(update *u, uint64_t count, int64_t last) {
    const gpugraph_graph *graph = u->graph;
    gpugraph_graph *to = &u->ids;
    to->ids.integer_count = (uint32_t)count;
    to->id.integer = gg_longer(u, graph->id.integer, graph->ids.integer_count, count,
                               sizeof *to->id.integer);
    if (!graph->id.present)
        return;
    to->id.span = (uint64_t)last - (uint64_t)graph->ids.first_integer + 1;
    const uint64_t words = words_of(graph->id.span), after = words_of(to->id.span);
    to->id.present =
        gg_longer(u, graph->id.present, words, after, sizeof *to->id.present);
    to->id.rank = gg_longer(u, graph->id.rank, words, after, sizeof *to->id.rank);
}

void gg_commit_ids_behind(update *u) {
    gpugraph_graph *graph = u->graph, *to = &u->ids;
    uint64_t words = words_of(graph->id.span);
    uint32_t v = graph->ids.integer_count;
    gg_take_longer((void **)&graph->id.integer, (void **)&to->id.integer);
    gg_take_longer((void **)&graph->id.present, (void **)&to->id.present);
    gg_take_longer((void **)&graph->id.rank, (void **)&to->id.rank);
    graph->ids.integer = graph->id.integer;
    for (uint64_t i = 0; i < u->fresh; i++, v++) {
        const uint64_t id = (uint64_t)u->fresh_id[i],
                       place = id - (uint64_t)graph->ids.first_integer;
        graph->id.integer[v] = (int64_t)id;
        for (; graph->id.present && words <= place / 64; words++) {
            graph->id.present[words] = 0;
            graph->id.rank[words] = v;
        }
        if (graph->id.present)
            graph->id.present[place / 64] |= (uint64_t)1 << (place % 64);
    }
    graph->ids.integer_count = v;
    if (graph->id.present)
        graph->id.span = to->id.span;
}

/* ---- ids ---- */

/* Each was an entry once; those of a graph that was unpacked are not counted. */
static uint64_t loose_integers(const update *u, uint64_t most) {
    uint64_t count = 0;
    for (int64_t i = 0; i < u->changes->loose_count; i++)
        count += u->changes->loose[i] < u->graph->ids.integer_count;
    return count < most ? count : most;
}

static uint64_t count_integer_ends(const update *u) {
    uint64_t ends = u->graph->known.integer_ends, integers = u->graph->ids.integer_count;
    for (uint64_t ref = 0; ref < 2 * u->removed_count; ref++)
        ends -= gg_removed_end(u, (end_ref)ref) < integers;
    for (uint64_t i = 0; i < u->added_count; i++) {
        ends += !gg_text_at(&u->added->source, i);
        ends += !gg_text_at(&u->added->target, i);
    }
    for (uint64_t i = 0; i < u->lone_count; i++)
        ends += !gg_text_at(&u->added->vertex, i);
    return ends - loose_integers(u, ends);
}

static bool integers_vanish(const update *u) {
    return u->vanished && u->vanished_at[0] < u->graph->ids.integer_count;
}

void gg_update_ids(update *u) {
    const gpugraph_graph *graph = u->graph;
    int64_t first, last;
    uint64_t count = span_of(u, &first, &last);
    u->ids.known.integer_ends = count_integer_ends(u);
    u->ids.n = (uint32_t)u->vertices.after;
    bool mapped = count && (uint64_t)last - (uint64_t)first + 1 != count &&
                  gg_close_together(u->ids.known.integer_ends, first, last);
    u->ids_behind = come_behind(u, mapped);
    u->ids_change = !u->ids_behind && (u->fresh_integers || integers_vanish(u) ||
                                       mapped != (graph->id.present != NULL));
    if (u->ids_change)
        lay_out_integers(u, count, first, last);
    else if (u->ids_behind)
        plan_behind(u, count, last);
    else
        u->ids.ids.integer_count = graph->ids.integer_count;
    if (!gg_stopping(u->run))
        gg_update_texts(u);
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

static uint64_t old_weight(const gpugraph_graph *graph, uint64_t e) {
    const uint64_t at = gg_edge_place(graph, e);
    const void *weight = gg_weights_of(graph);
    return graph->distance_type == GPUGRAPH_UINT32
               ? ((const uint32_t *)weight)[at]
               : capped(((const int64_t *)weight)[at]);
}

static void raise_top(uint32_t *top, uint64_t weight) {
    uint32_t old = __atomic_load_n(top, __ATOMIC_RELAXED);
    while (old < weight &&
           !__atomic_compare_exchange_n(top, &old, (uint32_t)weight, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Edges whose old weights do not count. */
typedef struct passed_over {
    const uint64_t *edge, *end;
} passed_over;

/* Those that are not below e. */
static passed_over passed_from(const uint64_t *edge, uint64_t count, uint64_t e) {
    uint64_t low = 0, high = count;
    if (!count)
        return (passed_over){NULL, NULL};
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (edge[middle] < e)
            low = middle + 1;
        else
            high = middle;
    }
    return (passed_over){edge + low, edge + count};
}

/* Is e the next of them? Edges are asked about in order. */
static inline bool passes(passed_over *list, uint64_t e) {
    bool here = list->edge < list->end && *list->edge == e;
    if (here)
        list->edge++;
    return here;
}

typedef struct raising {
    const update *u;
    uint32_t *top; /* by vertex: the largest weight of its edges */
} raising;

static void raise_kept(void *job, uint64_t low, uint64_t high) {
    const raising *r = job;
    const update *u = r->u;
    const gpugraph_graph *graph = u->graph;
    passed_over removed = passed_from(u->removed, u->removed_count, low);
    for (uint64_t e = low; e < high && !gg_leave(u->run, e); e++) {
        if (passes(&removed, e))
            continue;
        const uint64_t at = gg_edge_place(graph, e);
        raise_top(&r->top[gg_sources_of(graph)[at]], old_weight(graph, e));
        raise_top(&r->top[gg_targets_of(graph)[at]], old_weight(graph, e));
    }
}

/* The sum of each vertex's largest weight afterwards; fresh ones come after old ones. */
static uint64_t longest_path(const update *u) {
    uint64_t n = u->graph->n + u->fresh, sum = 0;
    uint32_t *top = gg_alloc_zero(u->run, n, sizeof *top);
    if (!top)
        return 0;
    raising kept = {u, top};
    gg_slices(gg_threads(u->run, u->graph->m), u->graph->m, raise_kept, &kept);
    for (uint64_t ref = 0; ref < 2 * u->added_count; ref++) {
        const added_end *end = &u->end[ref];
        uint64_t v = end->old == GPUGRAPH_NONE ? u->graph->n + end->fresh : end->old;
        raise_top(&top[v], capped(gg_integer_weight(u->added, ref / 2)));
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

static uint64_t gone_weight(const update *u, uint64_t i) {
    const uint64_t weight = u->gone_weight[i];
    return u->graph->distance_type == GPUGRAPH_UINT32 ? weight : capped((int64_t)weight);
}

static void settle_layout(update *u, uint64_t sum, uint64_t largest) {
    uint64_t gone = 0;
    for (uint64_t i = 0; i < u->removed_count; i++)
        gone += gone_weight(u, i);
    u->path_low =
        u->graph->known.path_low > 2 * gone ? u->graph->known.path_low - 2 * gone : 0;
    u->path_low = largest > u->path_low ? largest : u->path_low;
    u->path_high = add_capped(u->graph->known.path_high, 2 * sum);
    if (u->edges.after == u->added_count)
        u->path_high = 2 * sum;
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
