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

/* A loop is no pair. */
#define NO_PAIR UINT64_MAX

/* The smaller end first. */
static uint64_t pair_of(const edge_ends *ends, uint64_t edge) {
    const uint64_t a = ends->source[edge], b = ends->target[edge];
    return a == b ? NO_PAIR : a < b ? a << 32 | b : b << 32 | a;
}

/* Sorts the edges of the batch by their pairs: u->key. u->added_arc: removed edge i has
** the number i, added edge i the number removed_count + i. */
static uint64_t list_pairs(update *u) {
    uint64_t edges = 0;
    for (uint64_t i = 0; i < u->removed_count + u->added_count; i++) {
        u->key[edges] = i < u->removed_count
                            ? pair_of(&u->removed_ends, i)
                            : pair_of(&u->added_ends, i - u->removed_count);
        u->added_arc[edges] = (uint32_t)i;
        edges += u->key[edges] != NO_PAIR;
    }
    gg_update_sort(u, u->added_arc, edges);
    return edges;
}

/* Prefetches the rows of a pair, or their arcs. */
static void fetch_pair(const update *u, uint64_t pair, bool arcs) {
    const struct csr_slot *out = &u->graph->derived.adjacency[GPUGRAPH_OUT].rows;
    const uint32_t end[2] = {(uint32_t)(pair >> 32), (uint32_t)pair};
    for (int i = 0; i < 2 && end[1] < u->graph->n; i++)
        if (arcs)
            gg_fetch_arcs(out, end[i], 0);
        else
            gg_fetch_row(out, end[i]);
}

/* Number of edges from one vertex to another, if it is less than `most`; or `most`. */
static uint64_t count_some_arcs(const update *u, uint32_t from, uint32_t to,
                                uint64_t most) {
    const struct csr_slot *out = &u->graph->derived.adjacency[GPUGRAPH_OUT].rows;
    const uint64_t end = gg_row_end(out, from);
    uint64_t count = 0;
    for (uint64_t k = gg_first_arc(out->target, out->offset[from], end, to);
         k < end && out->target[k] == to && count < most; k++)
        count++;
    return count;
}

/* Number of edges of a pair before the batch, at most `most`. New vertices, which have
** the largest numbers, have none. */
static uint64_t edges_before(const update *u, uint64_t pair, uint64_t most) {
    const uint32_t a = (uint32_t)(pair >> 32), b = (uint32_t)pair;
    if (b >= u->graph->n)
        return 0;
    const uint64_t there = count_some_arcs(u, a, b, most);
    return there + count_some_arcs(u, b, a, most - there);
}

void gg_update_simple(update *u, uint64_t *removed, uint64_t *added) {
    enum { NEAR = GG_FETCH_AHEAD / 2 };
    const uint64_t edges = list_pairs(u), *pair = u->key;
    *removed = *added = 0;
    for (uint64_t i = 0, next; i < edges && !gg_leave(u->run, i); i = next) {
        uint64_t gone = 0, come = 0;
        end_ref leaves = 0, enters = 0; /* sources of a removed and of an added edge */
        for (next = i; next < edges && pair[next] == pair[i]; next++) {
            const uint64_t edge = u->added_arc[next];
            if (next + GG_FETCH_AHEAD < edges)
                fetch_pair(u, pair[next + GG_FETCH_AHEAD], false);
            if (next + NEAR < edges)
                fetch_pair(u, pair[next + NEAR], true);
            if (edge < u->removed_count) {
                gone++;
                leaves = (end_ref)(2 * edge);
            } else {
                come++;
                enters = (end_ref)(2 * (edge - u->removed_count));
            }
        }
        const uint64_t before = edges_before(u, pair[i], gone + 1);
        if (before == 0 && come)
            u->added_arc[(*added)++] = enters;
        else if (before > 0 && before <= gone && !come)
            u->removed_arc[(*removed)++] = leaves;
    }
}
