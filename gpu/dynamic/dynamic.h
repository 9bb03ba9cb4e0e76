/* A dynamic graph inside; the tables themselves: slab.h.
**
**     dynamic.c            create, free; batches of edges: check, upload, steps
**     vertices.c   more vertices, and batches of them
**     rows.c       rows, triangles
**     iterator.c   one edge after the other
**     memory.c     the blocks; room in the arena
**     cpu.c        a place: host memory, steps by threads
**     dynamic.cu           a place: device memory, steps as kernels, which are in
**                          edges.cu, gather.cu and rows.cu
**
** Edges with ids hang on it: multigraph.h. */
#ifndef GPUGRAPH_DYNAMIC_H
#define GPUGRAPH_DYNAMIC_H

#include "gpugraph.h"
#include "slab_tile.h"

enum {
    /* An operation on a slab waits for memory several times: as long as that many items
    ** of GG_THREAD_GRAIN. */
    GG_SLAB_WORK = 16,
    GG_SLAB_ITEMS = 64 /* operations that a thread takes at a time */
};

#ifdef __cplusplus
extern "C" {
#endif

enum dynamic_step {
    STEP_ANNOUNCE,  /* count insertions for each vertex; list those that must grow; is the
                    ** batch ascending without repeats? */
    STEP_LIST_DEAD, /* list vertices with tombstones */
    STEP_LIST_ALL,  /* list all that have, or get, a table */
    STEP_SUM_BASES, /* sectors that the listed ones will take */
    STEP_PLAN,      /* the rehash of huge ones */
    STEP_REHASH,    /* all that are listed */
    STEP_FINISH,    /* of huge ones: the old base or the new one goes */
    STEP_INSERT,
    STEP_ATTEMPT,      /* insert without announcement; what must wait is listed */
    STEP_INSERT_LATER, /* insert what had to wait */
    STEP_REST,         /* all that follows attempts: from STEP_PLAN to STEP_SETTLE */
    STEP_CLAIM,        /* who wants an edge that was there claims it */
    STEP_SETTLE,       /* claims become entries, if there is a batch; the phase ends */
    STEP_DELETE,
    STEP_QUERY,
    STEP_CLEAR, /* the tables of vertices */
    STEP_COUNT_ROWS,
    STEP_FILL_ROWS,
    STEP_TRIANGLES
};

/* Arrays of one batch, where the slabs are. */
struct dynamic_batch {
    uint64_t count;                          /* edges, or vertices */
    const uint32_t *source, *target, *value; /* value: NULL of a set */
    const uint32_t *vertex; /* NULL: 0 .. count - 1. CLEAR, COUNT_ROWS, FILL_ROWS */
    uint32_t *result; /* count: answers; items that wait, or chunks of them; sectors of
                            ** claims */
    const uint64_t *pair;  /* map, in buckets: target and value; else NULL */
    bool attempted;        /* nothing is announced */
    bool ordered;          /* ascending by source already */
    bool unsorted;         /* or may be */
    bool first;            /* there was no table before it */
    bool keep;             /* of an edge that is there the value stays */
    struct slab_graph old; /* STEP_REHASH: where the tables are now */
    uint32_t *row_count;   /* count + 1 */
    uint64_t *row_offset;  /* count + 1 */
    uint32_t *row_target, *row_value;
    bool name_rows; /* row_value gets the vertex whose row it is, not the value */
};

/* Where slabs live and who runs the steps: one const struct for each backend. Once
** run->status is set only `give`, `close` and the steps that end others do anything. */
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
    /* Brings a large batch into another order, in which items of a source are close together
    ** and those of an edge in the order they had; or leaves it as it is. */
    void (*gather)(gpugraph_dynamic *d, struct dynamic_batch *batch);
    /* Milliseconds between two moments of the place's own time: its steps alone. */
    void (*mark)(gpugraph_dynamic *d, int which);
    double (*elapsed)(gpugraph_dynamic *d);
    bool host;                /* batches need no upload */
    uint64_t announced_items; /* insertions from which a batch may be announced */
} dynamic_place;

struct held { /* a block where the slabs are */
    void *block;
    uint64_t bytes;
};

struct dynamic_tables { /* what an arena made anew replaces */
    struct held arena, vertex, pool, list[SLAB_LISTS];
};

/* On the host: numbers of vertices that were deleted and that no edge has named since. */
struct vacant_numbers {
    uint64_t *bits;        /* one for each vertex: is its number free? */
    uint64_t words, first; /* no bit is set in words before the first */
    uint64_t count;        /* bits that are set */
};

struct gpugraph_dynamic {
    const dynamic_place *place;
    int device;              /* CUDA: where the blocks are */
    struct slab_graph slabs; /* a view of the blocks */
    struct dynamic_tables tables;
    struct held incoming, growing, huge;
    struct held scratch, rows; /* of batches */
    bool valued;
    bool reporting; /* the report holds what `edges` does not */
    bool announced; /* the counts of announced insertions are not all 0 */
    bool
        skewed; /* in the latest batch of which all were looked at vertices had many items */
    uint64_t edges;
    uint32_t end;  /* pool.end after the last batch */
    uint64_t free; /* sectors of free pieces then */
    struct vacant_numbers vacant;
    gpugraph_run *run;
    struct cuda_job *job;  /* CUDA: while it is open */
    bool held;             /* CUDA: who calls has the devices' mutex, ... */
    struct cuda_job *lent; /* ... and this job; NULL: to free it */
    double mark_ms[2];     /* CPU */
};

extern const dynamic_place gg_cpu_dynamic;
/* NULL where there is no nvcc. */
extern const dynamic_place *const gg_cuda_dynamic;

static inline bool gg_dynamic_going(const gpugraph_dynamic *d) {
    return d->run->status == GPUGRAPH_OK;
}
static inline void gg_dynamic_step(gpugraph_dynamic *d, enum dynamic_step step,
                                   const struct dynamic_batch *batch) {
    d->place->step(d, step, batch);
}

/* ---- dynamic.c: the frame of every public function ---- */

/* The place that run->backend asks for. NULL: run->status says why there is none. */
const dynamic_place *gg_dynamic_place(gpugraph_run *run);
/* gpugraph_dynamic_create at that place; job: NULL, or one that is open. */
gpugraph_status gg_dynamic_new(const gpugraph_dynamic_options *options,
                               const dynamic_place *place, struct cuda_job *job,
                               gpugraph_run *run, gpugraph_dynamic **graph);
bool gg_dynamic_open(gpugraph_dynamic *d, gpugraph_run *run);
gpugraph_status gg_dynamic_close(gpugraph_dynamic *d);
/* Begins a batch: place, arrays, an empty report. False: gg_dynamic_close is next. */
bool gg_dynamic_begin(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                      const uint32_t *source, const uint32_t *target,
                      const uint32_t *value, struct dynamic_batch *b);
/* Begins a batch of edges, too, but uploads nothing: the caller puts the ends where the slabs
** are. NULL: they lie there already, and are right. */
bool gg_dynamic_begin_unsent(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                             const uint32_t *source, const uint32_t *target,
                             struct dynamic_batch *b);
void gg_dynamic_new_report(gpugraph_dynamic *d);
/* The pool after the steps of a batch; what they report is in the count of edges now. */
struct slab_pool gg_dynamic_count(gpugraph_dynamic *d);
/* After a call that has failed: brings to an end what it has begun, and counts. */
void gg_dynamic_mend(gpugraph_dynamic *d, const gpugraph_run *failed);
/* Tells of the phase, and closes; after an error mends. */
gpugraph_status gg_dynamic_end(gpugraph_dynamic *d, const char *name, double ms,
                               uint64_t items);

/* Edges name these vertices: they are not free any more. (vertices.c) */
void gg_dynamic_occupy(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex);

/* Puts a batch into the tables; milliseconds. */
double gg_dynamic_put(gpugraph_dynamic *d, struct dynamic_batch *b);

/* May the one be the other's reverse? A sentence if not. (vertices.c) */
bool gg_dynamic_match(const gpugraph_dynamic *d, const gpugraph_dynamic *reverse,
                      gpugraph_run *run);

/* ---- memory.c ---- */

/* The block has room for that many bytes; new ones are all `byte`. */
void gg_dynamic_enlarge(gpugraph_dynamic *d, struct held *h, uint64_t bytes, int byte);
/* The same; what was in it is gone. */
bool gg_dynamic_make_room(gpugraph_dynamic *d, struct held *h, uint64_t bytes);
void gg_dynamic_drop(gpugraph_dynamic *d, struct held *h);
void gg_dynamic_drop_tables(gpugraph_dynamic *d, struct dynamic_tables *t);
struct slab_pool gg_dynamic_pool(gpugraph_dynamic *d);
/* The dictionary has room for that many vertices. */
void gg_dynamic_grow_vertices(gpugraph_dynamic *d, uint32_t vertices);
/* Lists of free pieces, and of huge vertices: only where there are tables. */
void gg_dynamic_make_lists(gpugraph_dynamic *d);
bool gg_dynamic_has_room(const gpugraph_dynamic *d, uint64_t sectors);
/* The arena has room for `sectors` more. */
void gg_dynamic_grow_arena(gpugraph_dynamic *d, uint64_t sectors);
/* Begins a call of the run's. Ends of a batch that are NULL make GPUGRAPH_INVALID. */
bool gg_needs_edges(gpugraph_run *run, uint64_t count, const uint32_t *source,
                    const uint32_t *target);
/* Rehashes the vertices that are listed, after it has made room for that. `most`: sectors that
** it takes at most. */
void gg_dynamic_rehash(gpugraph_dynamic *d, struct dynamic_batch *b, uint64_t most);

/* ---- rows.c ---- */

/* How many edges the batch's vertices have. */
uint64_t gg_dynamic_count_edges(gpugraph_dynamic *d, const struct dynamic_batch *b);

/* Rows of the batch's vertices, where the slabs are; offsets alone unless there are edges
** to fill in. */
bool gg_dynamic_make_rows(gpugraph_dynamic *d, uint64_t edges, bool values,
                          struct dynamic_batch *b);

#ifdef __cplusplus
}
#endif
#endif
