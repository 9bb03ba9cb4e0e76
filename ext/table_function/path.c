/* gpu_path: the ways from one vertex to others, step by step. One target has a search of its
** own; several share a tree of shortest paths. */
#include "array_block.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

/* The path is kept in a block of its own size. */
void make_path(making *m) {
    bool by_depth = !m->q->weighted;
    void *path = array_block_for(m->run, m->made.n, m->made.edge_size), *kept;
    uint32_t count = 0;
    m->made.type = by_depth ? GPUGRAPH_UINT32 : gpugraph_distance_type_of(m->graph);
    if (path)
        gpugraph_path(m->graph, &m->q->search, !by_depth, m->run, path, &count);
    if (m->run->status == GPUGRAPH_OK) {
        bool none = count == GPUGRAPH_NONE || count == 0;
        m->made.path_edges = count;
        kept = array_block_for(m->run, none ? 1 : count, m->made.edge_size);
        if (kept && !none)
            memcpy(kept, path, count * m->made.edge_size);
        m->made.path = kept;
    }
    free(path);
}

const table_function path_function = {
    .name = "gpu_path",
    FUNCTION_FIELDS(F_SEQ, F_VERTEX, F_EDGE, F_COST, F_DISTANCE, F_EDGES, F_SOURCE,
                    F_TARGET, F_DIRECTION, F_WEIGHTED),
    .visible = 5,
    .bracketed = 3,
    .option = "weighted = 0",
    .paths = true,
    .ends_early = true,
    .needs_source = true,
    .search = &sssp_search,
    .unweighted_search = &bfs_search,
    .weight = WEIGHT_IF_CLEAR,
    .example = "gpu_path('roads', 1, 5)",
};
