/* Weak components over partitions: partitions make forests, which are contracted and
** merged.
**
**     forest    each partition makes a forest of its arcs, over masters and ghosts; the
**               least number in a tree is the tree's name
**     above     of each master: the name of its tree; a root has its own number. Over
**               all partitions this is a forest again, whose paths are shortened by
**               questions to owners
**     edges     a ghost and the name of its tree: the facts that only one partition knows
**
**     round     ends of edges are replaced by their roots, and edges within a tree are
**               dropped; the larger root of each remaining edge hooks to its
**               smallest neighbour; paths are shortened
**
** So the number of rounds grows with the logarithm of the number of trees, not with the
** diameter. Road networks take few rounds. After Shiloach and Vishkin, "An O(log n)
** Parallel Connectivity Algorithm" (J. Algorithms 3, 1982). */
#include "components/components.h"
#include "distributed/partition/part.h"

#include <string.h>

struct weak_part {
    gpugraph_part *p;
    gpugraph_run *run;
    uint32_t *parent; /* of each local */
    uint64_t *above;  /* of each master */
    uint64_t *edge, edges;
    uint32_t *open; /* masters whose path to the root may be long */
    uint32_t open_count;
    uint64_t *word; /* questions */
};

/* ---- the forest of a partition ---- */

static void link_rows(struct weak_part *w) {
    const gpugraph_part *p = w->p;
    for (uint32_t u = 0; u < p->locals && !gg_leave(w->run, u); u++)
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
            const uint32_t x = gg_tree_root(w->parent, u),
                           y = gg_tree_root(w->parent, p->target[a]);
            w->parent[x < y ? y : x] = x < y ? x : y;
        }
}

/* Names each tree after its least number. Masters point to this name. A ghost and this
** name are an edge. */
static bool name_trees(struct weak_part *w) {
    const gpugraph_part *p = w->p;
    uint64_t *name = gg_alloc(w->run, p->locals, sizeof *name);
    w->edge = gg_alloc(w->run, p->locals - p->masters, 2 * sizeof *w->edge);
    if (!name || !w->edge) {
        gg_release(name);
        return false;
    }
    memset(name, 0xff, p->locals * sizeof *name);
    for (uint32_t v = 0; v < p->locals; v++) {
        const uint32_t root = gg_tree_root(w->parent, v);
        name[root] = p->number[v] < name[root] ? p->number[v] : name[root];
    }
    for (uint32_t v = 0; v < p->masters; v++)
        w->above[v] = name[gg_tree_root(w->parent, v)];
    for (uint32_t v = p->masters; v < p->locals; v++) {
        w->edge[2 * w->edges] = p->number[v];
        w->edge[2 * w->edges + 1] = name[gg_tree_root(w->parent, v)];
        w->edges += w->edge[2 * w->edges] != w->edge[2 * w->edges + 1];
    }
    gg_release(name);
    return !gg_poll(w->run);
}

/* ---- the forest of all partitions ---- */

/* Makes masters in `open` point to their roots. */
static bool shorten_paths(struct weak_part *w) {
    uint64_t left = w->open_count;
    while (part_sum(w->p, w->run, &left) && left > 0) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < w->open_count; i++)
            w->word[i] = w->above[w->open[i]];
        if (!part_ask(w->p, w->run, w->above, w->word, w->open_count) || gg_poll(w->run))
            return false;
        for (uint32_t i = 0; i < w->open_count; i++) {
            const uint32_t v = w->open[i];
            if (w->word[i] != w->above[v]) {
                w->above[v] = w->word[i];
                w->open[kept++] = v;
            }
        }
        left = w->open_count = kept;
    }
    return !w->run->status;
}

static bool shorten_all_paths(struct weak_part *w) {
    w->open_count = 0;
    for (uint32_t v = 0; v < w->p->masters; v++)
        if (w->above[v] != w->p->number[v])
            w->open[w->open_count++] = v;
    return shorten_paths(w);
}

/* Replaces ends of edges by their roots, the larger one first. */
static bool contract_edges(struct weak_part *w) {
    uint64_t left = 0;
    if (!part_ask(w->p, w->run, w->above, w->edge, 2 * w->edges))
        return false;
    for (uint64_t i = 0; i < w->edges; i++) {
        const uint64_t a = w->edge[2 * i], b = w->edge[2 * i + 1];
        w->edge[2 * left] = a > b ? a : b;
        w->edge[2 * left + 1] = a > b ? b : a;
        left += a != b;
    }
    w->edges = left;
    return true;
}

/* Hooks the larger root of each edge to its smallest neighbour. */
static bool hook_roots(struct weak_part *w) {
    struct gg_records received;
    bool go = part_post(w->p, w->run, 2, w->edge, w->edges, &received);
    w->open_count = 0;
    for (uint64_t i = 0; go && i < received.count; i++) {
        const uint32_t v = part_master_of(w->p, received.word[2 * i]);
        const uint64_t to = received.word[2 * i + 1];
        if (w->above[v] == w->p->number[v])
            w->open[w->open_count++] = v;
        w->above[v] = to < w->above[v] ? to : w->above[v];
    }
    gg_records_close(&received);
    return go;
}

static bool merge_trees(struct weak_part *w) {
    for (;;) {
        uint64_t left;
        if (!contract_edges(w))
            return false;
        left = w->edges;
        if (!part_sum(w->p, w->run, &left))
            return false;
        if (left == 0)
            return true;
        if (!hook_roots(w) || !shorten_paths(w))
            return false;
    }
}

/* ---- the search ---- */

void part_weak_components(gpugraph_part *p, gpugraph_run *run, uint64_t *component) {
    struct weak_part w = {.p = p, .run = run, .above = component};
    w.parent = gg_alloc(run, p->locals, sizeof *w.parent);
    w.open = gg_alloc(run, p->masters, sizeof *w.open);
    w.word = gg_alloc(run, p->masters, sizeof *w.word);
    const bool go = w.parent && w.open && w.word;
    for (uint32_t v = 0; go && v < p->locals; v++)
        w.parent[v] = v;
    if (go)
        link_rows(&w);
    if (go && !gg_stopping(run) && name_trees(&w) && shorten_all_paths(&w) &&
        merge_trees(&w))
        shorten_all_paths(&w);
    gg_release(w.parent);
    gg_release(w.open);
    gg_release(w.word);
    gg_release(w.edge);
}
