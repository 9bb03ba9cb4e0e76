/* The state of a batch that changes a device's copy of a graph. These files share it:
**
**     patch.cu            the order of steps, the arrays of edges
**     patch_store.cu      the tables, to which the batch is applied first
**     rewrite.cu          rows that change, read from the tables */
#ifndef GPUGRAPH_PATCH_CUH
#define GPUGRAPH_PATCH_CUH

#include "graph/device_copy.cuh"
#include "update.h"

struct kept_tables;

struct there {
    struct cuda_job job;
    update *u;
    struct device_copy *copy;
    unsigned char *parcel, *parcel_there; /* on the host, on the device */
    uint64_t used;                        /* bytes of the parcel */
    unsigned char *scratch;               /* on the device: for elements that move */
    uint64_t moved;                       /* bytes of arrays written */
    struct kept_tables *tables;           /* tables after the batch; NULL: none */
    /* Numbers of kinds of rows: rewritten; freed, and rebuilt on need. */
    unsigned rewritten, dropped;
};

/* ---- patch_store.cu ---- */

/* Applies the batch to the tables, if they are made, and sets t->tables. After a failure
** the tables are freed. */
void gg_store_first(struct there *t);
/* Lists the rows of `count` vertices in OUT or IN after the batch, from the tables.
** False: the job must end, or the tables were freed. */
bool gg_rows_of_tables(struct there *t, gpugraph_direction side, uint64_t count,
                       const uint32_t *vertex, bool loopless, struct chain_rows *rows);
/* False if the tables, and rows that were read from them, were freed because memory is
** short. */
bool gg_has_tables(const struct there *t);

/* ---- rewrite.cu ---- */

/* Rewrites changed rows of every kind that is made, or frees all rows of the kind. False
** when the job must end. */
bool gg_change_rows(struct there *t);

#endif
