/* Converts a batch of changes for a store of edges. */
#ifndef GPUGRAPH_STORE_BATCH_H
#define GPUGRAPH_STORE_BATCH_H

#include "store/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct update;

/* True if a store of the graph's edges can take the batch; if not, rebuild the store. */
bool gg_store_follows(const struct update *u);
/* Gets the batch by ends and ids, once all is prepared; the caller frees it. */
gpugraph_status gg_store_changes(struct update *u, store_changes *c);
void gg_store_changes_free(store_changes *c);
/* True if a store can hold the graph's edges. */
bool gg_store_holds(const gpugraph_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
