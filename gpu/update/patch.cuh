/* The change of a device's copy of a graph while it is under way: what the files of patch.cu
** share.
**
**     patch.cu            the parcel, questions, the steps that update.c asks for
**     patch_arrays.cu     what becomes of arrays and offsets
**     patch_store.cu      the tables that take a batch first, and rows made of them */
#ifndef GPUGRAPH_PATCH_CUH
#define GPUGRAPH_PATCH_CUH

#include "graph/device_copy.cuh"
#include "patch.h"

#include <string.h>

struct there {
    struct cuda_job job;
    const patch *p;
    struct device_copy *copy;
    unsigned char *parcel, *parcel_there; /* on the host, on the device */
    uint64_t used, sent, kept;            /* kept: of the vertices, for all steps */
    struct patch_numbers vertices;
    const uint64_t *fresh_at, *fresh_new;
    void *spare;
    uint64_t spare_bytes;
    uint64_t moved;         /* bytes of arrays written */
    bool simple;            /* SIMPLE rows are patched, too */
    bool stored;            /* the tables have taken the batch */
    bool remade[CSR_KINDS]; /* rows that are to be made of the tables */
};

/* ---- the parcel ---- */

static inline void *reserve(struct there *t, uint64_t bytes) {
    uint64_t at = t->used;
    t->used += (bytes + 255) / 256 * 256;
    return t->parcel_there + at;
}

/* Where it will lie on the device. */
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
    const splice_piece *piece; /* of s, there */
    uint64_t count;
    const uint64_t *place; /* there */
    void *array, *larger;  /* larger: what takes its place; NULL: it has room */
    const void *put;       /* there */
    bool numbers;          /* of vertices */
};

/* Some arrays of one splice. `room`: elements that they hold. */
struct array_group {
    struct array_patch common;
    int count;
    uint64_t *room;
    struct {
        void **array;
        size_t size;
        const void *put;
        bool numbers;
    } of[3];
};

bool gg_change_group(struct there *t, const struct array_group *g);
bool gg_change_offsets(struct there *t, struct device_rows *rows, const row_patch *r);
/* Gives back what these have taken for their own use. */
void gg_give_spare(struct there *t);

/* ---- patch_store.cu ---- */

/* The batch goes to the tables, which are made first where they are wanted: t->stored, t->remade. Where
** that fails they are given back, and the copy is patched without them. */
void gg_store_first(struct there *t);
/* Makes the rows that are to be made of the tables; the copy's n and m are those afterwards. */
bool gg_remake_rows(struct there *t);

#endif
