/* The state of a batch that changes a device's copy of a graph. These files share it:
**
**     patch.cu            the order of steps, the parcel, the edges
**     patch_arrays.cu     the arrays of edges
**     patch_store.cu      the tables, to which the batch is applied first
**     rewrite.cu          rows that change, read from the tables */
#ifndef GPUGRAPH_PATCH_CUH
#define GPUGRAPH_PATCH_CUH

#include "graph/device_copy.cuh"
#include "update.h"

#include <string.h>

struct kept_tables;

struct there {
    struct cuda_job job;
    update *u;
    struct device_copy *copy;
    unsigned char *parcel, *parcel_there; /* on the host, on the device */
    uint64_t used, sent;
    void *spare;
    uint64_t spare_bytes;
    uint64_t moved;             /* bytes of arrays written */
    struct kept_tables *tables; /* tables after the batch; NULL: none */
    /* Numbers of kinds of rows: rewritten; freed, and rebuilt on need. */
    unsigned rewritten, dropped;
};

/* ---- the parcel ---- */

static inline void *reserve(struct there *t, uint64_t bytes) {
    uint64_t at = t->used;
    t->used += (bytes + 255) / 256 * 256;
    return t->parcel_there + at;
}

/* Adds an array to the parcel; returns its address on the device. */
template <typename type>
static inline const type *pack(struct there *t, const type *from, uint64_t count) {
    if (count)
        memcpy(t->parcel + t->used, from, count * sizeof *from);
    return (const type *)reserve(t, count * sizeof *from);
}

static inline bool send(struct there *t) {
    uint64_t from = t->sent;
    t->sent = t->used;
    return gg_upload(&t->job, t->parcel_there + from, t->parcel + from, t->used - from);
}

/* ---- patch_arrays.cu ---- */

struct array_patch {
    const splice *s;
    const splice_piece *piece; /* pieces of s, on the device */
    uint64_t count;
    const uint64_t *place; /* on the device */
    void *array, *larger;  /* larger: the replacement; NULL: slack suffices */
    const void *put;       /* on the device */
};

/* Arrays that one splice changes. `room`: the number of entries that they hold. */
struct array_group {
    struct array_patch common;
    int count;
    uint64_t *room;
    struct {
        void **array;
        size_t size;
        const void *put;
    } of[3];
};

bool gg_change_group(struct there *t, const struct array_group *g);
/* A scratch block, valid until the next call; NULL when the job must end. */
void *gg_spare_block(struct there *t, uint64_t bytes);
/* Releases the scratch block. */
void gg_give_spare(struct there *t);

/* ---- patch_store.cu ---- */

/* Sets t->tables: makes the tables if they are wanted, and applies the batch to them.
** After a failure the tables are freed. */
void gg_store_first(struct there *t);
/* Lists the rows of `count` vertices in OUT or IN after the batch, from the tables.
** False: the job must end, or the tables were freed. */
bool gg_rows_of_tables(struct there *t, gpugraph_direction side, uint64_t count,
                       const uint32_t *vertex, bool loopless, struct chain_rows *rows);

/* ---- rewrite.cu ---- */

/* Rewrites changed rows of every kind that is made, or frees all rows of the kind. False
** when the job must end. */
bool gg_change_rows(struct there *t);

#endif
