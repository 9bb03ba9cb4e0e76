/* What a batch of rows, read again, changes in one graph of a mirror: between batch.c, halves.c
** and places.c. */
#ifndef GPUGRAPH_FOLLOW_BATCH_H
#define GPUGRAPH_FOLLOW_BATCH_H

#include "mirror.h"

/* Edges that have gone and come in a graph, by the numbers by which they are found: edge ids, or
** those of row_ids. Ascending. */
typedef struct row_changes {
    const graph_ref *mirror;
    id_list removed;
    loader added;
    id_list
        stays; /* with row_ids, of each added edge: it is a removed one, with the same id */
    /* Ends of rows that are no edges, by half_row_number. */
    id_list removed_halves;
    loader lone;
} row_changes;

/* The edge of this number in the mirror, or GPUGRAPH_NO_EDGE. */
uint64_t row_changes_edge(const graph_ref *mirror, int64_t number);

/* ---- halves.c ---- */

/* What a batch means to rows that are no edges, and to the vertices that they hold. */
typedef struct half_changes {
    gpugraph_graph *after; /* NULL: there are none afterwards */
    bool changed; /* after is another graph than the mirror's, and the caller's */
    uint32_t *kept, *loose;
    int64_t kept_count, loose_count;
} half_changes;

/* Finds it out; the mirror is not touched. SQLITE_MISMATCH: the whole table must be read. */
int half_changes_make(connection *c, const graph_ref *mirror, row_changes *changes,
                      intern *texts, half_changes *made);
/* Frees what is in it, but not `after`. */
void half_changes_clear(half_changes *made);

/* ---- places.c ---- */

/* A batch for gpugraph_update of a graph whose edges have no ids but their numbers. */
typedef struct place_batch {
    int64_t *removed; /* edge numbers and one, ascending */
    uint64_t *before;
    int64_t *edge_id;
    id_array end[2];
    number *weight;
} place_batch;

/* Brings graph->row_ids up to date, after which an error leaves graph and rows apart, and says
** what is to become of the graph. added: the columns of changes->added, which become those of the
** batch. SQLITE_MISMATCH: the whole table must be read. */
int place_batch_make(connection *c, graph_ref *graph, row_changes *changes,
                     gpugraph_edges *added, gpugraph_changes *batch, place_batch *made);
void place_batch_clear(place_batch *made);

#endif
