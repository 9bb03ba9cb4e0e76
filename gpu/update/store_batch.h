/* A batch of changes as a store of edges takes it. */
#ifndef GPUGRAPH_STORE_BATCH_H
#define GPUGRAPH_STORE_BATCH_H

#include "store/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct update;

/* True if a store of the graph's edges can take the batch; otherwise it must be rebuilt. */
bool gg_store_follows(const struct update *u);
/* The batch by ends and ids, once all is prepared; to be freed. */
gpugraph_status gg_store_changes(struct update *u, store_changes *c);
void gg_store_changes_free(store_changes *c);
/* Can there be a store of the graph's edges? */
bool gg_store_holds(const gpugraph_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
