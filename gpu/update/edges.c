/* Edges of a batch: which numbers go, where those that come are put. */
#include "update.h"

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
    gg_update_reweight(u);
    if (gg_stopping(run))
        return;
    if (!gg_splice_make(run, &u->edges, u->graph->m, u->removed, u->removed_count,
                        u->added_at, u->added_count, u->added_edge))
        u->plain = plain_afterwards(u);
    if (!gg_stopping(run))
        bound_degrees(u);
}
