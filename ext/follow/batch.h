/* The changes that a batch of rows makes in one graph of a mirror, for batch.c, halves.c
** and places.c. */
#ifndef GPUGRAPH_FOLLOW_BATCH_H
#define GPUGRAPH_FOLLOW_BATCH_H

#include "mirror.h"

/* Edges removed from a graph and added to it, by the numbers that find them: edge ids, or
** the numbers in row_ids. The numbers ascend. */
typedef struct row_changes {
    const graph_ref *mirror;
    id_list removed;
    loader added;
    /* with row_ids: 1 for each added edge that replaces a removed edge of its id */
    id_list stays;
    /* Ends of rows that are no edges, by half_row_number(). */
    id_list removed_halves;
    loader lone;
} row_changes;

/* The mirror's edge with this number, or GPUGRAPH_NO_EDGE. */
uint64_t row_changes_edge(const graph_ref *mirror, int64_t number);

/* ---- halves.c ---- */

/* The effect of a batch on the vertices that rows without an edge keep. */
typedef struct half_changes {
    bool changed; /* g->half_rows has the batch; g->graph does not have it yet */
    uint32_t *kept, *loose;
    int64_t kept_count, loose_count;
} half_changes;

/* Applies the batch to g->half_rows, and computes the effect. The caller calls
** half_changes_clear, also after an error. SQLITE_MISMATCH: the whole table must be
** read. */
int half_changes_make(connection *c, graph_ref *g, row_changes *changes, intern *texts,
                      half_changes *made);
void half_changes_clear(half_changes *made);

/* ---- places.c ---- */

/* A batch of gpugraph_update for a graph whose edge ids are the edge numbers plus one. */
typedef struct place_batch {
    int64_t *removed; /* edge numbers plus one, ascending */
    uint64_t *before;
    int64_t *edge_id;
    id_array end[2];
    number *weight;
} place_batch;

/* Applies the changes to graph->row_ids and makes the batch for the graph itself. If a
** later step fails, graph and row_ids no longer agree. added: the columns of
** changes->added, which this function replaces by those of the batch. SQLITE_MISMATCH:
** the whole table must be read. */
int place_batch_make(connection *c, graph_ref *graph, row_changes *changes,
                     gpugraph_edges *added, gpugraph_changes *batch, place_batch *made);
void place_batch_clear(place_batch *made);

#endif
