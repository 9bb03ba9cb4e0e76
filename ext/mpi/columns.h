/* The share of the edges that a process reads.
**
**     file[]      as the loader brought them: ids as INTEGERs and numbers of texts
**     end, key, weight       over all files: numbers of vertices, keys of edges */
#ifndef GPUGRAPH_MPI_COLUMNS_H
#define GPUGRAPH_MPI_COLUMNS_H

#include "options.h"
#include "load/loader.h"
#include "source/source.h"

typedef struct share_file {
    uint32_t place;     /* of the file in --db */
    loader edges, lone; /* lone: vertices, ends beside a NULL one */
    intern texts;
} share_file;

typedef struct columns {
    share_file *file;
    uint32_t files; /* read so far */
    uint64_t count; /* edges */
    bool weighted, real_weight;
    bool own_ids;   /* edge ids are a column, not rowids */
    id_columns ids; /* of the last file that this process has read */
    bool may_mix;   /* some process has ids.mixed */
    uint64_t *end[2], *key;
    number *weight;
} columns;

/* Collective. Which edges: ranges of rowids of each file, or where there are as many files as processes, files
** in turn. False: run has the sentence, at this process at least. */
bool columns_read(columns *c, const options *o, gpugraph_exchange *x, gpugraph_run *run);
/* Joins the weights of all files. False: the run has failed. */
bool columns_join_weights(columns *c, gpugraph_run *run);
/* Frees the rows of all files. */
void columns_drop_files(columns *c);
void columns_clear(columns *c);

#endif
