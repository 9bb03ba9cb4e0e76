/* What is shown on a terminal while processes work. */
#ifndef GPUGRAPH_MPI_PROGRESS_H
#define GPUGRAPH_MPI_PROGRESS_H

#include "options.h"

typedef struct progress {
    const options *o;
    const gpugraph_exchange *x;
    bool shown;
    double next_ms;
    uint64_t told; /* the round that was told last */
} progress;

/* Of process 0; the others show nothing. */
void progress_begin(progress *p, const options *o, const gpugraph_exchange *x);
/* Does what this process writes to stderr come to a terminal? */
bool progress_is_seen(void);
/* For gpugraph_run, whose listener is the progress: a phase of the library; between its steps, where
** now and then a line tells how far a search is. */
void progress_phase(void *progress, const char *name, double ms, int64_t items,
                    const char *detail);
int progress_look(void *progress);

#endif
