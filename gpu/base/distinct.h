/* Distinct values, numbered by their first coming.
**
**     value   17  3  90  4             value[k] came as the k-th
**     slot    . 3 . 1 . . 4 . 2        k + 1, at the place of value[k] or the next free one; at most half full */
#ifndef GPUGRAPH_DISTINCT_H
#define GPUGRAPH_DISTINCT_H

#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gg_distinct { /* all zero is empty */
    uint64_t count, room;
    uint64_t *value; /* a caller that takes the array sets NULL */
    uint64_t *slot;  /* 2 * room */
    struct gg_placing placing;
};

/* Room for so many distinct values. False: the run has failed, or was stopped, and says so. */
bool gg_distinct_reserve(struct gg_distinct *d, gpugraph_run *run, uint64_t count);
/* The number of a value, a new one if it has not come yet. UINT64_MAX: as reserve's false. */
uint64_t gg_distinct_add(struct gg_distinct *d, gpugraph_run *run, uint64_t value);
void gg_distinct_free(struct gg_distinct *d);

#ifdef __cplusplus
}
#endif
#endif
