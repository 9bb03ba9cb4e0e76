/* Preorder and postorder numbers of a finished tree or forest, with children and roots in
** the order of vertex numbers. They are computed without a walk:
**
**     size[v]        vertices in v's subtree: added up from the deepest level to the root
**     preorder[v]    preorder of v's parent + 1 + the sizes of v's earlier siblings
**     postorder[v]   preorder[v] - depth[v] + size[v] - 1: v's descendants and the
**                    vertices entered before v, except v's ancestors, finish before v
**
**     level     depth -> its next free position in `order`
**     order     the vertices by depth, then by number
**     size[v]   becomes, once v is numbered, the preorder of v's next child
**
** Time and memory are O(vertices), without a stack. */
#include "tree.h"

struct numbering {
    gpugraph_run *run;
    uint32_t n, reached, levels;
    const uint32_t *parent, *depth;
    uint32_t *preorder, *postorder; /* NULL: not wanted */
    uint32_t *level, *order, *size;
};

/* Fills `order` by a counting sort, `size` with 1, and the numbers of vertices that are
** not in the tree. `level` has n + 1 entries, all 0. Each step returns false if the run
** must end. */
static bool sort_by_depth(struct numbering *t) {
    for (uint32_t v = 0; v < t->n && !gg_leave(t->run, v); v++) {
        const uint32_t depth = t->depth[v];
        t->size[v] = 1;
        if (depth < t->n) {
            t->level[depth + 1]++;
            t->levels = depth >= t->levels ? depth + 1 : t->levels;
            continue;
        }
        if (t->preorder)
            t->preorder[v] = GPUGRAPH_NONE;
        if (t->postorder)
            t->postorder[v] = GPUGRAPH_NONE;
    }
    for (uint32_t d = 1; d <= t->levels && !gg_leave(t->run, d); d++)
        t->level[d] += t->level[d - 1];
    if (gg_stopping(t->run))
        return false;
    t->reached = t->level[t->levels];
    for (uint32_t v = 0; v < t->n && !gg_leave(t->run, v); v++)
        if (t->depth[v] < t->n)
            t->order[t->level[t->depth[v]]++] = v;
    return !gg_stopping(t->run);
}

static bool add_sizes(struct numbering *t) {
    for (uint32_t i = t->reached; i-- > 0 && !gg_leave(t->run, i);) {
        uint32_t v = t->order[i], up = t->parent[v];
        if (up < t->n)
            t->size[up] += t->size[v];
    }
    return !gg_stopping(t->run);
}

static bool number_vertices(struct numbering *t) {
    uint32_t next_root = 0;
    for (uint32_t i = 0; i < t->reached && !gg_leave(t->run, i); i++) {
        uint32_t v = t->order[i], up = t->parent[v], size = t->size[v];
        uint32_t *next = up < t->n ? &t->size[up] : &next_root;
        uint32_t entered = *next;
        *next += size;
        t->size[v] = entered + 1;
        if (t->preorder)
            t->preorder[v] = entered;
        if (t->postorder)
            t->postorder[v] = entered - t->depth[v] + size - 1;
    }
    return !gg_stopping(t->run);
}

gpugraph_status gg_number_tree(const gpugraph_graph *graph, gpugraph_run *run,
                               const uint32_t *parent, const uint32_t *depth,
                               uint32_t *preorder, uint32_t *postorder) {
    double start = gg_now_ms();
    struct numbering t = {.run = run,
                          .n = graph->n,
                          .parent = parent,
                          .depth = depth,
                          .preorder = preorder,
                          .postorder = postorder};
    bool go = (t.level = gg_alloc_zero(run, (uint64_t)t.n + 1, sizeof *t.level)) &&
              (t.order = gg_alloc(run, t.n, sizeof *t.order)) &&
              (t.size = gg_alloc(run, t.n, sizeof *t.size)) && sort_by_depth(&t) &&
              add_sizes(&t) && number_vertices(&t);
    gg_release(t.size);
    gg_release(t.order);
    gg_release(t.level);
    if (!go)
        return gg_stopped(run);
    gg_phase(run, "numbers", start, t.reached, "from subtree sizes, %u levels", t.levels);
    return GPUGRAPH_OK;
}

gpugraph_status gpugraph_complete_tree(gpugraph_graph *graph,
                                       gpugraph_direction direction, gpugraph_run *run,
                                       const gpugraph_dfs_tree *tree) {
    gg_enter_graph(graph, run);
    if (gg_needs(run, tree, 1, "tree") &&
        gg_needs(run, tree->depth, graph->n, "tree.depth") &&
        gg_needs(run, tree->parent, graph->n, "tree.parent")) {
        if (tree->preorder || tree->postorder)
            gg_number_tree(graph, run, tree->parent, tree->depth, tree->preorder,
                           tree->postorder);
        if (run->status == GPUGRAPH_OK && tree->tree_edge)
            gg_parent_edges(graph, direction, run, tree->parent, tree->tree_edge);
    }
    return gg_leave_graph(graph, run);
}
