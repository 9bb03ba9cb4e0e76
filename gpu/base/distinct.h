/* Distinct values, numbered in the order in which they are added.
**
**     value   17  3  90  4             value[k] is the k-th distinct value
**     slot    . 3 . 1 . . 4 . 2        k + 1, at the hash of value[k] or the next
**                                      free slot; at most half full */
#ifndef GPUGRAPH_DISTINCT_H
#define GPUGRAPH_DISTINCT_H

#include "run.h"

GG_BEGIN_C

struct gg_distinct { /* all zero: empty */
    uint64_t count, room;
    uint64_t *value; /* a caller that takes the array over sets NULL */
    uint64_t *slot;  /* 2 * room */
    struct gg_placing placing;
};

/* Makes room for `count` distinct values. Returns false if the run has failed or was
** interrupted. */
bool gg_distinct_reserve(struct gg_distinct *d, gpugraph_run *run, uint64_t count);
/* Returns the number of a value, which it adds if it is new. UINT64_MAX if the run has
** failed or was interrupted. */
uint64_t gg_distinct_add(struct gg_distinct *d, gpugraph_run *run, uint64_t value);
void gg_distinct_free(struct gg_distinct *d);

GG_END_C
#endif
