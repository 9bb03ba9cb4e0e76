/* Texts of all processes, numbered in order of their bytes: numbers.h for what is no INTEGER. */
#ifndef GPUGRAPH_MPI_TEXTS_H
#define GPUGRAPH_MPI_TEXTS_H

#include "gpugraph_parts.h"

typedef struct text_range {
    gpugraph_exchange *exchange;
    uint64_t *first; /* parts + 1, from 0 */
    uint64_t *offset;
    char *bytes;
} text_range;

/* Collective. Texts of this process, each once; number[t] of text t. */
bool text_range_make(text_range *r, gpugraph_exchange *x, gpugraph_run *run,
                     const gpugraph_texts *texts, uint64_t *number);
/* Collective. The bytes of these numbers, one after the other, in a block for gg_release; length[i]. */
bool text_range_look_up(const text_range *r, gpugraph_run *run, const uint64_t *number,
                        uint64_t count, uint64_t *length, char **bytes);
void text_range_close(text_range *r);

#endif
