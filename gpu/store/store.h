/* The edges of a changing graph as multigraphs (dynamic/multigraph.h), in the memory that
** holds the graph's copy. A caller first applies a batch to the store.
**
**     edges of the graph   --fill, once-->    side OUT   source -> target: id, weight
**                                  mirror-->  side IN    target -> source, made on demand
**                                             by gg_multigraph_mirror
**     a batch of changes   --one batch of deletions, one of insertions--> both
**
**     rows of vertices     <-------  either, by gg_multigraph_list_rows
**
** Ids identify edges, and numbers identify vertices. Both stay the same until the graph
** is compacted, which drops the store.
**
** Bytes of an edge: 14.5 in the tables of each side (load 0.7), and 24 in its chain (id,
** weight, next edge: 8, 8, 4, 4 unused), so 38.5 for OUT alone and 53 for both. Rows take
** 4, or 8 with weights, for each direction, and the columns of edges 8 or 12.
**
** Errors are reported in the run. After an error the caller may only free the store. */
#ifndef GPUGRAPH_STORE_H
#define GPUGRAPH_STORE_H

#include "dynamic/multigraph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct edge_store {
    gpugraph_multigraph *side[2]; /* by gpugraph_direction; NULL: not made yet */
} edge_store;

/* A batch, in arrays on the host. */
typedef struct store_changes {
    uint64_t gone, come; /* deleted edges; inserted edges and edges with a new weight */
    const uint32_t *gone_source, *gone_target, *come_source, *come_target;
    const int64_t *gone_id, *come_id;
    int64_t *come_weight; /* NULL: without weights */
    uint32_t vertices;    /* number of vertices after the batch */
} store_changes;

/* Makes OUT from edges in the memory of `place`. job: an open job, or NULL. */
gpugraph_status gg_store_fill(edge_store *store, uint32_t vertices,
                              const struct chain_edges *edges, const dynamic_place *place,
                              struct cuda_job *job, gpugraph_run *run);
/* Applies the batch to the sides that are made. */
gpugraph_status gg_store_change(edge_store *store, const store_changes *changes,
                                gpugraph_run *run);
/* Compares the store's edges with the graph's edges. GPUGRAPH_INVALID if they differ. */
gpugraph_status gg_store_check(edge_store *store, const gpugraph_graph *graph,
                               gpugraph_run *run);
/* Sets the job of all later calls on a device. Set it to NULL before gg_store_free, whose
** caller holds the device's turn. */
void gg_store_lend(edge_store *store, struct cuda_job *job);
int64_t gg_store_bytes(const edge_store *store);
void gg_store_free(edge_store *store);

#ifdef __cplusplus
}
#endif
#endif
