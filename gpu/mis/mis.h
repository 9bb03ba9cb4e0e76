/* Maximal independent sets, on either side. */
#ifndef GPUGRAPH_MIS_H
#define GPUGRAPH_MIS_H

#include "algorithm.h"
#include "gpugraph_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mis_calls {
    gpugraph_status (*find)(gpugraph_graph *, gpugraph_priority, int64_t seed,
                            gpugraph_run *, uint8_t *member);
    /* Of a part that is on a device. */
    gpugraph_status (*part)(gpugraph_part *, gpugraph_priority, const uint32_t *hash,
                            gpugraph_run *, uint8_t *member);
};

extern const gg_algorithm gg_mis;
extern const algorithm_side gg_mis_cuda;

gpugraph_status gg_cuda_part_mis(gpugraph_part *, gpugraph_priority, const uint32_t *hash,
                                 gpugraph_run *, uint8_t *member);

#ifdef __cplusplus
}
#endif
#endif
