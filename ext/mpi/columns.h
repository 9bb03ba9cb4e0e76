/* The edges that a process reads.
**
**     file[]               what the loader has read: INTEGERs, and numbers of texts
**     end, key, weight     of all files: numbers of vertices, keys of edges */
#ifndef GPUGRAPH_MPI_COLUMNS_H
#define GPUGRAPH_MPI_COLUMNS_H

#include "options.h"
#include "load/loader.h"
#include "source/source.h"

typedef struct share_file {
    uint32_t place;     /* index of the file in --db */
    loader edges, lone; /* lone: vertices of rows with one NULL end */
    intern texts;
} share_file;

typedef struct columns {
    share_file *file;
    uint32_t files; /* read so far */
    uint64_t count; /* edges */
    bool weighted, real_weight;
    bool own_ids;   /* edge ids are a column, not rowids */
    id_columns ids; /* columns of the last file that this process has read */
    bool may_mix;   /* some process has ids.mixed */
    uint64_t *end[2], *key;
    number *weight;
} columns;

/* Collective: reads a range of rowids of every file, or whole files in turn if there are
** as many files as processes. False: run has an error, at this process at least. */
bool columns_read(columns *c, const options *o, gpugraph_exchange *x, gpugraph_run *run);
/* Makes `weight` from the weights of all files. False: the run has failed. */
bool columns_join_weights(columns *c, gpugraph_run *run);
/* Frees the rows of all files. */
void columns_drop_files(columns *c);
void columns_clear(columns *c);

#endif
