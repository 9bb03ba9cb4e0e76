/* The inside of a dynamic graph. The tables: slab.h.
**
**     dynamic.c       create, free; batches of edges: check, upload, steps
**     vertices.c      new vertices, deleted vertices, free numbers
**     rows.c          rows, triangles
**     memory.c        the blocks; room in the arena
**     cpu.c           a place: host memory, steps on threads
**     dynamic.cu      a place: device memory, steps as kernels, which are in edges.cu,
**                     gather.cu and rows.cu
**
** Multigraphs use a dynamic graph: multigraph.h. */
#ifndef GPUGRAPH_DYNAMIC_H
#define GPUGRAPH_DYNAMIC_H

#include "gpugraph.h"
#include "slab_tile.h"

enum {
    /* An operation on a slab waits for memory several times: it takes as long as this
    ** many items of GG_THREAD_GRAIN. */
    GG_SLAB_WORK = 16,
    GG_SLAB_ITEMS = 64 /* operations that a thread takes at a time */
};

#ifdef __cplusplus
extern "C" {
#endif

enum dynamic_step {
    /* Counts the insertions of each vertex; lists vertices that must grow; checks whether
    ** the batch is ascending without repeats. */
    STEP_ANNOUNCE,
    STEP_LIST_DEAD, /* lists vertices with tombstones */
    STEP_LIST_ALL,  /* lists vertices that have edges, or get some */
    STEP_SUM_BASES, /* sums the sectors that the listed vertices will take */
    STEP_PLAN,      /* plans the rehash of huge tables */
    STEP_REHASH,    /* rehashes the listed vertices */
    STEP_FINISH, /* frees the old base of a huge table, or after a failure the new one */
    STEP_INSERT,
    STEP_ATTEMPT,      /* inserts without announcement; lists items that must wait */
    STEP_INSERT_LATER, /* inserts the items that had to wait */
    STEP_REST,         /* the steps after STEP_ATTEMPT, from STEP_PLAN to STEP_SETTLE */
    STEP_CLAIM,        /* items whose edge existed claim its entry */
    /* turns claims into entries; ends the phase. An empty batch only ends the phase. */
    STEP_SETTLE,
    STEP_DELETE,
    STEP_QUERY,
    STEP_CLEAR, /* clears the tables of vertices */
    STEP_COUNT_ROWS,
    STEP_FILL_ROWS,
    STEP_TRIANGLES
};

/* Arrays of one batch, in the memory of the slabs. */
struct dynamic_batch {
    uint64_t count;                          /* edges or vertices */
    const uint32_t *source, *target, *value; /* value: NULL for a set */
    /* NULL: 0 .. count - 1. For CLEAR, COUNT_ROWS and FILL_ROWS. */
    const uint32_t *vertex;
    /* count entries: answers; items that wait; sectors of claims */
    uint32_t *result;
    /* target and value of each item of a gathered map; otherwise NULL */
    const uint64_t *pair;
    bool attempted;        /* the batch is not announced */
    bool ordered;          /* the batch is ascending by source */
    bool unsorted;         /* the batch may not be ascending */
    bool first;            /* no table exists before the batch */
    bool keep;             /* an edge that exists keeps its value */
    struct slab_graph old; /* STEP_REHASH: the tables before it */
    uint32_t *row_count;   /* count + 1 */
    uint64_t *row_offset;  /* count + 1 */
    uint32_t *row_target, *row_value;
    /* row_value receives the vertex of the row, not the value */
    bool name_rows;
};

/* The memory of slabs and the execution of steps: one const struct for each backend. Once
** run->status is set, only `give`, `close` and the steps that complete others have an
** effect. */
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
    /* Reorders a large batch so that items of a source are close together, and items of
    ** an edge keep their order; or leaves it as it is. NULL: batches stay as they are. */
    void (*gather)(gpugraph_dynamic *d, struct dynamic_batch *batch);
    /* Milliseconds between two marks, by the place's own clock: its steps alone. */
    void (*mark)(gpugraph_dynamic *d, int which);
    double (*elapsed)(gpugraph_dynamic *d);
    bool host;                /* batches need no upload */
    uint64_t announced_items; /* a batch with this many insertions may be announced */
} dynamic_place;

struct held { /* a block in the memory of the slabs */
    void *block;
    uint64_t bytes;
};

struct dynamic_tables { /* the blocks that a new arena replaces */
    struct held arena, vertex, pool, list[SLAB_LISTS];
};

/* On the host: numbers of deleted vertices that no edge has named since. */
struct vacant_numbers {
    /* a bit for each vertex, set if its number is free */
    uint64_t *bits;
    uint64_t words, first; /* no bit is set in the words before word `first` */
    uint64_t count;        /* bits that are set */
};

struct gpugraph_dynamic {
    const dynamic_place *place;
    int device;              /* CUDA: the device that has the blocks */
    struct slab_graph slabs; /* views of the blocks */
    struct dynamic_tables tables;
    struct held incoming, growing, huge;
    struct held scratch, rows; /* for batches */
    bool valued;
    bool reporting; /* the report has counts that `edges` lacks */
    bool announced; /* the counts of announced insertions are not all 0 */
    bool skewed;    /* vertices had many items in the latest announced batch */
    uint64_t edges;
    uint32_t end;  /* pool.end after the last batch */
    uint64_t free; /* sectors of free pieces after the last batch */
    struct vacant_numbers vacant;
    gpugraph_run *run;
    struct cuda_job *job;  /* CUDA: while the graph is open */
    bool held;             /* CUDA: the caller has the device's turn, ... */
    struct cuda_job *lent; /* ... and this job; NULL: only to free the graph */
    double ms;             /* time of the call's operations, by the place's clock */
    double mark_ms[2];     /* CPU */
};

extern const dynamic_place gg_cpu_dynamic;
/* NULL in a build without nvcc. */
extern const dynamic_place *const gg_cuda_dynamic;

static inline bool gg_dynamic_going(const gpugraph_dynamic *d) {
    return d->run->status == GPUGRAPH_OK;
}
static inline void gg_dynamic_step(gpugraph_dynamic *d, enum dynamic_step step,
                                   const struct dynamic_batch *batch) {
    d->place->step(d, step, batch);
}
/* The time of the steps between these two calls is the time of the operation. */
static inline void gg_dynamic_start(gpugraph_dynamic *d) {
    d->place->mark(d, 0);
}
static inline void gg_dynamic_stop(gpugraph_dynamic *d) {
    d->place->mark(d, 1);
    d->ms += d->place->elapsed(d);
}

/* ---- dynamic.c: the frame of every public function ---- */

/* Returns the place that run->backend selects; NULL after an error. */
const dynamic_place *gg_dynamic_place(gpugraph_run *run);
/* gpugraph_dynamic_create at the given place; job: NULL, or an open job. */
gpugraph_status gg_dynamic_new(const gpugraph_dynamic_options *options,
                               const dynamic_place *place, struct cuda_job *job,
                               gpugraph_run *run, gpugraph_dynamic **graph);
bool gg_dynamic_open(gpugraph_dynamic *d, gpugraph_run *run);
gpugraph_status gg_dynamic_close(gpugraph_dynamic *d);
/* Begins a batch: opens the place, uploads the arrays, clears the report. If it returns
** false, the caller calls gg_dynamic_close next. */
bool gg_dynamic_begin(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                      const uint32_t *source, const uint32_t *target,
                      const uint32_t *value, struct dynamic_batch *b);
/* Begins a batch of edges without uploading them: the caller writes the ends to the
** memory of the slabs. NULL: valid ends are there already. */
bool gg_dynamic_begin_unsent(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                             const uint32_t *source, const uint32_t *target,
                             struct dynamic_batch *b);
void gg_dynamic_new_report(gpugraph_dynamic *d);
/* Returns the pool after the steps of a batch, and adds its report to the count of
** edges. */
struct slab_pool gg_dynamic_count(gpugraph_dynamic *d);
/* After a call that failed: completes the steps that it began, and counts edges. */
void gg_dynamic_mend(gpugraph_dynamic *d, const gpugraph_run *failed);
/* Reports the phase and closes; after an error it mends. */
gpugraph_status gg_dynamic_end(gpugraph_dynamic *d, const char *name, uint64_t items);

/* Marks vertices as used because edges name them: their numbers are not free.
** (vertices.c) */
void gg_dynamic_occupy(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex);

/* Inserts a batch into the tables. */
void gg_dynamic_put(gpugraph_dynamic *d, struct dynamic_batch *b);

/* ---- memory.c ---- */

/* Enlarges the block to that many bytes; new bytes are all `byte`. */
void gg_dynamic_enlarge(gpugraph_dynamic *d, struct held *h, uint64_t bytes, int byte);
/* Enlarges the block without keeping its contents. */
bool gg_dynamic_make_room(gpugraph_dynamic *d, struct held *h, uint64_t bytes);
void gg_dynamic_drop(gpugraph_dynamic *d, struct held *h);
void gg_dynamic_drop_tables(gpugraph_dynamic *d, struct dynamic_tables *t);
struct slab_pool gg_dynamic_pool(gpugraph_dynamic *d);
/* Enlarges the dictionary to that many vertices. */
void gg_dynamic_grow_vertices(gpugraph_dynamic *d, uint32_t vertices);
/* Enlarges the lists of free pieces and of huge vertices. Only for a graph with
** tables. */
void gg_dynamic_make_lists(gpugraph_dynamic *d);
bool gg_dynamic_has_room(const gpugraph_dynamic *d, uint64_t sectors);
/* Makes room for `sectors` more sectors in the arena. */
void gg_dynamic_grow_arena(gpugraph_dynamic *d, uint64_t sectors);
/* Begins a call of the run, and checks the ends of a batch: NULL is GPUGRAPH_INVALID. */
bool gg_needs_edges(gpugraph_run *run, uint64_t count, const uint32_t *source,
                    const uint32_t *target);
/* Makes room for a rehash of the listed vertices, and rehashes them. `most`: the most
** sectors that it takes. */
void gg_dynamic_rehash(gpugraph_dynamic *d, struct dynamic_batch *b, uint64_t most);

/* ---- rows.c ---- */

/* Returns the number of edges of the batch's vertices. */
uint64_t gg_dynamic_count_edges(gpugraph_dynamic *d, const struct dynamic_batch *b);

/* Makes the rows of the batch's vertices in the memory of the slabs. edges 0: makes only
** the offsets. */
bool gg_dynamic_make_rows(gpugraph_dynamic *d, uint64_t edges, bool values,
                          struct dynamic_batch *b);

#ifdef __cplusplus
}
#endif
#endif
