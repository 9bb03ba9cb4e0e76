/* gpu_dfs: depth-first search. */
#include "search.h"

enum { OPTION_ORDERED };

/* Each search for an unordered tree may find another tree, and a statement must see one
** tree. Therefore arrays that a later plan needs are computed from the parents. The
** ordered tree is searched for again. */
static void make_dfs(making *m) {
    const question *q = m->q;
    bool found = m->made->array[A_VALUE] && !q->own[OPTION_ORDERED];
    m->made->type = GPUGRAPH_UINT32;
    gpugraph_dfs_tree tree = {
        .depth = found ? m->made->array[A_VALUE] : make_array(m, A_VALUE),
        .parent = found ? m->made->array[A_PARENT] : make_array(m, A_PARENT),
        .tree_edge = make_wanted(m, A_TREE_EDGE),
        .preorder = make_wanted(m, A_PREORDER),
        .postorder = make_wanted(m, A_POSTORDER),
    };
    if (m->run->status != GPUGRAPH_OK)
        return;
    if (found) {
        gpugraph_complete_tree(m->graph, q->search.direction, m->run, &tree);
    } else {
        uint32_t source =
            q->search.source_count > 0 ? q->search.source[0] : GPUGRAPH_NONE;
        gpugraph_dfs(m->graph, source, q->own[OPTION_ORDERED] != 0, q->search.direction,
                     m->run, &tree);
    }
}

const table_function dfs_function = {
    .name = "gpu_dfs",
    FUNCTION_FIELDS((F_VERTEX, F_DEPTH, F_PARENT, F_EDGE, F_PREORDER, F_POSTORDER),
                    (F_EDGES, F_SOURCE, F_OPTION + OPTION_ORDERED, F_DIRECTION)),
    .positional = 2,
    .option = "ordered = 1",
    .search = &(const search_kind){.name = "dfs",
                                   .make = make_dfs,
                                   .has_parents = true,
                                   .varies_by_default = true},
    .example = "gpu_dfs('roads', 1)",
    .options = {[OPTION_ORDERED] = {.name = "ordered", .most = 1}},
};
