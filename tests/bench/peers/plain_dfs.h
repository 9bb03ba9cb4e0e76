/* The plain serial depth-first search of a textbook, with neighbours in ascending order,
** with which the ordered search is compared. It finds only parents. Rows ascend; parent[]
** also says whether a vertex was visited. */
#ifndef BENCH_PLAIN_DFS_H
#define BENCH_PLAIN_DFS_H

#include "../gengraph.cuh"

#include <vector>

struct plain_frame {
    uint32_t vertex;
    uint64_t next, end;
};

/* Sets the parents of all vertices that the source reaches; the source is its own parent,
** and the others have UINT32_MAX. Returns the number of reached vertices. */
static uint32_t plain_dfs(const bench_graph *g, uint32_t source,
                          std::vector<plain_frame> &stack,
                          std::vector<uint32_t> &parent) {
    uint32_t reached = 1;
    size_t top = 0;
    parent.assign(g->n, UINT32_MAX);
    stack.resize(g->n);
    parent[source] = source;
    stack[top++] = {source, g->offset[source], g->offset[source + 1]};
    while (top > 0) {
        plain_frame *f = &stack[top - 1];
        uint32_t v = UINT32_MAX;
        while (f->next < f->end && v == UINT32_MAX) {
            uint32_t to = g->target[f->next++];
            if (parent[to] == UINT32_MAX)
                v = to;
        }
        if (v == UINT32_MAX) {
            top--;
            continue;
        }
        parent[v] = f->vertex;
        reached++;
        stack[top++] = {v, g->offset[v], g->offset[v + 1]};
    }
    return reached;
}

#endif
