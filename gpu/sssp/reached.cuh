/* A search on a device whose answer is short sends a list of the vertices reached within
** the bound.
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

/* Lists the vertices that a search has reached; if only targets end the search, it lists
** those targets that are reached. to->count is NONE if there is not enough room. Phase
** "download". False: the job must end. */
bool gg_bring_list(cuda_job *job, const reached_values *values,
                   const gpugraph_search *search, bool bounded, reached_list *to);

#endif
