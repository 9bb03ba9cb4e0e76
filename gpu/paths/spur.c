/* The best path from a spur vertex: the least distance, and of all paths of that distance
** the one whose list of edge numbers comes first.
**
**     source o--o--o spur          blocked: the vertices before the spur, and the spur
**                  |\ banned
**                  | o ...  ->  target
**
** The search orders vertices by the distance so far plus a lower bound of the rest, which
** a search from the target has found on the whole graph. So it visits hardly more than
** the best path. The path that it finds becomes the certain path. Then a walk from the
** spur takes at each vertex the edge with the smallest number that begins a path of the
** least distance. This is the next edge of the certain path, or an edge with a smaller
** number whose own search finds a path. That path then becomes the certain path.
**
** REAL sums round, so a path of the least distance may pass a vertex at more than the
** least distance there. Therefore whole sums are compared, in the order of travel. */
#include "paths.h"
#include "graph/graph.h"

bool gg_spur_begin(spur_search *s) {
    const uint32_t n = s->graph->n;
    s->blocked = gg_alloc_zero(s->run, (uint64_t)n / 64 + 1, sizeof *s->blocked);
    s->distance = gg_alloc(s->run, n, sizeof *s->distance);
    s->parent = gg_alloc(s->run, n, sizeof *s->parent);
    for (uint32_t v = 0; s->distance && v < n; v++)
        s->distance[v] = GG_INFINITE;
    return s->blocked && s->distance && s->parent;
}

void gg_spur_end(spur_search *s) {
    gg_release(s->blocked);
    gg_release(s->distance);
    gg_release(s->parent);
    gg_release(s->touched);
    gg_release(s->heap.item);
    gg_release(s->out.item);
    gg_release(s->certain);
}

bool gg_add_edge(gpugraph_run *run, edge_list *list, uint64_t edge) {
    if (!gg_make_room(run, (void **)&list->item, list->count, &list->room,
                      sizeof *list->item))
        return false;
    list->item[list->count++] = edge;
    return true;
}

/* Adds edges that lead to v, by the transpose. A source with several edges to v has
** several neighbouring arcs, and only the first is looked at. */
static bool add_reversed_edges(spur_search *s, uint32_t v) {
    const csr *rows = &s->transpose;
    for (uint64_t arc = rows->begin[v]; arc < rows->end[v] && !gg_leave(s->run, arc);
         arc++) {
        uint32_t to = rows->target[arc];
        uint64_t count = 0;
        if (to == v || (arc > rows->begin[v] && to == rows->target[arc - 1]))
            continue;
        const void *edge = gg_edges_between(s->graph, to, v, &count);
        for (uint64_t i = 0; i < count; i++)
            if (!gg_heap_put(s->run, &s->out, to, gg_edge_at(edge, s->graph->wide, i)))
                return false;
    }
    return true;
}

static bool add_straight(spur_search *s, uint32_t v) {
    const struct csr_slot *rows = &s->graph->derived.edge_rows;
    const uint64_t end = gg_row_end(rows, v);
    for (uint64_t i = rows->offset[v]; i < end && !gg_leave(s->run, i); i++) {
        uint64_t edge = gg_edge_at(rows->weight, s->graph->wide, i);
        uint32_t to = s->graph->target[edge];
        if (to != v && !gg_heap_put(s->run, &s->out, to, edge))
            return false;
    }
    return true;
}

bool gg_edges_out(spur_search *s, uint32_t v) {
    s->out.count = 0;
    return (s->direction == GPUGRAPH_IN || add_straight(s, v)) &&
           (s->direction == GPUGRAPH_OUT || add_reversed_edges(s, v)) &&
           gg_spur_goes_on(s, s->out.count + 1) && !gg_stopping(s->run);
}

/* ---- the search ---- */

/* A lower bound of the distance from v to the target; GG_INFINITE: there is no path. */
static inline uint64_t least_left(const spur_search *s, uint32_t v) {
    uint64_t left = gg_word_at(s->type, s->left, v);
    if (left == GG_INFINITE)
        left = s->rest;
    if (s->type != GPUGRAPH_REAL || left == GG_INFINITE)
        return left;
    return gg_real_word(gg_word_real(left) * s->slack);
}

/* The sum of two rounded numbers also rounds, and is compared with sums in another order.
** So the bound gets slack. */
uint64_t gg_at_least(const spur_search *s, uint32_t v, uint64_t distance) {
    uint64_t sum = gg_path_sum(s->type, distance, least_left(s, v));
    if (s->type != GPUGRAPH_REAL || sum == GG_INFINITE || distance == GG_BEYOND ||
        v == s->target)
        return sum;
    double least = (sum == GG_BEYOND ? DBL_MAX : gg_word_real(sum)) * s->slack;
    return gg_real_word(least > gg_word_real(distance) ? least : gg_word_real(distance));
}

static bool reach_spur(spur_search *s, uint32_t v, uint32_t parent, uint64_t distance,
                       uint64_t most) {
    if (gg_is_blocked(s, v) || distance >= s->distance[v])
        return true;
    uint64_t least = gg_at_least(s, v, distance);
    if (least == GG_INFINITE || least > most)
        return true;
    if (s->distance[v] == GG_INFINITE) {
        if (!gg_make_room(s->run, (void **)&s->touched, s->touched_count,
                          &s->touched_room, sizeof *s->touched))
            return false;
        s->touched[s->touched_count++] = v;
    }
    s->distance[v] = distance;
    s->parent[v] = parent;
    return gg_heap_put(s->run, &s->heap, v, least);
}

/* Searches until the target is nearest, or until no vertex within `most` waits. */
static bool search_spur(spur_search *s, uint64_t most) {
    const csr *rows = &s->rows;
    while (s->heap.count > 0) {
        gg_waiting next = gg_heap_take(&s->heap);
        const uint32_t u = next.vertex;
        const uint64_t from = s->distance[u];
        if (next.word != gg_at_least(s, u, from))
            continue; /* stale */
        if (u == s->target)
            return true;
        s->settled++;
        for (uint64_t arc = rows->begin[u]; arc < rows->end[u] && !gg_leave(s->run, arc);
             arc++)
            if (!reach_spur(s, rows->target[arc], u,
                            gg_path_sum(s->type, from,
                                        gg_word_weight(s->type, rows->weight, arc)),
                            most))
                return false;
        if (!gg_spur_goes_on(s, rows->end[u] - rows->begin[u] + 1))
            return false;
    }
    return !gg_stopping(s->run);
}

static void forget_spur(spur_search *s) {
    for (uint64_t i = 0; i < s->touched_count; i++)
        s->distance[s->touched[i]] = GG_INFINITE;
    s->touched_count = s->heap.count = 0;
}

/* The path that the search has found becomes the certain path: its vertices after
** `first`. */
static bool make_certain(spur_search *s, uint32_t first) {
    uint64_t count = 0;
    for (uint32_t v = s->target; v != first; v = s->parent[v])
        count++;
    while (s->certain_room < count)
        if (!gg_make_room(s->run, (void **)&s->certain, s->certain_room, &s->certain_room,
                          sizeof *s->certain))
            return false;
    for (uint32_t v = s->target; v != first; v = s->parent[v])
        s->certain[--count] = (gg_waiting){s->distance[v], v};
    return true;
}

/* ---- the walk ---- */

/* Searches for a path from v by the vertex `to`. *found: a path of at most the distance
** `most` exists, and is the certain path now. */
static bool try_path(spur_search *s, uint32_t v, uint32_t to, uint64_t sum, uint64_t most,
                     bool *found) {
    *found = false;
    bool go = reach_spur(s, to, v, sum, most) && search_spur(s, most);
    if (go && s->distance[s->target] <= most) {
        *found = true;
        go = make_certain(s, v);
    }
    forget_spur(s);
    return go;
}

/* Chooses the next edge from v. *at advances on the certain path: certain[*at] is the
** next vertex. */
static bool next_edge(spur_search *s, uint32_t v, uint64_t from, const edge_list *banned,
                      uint64_t most, uint64_t *at, gg_waiting *taken, uint64_t *sum) {
    if (!gg_edges_out(s, v))
        return false;
    while (s->out.count > 0) {
        const uint64_t levels = 64 - (uint64_t)__builtin_clzll(s->out.count);
        *taken = gg_heap_take(&s->out);
        const uint32_t to = taken->vertex;
        if (!gg_spur_goes_on(s, levels + (banned ? banned->count : 0)))
            return false;
        *sum = gg_past_edge(s, from, taken->word);
        if (gg_is_blocked(s, to) || (banned && gg_has_edge(banned, taken->word)))
            continue;
        if (to == s->certain[*at].vertex && *sum <= s->certain[*at].word) {
            ++*at;
            return true;
        }
        uint64_t least = gg_at_least(s, to, *sum);
        if (*sum == GG_INFINITE || least == GG_INFINITE || least > most)
            continue;
        bool found;
        if (!try_path(s, v, to, *sum, most, &found))
            return false;
        if (found) {
            *at = 1;
            return true;
        }
    }
    return false; /* not reached: one of the edges is the certain edge */
}

/* Walks from the spur to the target. The vertices of the path are blocked meanwhile. */
static bool walk_spur(spur_search *s, uint32_t v, uint64_t from, const edge_list *banned,
                      uint64_t most, edge_list *path) {
    edge_list passed = {.count = 0};
    uint64_t at = 0;
    bool go = true;
    while (go && v != s->target) {
        gg_waiting taken;
        go = next_edge(s, v, from, banned, most, &at, &taken, &from) &&
             gg_add_edge(s->run, path, taken.word) &&
             gg_add_edge(s->run, &passed, taken.vertex);
        if (!go)
            break;
        v = taken.vertex;
        banned = NULL;
        gg_block(s, v);
    }
    for (uint64_t i = 0; i < passed.count; i++)
        gg_unblock(s, (uint32_t)passed.item[i]);
    gg_release(passed.item);
    return go;
}

bool gg_spur(spur_search *s, uint32_t v, uint64_t from, const edge_list *banned,
             uint64_t *found, edge_list *path) {
    *found = GG_INFINITE;
    if (!gg_edges_out(s, v))
        return false;
    bool go = true;
    for (uint64_t i = 0; i < s->out.count && go; i++) {
        const gg_waiting edge = s->out.item[i];
        go = gg_spur_goes_on(s, 1 + banned->count);
        if (go && !gg_has_edge(banned, edge.word))
            go = reach_spur(s, edge.vertex, v, gg_past_edge(s, from, edge.word),
                            GG_INFINITE);
    }
    go = go && search_spur(s, GG_INFINITE);
    if (go)
        *found = s->distance[s->target];
    if (go && *found != GG_INFINITE)
        go = make_certain(s, v);
    forget_spur(s);
    return go && (*found == GG_INFINITE || walk_spur(s, v, from, banned, *found, path));
}
