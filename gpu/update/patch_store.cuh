/* What patch_store.cu (the tables, their batches) and patch_store_rows.cu (rows read from them)
** share. */
#ifndef GPUGRAPH_PATCH_STORE_CUH
#define GPUGRAPH_PATCH_STORE_CUH

#include "patch.cuh"
#include "store_batch.h"

struct touched_rows {
    uint32_t *row; /* on the host; NULL: all rows are made, or none */
    uint64_t count;
    struct device_rows next; /* arrays that take the place of the copy's, and get those */
};

struct kept_tables {
    struct device_part part;
    edge_store store;
    int64_t told;      /* bytes that the part has been told of */
    bool filled, busy; /* busy: they are at work, and stay */
    bool refused;      /* they have failed: not tried again while the copy stays */
    struct touched_rows touched[2]; /* by gpugraph_direction */
    size_t weight_size;             /* of their arrays */
};

struct kept_tables *gg_tables_there(const gpugraph_graph *graph); /* NULL: none */
void gg_tell_of_tables(struct kept_tables *k);

/* ---- patch_store_rows.cu ---- */

/* The tables have taken the batch: which rows are read from them? t->remade. */
void gg_choose_rows(struct there *t, struct kept_tables *k, const store_changes *changes);
void gg_free_touched(struct kept_tables *k, bool arrays);

#endif
