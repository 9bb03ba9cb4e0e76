/* Messages of any size to and from every part, and what all parts agree on. Knows no MPI: any exchange
** serves. */
#ifndef GPUGRAPH_MPI_POST_H
#define GPUGRAPH_MPI_POST_H

#include "gpugraph_parts.h"

/* Bytes by part, one after the other: offset[q] .. offset[q + 1] - 1 go to, or come from, part q. */
typedef struct letters {
    char *bytes;
    uint64_t *offset; /* parts + 1 */
} letters;

/* Room for what goes to each part: size[q] bytes. False: the run has failed. */
bool letters_open(letters *l, gpugraph_exchange *x, gpugraph_run *run,
                  const uint64_t *size);
void letters_close(letters *l);
/* Collective. *in is opened. */
bool post(gpugraph_exchange *x, gpugraph_run *run, const letters *out, letters *in);

/* Collective: what failed at one part has failed at all of them, with the sentence of the first. True:
** nobody has failed. *politely is set where all know of it, so that every process can end by itself. */
bool all_agree(gpugraph_exchange *x, gpugraph_run *run, bool *politely);

#endif
