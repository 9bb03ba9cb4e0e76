/* The trees of many breadth-first searches, in one pass over the edges.
**
**     depth[which][v] ->  row of v | low byte of the depth in search 0, 1, 2 ... |
**                         wants[v]   the searches whose tree edge to v is not found yet
**
** An edge u -> v is compared for all searches at once: where the row of v has one more
** than that of u, and u is reached, it is tight. Edges come in order of number, so the
** first one counts. Low bytes may agree where depths do not, in deep graphs: where they
** do, the depths are looked at. An owner has vertices, not edges: each goes over all
** edges and leaves those to the vertices of others alone, so nothing is shared and
** nothing depends on who is faster. */
#define _GNU_SOURCE
#include "bfs.h"
#include "graph/graph.h"

#include <string.h>

#define EACH_BYTE ((uint64_t)0x0101010101010101u)

struct forest {
    const gpugraph_graph *graph;
    gpugraph_direction direction;
    gpugraph_run *run;
    uint32_t searches, words; /* words: of a row, eight searches each */
    uint32_t *const *depth;
    void *const *tree_edge;
    uint32_t deep;   /* bits above the low byte, of any depth */
    uint64_t *row;   /* n * words */
    uint64_t *wants; /* n */
    uint64_t *there; /* n: the searches that have reached it */
    int owners;
};

/* Vertices that are next to each other in memory have one owner. */
enum { OWNED = 64 };

static void fill_row(struct forest *f, uint32_t v) {
    uint64_t there = 0, wants = 0;
    uint32_t high = 0;
    for (uint32_t word = 0; word < f->words; word++) {
        uint64_t bytes = 0;
        uint32_t end = f->searches - word * 8 < 8 ? f->searches - word * 8 : 8;
        for (uint32_t i = 0; i < end; i++) {
            uint32_t which = word * 8 + i, depth = f->depth[which][v];
            bytes |= (uint64_t)(depth & 0xff) << 8 * i;
            there |= (uint64_t)(depth != GPUGRAPH_NONE) << which;
            wants |= (uint64_t)(depth != GPUGRAPH_NONE && depth != 0) << which;
            high |= depth != GPUGRAPH_NONE ? depth >> 8 : 0;
        }
        f->row[(uint64_t)v * f->words + word] = bytes;
    }
    if (high)
        __atomic_fetch_or(&f->deep, high, __ATOMIC_RELAXED);
    f->there[v] = there;
    f->wants[v] = wants;
}

/* The searches in which the row of v has one more than that of u. Without a carry from
** one byte to the next: a byte of `same` is 0x80 where the two agree. */
static inline uint64_t one_more(const struct forest *f, uint32_t u, uint32_t v) {
    const uint64_t *a = f->row + (uint64_t)u * f->words;
    const uint64_t *b = f->row + (uint64_t)v * f->words;
    uint64_t searches = 0;
    for (uint32_t word = 0; word < f->words; word++) {
        uint64_t next =
            ((a[word] & 0x7f * EACH_BYTE) + EACH_BYTE) ^ (a[word] & 0x80 * EACH_BYTE);
        uint64_t x = next ^ b[word];
        uint64_t same =
            ~(((x & 0x7f * EACH_BYTE) + 0x7f * EACH_BYTE) | x) & 0x80 * EACH_BYTE;
        searches |= ((same >> 7) * 0x0102040810204080u >> 56) << 8 * word;
    }
    return searches;
}

static inline void offer_edge(struct forest *f, bool deep, uint64_t e, uint32_t u,
                              uint32_t v) {
    uint64_t wanted = f->wants[v] & f->there[u];
    if (!wanted || !(wanted &= one_more(f, u, v)))
        return;
    for (; wanted; wanted &= wanted - 1) {
        uint32_t which = (uint32_t)__builtin_ctzll(wanted);
        if (deep && f->depth[which][v] != f->depth[which][u] + 1)
            continue; /* the low bytes agree, and no more */
        gg_put_edge(f->tree_edge[which], f->graph->wide, v, e);
        f->wants[v] &= ~((uint64_t)1 << which);
    }
}

static bool owns(uint32_t v, uint32_t member, uint32_t members) {
    return members == 1 || v / OWNED % members == member;
}

static void go_over_edges(void *forest, uint64_t owner) {
    struct forest *f = forest;
    const uint32_t member = (uint32_t)owner, members = (uint32_t)f->owners;
    const uint32_t *source = f->graph->source, *target = f->graph->target;
    const bool deep = f->deep != 0;
    for (uint64_t e = 0; e < f->graph->m; e++) {
        uint32_t u = source[e], v = target[e];
        if (f->direction != GPUGRAPH_IN && owns(v, member, members))
            offer_edge(f, deep, e, u, v);
        if (f->direction != GPUGRAPH_OUT && owns(u, member, members))
            offer_edge(f, deep, e, v, u);
        if (gg_leave(f->run, e + 1))
            return;
    }
}

static void clear_tree(void *forest, uint64_t which) {
    const struct forest *f = forest;
    if (!gg_pause(f->run))
        memset(f->tree_edge[which], 0xff, f->graph->n * gg_edge_size(f->graph->wide));
}

static void fill_rows(void *forest, uint64_t low, uint64_t high) {
    struct forest *f = forest;
    for (uint64_t v = low; v < high; v++)
        if (v % OWNED == 0 ? !gg_pause(f->run) : !gg_stopping(f->run))
            fill_row(f, (uint32_t)v);
}

static void grow_forest(struct forest *f) {
    f->owners = gg_threads(f->run, f->graph->m);
    gg_parts(f->owners, f->searches, clear_tree, f);
    gg_slices(f->owners, f->graph->n, fill_rows, f);
    gg_parts(f->owners, (uint64_t)f->owners, go_over_edges, f);
}

gpugraph_status gg_depth_trees(const gpugraph_graph *graph, gpugraph_direction direction,
                               gpugraph_run *run, uint32_t searches,
                               uint32_t *const *depth, void *const *tree_edge) {
    double started = gg_now_ms();
    uint64_t n = graph->n;
    if (gg_bring_edges((gpugraph_graph *)graph, run))
        return run->status;
    struct forest f = {.graph = graph,
                       .direction = direction,
                       .run = run,
                       .searches = searches,
                       .words = (searches + 7) / 8,
                       .depth = depth,
                       .tree_edge = tree_edge};
    f.row = gg_alloc(run, n * f.words, sizeof *f.row);
    f.wants = gg_alloc(run, n, sizeof *f.wants);
    f.there = gg_alloc(run, n, sizeof *f.there);
    if (f.row && f.wants && f.there)
        grow_forest(&f);
    gg_release(f.row);
    gg_release(f.wants);
    gg_release(f.there);
    if (run->status)
        return run->status;
    if (gg_stopping(run))
        return gg_stopped(run);
    gg_phase(run, "parents", started, (int64_t)graph->m,
             "one pass over the edges for %u tree%s", searches, searches == 1 ? "" : "s");
    return GPUGRAPH_OK;
}
