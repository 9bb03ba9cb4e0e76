/* The inside of a multigraph: a dynamic graph of pairs (dynamic.h), whose values are
** chains of edges (edge_chain.h).
**
**     multigraph.c            create, free; batches of edges
**     multigraph_rows.c       rows; vertices
**     multigraph_mirror.c     the transpose, with a table of its own over the same edges
**     multigraph_cpu.c, .cu   the order of a batch and its steps, where the slabs are */
#ifndef GPUGRAPH_MULTIGRAPH_H
#define GPUGRAPH_MULTIGRAPH_H

#include "dynamic.h"
#include "edge_chain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays in which a batch is sorted, of `count` entries each. */
struct chain_sort {
    uint64_t *key[2];
    uint32_t *item[2];
    bool by_id; /* the ids of the batch are not ascending */
};

typedef struct chain_place {
    /* Computes batch->order. */
    void (*order)(gpugraph_dynamic *d, const struct chain_sort *sort,
                  struct chain_batch *batch);
    /* Runs a step. CHAIN_LINK and CHAIN_CUT, once begun, are completed. */
    void (*step)(gpugraph_dynamic *d, enum chain_step step,
                 const struct chain_batch *batch, uint64_t items);
} chain_place;

extern const chain_place gg_cpu_chains;
/* NULL in a build without nvcc. */
extern const chain_place *const gg_cuda_chains;

struct gpugraph_multigraph {
    gpugraph_dynamic *pairs;
    const chain_place *place;
    struct held slot, free; /* the table of edges, and the numbers of its free slots */
    struct held batch, rows;
    uint64_t edges, end, free_count; /* slots: in use, ever taken, free */
    /* A mirror has only reversed pairs, which name slots of its graph. A change of the
    ** graph also changes its mirror; a mirror takes no other changes. `of` is NULL for a
    ** graph, `mirror` is NULL for a graph without a mirror. */
    struct gpugraph_multigraph *of, *mirror;
};

/* ---- edges and rows in the memory of the slabs ---- */

struct chain_edges {
    uint64_t count;
    const uint32_t *source, *target;
    const int64_t *id;  /* NULL: 1, 2, 3 ... */
    const void *weight; /* NULL: all 0 */
    size_t weight_size; /* 4 or 8 bytes */
};

struct chain_rows { /* in the memory of the slabs, until the next call */
    uint64_t edges;
    const uint64_t *offset; /* one entry more than there are rows */
    const uint32_t *target;
    const int64_t *weight;
};

/* gpugraph_multigraph_create at the given place; job: NULL, or an open job. */
gpugraph_status gg_multigraph_new(const gpugraph_dynamic_options *options,
                                  const dynamic_place *place, struct cuda_job *job,
                                  gpugraph_run *run, gpugraph_multigraph **graph);
/* gpugraph_multigraph_insert for edges in the memory of the slabs. */
gpugraph_status gg_multigraph_put(gpugraph_multigraph *m, const struct chain_edges *edges,
                                  gpugraph_run *run);
/* Makes the rows of `count` vertices. loopless: without edges from a vertex to itself.
** (multigraph_rows.c) */
gpugraph_status gg_multigraph_list_rows(gpugraph_multigraph *m, uint64_t count,
                                        const uint32_t *vertex, bool loopless,
                                        gpugraph_run *run, struct chain_rows *rows);

/* ---- multigraph_mirror.c ---- */

/* Makes a mirror of a graph that has none, at the place of the graph; on a device, in the
** lent job. The caller frees the mirror before the graph, and both after an error. */
gpugraph_status gg_multigraph_mirror(gpugraph_multigraph *m, gpugraph_run *run,
                                     gpugraph_multigraph **made);
/* Opens and closes the mirror, if there is one, during a batch. */
bool gg_mirror_open(gpugraph_multigraph *m, gpugraph_run *run);
void gg_mirror_close(gpugraph_multigraph *m);
/* Inserts the groups' pairs into the mirror. */
void gg_mirror_put(gpugraph_multigraph *m, const struct dynamic_batch *pairs);
/* Sets in *c the present state of the mirror, for the steps that change chains. */
void gg_mirror_name(const gpugraph_multigraph *m, struct chain_batch *c);
/* Returns the number of pairs, counted in the tables. */
uint64_t gg_multigraph_pairs(gpugraph_multigraph *m, gpugraph_run *run);

/* ---- multigraph.c ---- */

struct chain_batch gg_chain_batch(const gpugraph_multigraph *m);
/* Carves an array out of a block of the graph. A first pass with NULL counts bytes. */
void *gg_chain_carve(char *block, uint64_t *used, uint64_t count, uint64_t size);
/* Stores prefix sums of need[0 .. items - 1] in at[0 .. items]. Returns the total. */
uint64_t gg_chain_sum(gpugraph_multigraph *m, const struct chain_batch *c,
                      uint64_t items);
/* Frees the blocks of a large batch, reports the phase, and closes. */
gpugraph_status gg_chain_end(gpugraph_multigraph *m, const char *name, uint64_t items);

#ifdef __cplusplus
}
#endif
#endif
