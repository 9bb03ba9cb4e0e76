/* A small batch changes a list of edges with gaps (graph/gaps.c): only blocks that lose
** or gain an edge.
**
**     plan     the begins of blocks afterwards; whether each added edge finds a gap, or
**              slack behind all edges; arrays for a graph without gaps
**     commit   removes edges from the last one on, adds edges from the first one on; each
**              moves the edges behind it in its block
**
** If an edge finds no gap, the gaps are closed, and whole arrays move. */
#include "update.h"
#include "base/limits.h"

#include <string.h>

/* A batch of more than one edge per 4 blocks closes the gaps and moves whole arrays. */
enum { GAP_BATCH = 4 };

/* ---- arrays with gaps ---- */

/* Entries in each of four arrays, of which the last two may be NULL. */
static uint64_t places_in(const struct edge_gaps *g, size_t weight_size) {
    uint64_t places = gg_room(g->source) / sizeof *g->source, room;
    room = gg_room(g->target) / sizeof *g->target;
    places = room < places ? room : places;
    room = gg_room(g->weight) / weight_size;
    places = g->weight && room < places ? room : places;
    room = gg_room(g->edge_id) / sizeof *g->edge_id;
    return g->edge_id && room < places ? room : places;
}

static void count_places(struct edge_gaps *g, size_t weight_size) {
    const uint64_t size = (uint64_t)1 << g->shift;
    g->places = places_in(g, weight_size);
    g->block_room = (g->places + size - 1) >> g->shift;
}

/* Divides the existing arrays into blocks; they stay the graph's own until the commit. */
static bool open_gaps(update *u) {
    struct edge_gaps *g = &u->gaps;
    const gpugraph_graph *graph = u->graph;
    gpugraph_run *run = u->run;
    const uint64_t size = (uint64_t)1 << gg_limits.gap_shift;
    *g = (struct edge_gaps){.source = graph->source,
                            .target = graph->target,
                            .weight = graph->weight,
                            .edge_id = graph->edge_id,
                            .shift = gg_limits.gap_shift,
                            .blocks = (graph->m + size - 1) >> gg_limits.gap_shift};
    count_places(g, gg_distance_size(graph->distance_type));
    g->start = gg_alloc(run, g->block_room + 1, sizeof *g->start);
    g->listed = g->start ? gg_alloc(run, g->block_room + 1, 1) : NULL;
    if (g->listed && !g->edge_id)
        g->edge_id = gg_alloc_sparse(run, g->places, sizeof *g->edge_id);
    if (gg_stopping(run))
        return false;
    for (uint64_t b = 0; b < g->blocks; b++)
        g->start[b] = b << g->shift;
    g->start[g->blocks] = graph->m;
    memset(g->listed, graph->edge_id != NULL, g->block_room + 1);
    return true;
}

/* A large block grows without a copy. */
static bool grow_block(void **block, uint64_t count, size_t size) {
    void *larger = *block ? gg_grow(*block, count, size) : NULL;
    *block = larger ? larger : *block;
    return larger != NULL;
}

/* Grows the arrays behind the last edge. */
static bool grow_places(gpugraph_graph *graph) {
    struct edge_gaps *g = &graph->gaps;
    const size_t weight_size = gg_distance_size(graph->distance_type);
    const uint64_t had = g->block_room, places = g->places + g->places / GG_ROOM_SHARE +
                                                 ((uint64_t)1 << g->shift);
    grow_block((void **)&g->source, places, sizeof *g->source);
    grow_block((void **)&g->target, places, sizeof *g->target);
    grow_block((void **)&g->edge_id, places, sizeof *g->edge_id);
    grow_block(&g->weight, places, weight_size);
    struct edge_gaps after = *g;
    count_places(&after, weight_size);
    if (after.places < places || after.block_room <= had ||
        !grow_block((void **)&g->start, after.block_room + 1, sizeof *g->start) ||
        !grow_block((void **)&g->listed, after.block_room + 1, sizeof *g->listed))
        return false;
    memset(g->listed + had, g->listed[had], after.block_room + 1 - had);
    g->places = after.places;
    g->block_room = after.block_room;
    return true;
}

/* ---- one edge ---- */

static uint64_t edges_in(const struct edge_gaps *g, uint64_t block) {
    return g->start[block + 1] - g->start[block];
}

static bool is_full(const struct edge_gaps *g, uint64_t block) {
    const uint64_t size = (uint64_t)1 << g->shift, left = g->places - (block << g->shift);
    return edges_in(g, block) >= (left < size ? left : size);
}

static void count_from(struct edge_gaps *g, uint64_t block, uint64_t by) {
    for (uint64_t b = block + 1; b <= g->blocks; b++)
        g->start[b] += by;
}

static void move_places(const struct edge_gaps *g, size_t weight_size, uint64_t to,
                        uint64_t from, uint64_t count) {
    memmove(g->source + to, g->source + from, count * sizeof *g->source);
    memmove(g->target + to, g->target + from, count * sizeof *g->target);
    memmove(g->edge_id + to, g->edge_id + from, count * sizeof *g->edge_id);
    if (g->weight)
        memmove((char *)g->weight + to * weight_size,
                (char *)g->weight + from * weight_size, count * weight_size);
}

static void list_ids(struct edge_gaps *g, uint64_t block) {
    const uint64_t first = block << g->shift, count = edges_in(g, block);
    for (uint64_t i = 0; i < count && !g->listed[block]; i++)
        g->edge_id[first + i] = (int64_t)(first + i) + 1;
    g->listed[block] = true;
}

/* weight_size: 0 without weights. moves: false in the plan, which moves no entries. */
static void take_edge(struct edge_gaps *g, size_t weight_size, uint64_t e, bool moves) {
    const uint64_t block = gg_gap_block(g, e), first = block << g->shift;
    const uint64_t at = first + (e - g->start[block]), end = first + edges_in(g, block);
    if (moves) {
        list_ids(g, block);
        move_places(g, weight_size, at, at + 1, end - at - 1);
    }
    count_from(g, block, UINT64_MAX);
}

/* Finds the block for edge e; false: there is no gap for it. */
static bool block_for(struct edge_gaps *g, uint64_t e, uint64_t *block) {
    if (e < g->start[g->blocks]) {
        *block = gg_gap_block(g, e);
        if (is_full(g, *block) && *block > 0 && e == g->start[*block])
            --*block;
        return !is_full(g, *block);
    }
    *block = g->blocks - 1;
    if (g->blocks && !is_full(g, *block))
        return true;
    if (g->blocks >= g->block_room)
        return false;
    *block = g->blocks++;
    g->start[g->blocks] = e;
    return true;
}

/* Writes added edge k, except for its id. */
static void write_edge(const update *u, const struct edge_gaps *g, size_t weight_size,
                       uint64_t at, uint64_t k) {
    g->source[at] = u->added_ends.source[k];
    g->target[at] = u->added_ends.target[k];
    if (weight_size)
        memcpy((char *)g->weight + at * weight_size,
               (const char *)u->weight + k * weight_size, weight_size);
}

/* Adds edge k of the batch. False: there is no gap for it. */
static bool put_edge_of_gaps(const update *u, struct edge_gaps *g, size_t weight_size,
                             uint64_t k, bool moves) {
    const uint64_t e = u->added_edge[k];
    const int64_t id = u->added->edge_id[k];
    uint64_t block;
    if (!block_for(g, e, &block))
        return false;
    const uint64_t first = block << g->shift, end = first + edges_in(g, block);
    const uint64_t at = first + (e - g->start[block]);
    if (moves && !(at == end && id == (int64_t)at + 1))
        list_ids(g, block);
    if (moves) {
        move_places(g, weight_size, at + 1, at, end - at);
        write_edge(u, g, weight_size, at, k);
        g->edge_id[at] = id;
    }
    count_from(g, block, 1);
    return true;
}

/* ---- the plan ---- */

/* True if added edge k has the id of a removed edge, so that it keeps its number with
** other ends. *i: where the search among removed ids begins; calls are in order. */
static bool takes_place(const update *u, uint64_t k, uint64_t *i) {
    while (*i < u->removed_count && u->removed_id[*i] < u->added->edge_id[k])
        ++*i;
    return *i < u->removed_count && u->removed_id[*i] == u->added->edge_id[k];
}

/* Number of edges that are removed from their place or added at a new one. */
static uint64_t count_moves(const update *u) {
    uint64_t stay = 0;
    for (uint64_t k = 0, i = 0; k < u->added_count; k++)
        stay += takes_place(u, k, &i);
    return u->removed_count + u->added_count - 2 * stay;
}

static bool is_small(const update *u) {
    const uint64_t blocks = u->graph->m >> gg_limits.gap_shift;
    return gg_limits.room_arcs == 0 || (u->graph->m >= gg_limits.room_arcs &&
                                        count_moves(u) <= 1 + blocks / GAP_BATCH);
}

/* True if the batch is small, edges would move or have gaps, and numbers, ids and weights
** keep their form. */
static bool may_have_gaps(const update *u) {
    const gpugraph_graph *graph = u->graph;
    return (graph->gaps.made || !u->edges.still) && is_small(u) && !u->changes->before &&
           !graph->known.has_equal_edge_ids && graph->m > 0 && gg_same_layout(u) &&
           gg_is_wide(u->edges.after) == graph->wide;
}

/* Removes edges from the last one on. */
static void take_edges(const update *u, struct edge_gaps *g, size_t weight_size,
                       bool moves) {
    for (uint64_t i = u->removed_count, k = u->added_count; i-- > 0;) {
        while (k > 0 && u->added->edge_id[k - 1] > u->removed_id[i])
            k--;
        if (k == 0 || u->added->edge_id[k - 1] != u->removed_id[i])
            take_edge(g, weight_size, u->removed[i], moves);
    }
}

/* True if every added edge finds a gap. */
static bool move_edges(const update *u, struct edge_gaps *g, size_t weight_size,
                       bool moves) {
    take_edges(u, g, weight_size, moves);
    for (uint64_t k = 0, i = 0; k < u->added_count; k++)
        if (!takes_place(u, k, &i) && !put_edge_of_gaps(u, g, weight_size, k, moves))
            return false;
    return true;
}

void gg_free_gap_plan(update *u) {
    struct edge_gaps *g = &u->gaps;
    gg_release(g->start);
    gg_release(g->listed);
    if (g->edge_id != u->graph->edge_id)
        gg_release(g->edge_id);
    *g = (struct edge_gaps){0};
}

/* Tries the batch on a copy of the starts. *at_end: slack behind all edges is missing. */
static bool fits_gaps(const update *u, bool *at_end) {
    const struct edge_gaps *g = u->graph->gaps.made ? &u->graph->gaps : &u->gaps;
    struct edge_gaps after = *g;
    after.start = gg_alloc(u->run, g->block_room + 1, sizeof *after.start);
    if (!after.start)
        return false;
    memcpy(after.start, g->start, (g->blocks + 1) * sizeof *after.start);
    const bool fits = move_edges(u, &after, 0, false);
    *at_end = after.blocks == after.block_room;
    gg_release(after.start);
    return fits;
}

bool gg_plan_gaps(update *u) {
    const bool made = u->graph->gaps.made;
    bool at_end = false;
    if (may_have_gaps(u)) {
        u->gapped = (made || open_gaps(u)) && fits_gaps(u, &at_end);
        if (!u->gapped && made && at_end && grow_places(u->graph))
            u->gapped = fits_gaps(u, &at_end);
        if (u->gapped || gg_stopping(u->run))
            return true;
        gg_free_gap_plan(u);
    }
    gg_close_gaps(u->graph, gg_threads(u->run, u->graph->m));
    return false;
}

/* ---- the commit ---- */

static void take_over(gpugraph_graph *graph, struct edge_gaps *planned) {
    graph->gaps = *planned;
    *planned = (struct edge_gaps){0};
    graph->source = graph->target = NULL;
    graph->weight = NULL;
    graph->edge_id = NULL;
    __atomic_store_n(&graph->gaps.made, true, __ATOMIC_RELEASE);
}

void gg_commit_gaps(update *u) {
    gpugraph_graph *graph = u->graph;
    struct edge_gaps *g = &graph->gaps;
    if (!g->made)
        take_over(graph, &u->gaps);
    const size_t size = g->weight ? gg_distance_size(graph->distance_type) : 0;
    move_edges(u, g, size, true);
    for (uint64_t k = 0, i = 0; k < u->added_count; k++)
        if (takes_place(u, k, &i)) /* it keeps its place, which is known now */
            write_edge(u, g, size, gg_edge_place(graph, u->added_edge[k]), k);
}
