/* What a batch changes in CSR_SIMPLE, where one arc stands for all edges between two
** vertices in either direction, and loops do not count.
**
**     edge goes     its arcs go    unless an edge between the two is added or stays
**     edge comes    its arcs come  unless the row has them already
**
** Whether an edge stays is counted in the arcs by ids, where these are made, or in a CSR where one was, or
** in one pass over the edges: when there is none, or when its rows are so long that they cost more. Rows that
** lie on a device are not asked: arcs by ids say what they have. */
#include "update.h"

/* Two ends that meet, smaller one first; 0 for a loop: no pair has 0 twice. */
static uint64_t pair_of(uint32_t a, uint32_t b) {
    return a == b ? 0 : a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* One ref for each different pair, in order of pair; pairs in u->key alike. */
static uint64_t distinct(update *u, end_ref *ref, uint64_t count) {
    uint64_t left = 0;
    gg_update_sort(u, ref, count);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || u->key[i] != u->key[i - 1]) {
            ref[left] = ref[i];
            u->key[left++] = u->key[i];
        }
    return left;
}

static bool holds(const uint64_t *sorted, uint64_t count, uint64_t key) {
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sorted[low] == key;
}

/* ---- arcs by ids ---- */

bool gg_patches_simple(const gpugraph_graph *graph) {
    return gg_adjacency_made(graph, GPUGRAPH_OUT);
}

/* Edges from one vertex to another. */
static uint64_t count_arcs_of_simple(const struct adjacency *a, uint32_t from,
                                     uint32_t to) {
    const struct adjacency_row *row = &a->row[from];
    const uint64_t *arc = a->arc + (row->begin & ~ADJACENCY_LOOSE);
    const uint64_t first = (uint64_t)to << 32;
    uint64_t count = 0;
    if (!(row->begin & ADJACENCY_LOOSE))
        return gg_first_arc(arc, row->count, first + ((uint64_t)1 << 32)) -
               gg_first_arc(arc, row->count, first);
    for (uint32_t k = 0; k < row->count; k++)
        count += arc[k] >> 32 == to;
    return count;
}

/* Edges that join two vertices, in either direction. */
static uint64_t arcs_between(const gpugraph_graph *graph, uint32_t a, uint32_t b) {
    const struct adjacency *out = &graph->derived.adjacency[GPUGRAPH_OUT];
    return count_arcs_of_simple(out, a, b) + count_arcs_of_simple(out, b, a);
}

/* ---- pairs, whose memory is asked for ahead ---- */

typedef struct pair_look pair_look;
typedef bool pair_question(const pair_look *look, uint64_t k, uint32_t a, uint32_t b);

struct pair_look {
    const update *u;
    pair_question *question;
    const uint64_t *pair;  /* by old numbers; 0: the answer is no */
    const uint32_t *times; /* removed edges of the pair */
    uint64_t count;
    uint8_t *answer;
};

/* Rows first, then what is in them. */
static void fetch_pair(const gpugraph_graph *graph, uint64_t pair, bool arcs) {
    const struct adjacency *out = &graph->derived.adjacency[GPUGRAPH_OUT];
    const struct csr_slot *simple = &graph->csr[CSR_SIMPLE];
    const uint32_t end[2] = {(uint32_t)(pair >> 32), (uint32_t)pair};
    if (pair == 0) /* nobody looks at it, and there may be no vertex 0 */
        return;
    for (int i = 0; i < 2; i++)
        if (gg_adjacency_made(graph, GPUGRAPH_OUT))
            gg_fetch(arcs ? (const void *)(out->arc +
                                           (out->row[end[i]].begin & ~ADJACENCY_LOOSE))
                          : &out->row[end[i]]);
    if (simple->made && arcs)
        gg_fetch_arcs(simple, end[0], 0);
    else if (simple->made)
        gg_fetch_row(simple, end[0]);
}

static void look_at_some(void *job, uint64_t low, uint64_t high) {
    enum { NEAR = GG_FETCH_AHEAD / 2 };
    const pair_look *l = job;
    const gpugraph_graph *graph = l->u->graph;
    for (uint64_t k = low; k < high && !gg_leave(l->u->run, k); k++) {
        if (k + GG_FETCH_AHEAD < high)
            fetch_pair(graph, l->pair[k + GG_FETCH_AHEAD], false);
        if (k + NEAR < high)
            fetch_pair(graph, l->pair[k + NEAR], true);
        l->answer[k] = l->pair[k] && l->question(l, k, (uint32_t)(l->pair[k] >> 32),
                                                 (uint32_t)l->pair[k]);
    }
}

static void look_at_pairs(const pair_look *l) {
    enum {
        PAIRS_AT_ONCE = 64
    }; /* of a thread; few, since the rows of a pair may be long */
    gg_chunks(gg_threads(l->u->run, l->count * GG_FETCH_ITEMS), l->count, PAIRS_AT_ONCE,
              look_at_some, (void *)l);
}

typedef struct pair_lists {
    uint64_t *added, *old, *removed;
    uint32_t *times;
    uint8_t *joined, *kept;
} pair_lists;

/* ---- edges that come ---- */

static bool row_has(const struct csr_slot *slot, uint64_t v, uint32_t target) {
    uint64_t low = slot->offset[v], end = gg_row_end(slot, v), high = end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (slot->target[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && slot->target[low] == target;
}

static bool are_joined(const pair_look *l, uint64_t k, uint32_t a, uint32_t b) {
    const gpugraph_graph *graph = l->u->graph;
    const struct csr_slot *simple = &graph->csr[CSR_SIMPLE];
    (void)k;
    return simple->made ? row_has(simple, a, b) : arcs_between(graph, a, b) > 0;
}

/* The pair's old numbers; 0: one of the two is fresh. */
static uint64_t old_pair(const update *u, end_ref ref) {
    const uint32_t from = u->end[ref].old, to = u->end[ref ^ 1].old;
    return from == GPUGRAPH_NONE || to == GPUGRAPH_NONE ? 0 : pair_of(from, to);
}

/* Their pairs by new numbers, sorted, to l->added; returns how many. Refs are in u->coming. */
static uint64_t list_added(update *u, pair_lists *l) {
    uint64_t all = 0;
    for (uint64_t i = 0; i < u->added_count; i++) {
        uint64_t pair = pair_of(u->new_source[i], u->new_target[i]);
        u->key[all] = pair;
        u->coming[all] = (end_ref)(2 * i);
        all += pair != 0;
    }
    all = distinct(u, u->coming, all);
    for (uint64_t k = 0; k < all; k++) {
        l->added[k] = u->key[k];
        l->old[k] = old_pair(u, u->coming[k]);
    }
    return all;
}

/* Returns how many refs are left in u->coming. */
static uint64_t list_coming(update *u, pair_lists *l, uint64_t added) {
    uint64_t coming = 0;
    const pair_look look = {u, are_joined, l->old, NULL, added, l->joined};
    look_at_pairs(&look);
    for (uint64_t k = 0; k < added; k++)
        if (!l->joined[k])
            u->coming[coming++] = u->coming[k];
    return coming;
}

/* ---- edges that go ---- */

static uint64_t count_in_row(const struct csr_slot *slot, uint64_t v, uint32_t target) {
    uint64_t count = 0;
    for (uint64_t k = slot->offset[v]; k < gg_row_end(slot, v); k++)
        count += slot->target[k] == target;
    return count;
}

static uint64_t degree(const struct csr_slot *slot, uint64_t v) {
    return gg_row_end(slot, v) - slot->offset[v];
}

/* A CSR whose rows tell how many edges there are between two vertices, or NULL. */
static const struct csr_slot *counting_slot(const gpugraph_graph *graph) {
    static const enum csr_kind kinds[] = {CSR_BOTH, CSR_OUT, CSR_IN};
    for (int i = 0; i < 3; i++)
        if (graph->csr[kinds[i]].made)
            return &graph->csr[kinds[i]];
    return graph->derived.edge_rows.made ? &graph->derived.edge_rows : NULL;
}

static uint64_t edges_between(const gpugraph_graph *graph, const struct csr_slot *slot,
                              uint32_t a, uint32_t b) {
    if (slot != &graph->csr[CSR_BOTH])
        return count_in_row(slot, a, b) + count_in_row(slot, b, a);
    return degree(slot, a) < degree(slot, b) ? count_in_row(slot, a, b)
                                             : count_in_row(slot, b, a);
}

typedef struct kept_scan {
    const update *u;
    const uint64_t *pairs; /* sorted */
    uint64_t count;
    uint8_t *is_end; /* by vertex: it is one of a pair */
    uint8_t *kept;   /* by pair: an edge that stays joins it */
} kept_scan;

static void mark_pair(const kept_scan *s, uint64_t pair) {
    uint64_t low = 0;
    for (uint64_t high = s->count; low < high;) {
        uint64_t middle = (low + high) / 2;
        if (s->pairs[middle] < pair)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->count && s->pairs[low] == pair)
        __atomic_store_n(&s->kept[low], 1, __ATOMIC_RELAXED);
}

/* Looks at pieces low .. high - 1 of the edges that stay. */
static void mark_kept(void *scan, uint64_t low, uint64_t high) {
    const kept_scan *s = scan;
    const gpugraph_graph *graph = s->u->graph;
    const uint32_t *source = gg_sources_of(graph), *target = gg_targets_of(graph);
    for (uint64_t p = low; p < high; p++) {
        const splice_piece *piece = &s->u->edges.piece[p];
        uint64_t end = piece->from + piece->count;
        for (uint64_t e = piece->from; e < end && !gg_leave(s->u->run, e); e++) {
            const uint64_t at = gg_edge_place(graph, e);
            const uint32_t v = source[at], to = target[at];
            if (s->is_end[v] && s->is_end[to])
                mark_pair(s, pair_of(v, to));
        }
    }
}

static void scan_for_kept(update *u, const uint64_t *pairs, uint64_t count,
                          uint8_t *kept) {
    enum { PIECES = 16 }; /* pieces that a thread takes at a time */
    kept_scan s = {u, pairs, count, gg_alloc_zero(u->run, u->graph->n, 1), kept};
    if (!s.is_end)
        return;
    for (uint64_t k = 0; k < count; k++)
        s.is_end[pairs[k] >> 32] = s.is_end[(uint32_t)pairs[k]] = 1;
    gg_chunks(gg_threads(u->run, u->graph->m), u->edges.pieces, PIECES, mark_kept, &s);
    gg_release(s.is_end);
}

static bool arcs_stay(const pair_look *l, uint64_t k, uint32_t a, uint32_t b) {
    return arcs_between(l->u->graph, a, b) > l->times[k];
}

static bool edges_stay(const pair_look *l, uint64_t k, uint32_t a, uint32_t b) {
    const gpugraph_graph *graph = l->u->graph;
    return edges_between(graph, counting_slot(graph), a, b) > l->times[k];
}

/* l->kept: of distinct pairs of removed edges. */
static void find_kept(update *u, const pair_lists *l, uint64_t count) {
    const gpugraph_graph *graph = u->graph;
    const struct csr_slot *slot = counting_slot(graph);
    pair_look look = {u, arcs_stay, l->removed, l->times, count, l->kept};
    uint64_t work = 0;
    if (!gg_adjacency_made(graph, GPUGRAPH_OUT)) {
        look.question = edges_stay;
        for (uint64_t k = 0; slot && k < count; k++)
            work +=
                degree(slot, l->removed[k] >> 32) + degree(slot, (uint32_t)l->removed[k]);
        if (!slot || work > graph->m) {
            scan_for_kept(u, l->removed, count, l->kept);
            return;
        }
    }
    look_at_pairs(&look);
}

static uint64_t renumbered(const update *u, uint64_t pair) {
    return pair_of(gg_renumber(&u->vertices, (uint32_t)(pair >> 32)),
                   gg_renumber(&u->vertices, (uint32_t)pair));
}

/* Is an end of the pair about to vanish? Then no edge between the two stays or comes. */
static bool vanishes(const update *u, uint64_t pair) {
    return holds(u->vanished_at, u->vanished, pair >> 32) ||
           holds(u->vanished_at, u->vanished, (uint32_t)pair);
}

static uint64_t list_going(update *u, pair_lists *l, uint64_t added) {
    uint64_t all = 0, count = 0, going = 0;
    for (uint64_t i = 0; i < u->removed_count; i++) {
        uint64_t pair = pair_of(gg_removed_end(u, (end_ref)(2 * i)),
                                gg_removed_end(u, (end_ref)(2 * i + 1)));
        u->key[all] = pair;
        u->going[all] = (end_ref)(2 * i);
        all += pair != 0;
    }
    gg_update_sort(u, u->going, all);
    for (uint64_t i = 0; i < all; i++) {
        if (i > 0 && u->key[i] == u->key[i - 1]) {
            l->times[count - 1]++;
            continue;
        }
        l->removed[count] = u->key[i];
        l->times[count] = 1;
        u->going[count++] = u->going[i];
    }
    find_kept(u, l, count);
    for (uint64_t k = 0; k < count && !gg_stopping(u->run); k++) {
        uint64_t pair = l->removed[k];
        bool comes = !vanishes(u, pair) && holds(l->added, added, renumbered(u, pair));
        if (!l->kept[k] && !comes)
            u->going[going++] = u->going[k];
    }
    return going;
}

static bool take_lists(update *u, pair_lists *l) {
    gpugraph_run *run = u->run;
    const uint64_t come = u->added_count, go = u->removed_count;
    l->added = gg_alloc(run, come, sizeof *l->added);
    l->old = l->added ? gg_alloc(run, come, sizeof *l->old) : NULL;
    l->joined = l->old ? gg_alloc_zero(run, come, 1) : NULL;
    l->removed = l->joined ? gg_alloc(run, go, sizeof *l->removed) : NULL;
    l->times = l->removed ? gg_alloc(run, go, sizeof *l->times) : NULL;
    l->kept = l->times ? gg_alloc_zero(run, go, 1) : NULL;
    return l->kept != NULL;
}

void gg_update_simple(update *u, uint64_t *going, uint64_t *coming) {
    pair_lists l = {0};
    *going = *coming = 0;
    if (take_lists(u, &l)) {
        const uint64_t added = list_added(u, &l);
        *coming = list_coming(u, &l, added);
        if (!gg_stopping(u->run))
            *going = list_going(u, &l, added);
    }
    void *blocks[] = {l.added, l.old, l.joined, l.removed, l.times, l.kept};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
}
