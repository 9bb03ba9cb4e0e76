/* What dynamic.c (public functions, batches, the CPU) and dynamic.cu (the device) share of
** a gpugraph_dynamic; the tables themselves: slab.h.
**
**     batch     check, upload                              dynamic.c
**        |
**     steps     announce -> rehash -> insert -> settle     slab.h, run by a struct steps
**        |
**     pool      full? grow the arena, and again            dynamic.c */
#ifndef GPUGRAPH_DYNAMIC_H
#define GPUGRAPH_DYNAMIC_H

#include "backend.h"
#include "slab.h"

#ifdef __cplusplus
extern "C" {
#endif

enum dynamic_step {
    STEP_ANNOUNCE,  /* count insertions for each vertex; list those that must grow; is the
                    ** batch ascending without repeats? */
    STEP_LIST_DEAD, /* list vertices with tombstones */
    STEP_LIST_ALL,  /* list all that have, or get, a table */
    STEP_SUM_BASES, /* sectors that the listed ones will take */
    STEP_REHASH,    /* the listed ones */
    STEP_INSERT,
    STEP_CLAIM,  /* who wants an edge that was there claims it */
    STEP_SETTLE, /* claims become entries; the phase ends */
    STEP_DELETE,
    STEP_QUERY,
    STEP_CLEAR, /* the tables of vertices */
    STEP_COUNT_ROWS,
    STEP_FILL_ROWS,
    STEP_TRIANGLES,
    STEP_END /* the phase ends */
};

/* Arrays of one batch, where the slabs are. */
struct dynamic_batch {
    uint64_t count;                          /* edges, or vertices */
    const uint32_t *source, *target, *value; /* value: NULL of a set */
    const uint32_t *vertex; /* NULL: 0 .. count - 1. CLEAR, COUNT_ROWS, FILL_ROWS */
    uint32_t *result;       /* count: answers; sectors of claims */
    struct slab_graph old;  /* STEP_REHASH: where the tables are now */
    uint32_t *row_count;    /* count + 1 */
    uint64_t *row_offset;   /* count + 1 */
    uint32_t *row_target, *row_value;
    bool name_rows; /* row_value gets the vertex whose row it is, not the value */
};

/* Where slabs live and who runs the steps: one const struct for each backend. Once
** run->status is set only `give`, `close` and STEP_SETTLE do anything. */
typedef struct dynamic_place {
    bool (*open)(gpugraph_dynamic *d, gpugraph_run *run);
    void (*close)(gpugraph_dynamic *d, gpugraph_run *run);
    void *(*take)(gpugraph_dynamic *d, uint64_t bytes);
    void (*give)(gpugraph_dynamic *d, void *block, uint64_t bytes);
    void (*fill)(gpugraph_dynamic *d, void *block, int byte, uint64_t bytes);
    void (*copy)(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes);
    void (*upload)(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes);
    void (*download)(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes);
    void (*step)(gpugraph_dynamic *d, enum dynamic_step step,
                 const struct dynamic_batch *batch);
    void (*offsets)(gpugraph_dynamic *d, const struct dynamic_batch *batch);
    /* Milliseconds between two moments of the place's own time: its steps alone. */
    void (*mark)(gpugraph_dynamic *d, int which);
    double (*elapsed)(gpugraph_dynamic *d);
    bool host; /* batches need no upload */
} dynamic_place;

struct held { /* a block where the slabs are */
    void *block;
    uint64_t bytes;
};

struct gpugraph_dynamic {
    const dynamic_place *place;
    struct slab_graph slabs; /* a view of the blocks */
    struct held arena, vertex, incoming, growing, huge, list[SLAB_LISTS], pool;
    struct held scratch, rows; /* of batches */
    bool valued;
    uint64_t edges;
    uint32_t end;                                 /* pool.end after the last batch */
    uint32_t *free_vertex, free_count, free_room; /* on the host: emptied numbers */
    gpugraph_run *run;
    struct cuda_job *job; /* CUDA: while it is open */
    double mark_ms[2];    /* CPU */
};

extern const dynamic_place gg_cpu_dynamic;
/* NULL where there is no nvcc. */
extern const dynamic_place *const gg_cuda_dynamic;

#ifdef __cplusplus
}
#endif
#endif
