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

/* Pieces of rows: by target, or in a grid. The job is open. (pieces.cu) */
struct cuda_job;
bool gg_mis_of_pieces(struct cuda_job *, gpugraph_part *, gpugraph_priority,
                      const uint32_t *hash, uint8_t *member);
/* Whole rows, of processes whose devices reach each other. False: they do not. (parts_shared.cu) */
bool gg_mis_of_shared_parts(struct cuda_job *, gpugraph_part *, gpugraph_priority,
                            const uint32_t *hash, uint8_t *member);

/* Is that the run's method? (in_parts.c) */
bool gg_mis_is_in_parts(const gpugraph_run *);
/* A part on each device of these ordinals, ascending; NULL: on the CPU. */
gpugraph_status gg_mis_in_parts(gpugraph_graph *, gpugraph_priority, int64_t seed,
                                gpugraph_run *, const int *ordinal, int devices,
                                uint8_t *member);

#ifdef __cplusplus
}
#endif
#endif
