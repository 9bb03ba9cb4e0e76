/* The share of the edges that a process reads, as columns of ids. */
#ifndef GPUGRAPH_MPI_COLUMNS_H
#define GPUGRAPH_MPI_COLUMNS_H

#include "options.h"
#include "base/intern.h"
#include "source/source.h"

typedef struct share_column {
    int64_t *value;
    uint8_t *is_text; /* NULL: no text */
} share_column;

typedef struct columns {
    int64_t count, lone;
    share_column end[2];
    share_column vertex;  /* `lone` of them: ends beside a NULL one */
    share_column edge_id; /* value NULL: not wanted; a text below 0 is NULL */
    bool weighted, real_weight;
    void *weight; /* int64_t, or double */
    intern texts, edge_texts;
    bool own_ids;   /* edge ids are a column, not rowids */
    uint32_t files; /* read so far */
    int64_t *begin; /* of each file: its first edge here */
    id_columns ids; /* of the last file that this process has read */
    bool may_mix;   /* some process has ids.mixed */
} columns;

/* Collective. Which edges: ranges of rowids of each file, or where there are as many files as processes, files
** in turn. False: run has the sentence, at this process at least. */
bool columns_read(columns *c, const options *o, gpugraph_exchange *x, gpugraph_run *run,
                  bool *politely);
void columns_clear(columns *c);
/* Columns that are needed no longer. */
void columns_drop(columns *c);

/* About the table, without reading it: --plan. */
typedef struct table_count {
    int64_t rows, vertices;
    bool weighted;
} table_count;
bool columns_count(const options *o, gpugraph_run *run, table_count *count);

#endif
