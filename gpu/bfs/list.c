/* Breadth-first search for a list: of what it reaches, in time of what it looks at. Nothing here has
** an entry for each vertex of the graph.
**
**     found    vertex   17 | 3  90 | 4  88 ...     level after level, as they are found
**              depth     0 | 1   1 | 2   2
**              edge      - | 5   0 | 2   9          where trees are wanted
**     table    17+0  .  90+2  .  .  3+1  ...        vertex and its place in found, by a hash of the
**                                                   vertex, or else behind it; at most half full
**     the caller's arrays    found, ascending by vertex
**
** A search that turns out to reach more than there is room for, or to look at more arcs than
** that is worth, gives up: arrays by vertex are then quicker. A tree edge is looked up by its
** ends, in rows with edge numbers; they are made for a graph that is searched often, as for
** paths from both ends. */
#include "bfs.h"
#include "tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_FOUND = 64, SMALL_TABLE = 4 * SMALL_FOUND };

struct found {
    uint32_t vertex, depth;
    uint64_t edge;
};

struct list {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    gpugraph_run *run;
    csr rows;
    bool tree;
    struct found *found, small_found[SMALL_FOUND];
    uint64_t *table, small_table[SMALL_TABLE]; /* vertex << 32 | place + 1; 0: free */
    uint64_t places;                           /* of the table, a power of 2 */
    uint32_t count, room, most;                /* of found; most: the caller's room */
    uint32_t begin, end;                       /* the frontier in found */
    uint32_t pending; /* targets not reached yet: target[0 .. pending - 1] */
    uint64_t looked, most_arcs, poll_at;
    bool given_up;
};

/* ---- the table ---- */

/* Where the vertex is in the table, or the free place where it belongs. */
static inline uint64_t *look_up(const struct list *l, uint32_t v) {
    uint64_t i = v * 0x9e3779b97f4a7c15u >> 32;
    for (;; i++) {
        uint64_t *at = &l->table[i & (l->places - 1)];
        if (*at == 0 || *at >> 32 == v)
            return at;
    }
}

static inline struct found *place_of(const struct list *l, uint64_t entry) {
    return &l->found[(uint32_t)entry - 1];
}

/* Four times the room. False: no memory, which the run says. */
static bool grow(struct list *l) {
    const uint32_t room = 4 * l->room;
    struct found *found = gg_alloc(l->run, room, sizeof *found);
    uint64_t *table = gg_alloc_zero(l->run, 4 * l->places, sizeof *table);
    if (!found || !table) {
        gg_release(found);
        gg_release(table);
        return false;
    }
    memcpy(found, l->found, l->count * sizeof *found);
    if (l->found != l->small_found) {
        gg_release(l->found);
        gg_release(l->table);
    }
    l->found = found;
    l->room = room;
    l->table = table;
    l->places *= 4;
    for (uint32_t i = 0; i < l->count; i++)
        *look_up(l, found[i].vertex) = (uint64_t)found[i].vertex << 32 | (i + 1);
    return true;
}

/* Adds v, whose free place in the table this is. False when the search cannot go on. */
static bool add(struct list *l, uint64_t *at, uint32_t v, uint32_t depth) {
    if (l->count == l->most) {
        l->given_up = true;
        return false;
    }
    if (l->count == l->room) {
        if (!grow(l))
            return false;
        at = look_up(l, v);
    }
    l->found[l->count++] = (struct found){v, depth, GPUGRAPH_NO_EDGE};
    *at = (uint64_t)v << 32 | l->count;
    return true;
}

/* ---- levels ---- */

/* The smallest number of an edge that may be taken from u to v. */
static uint64_t edge_to(const struct list *l, uint32_t u, uint32_t v) {
    const gpugraph_direction direction = l->search->direction;
    uint64_t there =
        direction == GPUGRAPH_IN ? GPUGRAPH_NO_EDGE : gg_first_edge(l->graph, u, v);
    uint64_t turned =
        direction == GPUGRAPH_OUT ? GPUGRAPH_NO_EDGE : gg_first_edge(l->graph, v, u);
    return there < turned ? there : turned;
}

static bool expand(struct list *l, uint32_t u, uint32_t depth) {
    const uint64_t begin = l->rows.begin[u], end = l->rows.end[u];
    l->looked += end - begin;
    if (l->looked > l->most_arcs) {
        l->given_up = true;
        return false;
    }
    for (uint64_t arc = begin; arc < end; arc++) {
        const uint32_t w = l->rows.target[arc];
        uint64_t *at = look_up(l, w);
        if (*at == 0) {
            if (!add(l, at, w, depth + 1))
                return false;
            at = l->tree ? look_up(l, w) : at;
        }
        if (!l->tree || place_of(l, *at)->depth != depth + 1)
            continue;
        const uint64_t edge = edge_to(l, u, w);
        struct found *to = place_of(l, *at);
        to->edge = edge < to->edge ? edge : to->edge;
    }
    if (l->looked < l->poll_at)
        return true;
    l->poll_at = l->looked + GG_POLL_ITEMS;
    return !gg_poll(l->run);
}

/* Is there nothing left to look for? Looked at between levels, as in every such search. */
static bool satisfied(struct list *l) {
    const gpugraph_search *search = l->search;
    while (l->pending > 0 && *look_up(l, search->target[l->pending - 1]) != 0)
        l->pending--;
    return (search->target_count > 0 && l->pending == 0) ||
           (search->limit > 0 && l->count >= search->limit);
}

static bool start(struct list *l) {
    for (uint32_t i = 0; i < l->search->source_count; i++) {
        const uint32_t s = l->search->source[i];
        uint64_t *at = look_up(l, s);
        if (*at == 0 && !add(l, at, s, 0))
            return false;
    }
    l->end = l->count;
    l->pending = l->search->target_count;
    return true;
}

/* Returns how many levels there are. */
static uint32_t find(struct list *l) {
    uint32_t level = 0;
    bool going = start(l);
    while (going && l->begin < l->end && level < l->search->max_depth && !satisfied(l)) {
        while (going && l->begin < l->end)
            going = expand(l, l->found[l->begin++].vertex, level);
        l->end = l->count;
        level++;
    }
    return level;
}

/* ---- what the caller gets ---- */

static int by_vertex(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Most lists are a few vertices. */
static void sort(struct found *found, uint32_t count) {
    if (count > SMALL_FOUND) {
        qsort(found, count, sizeof *found, by_vertex);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        const struct found f = found[i];
        uint32_t k = i;
        for (; k > 0 && found[k - 1].vertex > f.vertex; k--)
            found[k] = found[k - 1];
        found[k] = f;
    }
}

static void give(struct list *l, uint32_t *vertex, uint32_t *depth, void *tree_edge) {
    sort(l->found, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        vertex[i] = l->found[i].vertex;
        depth[i] = l->found[i].depth;
        if (tree_edge)
            gg_put_edge(tree_edge, l->graph->wide, i, l->found[i].edge);
    }
}

/* ---- the public function ---- */

/* `auto` may take a device for the first search: where that has made rows here, it will not. */
static bool serves(gpugraph_graph *graph, const gpugraph_search *search,
                   const gpugraph_run *run, bool tree) {
    if (run->backend != GPUGRAPH_CPU && run->backend != GPUGRAPH_AUTO)
        return false;
    if (!gg_method_is_auto(run) && strcmp(run->method, "top-down") != 0)
        return false;
    if (tree && !gg_edge_rows_made(graph) && gg_searches(graph) <= gg_path_prepare_after)
        return false;
    return !gg_is_away(graph) && (run->backend == GPUGRAPH_CPU ||
                                  gg_csr_made(graph, gg_forward_kind(search->direction)));
}

static void list(gpugraph_graph *graph, const gpugraph_search *search, gpugraph_run *run,
                 uint32_t room, uint32_t *vertex, uint32_t *depth, void *tree_edge,
                 uint32_t *count) {
    struct list l = {.graph = graph, .search = search, .run = run};
    if (gg_rows(graph, gg_forward_kind(search->direction), false, false, run, &l.rows) ||
        (tree_edge && (gg_bring_edges(graph, run) || gg_edge_rows(graph, run))))
        return;
    const double started = gg_now_ms();
    l.tree = tree_edge != NULL;
    l.found = l.small_found;
    l.room = SMALL_FOUND;
    l.table = l.small_table;
    l.places = SMALL_TABLE;
    l.most = room;
    l.most_arcs = (uint64_t)room * GG_BFS_LIST_ARCS;
    l.poll_at = GG_POLL_ITEMS;
    const uint32_t levels = find(&l);
    if (run->status == GPUGRAPH_OK && gg_stopping(run))
        gg_stopped(run);
    if (run->status == GPUGRAPH_OK && !l.given_up) {
        give(&l, vertex, depth, tree_edge);
        *count = l.count;
        gg_settle_on_cpu(graph, run, "top-down");
        char more[60];
        snprintf(more, sizeof more, "%u level%s, a list", levels, levels == 1 ? "" : "s");
        gg_search_phase(run, started, (int64_t)l.count, more);
    }
    if (l.found != l.small_found) {
        gg_release(l.found);
        gg_release(l.table);
    }
}

gpugraph_status gpugraph_bfs_list(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                  uint32_t *depth, void *tree_edge, uint32_t *count) {
    *count = GPUGRAPH_NONE;
    gg_enter_graph(graph, run);
    if (!gg_check_search(graph, search, run) &&
        serves(graph, search, run, tree_edge != NULL))
        list(graph, search, run, room, vertex, depth, tree_edge, count);
    return gg_leave_graph(graph, run);
}
