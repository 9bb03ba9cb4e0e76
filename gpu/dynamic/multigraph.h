/* A multigraph inside: a dynamic graph of pairs (dynamic.h), whose values are chains of edges
** (edge_chain.h).
**
**     multigraph.c            create, free; batches of edges
**     multigraph_rows.c       rows; vertices
**     multigraph_mirror.c     the transpose, by a table of its own over the same edges
**     multigraph_cpu.c, .cu   order of a batch, and its steps, where the slabs are */
#ifndef GPUGRAPH_MULTIGRAPH_H
#define GPUGRAPH_MULTIGRAPH_H

#include "dynamic.h"
#include "edge_chain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays to sort a batch in, of `count` entries each. */
struct chain_sort {
    uint64_t *key[2];
    uint32_t *item[2];
    bool by_id; /* ids do not ascend through the batch by themselves */
};

typedef struct chain_place {
    /* batch->order */
    void (*order)(gpugraph_dynamic *d, const struct chain_sort *sort,
                  struct chain_batch *batch);
    /* CHAIN_LINK and CHAIN_CUT, once begun, come to an end. */
    void (*step)(gpugraph_dynamic *d, enum chain_step step,
                 const struct chain_batch *batch, uint64_t items);
} chain_place;

extern const chain_place gg_cpu_chains;
/* NULL where there is no nvcc. */
extern const chain_place *const gg_cuda_chains;

struct gpugraph_multigraph {
    gpugraph_dynamic *pairs;
    const chain_place *place;
    struct held slot, free; /* the table of edges, and the numbers of free slots in it */
    struct held batch, rows;
    struct held slots, numbers;      /* gg_multigraph_number */
    uint64_t edges, end, free_count; /* slots: in use, ever taken, free */
    /* A mirror has pairs alone, the other way round, and follows the changes of the graph whose slots
    ** they name; it takes none itself. */
    struct gpugraph_multigraph *of, *mirror; /* NULL: it is none; it has none */
};

/* ---- edges and rows that lie where the slabs are ---- */

struct chain_edges {
    uint64_t count;
    const uint32_t *source, *target;
    const int64_t *id;  /* NULL: 1, 2, 3 ... */
    const void *weight; /* NULL: all 0 */
    size_t weight_size; /* 4 or 8 bytes */
};

struct chain_rows { /* where the slabs are, until the next call */
    uint64_t edges;
    const uint64_t *offset; /* one more than there are rows */
    const uint32_t *target;
    const int64_t *weight;
};

/* gpugraph_multigraph_create at that place; job: NULL, or one that is open. */
gpugraph_status gg_multigraph_new(const gpugraph_dynamic_options *options,
                                  const dynamic_place *place, struct cuda_job *job,
                                  gpugraph_run *run, gpugraph_multigraph **graph);
/* gpugraph_multigraph_insert. */
gpugraph_status gg_multigraph_put(gpugraph_multigraph *m, const struct chain_edges *edges,
                                  gpugraph_run *run);
/* The rows of `count` vertices. number: of each vertex as a target, where the slabs are; NULL:
** its own. loopless: edges from a vertex to itself are left out. (multigraph_rows.c) */
gpugraph_status gg_multigraph_list_rows(gpugraph_multigraph *m, uint64_t count,
                                        const uint32_t *vertex, const uint32_t *number,
                                        bool loopless, gpugraph_run *run,
                                        struct chain_rows *rows);

/* Vertices have other numbers in rows: slot[number] is the vertex. *number: the number of
** each vertex, as gg_multigraph_list_rows takes it, until the next call. slots: one more
** than the largest; known: numbers that are what they were in the latest call.
** (multigraph_rows.c) */
gpugraph_status gg_multigraph_number(gpugraph_multigraph *m, uint64_t count,
                                     const uint32_t *slot, uint64_t slots, uint64_t known,
                                     gpugraph_run *run, const uint32_t **number);
/* ---- multigraph_mirror.c ---- */

/* Makes a mirror of a graph that has none: its place is the graph's, on a device in the job that is lent. It
** is freed before the graph is, or it is given up with it after an error. */
gpugraph_status gg_multigraph_mirror(gpugraph_multigraph *m, gpugraph_run *run,
                                     gpugraph_multigraph **made);
/* Of a batch that has begun: the mirror is open, if there is one, and closed. */
bool gg_mirror_open(gpugraph_multigraph *m, gpugraph_run *run);
void gg_mirror_close(gpugraph_multigraph *m);
/* The mirror has entries for the groups' pairs. */
double gg_mirror_put(gpugraph_multigraph *m, const struct dynamic_batch *pairs);
/* The steps that change chains change it too: as it is now. */
void gg_mirror_name(const gpugraph_multigraph *m, struct chain_batch *c);
/* Pairs in the tables, counted there. */
uint64_t gg_multigraph_pairs(gpugraph_multigraph *m, gpugraph_run *run);

/* ---- multigraph.c ---- */

struct chain_batch gg_chain_batch(const gpugraph_multigraph *m);
/* Carves arrays out of one block of the graph's: first with NULL, which counts bytes. */
void *gg_chain_carve(char *block, uint64_t *used, uint64_t count, uint64_t size);
/* need[0 .. items - 1] -> at[0 .. items]; the sum of all. */
uint64_t gg_chain_sum(gpugraph_multigraph *m, const struct chain_batch *c,
                      uint64_t items);
/* Gives back what a large batch has taken, and closes. */
gpugraph_status gg_chain_end(gpugraph_multigraph *m, const char *name, double ms,
                             uint64_t items);

#ifdef __cplusplus
}
#endif
#endif
