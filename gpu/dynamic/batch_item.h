/* One lane's step for one item of a batch, on either backend. */
#ifndef GPUGRAPH_BATCH_ITEM_H
#define GPUGRAPH_BATCH_ITEM_H

#include "dynamic.h"

WARP_FUNCTION uint64_t batch_pair(const struct dynamic_batch *b, uint64_t i,
                                  bool valued) {
    return b->pair ? b->pair[i] : slab_pair(b->target[i], valued ? b->value[i] : 0);
}

WARP_FUNCTION uint32_t batch_vertex(const struct dynamic_batch *b, uint64_t i) {
    return b->vertex ? b->vertex[i] : (uint32_t)i;
}

WARP_FUNCTION void batch_claim(const struct slab_graph *g, const struct dynamic_batch *b,
                               uint64_t i) {
    const uint32_t from = b->source[i], target = (uint32_t)batch_pair(b, i, true);
    b->result[i] = slab_is_marked(g, from, target)
                       ? slab_claim(g, from, target, (uint32_t)i)
                       : SLAB_NONE;
}

WARP_FUNCTION void batch_settle(const struct slab_graph *g, const struct dynamic_batch *b,
                                uint64_t i) {
    if (b->result[i] == SLAB_NONE)
        return;
    const uint64_t pair = batch_pair(b, i, true);
    slab_settle_claim(g, b->result[i], (uint32_t)pair, (uint32_t)i,
                      (uint32_t)(pair >> 32));
}

/* Returns the number of edges that it deletes: 0 or 1. */
WARP_FUNCTION uint32_t batch_delete(const struct slab_graph *g,
                                    const struct dynamic_batch *b, uint64_t i,
                                    bool valued) {
    const uint32_t from = b->source[i];
    if (!slab_delete(g, from, b->target[i], valued))
        return 0;
    device_take(&g->vertex[from].dead, 1);
    return 1;
}

WARP_FUNCTION void batch_query(const struct slab_graph *g, const struct dynamic_batch *b,
                               uint64_t i, bool valued) {
    uint32_t value;
    uint64_t at;
    const bool found =
        slab_find(g, b->source[i], b->target[i], valued, SLAB_FROZEN, &value, &at);
    b->result[i] = found ? value : SLAB_NONE;
}

/* Lists a vertex if it has tombstones. all: lists it if it has edges or gets some. */
WARP_FUNCTION void batch_list(const struct slab_graph *g, uint32_t vertex, bool all) {
    const struct slab_vertex v = slab_vertex_of(g, vertex);
    if (all ? v.used > v.dead || g->incoming[vertex] > 0 : v.dead > 0)
        slab_list_growing(g, vertex, v.sectors);
}

/* True if u comes before v in the order for triangles: by degree, then by number. Edges
** lead to later vertices, so a vertex of high degree has few edges to count. */
WARP_FUNCTION bool batch_ranks_before(const struct dynamic_batch *b, uint32_t u,
                                      uint32_t v) {
    const uint64_t of_u = b->row_offset[u + 1] - b->row_offset[u];
    const uint64_t of_v = b->row_offset[v + 1] - b->row_offset[v];
    return of_u < of_v || (of_u == of_v && u < v);
}

#endif
