/* The answer of a search at one process: arrays with an entry for each master (a vertex
** that the process owns), and the dictionaries from numbers to ids.
**
**     master    0   1   2   ...        column   kind     array
**     row       0   2   ...            vertex   'v'      numbers of vertices
**               masters that have      depth    'd'      uint32_t
**               a row in the result    parent   'v'      UINT64_MAX: NULL
**                                      edge     'e'      keys; NULL if parent is NULL */
#ifndef GPUGRAPH_MPI_ANSWER_H
#define GPUGRAPH_MPI_ANSWER_H

#include "columns.h"
#include "numbers.h"

enum { ANSWER_COLUMNS = 4 };

/* Keys of edges: the rowids if there is one table and no column of ids; otherwise
** numbers. */
typedef struct edge_keys {
    bool numbered;
    range ids;
    range order; /* strings of two words: number of the id, position of the row */
} edge_keys;

typedef struct answer {
    int columns;
    struct answer_column {
        const char *name, *type;
        char kind;
        const void *array;
    } column[ANSWER_COLUMNS];
    uint32_t *row, rows;
    range vertices;
    edge_keys edges;
    /* own the memory of column[].array */
    uint64_t *parent;
    void *value;
    int64_t *edge;
    gpugraph_part *part;
} answer;

/* The state of this process at the end of each phase; the first mark is the start. */
enum { MARKS = 7 };
typedef struct phases {
    int marks;
    struct mark {
        const char *name; /* the phase that ends */
        double ms;
        uint64_t sent, received;
    } mark[MARKS];
} phases;
void phases_mark(phases *p, const gpugraph_exchange *x, const char *name);
/* Collective: process 0 prints the phases of all processes. */
void phases_report(const phases *p, gpugraph_exchange *x, gpugraph_run *run);

/* Collective: reads the edges, numbers the ids, makes the partition, searches. False: the
** run has failed. */
bool answer_make(answer *a, const options *o, gpugraph_exchange *x, gpugraph_run *run,
                 phases *p);
void answer_clear(answer *a);
/* Searches (search.c). False: the run has failed, perhaps at this process alone. */
bool answer_search(answer *a, const options *o, const columns *c, gpugraph_run *run);

/* Collective: checks, before any work, that the result can be written (write.c). */
bool result_check(const options *o, gpugraph_exchange *x, gpugraph_run *run);
bool result_write(const answer *a, const options *o, gpugraph_exchange *x,
                  gpugraph_run *run);

#endif
