/* A batch changes CSR_SIMPLE, in which one arc represents all edges between two vertices
** in either direction, and loops do not count.
**
**     pair     edges before   removed   added     its arcs
**     1, 2     2              1         0         stay
**     3, 4     1              1         0         leave
**     5, 6     0              0         2         enter
**
** The arcs by ids count the edges before the batch. Without them SIMPLE rows are dropped,
** and rebuilt on need, on host and device. */
#include "update.h"

typedef struct edge_pair {
    uint64_t ends;           /* smaller end first */
    uint32_t removed, added; /* edges of the batch */
    end_ref leaves, enters;  /* the source of a removed edge; of an added edge */
    bool joined, stays;      /* joined: had edges before the batch; stays: keeps one */
} edge_pair;

typedef struct pair_work {
    const update *u;
    edge_pair *pair;
} pair_work;

/* A loop is no pair. */
#define NO_PAIR UINT64_MAX

static uint64_t pair_of(uint32_t a, uint32_t b) {
    return a == b ? NO_PAIR : a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Lists the distinct pairs of the batch, in order. */
static uint64_t list_pairs(update *u, edge_pair *pair) {
    uint64_t edges = 0, pairs = 0;
    for (uint64_t i = 0; i < u->removed_count + u->added_count; i++) {
        const bool removed = i < u->removed_count;
        const uint64_t k = removed ? i : i - u->removed_count;
        u->key[edges] =
            removed ? pair_of(u->removed_ends.source[k], u->removed_ends.target[k])
                    : pair_of(u->added_ends.source[k], u->added_ends.target[k]);
        u->added_arc[edges] = (uint32_t)i;
        edges += u->key[edges] != NO_PAIR;
    }
    gg_update_sort(u, u->added_arc, edges);
    for (uint64_t i = 0; i < edges && !gg_stopping(u->run); i++) {
        const uint64_t edge = u->added_arc[i];
        if (i == 0 || u->key[i] != u->key[i - 1])
            pair[pairs++] = (edge_pair){.ends = u->key[i]};
        edge_pair *p = &pair[pairs - 1];
        if (edge < u->removed_count) {
            p->removed++;
            p->leaves = (end_ref)(2 * edge);
        } else {
            p->added++;
            p->enters = (end_ref)(2 * (edge - u->removed_count));
        }
    }
    return pairs;
}

/* Prefetches the rows of a pair, or their arcs. */
static void fetch_pair(const update *u, const edge_pair *p, bool arcs) {
    const struct csr_slot *out = &u->graph->derived.adjacency[GPUGRAPH_OUT].rows;
    const uint32_t end[2] = {(uint32_t)(p->ends >> 32), (uint32_t)p->ends};
    for (int i = 0; i < 2 && end[1] < u->graph->n; i++)
        if (arcs)
            gg_fetch_arcs(out, end[i], 0);
        else
            gg_fetch_row(out, end[i]);
}

/* Number of edges from one vertex to another, if it is less than `most`; or `most`. */
static uint32_t count_some_arcs(const struct csr_slot *out, uint32_t from, uint32_t to,
                                uint32_t most) {
    const uint64_t end = gg_row_end(out, from);
    uint32_t count = 0;
    for (uint64_t k = gg_first_arc(out->target, out->offset[from], end, to);
         k < end && out->target[k] == to && count < most; k++)
        count++;
    return count;
}

/* New vertices, which have the largest numbers, have no edges before the batch. */
static void look_at_pairs(void *of, uint64_t low, uint64_t high) {
    enum { NEAR = GG_FETCH_AHEAD / 2 };
    const pair_work *w = of;
    const update *u = w->u;
    const struct csr_slot *out = &u->graph->derived.adjacency[GPUGRAPH_OUT].rows;
    for (uint64_t k = low; k < high && !gg_leave(u->run, k); k++) {
        edge_pair *p = &w->pair[k];
        const uint32_t a = (uint32_t)(p->ends >> 32), b = (uint32_t)p->ends,
                       most = p->removed + 1;
        if (k + GG_FETCH_AHEAD < high)
            fetch_pair(u, &w->pair[k + GG_FETCH_AHEAD], false);
        if (k + NEAR < high)
            fetch_pair(u, &w->pair[k + NEAR], true);
        if (b >= u->graph->n)
            continue;
        uint32_t edges = count_some_arcs(out, a, b, most);
        edges += count_some_arcs(out, b, a, most - edges);
        p->joined = edges > 0;
        p->stays = edges == most;
    }
}

void gg_update_simple(update *u, uint64_t *removed, uint64_t *added) {
    enum { PAIRS_AT_ONCE = 64 }; /* per thread; few, since rows may be long */
    edge_pair *pair = gg_alloc(u->run, u->removed_count + u->added_count, sizeof *pair);
    const uint64_t pairs = pair ? list_pairs(u, pair) : 0;
    pair_work work = {u, pair};
    *removed = *added = 0;
    gg_chunks(gg_threads(u->run, pairs * GG_FETCH_ITEMS), pairs, PAIRS_AT_ONCE,
              look_at_pairs, &work);
    for (uint64_t k = 0; k < pairs && !gg_stopping(u->run); k++)
        if (!pair[k].joined && pair[k].added)
            u->added_arc[(*added)++] = pair[k].enters;
        else if (pair[k].joined && !pair[k].stays && !pair[k].added)
            u->removed_arc[(*removed)++] = pair[k].leaves;
    gg_release(pair);
}
