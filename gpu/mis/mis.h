/* Maximal independent sets, on either side. */
#ifndef GPUGRAPH_MIS_H
#define GPUGRAPH_MIS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mis_calls {
    gpugraph_status (*find)(gpugraph_graph *, gpugraph_priority, int64_t seed,
                            gpugraph_run *, uint8_t *member);
};

/* Bytes of words beyond which "one-launch-balanced" has a byte for each vertex in place of a word; 0: those
** of the device's second-level cache. Tests set it. */
extern uint64_t gg_mis_word_bytes;

extern const gg_algorithm gg_mis;
extern const algorithm_side gg_mis_cuda;

/* By several devices, and by partitions on threads. (distributed/mis) */
extern const algorithm_side gg_mis_distributed, gg_mis_partitions;

#ifdef __cplusplus
}
#endif
#endif
