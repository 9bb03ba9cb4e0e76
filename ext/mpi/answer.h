/* What a search has found at a process, and the way back from numbers to ids.
**
**     master    0   1   2   ...          column   kind     array, an entry for each master
**     row       0   2   ...              vertex   'v'      numbers of vertices
**               masters that have        depth    'd'      uint32_t
**               a row in the result      parent   'v'      UINT64_MAX: NULL
**                                        edge     'e'      keys of edges; NULL where parent is */
#ifndef GPUGRAPH_MPI_ANSWER_H
#define GPUGRAPH_MPI_ANSWER_H

#include "columns.h"
#include "numbers.h"

enum { ANSWER_COLUMNS = 4 };

/* Edge ids: the rowids of one table are keys as they are; others are numbered. */
typedef struct edge_keys {
    bool numbered;
    range ids;
    range order; /* number of the id, place in the order of rows: two words */
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
    /* blocks of the arrays */
    uint64_t *parent;
    void *value;
    int64_t *edge;
    gpugraph_part *part;
} answer;

/* Where this process was when a phase ended: the first mark is the beginning. */
enum { MARKS = 7 };
typedef struct phases {
    int marks;
    struct mark {
        const char *name; /* of the phase that ends */
        double ms;
        uint64_t sent, received;
    } mark[MARKS];
} phases;
void phases_mark(phases *p, const gpugraph_exchange *x, const char *name);
/* Collective. */
void phases_report(const phases *p, gpugraph_exchange *x, gpugraph_run *run);

/* Collective: reads, numbers, makes parts, searches. */
bool answer_make(answer *a, const options *o, gpugraph_exchange *x, gpugraph_run *run,
                 phases *p);
void answer_clear(answer *a);
/* search.c: the last step of it. False where the run has failed, perhaps at this process alone. */
bool answer_search(answer *a, const options *o, const columns *c, gpugraph_run *run);

/* write.c. Collective: can there be a result? Before any work is done. */
bool result_check(const options *o, gpugraph_exchange *x, gpugraph_run *run);
bool result_write(const answer *a, const options *o, gpugraph_exchange *x,
                  gpugraph_run *run);

#endif
