/* What else there is to know of a depth-first tree whose parents are known. */
#include "tree.h"

static gpugraph_status complete(gpugraph_graph *graph, gpugraph_direction direction,
                                gpugraph_run *run, const gpugraph_dfs_tree *tree) {
    if (!gg_needs(run, tree, 1, "tree") ||
        !gg_needs(run, tree->depth, graph->n, "tree.depth") ||
        !gg_needs(run, tree->parent, graph->n, "tree.parent"))
        return run->status;
    if (tree->preorder || tree->postorder)
        gg_number_tree(graph, run, tree->parent, tree->depth, tree->preorder,
                       tree->postorder);
    if (run->status == GPUGRAPH_OK && tree->tree_edge)
        gg_parent_edges(graph, direction, run, tree->parent, tree->tree_edge);
    return run->status;
}

gpugraph_status gpugraph_complete_tree(gpugraph_graph *graph,
                                       gpugraph_direction direction, gpugraph_run *run,
                                       const gpugraph_dfs_tree *tree) {
    gg_enter_graph(graph, run);
    complete(graph, direction, run, tree);
    return gg_leave_graph(graph, run);
}
