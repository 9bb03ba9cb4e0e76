/* What is reached comes home as a list: see reached.h. */
#ifndef GPUGRAPH_REACHED_CUH
#define GPUGRAPH_REACHED_CUH

#include "device/cuda.cuh"
#include "reached.h"

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
