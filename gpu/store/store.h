/* The edges of a graph that changes, as multigraphs (dynamic/multigraph.h) on the place where the
** graph's copy lies: what a change reaches first.
**
**     edges of the graph   --fill, once-->    side OUT   source -> target: id, weight
**                                  mirror-->  side IN    target -> source: the same, from its first need
**     a batch of changes   --one batch of deletions, one of insertions--> both
**
**     rows of vertices     <-------  both
**
** Edges are known by their ids, which stay while others come and go, and vertices by their numbers,
** which stay until the graph is compacted: then there is no store any more.
**
** Bytes for an edge, when it is made: of a side 14.5 in tables (load 0.7), and 24 in its chain (id,
** weight, the next edge: 8, 8, 4, 4 unused), so 38.5 for OUT alone and 53 for both; rows have 4, or 8 with
** their weight, for each direction, the edges' columns 8 or 12.
**
** Errors are in the run. After one the store is good for nothing but to be freed. */
#ifndef GPUGRAPH_STORE_H
#define GPUGRAPH_STORE_H

#include "dynamic/multigraph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct edge_store {
    gpugraph_multigraph *side[2]; /* by gpugraph_direction; NULL: not asked for yet */
} edge_store;

/* A batch, by arrays of the host. */
typedef struct store_changes {
    uint64_t gone,
        come; /* come: those that are added, and those that get another weight */
    uint32_t *gone_source, *gone_target, *come_source, *come_target;
    int64_t *gone_id, *come_id;
    int64_t *come_weight; /* NULL: there are none */
    uint32_t vertices;    /* afterwards */
} store_changes;

/* OUT from edges that lie there. job: NULL, or one that is open. */
gpugraph_status gg_store_fill(edge_store *store, uint32_t vertices,
                              const struct chain_edges *edges, const dynamic_place *place,
                              struct cuda_job *job, gpugraph_run *run);
/* IN, of a store that has OUT. */
gpugraph_status gg_store_mirror(edge_store *store, gpugraph_run *run);
/* The batch, on the sides that are made. */
gpugraph_status gg_store_change(edge_store *store, const store_changes *changes,
                                gpugraph_run *run);
/* The rows of `count` vertices in OUT or IN. loopless: edges from a vertex to itself are left out. The arrays lie where the slabs are,
** until the next call for that side. */
gpugraph_status gg_store_rows(edge_store *store, gpugraph_direction side, uint64_t count,
                              const uint32_t *vertex, bool loopless, gpugraph_run *run,
                              struct chain_rows *rows);
/* Are the edges those of the graph, and no others? GPUGRAPH_INVALID and a sentence where they are
** not. */
gpugraph_status gg_store_check(edge_store *store, const gpugraph_graph *graph,
                               gpugraph_run *run);
/* The job of all later calls, on a device. NULL comes before gg_store_free, whose caller holds the
** devices' mutex. */
void gg_store_lend(edge_store *store, struct cuda_job *job);
int64_t gg_store_bytes(const edge_store *store);
void gg_store_free(edge_store *store);

#ifdef __cplusplus
}
#endif
#endif
