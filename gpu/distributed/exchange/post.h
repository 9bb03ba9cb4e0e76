/* Messages of any size to and from every part, and what all parts agree on. Any exchange serves. */
#ifndef GPUGRAPH_POST_H
#define GPUGRAPH_POST_H

#include "gpugraph_parts.h"

/* Bytes by part, one after the other: offset[q] .. offset[q + 1] - 1 go to, or come from, part q. */
typedef struct gg_letters {
    char *bytes;
    uint64_t *offset; /* parts + 1 */
} gg_letters;

/* Room for what goes to each part: size[q] bytes. False: the run has failed. */
bool gg_letters_open(gg_letters *l, gpugraph_exchange *x, gpugraph_run *run,
                     const uint64_t *size);
void gg_letters_close(gg_letters *l);
/* Collective. *in is opened. */
bool gg_post(gpugraph_exchange *x, gpugraph_run *run, const gg_letters *out,
             gg_letters *in);
/* Collective. size[q], which goes to part q, becomes what part q has for this one. */
bool gg_swap_sizes(gpugraph_exchange *x, gpugraph_run *run, uint64_t *size);

/* Collective: what failed at one part has failed at all of them, with the sentence of the first. True:
** nobody has failed. *politely is set where all know of it, so that every process can end by itself. */
bool gg_all_agree(gpugraph_exchange *x, gpugraph_run *run, bool *politely);

#endif
