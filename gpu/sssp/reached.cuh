/* A search on a device whose answer is short comes home as a list: what is reached within the
** bound, by vertex.
**
**     device   distances   - 4 1 - - - 3 - ...      an entry for each vertex
**     host     vertex      1 2 6                    reached.cu
**              value       4 1 3
**
** Only the entries of the list cross the bus, and the host looks at no other vertex. */
#ifndef GPUGRAPH_REACHED_CUH
#define GPUGRAPH_REACHED_CUH

#include "device/cuda.cuh"
#include "sssp.h"

/* Values of all vertices, on the device. */
struct reached_values {
    const void *value;
    gpugraph_distance_type type;
    uint64_t most;    /* a word (base/words.h): larger values are not listed */
    const void *tree; /* edge numbers; NULL: not wanted */
};

/* Lists what is reached, or, where nothing but targets ends the search, those targets that
** are. to->count: NONE where there is no room. Phase "download". False when the job must
** end. */
bool gg_bring_list(struct cuda_job *job, const struct reached_values *values,
                   const gpugraph_search *search, bool bounded, struct reached_list *to);

#endif
