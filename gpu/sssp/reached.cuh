/* A search on a device whose answer is short comes home as a list: what is reached within the
** bound, by vertex.
**
**     device   distances   - 4 1 - - - 3 - ...      an entry for each vertex
**     host     vertex      1 2 6                    reached.cu
**              value       4 1 3
**
** Of a few of many million vertices only these cross the bus, and the host looks at no
** others. */
#ifndef GPUGRAPH_REACHED_CUH
#define GPUGRAPH_REACHED_CUH

#include "device/cuda.cuh"
#include "sssp.h"

/* Values of all vertices, on the device. Those count that are reached and no larger than the bound. */
struct reached_values {
    const void *value;
    gpugraph_distance_type type;
    uint64_t most; /* of whole numbers */
    double most_real;
    const void *tree; /* edge numbers; NULL: not wanted */
};

/* to->count: NONE where there is no room. Phase "download". False when the job must end. */
bool gg_bring_reached(struct cuda_job *job, const struct reached_values *values,
                      struct reached_list *to);
/* The same for a search that nothing but its targets ends: those of them that it has reached. */
bool gg_bring_targets(struct cuda_job *job, const struct reached_values *values,
                      const gpugraph_search *search, struct reached_list *to);

#endif
