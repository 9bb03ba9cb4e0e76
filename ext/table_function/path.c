/* gpu_path: the ways from one vertex to others, step by step. One target has a search of its
** own; several share a tree of shortest paths. */
#include "function_list.h"
#include "search.h"

#include <stdlib.h>

/* The array is cut to what the path needs: kept, it is small. */
void make_path(making *m) {
    bool by_depth = !m->q->kind->by_weight;
    void *path = malloc((m->made.n ? m->made.n : 1) * m->made.edge_size);
    uint32_t count = 0;
    m->made.type = by_depth ? GPUGRAPH_UINT32 : gpugraph_distance_type_of(m->graph);
    if (path)
        gpugraph_path(m->graph, &m->q->search, !by_depth, m->run, path, &count);
    else
        m->run->status = GPUGRAPH_NO_MEMORY;
    if (m->run->status == GPUGRAPH_OK) {
        bool none = count == GPUGRAPH_NONE || count == 0;
        note_where(m);
        m->made.path_edges = count;
        m->made.path = realloc(path, (none ? 1 : count) * m->made.edge_size);
        if (m->made.path)
            return;
        m->run->status = GPUGRAPH_NO_MEMORY;
    }
    free(path);
}

static const unsigned char path_fields[] = {
    F_SEQ,    F_VERTEX,    F_EDGE,     F_COST,     F_DISTANCE, F_EDGES,  F_SOURCE,
    F_TARGET, F_DIRECTION, F_WEIGHTED, F_VERTICES, F_PARAMS,   F_METHOD, F_BACKEND,
};

const table_function path_function = {
    .name = "gpu_path",
    .field = path_fields,
    .fields = sizeof path_fields,
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
