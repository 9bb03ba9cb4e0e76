/* A batch changes CSR_SIMPLE, in which one arc represents all edges between two vertices
** in either direction, and loops do not count.
**
**     removed edge    removes its arcs   unless an edge of its pair is added or stays
**     added edge      adds its arcs      unless the row has them already
**
** The arcs by ids decide both. Without them SIMPLE rows are dropped, and rebuilt on need,
** on host and device. */
#include "update.h"

/* A pair of ends, smaller one first; 0 for a loop: no other pair is 0. */
static uint64_t pair_of(uint32_t a, uint32_t b) {
    return a == b ? 0 : a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Keeps one ref for each distinct pair, in order of pairs; u->key has the pairs. */
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
static uint64_t count_arcs_of_simple(const struct csr_slot *rows, uint32_t from,
                                     uint32_t to) {
    const uint64_t end = gg_row_end(rows, from);
    const uint64_t low = gg_first_arc(rows->target, rows->offset[from], end, to);
    return gg_first_arc(rows->target, low, end, to + (uint64_t)1) - low;
}

/* Number of edges between two vertices, in either direction. */
static uint64_t arcs_between(const gpugraph_graph *graph, uint32_t a, uint32_t b) {
    const struct csr_slot *out = &graph->derived.adjacency[GPUGRAPH_OUT].rows;
    return count_arcs_of_simple(out, a, b) + count_arcs_of_simple(out, b, a);
}

/* ---- pairs, with prefetched memory ---- */

typedef struct pair_look pair_look;
typedef bool pair_question(const pair_look *look, uint64_t k, uint32_t a, uint32_t b);

struct pair_look {
    const update *u;
    pair_question *question;
    const uint64_t *pair;  /* 0: the answer is no */
    const uint32_t *times; /* removed edges of the pair */
    uint64_t count;
    uint8_t *answer;
};

/* Fetches the rows first, then their arcs. */
static void fetch_pair(const gpugraph_graph *graph, uint64_t pair, bool arcs) {
    const struct csr_slot *out = &graph->derived.adjacency[GPUGRAPH_OUT].rows;
    const struct csr_slot *simple = &graph->csr[CSR_SIMPLE];
    const uint32_t end[2] = {(uint32_t)(pair >> 32), (uint32_t)pair};
    if (pair == 0) /* not read, and there may be no vertex 0 */
        return;
    for (int i = 0; i < 2; i++)
        if (arcs)
            gg_fetch_arcs(out, end[i], 0);
        else
            gg_fetch_row(out, end[i]);
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
    enum { PAIRS_AT_ONCE = 64 }; /* per thread; few, since rows may be long */
    gg_chunks(gg_threads(l->u->run, l->count * GG_FETCH_ITEMS), l->count, PAIRS_AT_ONCE,
              look_at_some, (void *)l);
}

typedef struct pair_lists {
    uint64_t *added, *old, *removed;
    uint32_t *times;
    uint8_t *joined, *kept;
} pair_lists;

/* ---- added edges ---- */

static bool row_has(const struct csr_slot *slot, uint64_t v, uint32_t target) {
    const uint64_t end = gg_row_end(slot, v);
    const uint64_t low = gg_first_arc(slot->target, slot->offset[v], end, target);
    return low < end && slot->target[low] == target;
}

static bool are_joined(const pair_look *l, uint64_t k, uint32_t a, uint32_t b) {
    const gpugraph_graph *graph = l->u->graph;
    const struct csr_slot *simple = &graph->csr[CSR_SIMPLE];
    (void)k;
    return simple->made ? row_has(simple, a, b) : arcs_between(graph, a, b) > 0;
}

/* 0: the pair has a new vertex. */
static uint64_t old_pair(const update *u, end_ref ref) {
    const added_end *from = &u->end[ref], *to = &u->end[ref ^ 1];
    return from->is_new || to->is_new ? 0 : pair_of(from->now, to->now);
}

/* Lists the sorted pairs of added edges in l->added, refs in u->coming; returns a
** count. */
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

/* Returns the number of refs that remain in u->coming. */
static uint64_t list_coming(update *u, pair_lists *l, uint64_t added) {
    uint64_t coming = 0;
    const pair_look look = {u, are_joined, l->old, NULL, added, l->joined};
    look_at_pairs(&look);
    for (uint64_t k = 0; k < added; k++)
        if (!l->joined[k])
            u->coming[coming++] = u->coming[k];
    return coming;
}

/* ---- removed edges ---- */

static bool arcs_stay(const pair_look *l, uint64_t k, uint32_t a, uint32_t b) {
    return arcs_between(l->u->graph, a, b) > l->times[k];
}

/* Sets l->kept for the distinct pairs of removed edges. */
static void find_kept(update *u, const pair_lists *l, uint64_t count) {
    const pair_look look = {u, arcs_stay, l->removed, l->times, count, l->kept};
    look_at_pairs(&look);
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
        if (!l->kept[k] && !holds(l->added, added, l->removed[k]))
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
