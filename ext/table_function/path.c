/* gpu_path: shortest paths from a vertex to others, step by step. A single target has its
** own search; several targets share a tree of shortest paths. */
#include "search.h"

/* The search writes the path behind the entry for its length. The rest of the block is
** freed. */
void make_path(making *m) {
    arrays *made = m->made;
    uint32_t count = 0;
    made->type = question_type(m);
    made->path = array_block_for(m->run, (uint64_t)made->n + 1, made->edge_size);
    if (!made->path || gpugraph_path(m->graph, &m->q->search, m->q->weighted, m->run,
                                     (char *)made->path + made->edge_size, &count))
        return;
    if (count != GPUGRAPH_NONE) {
        put_path_entry(made, 0, count);
        made->path_entries = count + 1;
    }
    made->path = array_block_cut(made->path, made->path_entries * made->edge_size);
}

const table_function path_function = {
    .name = "gpu_path",
    FUNCTION_FIELDS((F_SEQ, F_VERTEX, F_EDGE, F_COST, F_DISTANCE),
                    (F_EDGES, F_SOURCE, F_TARGET, F_DIRECTION, F_WEIGHTED)),
    .positional = 3,
    .option = "weighted = 0",
    .paths = true,
    .ends_early = true,
    .needs_source = true,
    .search = &sssp_search,
    .unweighted_search = &bfs_search,
    .weight = WEIGHT_IF_CLEAR,
    .example = "gpu_path('roads', 1, 5)",
};
