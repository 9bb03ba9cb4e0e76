/* Finds the numbers of a batch's removed and added edges, and plans the changes of the
** arrays of edges (splice.h).
**
** If a batch removes an edge and adds an edge with the same id, the edge keeps its
** number. If all edges of a batch are such edges with unchanged ends, only weights
** change. */
#include "update.h"
#include "base/limits.h"
#include "ids/ids.h"

#include <string.h>

/* ---- splices ---- */

/* Lists the pieces of edges that stay, and numbers the added edges. */
static void cut(update *u) {
    splice *s = &u->edges;
    uint64_t at = 0, to = 0, r = 0, i = 0;
    for (;;) {
        uint64_t next = s->before;
        if (r < u->removed_count && u->removed[r] < next)
            next = u->removed[r];
        if (i < u->added_count && u->added_at[i] < next)
            next = u->added_at[i];
        if (next > at) {
            s->piece[s->pieces++] = (splice_piece){at, to, next - at};
            to += next - at;
            at = next;
        }
        while (i < u->added_count && u->added_at[i] == at)
            u->added_edge[i++] = to++;
        if (r == u->removed_count || u->removed[r] != at) {
            if (at == s->before)
                break;
            continue;
        }
        at++;
        r++;
    }
    s->after = to;
}

/* Sets still, bound and shift, which describe all pieces together. */
static void look_at_moves(splice *s) {
    uint64_t k = 0;
    while (k < s->pieces && s->piece[k].to == s->piece[k].from)
        k++;
    s->still = k == s->pieces;
    s->bound = s->still ? s->before : s->piece[k].from;
    s->shift = s->still ? 0 : s->piece[k].to - s->piece[k].from;
    for (; k < s->pieces; k++)
        if (s->piece[k].to - s->piece[k].from != s->shift)
            s->bound = UINT64_MAX;
}

void gg_splice_free(splice *s) {
    gg_release(s->piece);
    gg_release(s->first);
    s->piece = NULL;
    s->first = NULL;
}

static void move_piece(const splice *s, uint64_t k, void *to, const void *from,
                       size_t size) {
    const splice_piece *piece = &s->piece[k];
    memmove((char *)to + piece->to * size, (const char *)from + piece->from * size,
            piece->count * size);
}

/* If `to` is `from`, pieces that move down go first, in ascending order, and overwrite
** only positions that earlier pieces have left. Pieces that move up follow, in descending
** order, and overwrite only positions that later pieces have left. */
void gg_splice_move(const splice *s, void *to, const void *from, size_t size) {
    bool copy = to != from;
    for (uint64_t k = 0; k < s->pieces && (copy || !s->still); k++)
        if (copy || s->piece[k].to < s->piece[k].from)
            move_piece(s, k, to, from, size);
    for (uint64_t k = s->pieces; !copy && !s->still && k-- > 0;)
        if (s->piece[k].to > s->piece[k].from)
            move_piece(s, k, to, from, size);
}

gpugraph_status gg_splice_index(gpugraph_run *run, splice *s) {
    const uint64_t blocks = s->before / 64 + 1;
    s->first = gg_alloc(run, blocks, sizeof *s->first);
    for (uint64_t b = 0, k = 0; s->first && b < blocks; b++) {
        while (k + 1 < s->pieces && s->piece[k].from + s->piece[k].count <= b * 64)
            k++;
        s->first[b] = (uint32_t)k;
    }
    return run->status;
}

static inline uint64_t renumbered(const splice *s, uint64_t x) {
    const splice_piece *piece = s->piece + s->first[x / 64];
    const splice_piece *last = s->piece + s->pieces - 1;
    while (piece < last && x >= piece->from + piece->count)
        piece++;
    const uint64_t number = x - piece->from + piece->to;
    return number < s->after ? number : 0;
}

void gg_renumber(const splice *s, void *number, size_t size, uint64_t low,
                 uint64_t high) {
    const uint32_t bound = (uint32_t)s->bound, shift = (uint32_t)s->shift,
                   last = (uint32_t)s->after - 1;
    uint32_t *narrow = number;
    uint64_t *wide = number;
    if (s->after == 0)
        return;
    if (size == sizeof *wide)
        for (uint64_t i = low; i < high; i++)
            wide[i] = renumbered(s, wide[i]);
    else if (s->bound == UINT64_MAX)
        for (uint64_t i = low; i < high; i++)
            narrow[i] = (uint32_t)renumbered(s, narrow[i]);
    else
        for (uint64_t i = low; i < high; i++) { /* the compiler vectorizes this loop */
            const uint32_t x = narrow[i] + (narrow[i] >= bound ? shift : 0);
            narrow[i] = x < last ? x : last;
        }
}

/* ---- edges by their ids ---- */

static void find_removed(update *u) {
    const gpugraph_graph *graph = u->graph;
    for (uint64_t i = 0, e = 0; i < u->removed_count; i++, e++) {
        int64_t id = u->removed_id[i];
        if (gg_leave(u->run, i))
            return;
        if (i + GG_FETCH_AHEAD < u->removed_count)
            gg_fetch_id(graph, u->removed_id[i + GG_FETCH_AHEAD]);
        if (i > 0 && u->removed_id[i - 1] >= id) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "the ids of removed edges are not ascending at %lld", (long long)id);
            return;
        }
        u->removed[i] = e = gg_first_with_id(graph, e, id);
        bool there = gg_has_id(graph, e, id);
        if (!there || gg_has_id(graph, e + 1, id)) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "edge %lld cannot be removed: the graph has %s", (long long)id,
                    there ? "several" : "no such edge");
            return;
        }
    }
}

/* Takes the positions of added edges from the batch. */
static void take_places(update *u) {
    const gpugraph_graph *graph = u->graph;
    const uint64_t *before = u->changes->before;
    if (!gg_plain_ids(graph)) {
        gg_fail(
            u->run, GPUGRAPH_INVALID,
            "the batch gives positions of added edges, but the graph's edges have ids");
        return;
    }
    for (uint64_t i = 0; i < u->added_count; i++) {
        if (gg_leave(u->run, i))
            return;
        if (before[i] > graph->m || (i > 0 && before[i - 1] > before[i])) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "the positions of added edges are not ascending up to %llu at %llu",
                    (unsigned long long)graph->m, (unsigned long long)before[i]);
            return;
        }
        u->added_at[i] = before[i];
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
        u->added_at[i] = e = changes ? u->removed[r] : gg_first_with_id(graph, e, id);
        if (!changes && gg_has_id(graph, e, id)) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "edge %lld cannot be added: the graph has it already", (long long)id);
            return;
        }
    }
}

/* Copies the ends and weights of removed edges; all later steps read the copies. */
static void copy_removed(update *u) {
    const gpugraph_graph *graph = u->graph;
    const uint64_t count = u->removed_count;
    const uint32_t *source = gg_sources_of(graph), *target = gg_targets_of(graph);
    const void *weight = gg_weights_of(graph);
    const size_t size = gg_distance_size(graph->distance_type);
    u->removed_ends.source = gg_alloc(u->run, count, sizeof *u->removed_ends.source);
    u->removed_ends.target = gg_alloc(u->run, count, sizeof *u->removed_ends.target);
    u->removed_weight = gg_alloc(u->run, count, sizeof *u->removed_weight);
    for (uint64_t i = 0; i < count && !gg_stopping(u->run) && !gg_leave(u->run, i); i++) {
        const uint64_t at = gg_edge_place(graph, u->removed[i]);
        u->removed_ends.source[i] = source[at];
        u->removed_ends.target[i] = target[at];
        if (weight)
            u->removed_weight[i] = gg_weight_at(weight, at, size);
    }
}

/* Returns true if edge ids are 1 .. m after the batch. If no id repeats, ids ascend
** strictly, so the first and the last id decide. */
static bool plain_afterwards(const update *u) {
    const gpugraph_graph *graph = u->graph;
    const splice *s = &u->edges;
    int64_t first = INT64_MAX, last = INT64_MIN;
    if (s->after == 0 || u->changes->before)
        return true;
    if (graph->known.has_equal_edge_ids && gg_lists_ids(graph))
        return false;
    if (s->pieces) {
        const splice_piece *end = &s->piece[s->pieces - 1];
        first = gg_edge_id(graph, s->piece[0].from);
        last = gg_edge_id(graph, end->from + end->count - 1);
    }
    if (u->added_count) {
        int64_t low = u->added->edge_id[0], high = u->added->edge_id[u->added_count - 1];
        first = low < first ? low : first;
        last = high > last ? high : last;
    }
    return first == 1 && last == (int64_t)s->after;
}

/* The bound on degrees grows with each batch. If it exceeds the limit, counts degrees. */
static void bound_degrees(update *u) {
    gpugraph_graph *graph = u->graph;
    const uint64_t more = u->reweights ? 0 : 2 * u->added_count;
    if (graph->known.degree_high + more > gg_limits.most_degree &&
        gg_bound_degrees(graph, u->added_count, u->run))
        return;
    u->degree_high = graph->known.degree_high + more;
    if (u->degree_high > 2 * u->edges.after)
        u->degree_high = 2 * u->edges.after;
    if (u->degree_high > gg_limits.most_degree)
        gg_fail(u->run, GPUGRAPH_TOO_LARGE,
                "the batch may give a vertex more than %llu edges, the most that a graph "
                "holds",
                (unsigned long long)gg_limits.most_degree);
}

/* ---- weights only ---- */

static bool is_vertex(const gpugraph_graph *graph, const gpugraph_texts *texts,
                      const gpugraph_id_column *column, uint64_t i, uint32_t v) {
    const gpugraph_id id = gpugraph_id_of(&graph->ids, v);
    const int64_t value = gg_id_at(column, i);
    if (!gg_text_at(column, i))
        return !id.is_text && value == id.integer;
    if (!id.is_text || value < 0 || value >= texts->count)
        return false;
    uint64_t length;
    const char *text = gpugraph_text(texts, (uint64_t)value, &length);
    return length == id.length && (!length || memcmp(text, id.text, length) == 0);
}

/* True if each added edge i has the id and the ends of removed edge i. */
static bool changes_weights_alone(const update *u) {
    const gpugraph_edges *added = u->added;
    bool alone = u->removed_count == u->added_count && u->changes->loose_count == 0;
    for (uint64_t i = 0; alone && i < u->added_count; i++)
        alone = added->edge_id[i] == u->removed_id[i] &&
                is_vertex(u->graph, &added->texts, &added->source, i,
                          u->removed_ends.source[i]) &&
                is_vertex(u->graph, &added->texts, &added->target, i,
                          u->removed_ends.target[i]);
    return alone;
}

/* ---- all steps ---- */

void gg_update_edges(update *u) {
    gpugraph_run *run = u->run;
    splice *s = &u->edges;
    *s = (splice){.before = u->graph->m};
    s->piece = gg_alloc(run, u->removed_count + u->added_count + 1, sizeof *s->piece);
    u->removed = gg_alloc(run, u->removed_count, sizeof *u->removed);
    u->added_at = gg_alloc(run, u->added_count, sizeof *u->added_at);
    u->added_edge = gg_alloc(run, u->added_count, sizeof *u->added_edge);
    if (!gg_stopping(run))
        find_removed(u);
    if (!gg_stopping(run) && u->changes->before)
        take_places(u);
    else if (!gg_stopping(run))
        find_added(u);
    if (!gg_stopping(run))
        copy_removed(u);
    if (gg_stopping(run))
        return;
    u->reweights = changes_weights_alone(u);
    cut(u);
    look_at_moves(s);
    u->plain = plain_afterwards(u);
    bound_degrees(u);
}
